/** Runs programs to their end. */
import { execa } from 'execa'

export interface ProgramOptions {
  readonly cwd: string
  /** All environment variables of the program. */
  readonly env: NodeJS.ProcessEnv
  /** Standard input; without it, the program has none. */
  readonly input?: string | Buffer
  /** Milliseconds after which the program is killed. */
  readonly timeout?: number
}

export interface ProgramResult {
  /** Null if a signal ended the program. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Both streams in order of arrival. */
  readonly all: Buffer
}

/**
 * Runs a program to its end, whatever its exit code is.
 * @throws Error with the system's `code` if it cannot be started
 */
export const runProgram = async (
  file: string,
  args: readonly string[],
  { cwd, env, input, timeout }: ProgramOptions,
): Promise<ProgramResult> => {
  const ran = await execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    ...(timeout === undefined ? {} : { timeout }),
    all: true,
    encoding: 'buffer',
    stripFinalNewline: false,
    reject: false,
  })
  const { exitCode, signal } = ran
  if (exitCode === undefined && signal === undefined) throw ran
  const [stdout, stderr, all] = [ran.stdout, ran.stderr, ran.all].map((bytes) => Buffer.from(bytes))
  return { code: exitCode ?? null, signal: signal ?? null, stdout, stderr, all } as ProgramResult
}
