/** Chooses the output format of a run, and reports the failure that ended it, to people as text and to programs as JSON. */

import { join, sep } from 'node:path'
import { type Environment, getTemporaryFolder, type Io } from '../base/io.js'
import { bugs } from '../base/version.js'
import type { Globals } from '../engine/command/globals.js'
import { getLastValue } from '../engine/command/tokens.js'
import { addWorkspaceHint } from '../engine/workspace/hints.js'
import { Failure, getErrorCode, getReason, recoverFrom } from '../errors.js'
import { formats, getFormat, tableFormat } from '../output/formats.js'
import type { Format } from '../output/types.js'
import { getPaths, openStore } from '../profile/index.js'
import { printError } from '../terminal/notes.js'
import { getStandardError, writeQuietly } from '../terminal/standard.js'
import type { FailureFormat } from './options.js'

// The output format: from a flag, a variable or the profile, in this order; otherwise a table.

/** True if failures are JSON in the format of this name. False for unknown names. */
const hasJsonFailures = (name: string | undefined): boolean =>
  formats.some((format) => format.name === name && format.json === true)

type FormatFlags = Pick<Globals, 'output' | 'profile'>

/** The name of a format. `source` describes what chose it, unless a flag did. */
interface WantedFormat {
  readonly output: string
  readonly source?: string
}

/** Finds the format that the profile sets. A profile that cannot be read is reported where it is needed. */
const findProfileFormat = (
  { profile }: FormatFlags,
  env: NodeJS.ProcessEnv,
): WantedFormat | undefined => {
  try {
    const store = openStore(getPaths(env))
    const name = profile ?? (env.SVC_PROFILE || undefined) ?? store.getCurrentName()
    const output = name === undefined ? undefined : store.get(name)?.output
    return output === undefined
      ? undefined
      : { output, source: `output=${output} of profile ${name}` }
  } catch {
    return undefined
  }
}

const findFormat = (chosen: FormatFlags, env: NodeJS.ProcessEnv): WantedFormat | undefined => {
  const { output } = chosen
  if (output !== undefined) return { output }
  const { SVC_OUTPUT: variable = '' } = env
  if (variable !== '') return { output: variable, source: `SVC_OUTPUT=${variable}` }
  return findProfileFormat(chosen, env)
}

/**
 * Returns the format of a run. If a variable or the profile chose a format that the line cannot use, the run prints a table.
 * @param check throws a Failure `usage` if the line cannot use a format
 * @param note receives a note about a format that is not used
 * @throws Failure `usage` for an unknown format
 */
export const chooseOutputFormat = async (
  chosen: FormatFlags,
  env: NodeJS.ProcessEnv,
  check: (format: Format) => Promise<void>,
  note: (text: string) => void,
): Promise<Format> => {
  const { output, source } = findFormat(chosen, env) ?? {}
  if (output === undefined) return tableFormat
  const format = getFormat(output, source)
  if (source === undefined) return format
  try {
    await check(format)
    return format
  } catch (error) {
    note(`${source} is not used: ${recoverFrom(error).message}`)
    return tableFormat
  }
}

/** Returns the format in which the failure of a run is reported. */
export const getFailureFormat = (
  { color }: Pick<Globals, 'color'>,
  { json }: Pick<Format, 'json'>,
): FailureFormat => ({ json: json === true, color })

/** True if failures are JSON for a line that was not parsed. Flags are searched in its words. */
const wantsJsonFailures = (argv: readonly string[], env: NodeJS.ProcessEnv): boolean => {
  const output = getLastValue(argv, 'output', 'o')
  const profile = getLastValue(argv, 'profile', 'p')
  return hasJsonFailures(findFormat({ output, profile }, env)?.output)
}

/** Converts an error after a signal to an interruption. A failure that is an interruption already is kept, since it may say more. */
const toInterruptedFailure = (error: unknown): Failure =>
  error instanceof Failure && error.category === 'interrupted'
    ? error
    : new Failure('interrupted', 'interrupted')

/** Returns the text of a defect. The message of a parser is left out, because it quotes its input, which may have secrets. */
const getDefectText = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'invalid text'
  return error instanceof Error ? error.message : String(error)
}

