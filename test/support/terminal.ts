/** A real terminal (tmux) with a program in it: keys in, the screen out. */
import { execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Whether a program is there; tests that need it are skipped by name where it is not. */
export const has = (program: string, flag = '--version'): boolean =>
  spawnSync(program, [flag], { stdio: 'ignore' }).status === 0

export interface Terminal {
  /** Types text as it is. */
  type(text: string): void
  /** Presses keys by their tmux names: `Tab`, `Enter`, `C-c`, `Down`. */
  press(...keys: string[]): void
  screen(): string
  /** The screen, as soon as it is as wanted. Throws with the screen when it never is. */
  until(wanted: RegExp | ((screen: string) => boolean)): Promise<string>
  close(): void
}

const patience = 8_000
const between = 50
let count = 0

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly columns?: number
  readonly rows?: number
}

/** Starts a program in a terminal of its own, with this environment and no other. */
export const openTerminal = (
  command: readonly string[],
  { env, cwd, columns = 120, rows = 40 }: TerminalOptions,
): Terminal => {
  // The server goes with the test run, by its TMPDIR, and its socket with the temporary folder.
  const socket = join(tmpdir(), `tmux-${count++}`)
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', cwd })
  const variables = Object.entries({ LANG: 'C.UTF-8', ...env }).map(([k, v]) => `${k}=${v}`)
  const size = ['-x', String(columns), '-y', String(rows)]
  tmux(
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
  )
  const screen = (): string => tmux('capture-pane', '-p')
  return {
    type: (text) => void tmux('send-keys', '-l', '--', text),
    press: (...keys) => void tmux('send-keys', ...keys),
    screen,
    until: async (wanted) => {
      const end = Date.now() + patience
      for (;;) {
        const now = screen()
        if (typeof wanted === 'function' ? wanted(now) : wanted.test(now)) return now
        if (Date.now() > end) throw new Error(`never ${String(wanted)} on the screen:\n${now}`)
        await wait(between)
      }
    },
    close: () => void spawnSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' }),
  }
}
