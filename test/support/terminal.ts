/** Runs a program in a real terminal (tmux): sends keys and reads the screen. */
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runProgram } from './starting.js'

/** True if a program is installed. Tests that need it are skipped by name otherwise. */
export const hasProgram = (program: string, flag = '--version'): boolean =>
  spawnSync(program, [flag], { stdio: 'ignore' }).status === 0

/** A terminal whose calls run one after the other. If a key cannot be sent, the next call that returns something rejects. */
export interface Terminal {
  type(text: string): void
  /** Presses keys by their tmux names: `Tab`, `Enter`, `C-c`, `Down`. */
  press(...keys: string[]): void
  screen(): Promise<string>
  /** Returns the screen with the escapes of its colours. */
  coloured(): Promise<string>
  /** Returns the screen as soon as it matches. Throws with the screen if it does not in time. */
  until(wanted: RegExp | ((screen: string) => boolean), milliseconds?: number): Promise<string>
  close(): Promise<void>
}

/** A terminal of the system, which can be resized. */
export interface RealTerminal extends Terminal {
  resize(columns: number, rows: number): void
}

const patience = 20_000
const pollInterval = 100
let count = 0

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly columns?: number
  readonly rows?: number
}

/** Starts a program in a terminal of its own, with only these variables. */
export const openTerminal = (
  command: readonly string[],
  { env, cwd, columns = 120, rows = 40 }: TerminalOptions,
): RealTerminal => {
  // The server ends with the test run, by its TMPDIR, and its socket is removed with the temporary folder.
  const socket = join(tmpdir(), `tmux-${count++}`)
  const line = (...args: string[]): string[] => ['-S', socket, '-f', '/dev/null', ...args]
  const tmux = async (...args: string[]): Promise<string> => {
    const { code, stdout, all } = await runProgram('tmux', line(...args), { cwd, env: process.env })
    if (code !== 0) throw new Error(`tmux ${args.join(' ')}: ${all.toString()}`)
    return stdout.toString()
  }
  let last: Promise<unknown> = Promise.resolve()
  const then = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    next.catch(() => {})
    last = next
    return next
  }
  const variables = Object.entries({ LANG: 'C.UTF-8', ...env }).map(([k, v]) => `${k}=${v}`)
  const size = ['-x', String(columns), '-y', String(rows)]
  const opening: readonly string[] = [
    '-u',
    'new-session',
    '-d',
    ...size,
    'env',
    '-u',
    'TMUX',
    '-u',
    'CI',
    ...variables,
    ...command,
  ]
  then(() => tmux(...opening))
  const screen = (...flags: string[]): Promise<string> =>
    then(() => tmux('capture-pane', '-p', ...flags))
  return {
    type: (text) => void then(() => tmux('send-keys', '-l', '--', text)),
    press: (...keys) => void then(() => tmux('send-keys', ...keys)),
    screen: () => screen(),
    coloured: () => screen('-e'),
    resize: (columns, rows) =>
      void then(() => tmux('resize-window', '-x', String(columns), '-y', String(rows))),
    until: async (wanted, milliseconds = patience) => {
      const end = Date.now() + milliseconds
      for (;;) {
        const now = await screen()
        if (typeof wanted === 'function' ? wanted(now) : wanted.test(now)) return now
        if (Date.now() > end) throw new Error(`never ${String(wanted)} on the screen:\n${now}`)
        await wait(pollInterval)
      }
    },
    close: async () => {
      await last.catch(() => {})
      await runProgram('tmux', line('kill-server'), { cwd, env: process.env })
    },
  }
}