/** True if a path is one of the folders of svcctl (configuration, state, cache), or stands in one or above one. */
const isOwnPath = (path: string, env: Environment): boolean => {
  const { config, state, cache } = getPaths(env)
  return [config, state, cache].some(
    (own) => `${own}${sep}`.startsWith(`${path}${sep}`) || path.startsWith(`${own}${sep}`),
  )
}

/** Returns the remedy for an error of the operating system at a path. */
const hintSystemFailure = (code: string, path: string, env: Environment): string => {
  if (code === 'EMFILE') return 'Raise the limit of open files: ulimit -n 1024'
  if (path !== '' && isOwnPath(path, env))
    return 'Make the path readable and writable, or set SVC_CONFIG_DIR to another directory.'
  return path.startsWith(join(getTemporaryFolder(env), 'svcctl-'))
    ? 'svcctl needs a folder for temporary files. Set TMPDIR to a folder that you can write to.'
    : 'Check the file and its permissions.'
}

/** Converts an error of the operating system to a failure. Returns undefined for any other error. */
const toSystemFailure = (error: unknown, env: Environment): Failure | undefined => {
  if (!(error instanceof Error) || !('syscall' in error) || getErrorCode(error) === '')
    return undefined
  const path = 'path' in error ? String(error.path) : ''
  const call = String(error.syscall)
  const subject = call === 'mkdir' ? `cannot create ${path}` : path
  return new Failure('failed', `${path === '' ? call : subject}: ${getReason(error)}`, {
    hint: hintSystemFailure(getErrorCode(error), path, env),
    cause: error,
  })
}

/** Creates the failure of a defect, with the address for reports. */
const createDefect = (message: string, cause: unknown): Failure =>
  new Failure('internal', `svcctl has a defect: ${message}`, {
    hint: `Please report this at ${bugs}, with the command line and the output of -v. Remove all tokens.`,
    cause,
  })

const classifyFailure = (thrown: unknown, env: Environment): Failure => {
  const error = addWorkspaceHint(thrown)
  if (!(error instanceof Failure))
    return toSystemFailure(error, env) ?? createDefect(getDefectText(error), error)
  return error.category === 'internal' ? createDefect(error.message, error) : error
}

/** The error that ended a run, and facts for its report. */
interface FailedRun {
  readonly error: unknown
  /** True if a signal interrupted the run. */
  readonly interrupted: boolean
  readonly env: Environment
  /** The words of the line, with its alias expanded. */
  readonly argv: readonly string[]
  /** The format of the report; undefined if the run ended before it was known. */
  readonly how: FailureFormat | undefined
}

/** Converts the error that ended a run to a failure. */
export const getRunFailure = ({
  error,
  interrupted,
  env,
}: Pick<FailedRun, 'env' | 'error' | 'interrupted'>): Failure =>
  interrupted ? toInterruptedFailure(error) : classifyFailure(error, env)

/** The exit code by which a plugin of Nagios says that it could not check anything. */
const nagiosUnknown = 3

/** True if Nagios reads the exit code of a line, which need not have been parsed. */
const isReadByNagios = (argv: readonly string[]): boolean =>
  argv.includes('check') &&
  [getLastValue(argv, 'output', 'o'), getLastValue(argv, 'format')].includes('nagios')

/** Returns the exit code for a failure. Nagios would take that of a wrong line for a critical state. */
export const getFailureExitCode = (
  { category, exitCode }: Failure,
  { argv }: Pick<FailedRun, 'argv'>,
): number => (category !== 'interrupted' && isReadByNagios(argv) ? nagiosUnknown : exitCode)

/** Prints a failure on standard error. */
export const reportFailure = async (
  io: Io,
  failure: Failure,
  { error, argv, env, how }: FailedRun,
): Promise<void> => {
  await printError(failure, { io, ...(how ?? { json: wantsJsonFailures(argv, env) }), env })
  if (failure.category === 'internal' && error instanceof Error && env.SVC_DEBUG !== undefined)
    writeQuietly(getStandardError(io), `${error.stack ?? ''}\n`)
}
