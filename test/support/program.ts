/** The real program, in its own process and its own configuration folder. */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { started } from './starting.js'

/** The built program; SVCCTL_PROGRAM names another build of it. */
export const program =
  process.env.SVCCTL_PROGRAM ?? join(import.meta.dirname, '..', '..', 'bin', 'svcctl.js')

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}
export interface How {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** A folder of its own for a test, which goes with the file's others (`file.ts`). */
export const folder = (): string => mkdtempSync(join(tmpdir(), 'svcctl-test-'))

/** Compiled code, for all programs of the run: without it starting takes them twice the time. */
const compiled = join(process.env.SVCCTL_TESTS ?? tmpdir(), 'code')

/** A configuration folder, of its own unless one is named, in which there is nothing but compiled code. */
export const configuration = (config = folder()): string => {
  mkdirSync(compiled, { recursive: true, mode: 0o700 })
  mkdirSync(join(config, 'cache'), { recursive: true, mode: 0o700 })
  symlinkSync(compiled, join(config, 'cache', 'code'))
  return config
}

/** Copies a configuration folder, so that what was signed in to once need not be signed in to again. */
export const copyConfiguration = (config: string, copy = folder()): string => {
  cpSync(config, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** Variables of the machine that would change what the program does. */
export const clean = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ||
      /^(SVC_|CI|NODE_EXTRA|SSL_CERT|FORCE_COLOR|NO_COLOR|CLICOLOR\w*|.*_PROXY$)/i.test(name)
        ? []
        : [[name, value]],
    ),
  )

/** How a process ended, as a shell tells it: by a signal it is 128 and the signal's number. */
export const exitOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal])

/** Runs `svcctl` and waits for its end; never throws for an exit code. */
export const svcctl = async (args: readonly string[], how: How = {}): Promise<Ran> => {
  const { env = {}, input, cwd = folder() } = how
  const { code, signal, stdout, stderr } = await started(process.execPath, [program, ...args], {
    cwd,
    env: { ...clean(), SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration(), ...env },
    ...(input === undefined ? {} : { input }),
  })
  return { stdout: stdout.toString(), stderr: stderr.toString(), code: exitOf(code, signal) }
}
