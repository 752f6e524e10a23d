/** In which format a run answers, and how whatever ended it is told: people and programs get a failure. */

import { currentIo } from '../base/io.js'
import { bugs } from '../base/version.js'
import type { Globals } from '../engine/command/globals.js'
import { getLastValue } from '../engine/command/words.js'
import { withWorkspaceHint } from '../engine/workspace/hints.js'
import { Failure, getErrorCode, getReason, survived } from '../errors.js'
import { formatNamed, formats, tableFormat } from '../output/formats.js'
import type { Format } from '../output/types.js'
import { getPaths, openStore } from '../profile/index.js'
import { printError } from '../terminal/notes.js'
import { say, standardError } from '../terminal/standard.js'
import type { FailureFormat } from './options.js'

// Which output format is in force: flag, environment, profile, then a table. Failures follow it.

/** Whether a format has failures as JSON; false for names of none. */
const failsInJson = (name: string | undefined): boolean =>
  formats.some((format) => format.name === name && format.json === true)

type FormatFlags = Pick<Globals, 'output' | 'profile'>

/** The name of a format, and what chose it in words where that is no flag. */
interface WantedFormat {
  readonly output: string
  readonly source?: string
}

/** What the profile says of the output; a profile that cannot be read is told where it is needed. */
const findProfileFormat = (
  { profile }: FormatFlags,
  env: NodeJS.ProcessEnv,
): WantedFormat | undefined => {
  try {
    const store = openStore(getPaths(env))
    const name = profile ?? (env.SVC_PROFILE || undefined) ?? store.current()
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
 * Returns the format of a run. One that a variable or the profile chose gives way to a table if the line cannot be
 * answered in it: nobody gave a flag for it.
 * @param check throws a Failure `usage` if the line cannot be answered in a format
 * @param note is told what is not used, and why
 * @throws Failure `usage` for the name of no format
 */
export const outputFormat = async (
  chosen: FormatFlags,
  env: NodeJS.ProcessEnv,
  check: (format: Format) => Promise<void>,
  note: (text: string) => void,
): Promise<Format> => {
  const { output, source } = findFormat(chosen, env) ?? {}
  if (output === undefined) return tableFormat
  const format = formatNamed(output, source)
  if (source === undefined) return format
  try {
    await check(format)
    return format
  } catch (error) {
    note(`${source} is not used: ${survived(error).message}`)
    return tableFormat
  }
}

/** How a failure of a run is told. */
export const failureStyle = (
  { color }: Pick<Globals, 'color'>,
  { json }: Pick<Format, 'json'>,
): FailureFormat => ({ json: json === true, color })

/** Whether failures are JSON, of a line that came to no run: by the same rule, as far as it can be read. */
const failuresInJson = (argv: readonly string[], env: NodeJS.ProcessEnv): boolean => {
  const output = getLastValue(argv, 'output', 'o')
  const profile = getLastValue(argv, 'profile', 'p')
  return failsInJson(findFormat({ output, profile }, env)?.output)
}

/** After a signal, whatever ended the run is its doing; what says more than that is kept. */
const interruptionOf = (error: unknown): Failure =>
  error instanceof Failure && error.category === 'interrupted'
    ? error
    : new Failure('interrupted', 'interrupted')

/** A parser's message quotes what it was given, which may be an answer with secrets. */
const defectText = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'invalid text'
  return error instanceof Error ? error.message : String(error)
}

/** What the system refused, which no part of the program put into words, is no defect either. */
const refusedBySystem = (error: unknown): Failure | undefined => {
  if (!(error instanceof Error) || !('syscall' in error) || getErrorCode(error) === '')
    return undefined
  const path = 'path' in error ? String(error.path) : ''
  return new Failure(
    'failed',
    `${path === '' ? String(error.syscall) : path}: ${getReason(error)}`,
    {
      hint:
        path !== '' && path.startsWith(currentIo().env.TMPDIR || '/tmp')
          ? 'svcctl needs a folder for temporary files. Set TMPDIR to a folder that you can write to.'
          : 'Check the file and its permissions.',
      cause: error,
    },
  )
}

/** A defect, and where to report it. */
const defect = (message: string, cause: unknown): Failure =>
  new Failure('internal', `svcctl has a defect: ${message}`, {
    hint: `Please report this at ${bugs}, with the command line and the output of -v. Remove all tokens.`,
    cause,
  })

const failureOf = (thrown: unknown): Failure => {
  const error = withWorkspaceHint(thrown)
  if (!(error instanceof Failure)) return refusedBySystem(error) ?? defect(defectText(error), error)
  return error.category === 'internal' ? defect(error.message, error) : error
}

/** What ended a run. */
interface FailedRun {
  readonly error: unknown
  /** Whether a signal came. */
  readonly interrupted: boolean
  readonly argv: readonly string[]
  /** What the run had decided, where it came so far. */
  readonly how: FailureFormat | undefined
}

/** What ended a run, as a failure. */
export const failureIn = ({
  error,
  interrupted,
}: Pick<FailedRun, 'error' | 'interrupted'>): Failure =>
  interrupted ? interruptionOf(error) : failureOf(error)

/** Prints it on standard error. */
export const tell = async (failure: Failure, { error, argv, how }: FailedRun): Promise<void> => {
  const { env } = currentIo()
  await printError(failure, { ...(how ?? { json: failuresInJson(argv, env) }), env })
  if (failure.category === 'internal' && error instanceof Error && env.SVC_DEBUG !== undefined)
    say(standardError(), `${error.stack ?? ''}\n`)
}
