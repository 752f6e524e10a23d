/** In which format a run answers, and how whatever ended it is told: people and programs get a failure. */

import { currentIo } from '../base/io.js'
import { bugs } from '../base/version.js'
import { Failure, getErrorCode, getReason } from '../errors.js'
import { formatNamed, formats, tableFormat } from '../output/formats.js'
import type { Format } from '../output/types.js'
import { getPaths, openStore } from '../profile/index.js'
import { printError } from '../terminal/notes.js'
import { say, standardError } from '../terminal/standard.js'
import type { Globals } from './command/globals.js'
import { getLastValue } from './command/words.js'
import type { FailureFormat } from './options.js'
import { withWorkspaceHint } from './workspace/prompter.js'

// Which output format is in force: flag, environment, profile, then a table. Failures follow it.

/** Whether a format has failures as JSON; false for names of none. */
const failsInJson = (name: string | undefined): boolean =>
  formats.some((format) => format.name === name && format.json === true)

type FormatFlags = Pick<Globals, 'output' | 'profile'>

/** What the profile says of the output; a profile that cannot be read is told where it is needed. */
const profileFormat = ({ profile }: FormatFlags, env: NodeJS.ProcessEnv): string | undefined => {
  try {
    const store = openStore(getPaths(env))
    const name = profile ?? (env.SVC_PROFILE || undefined) ?? store.current()
    return name === undefined ? undefined : store.get(name)?.output
  } catch {
    return undefined
  }
}

const wantedOf = (chosen: FormatFlags, env: NodeJS.ProcessEnv): string | undefined =>
  chosen.output ?? (env.SVC_OUTPUT || undefined) ?? profileFormat(chosen, env)

/**
 * The format of a run.
 * @throws Failure `usage` for the name of none
 */
export const outputFormat = (chosen: FormatFlags, env: NodeJS.ProcessEnv): Format => {
  const wanted = wantedOf(chosen, env)
  return wanted === undefined ? tableFormat : formatNamed(wanted)
}

/** How a failure of a run is told. */
export const failureStyle = (
  { color }: Pick<Globals, 'color'>,
  { json }: Pick<Format, 'json'>,
): FailureFormat => ({ json: json === true, color })

/** Whether failures are JSON, of a line that came to no run: by the same rule, as far as it can be read. */
const failuresInJson = (argv: readonly string[], env: NodeJS.ProcessEnv): boolean => {
  const output = getLastValue(argv, 'output', 'o')
  return failsInJson(wantedOf({ output, profile: getLastValue(argv, 'profile', 'p') }, env))
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
