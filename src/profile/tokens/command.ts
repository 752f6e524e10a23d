/** A program that prints the token: a password manager, a vault, a cloud's login. */
import { Failure } from '../../errors.js'
import type { Environment, ResolvedCredential, UserTokenKind } from '../types.js'
import { checkToken } from './value.js'

/** Milliseconds; a person may have to touch a key. */
const patience = 10_000

/** How long output may still come once the program has ended: what it left running holds the pipe. */
const afterwards = 200

/** Shorter words would be found everywhere. */
const shortest = 6

interface Outcome {
  readonly timedOut: boolean
  readonly isMaxBuffer: boolean
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly code?: string | undefined
  readonly stdout: string
  readonly stderr: string
}

/** The end of what the program said, one line, without control characters and without what it printed. */
const said = ({ stderr, stdout }: Outcome): string =>
  stdout
    .split(/\s+/)
    .filter((word) => word.length >= shortest)
    .reduce((text, word) => text.replaceAll(word, '***'), stderr)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .slice(-400)

const why = ({ timedOut, isMaxBuffer, code, signal, exitCode }: Outcome, limit: number): string => {
  if (timedOut) return `did not end within ${limit / 1000} s`
  if (isMaxBuffer) return 'printed too much for a token'
  if (code === 'ENOENT') return 'was not found'
  if (code === 'EACCES') return 'is not executable'
  if (signal !== undefined) return `was ended by ${signal}`
  return `ended with exit code ${exitCode ?? 'unknown'}`
}

const hintFor = (profile: string): string =>
  `Run the command by hand to check it, or change it: svcctl profile set ${profile} --token-command …`

const start = async (
  command: readonly string[],
  { env, limit = patience, signal }: TokenCommandOptions,
): Promise<Outcome> => {
  const [program = '', ...args] = command
  const { programs } = await import('../../base/processes.js')
  const run = await programs()
  const running = run(program, args, env, {
    reject: false,
    stdin: 'ignore',
    timeout: limit,
    forceKillAfterDelay: 1000,
    maxBuffer: 100_000,
    stripFinalNewline: true,
    windowsHide: true,
    cancelSignal: signal,
  })
  running.once('exit', () => {
    setTimeout(() => {
      running.stdout.destroy()
      running.stderr.destroy()
    }, afterwards).unref()
  })
  return await running
}

/** Whether it ended well by itself; streams that were closed on what it left behind do not count. */
const isDone = ({ exitCode, timedOut, isMaxBuffer }: Outcome): boolean =>
  exitCode === 0 && !timedOut && !isMaxBuffer

export interface TokenCommandOptions {
  readonly env: Environment
  /** Milliseconds. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/**
 * Runs a profile's token command without a shell and gives what it printed as a credential. What it
 * printed is not stored, and stands in no error.
 * @throws Failure `auth` with the program's standard error, or where it printed no token; `interrupted`
 */
export const runTokenCommand = async (
  command: readonly string[],
  kind: UserTokenKind,
  profile: string,
  options: TokenCommandOptions,
): Promise<ResolvedCredential> => {
  const { limit = patience, signal } = options
  const outcome = await start(command, options)
  if (signal?.aborted === true) throw new Failure('interrupted', 'interrupted')
  const hint = hintFor(profile)
  if (!isDone(outcome)) {
    const words = said(outcome)
    throw new Failure(
      'auth',
      `the token command of profile ${profile} (${command[0]}) ${why(outcome, limit)}${words === '' ? '' : `: ${words}`}`,
      { hint },
    )
  }
  try {
    return checkToken(outcome.stdout, kind, `the token command of profile ${profile}`)
  } catch (error) {
    throw new Failure('auth', error instanceof Error ? error.message : String(error), { hint })
  }
}
