/** A program that prints the token: a password manager, a vault, a cloud's login. */
import { Failure } from '../errors.js'
import { checkToken } from './token-value.js'
import type { ResolvedCredential, UserTokenKind } from './types.js'

/** Milliseconds; a person may have to touch a key. */
const patience = 10_000

interface Outcome {
  readonly failed: boolean
  readonly timedOut: boolean
  readonly isMaxBuffer: boolean
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly code?: string | undefined
  readonly stdout: string
  readonly stderr: string
}

/** The end of what the program said, one line, without control characters. */
const said = (stderr: string): string =>
  stderr
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .slice(-400)

const why = ({ timedOut, isMaxBuffer, code, signal, exitCode }: Outcome, limit: number): string => {
  if (timedOut) return `did not end within ${limit / 1000} s`
  if (isMaxBuffer) return 'printed far more than a token'
  if (code === 'ENOENT') return 'was not found'
  if (code === 'EACCES') return 'may not be run'
  if (signal !== undefined) return `was ended by ${signal}`
  return `ended with exit code ${exitCode ?? 'unknown'}`
}

/**
 * Runs a profile's token command without a shell and gives what it printed as a credential. What it
 * printed is not stored, and stands in no error.
 * @throws Failure `auth` with the program's standard error, `usage` where it printed no token
 */
export const runTokenCommand = async (
  command: readonly string[],
  kind: UserTokenKind,
  profile: string,
  limit = patience,
): Promise<ResolvedCredential> => {
  const [program = '', ...args] = command
  const { execa } = await import('execa')
  const outcome: Outcome = await execa(program, args, {
    reject: false,
    stdin: 'ignore',
    timeout: limit,
    maxBuffer: 100_000,
    stripFinalNewline: true,
    windowsHide: true,
  })
  if (outcome.failed) {
    const words = said(outcome.stderr)
    throw new Failure(
      'auth',
      `the token command of profile ${profile} (${program}) ${why(outcome, limit)}${words === '' ? '' : `: ${words}`}`,
      { hint: `Run it by hand, or change it: svcctl profile set ${profile} --token-command …` },
    )
  }
  return checkToken(outcome.stdout, kind, `the token command of profile ${profile}`)
}
