/** Runs the real program in a process and a configuration folder of its own. */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './starting.js'

/** The built program; SVCCTL_PROGRAM may name another build. */
export const program =
  process.env.SVCCTL_PROGRAM ?? join(import.meta.dirname, '..', '..', 'bin', 'svcctl.js')

export interface LineResult {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}
export interface ProgramLineOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** Creates a temporary folder for a test; it is removed after the tests of the file (`file.ts`). */
export const createFolder = (): string => mkdtempSync(join(tmpdir(), 'svcctl-test-'))

/** Compiled code that all programs of the run share: without it, each takes twice as long to start. */
const compiledCode = join(process.env.SVCCTL_TESTS ?? tmpdir(), 'code')

/** Creates a configuration folder, or completes the given one: it has only the shared compiled code. */
export const createConfiguration = (config = createFolder()): string => {
  mkdirSync(compiledCode, { recursive: true, mode: 0o700 })
  mkdirSync(join(config, 'cache'), { recursive: true, mode: 0o700 })
  symlinkSync(compiledCode, join(config, 'cache', 'code'))
  return config
}

/** Copies a configuration folder, so that a test need not log in again. */
export const copyConfiguration = (config: string, copy = createFolder()): string => {
  cpSync(config, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** Returns the variables of the machine without those that would change how the program behaves. */
export const getCleanEnv = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ||
      /^(SVC_|CI|NODE_EXTRA|SSL_CERT|FORCE_COLOR|NO_COLOR|CLICOLOR\w*|.*_PROXY$)/i.test(name)
        ? []
        : [[name, value]],
    ),
  )

/** Returns the exit code that a shell would show: 128 and the signal's number for a process that a signal ended. */
export const toExitCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal])

/** Runs `svcctl` and waits for its end. Never throws for an exit code. */
export const svcctl = async (
  args: readonly string[],
  how: ProgramLineOptions = {},
): Promise<LineResult> => {
  const { env = {}, input, cwd = createFolder() } = how
  const { code, signal, stdout, stderr } = await runProgram(process.execPath, [program, ...args], {
    cwd,
    env: { ...getCleanEnv(), SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? createConfiguration(), ...env },
    ...(input === undefined ? {} : { input }),
  })
  return { stdout: stdout.toString(), stderr: stderr.toString(), code: toExitCode(code, signal) }
}
