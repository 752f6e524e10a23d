/** Programs that are started, run to their end, and are looked at then. */
import { execa } from 'execa'

export interface Starting {
  readonly cwd: string
  /** All variables that it has. */
  readonly env: NodeJS.ProcessEnv
  /** What it reads; without, it has no standard input. */
  readonly input?: string | Buffer
  /** Milliseconds after which it is ended. */
  readonly timeout?: number
}

export interface Started {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Both as they came. */
  readonly all: Buffer
}

/**
 * Runs a program to its end, whatever its exit code is.
 * @throws Error with the system's `code` where it cannot be started
 */
export const started = async (
  file: string,
  args: readonly string[],
  { cwd, env, input, timeout }: Starting,
): Promise<Started> => {
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
  return { code: exitCode ?? null, signal: signal ?? null, stdout, stderr, all } as Started
}
