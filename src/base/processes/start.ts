/** The only place where programs are started: each with an environment that was made for it. */
import type { ChildProcess, ExecFileException, SpawnOptions } from 'node:child_process'
import type { Options } from 'execa'
import { type ChildEnvironment, environmentOf, type ProgramKind } from './environment.js'

/** Whose program it is, and of what environment it is given its own. */
export interface ChildSurroundings {
  readonly as: ProgramKind
  readonly env: ChildEnvironment
}

/** Starts a program to go on beside. Resolves before it is known whether it could be started. */
export const startProgram = async (
  program: string,
  args: readonly string[],
  { as, env, ...options }: ChildSurroundings & Omit<SpawnOptions, 'env' | 'shell'>,
): Promise<ChildProcess> => {
  const { spawn } = await import('node:child_process')
  return spawn(program, args, { ...options, env: environmentOf(as, env) })
}

interface FileOptions extends ChildSurroundings {
  /** Variables that it is given besides. */
  readonly more?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Milliseconds. */
  readonly timeout?: number
  readonly input?: string | Buffer
  readonly maxBuffer?: number
}

/** What a program left behind; `error` where it did not end with 0. */
interface FileOutcome {
  readonly error: ExecFileException | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** Runs a program whose output is small, and is wanted whole. */
export const runFile = async (
  program: string,
  args: readonly string[],
  { as, env, more, input = '', ...options }: FileOptions,
): Promise<FileOutcome> => {
  const { execFile } = await import('node:child_process')
  const given = environmentOf(as, env, more)
  const how = { ...options, env: given, encoding: 'buffer', windowsHide: true } as const
  return new Promise((resolve) => {
    const child = execFile(program, args, how, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Runs programs that a person named: bounded, and ended with us. */
export const programs = async () => {
  const { execa } = await import('execa')
  return <const O extends Options>(
    program: string,
    args: readonly string[],
    env: ChildEnvironment,
    options: O,
  ) =>
    execa(program, args, {
      ...options,
      env: environmentOf('own', env),
      extendEnv: false,
    } as const)
}
