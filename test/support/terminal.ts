/** A real terminal (tmux) with a program in it: keys in, the screen out. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

const started = promisify(execFile)

/** Whether a program is there; tests that need it are skipped by name where it is not. */
export const has = (program: string, flag = '--version'): boolean =>
  spawnSync(program, [flag], { stdio: 'ignore' }).status === 0

export interface Terminal {
  /** Types text as it is. */
  type(text: string): void
  /** Presses keys by their tmux names: `Tab`, `Enter`, `C-c`, `Down`. */
  press(...keys: string[]): void
  screen(): string
  /** The screen with the escapes of its colours. */
  coloured(): string
  /** The screen, as soon as it is as wanted. Throws with the screen when it never is. */
  until(wanted: RegExp | ((screen: string) => boolean)): Promise<string>
  close(): void
}

const patience = 20_000
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
  const line = (...args: string[]): string[] => ['-S', socket, '-f', '/dev/null', ...args]
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', line(...args), { encoding: 'utf8', cwd })
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
  const capture = ['capture-pane', '-p']
  const screen = (): string => tmux(...capture)
  return {
    type: (text) => void tmux('send-keys', '-l', '--', text),
    press: (...keys) => void tmux('send-keys', ...keys),
    screen,
    coloured: () => tmux(...capture, '-e'),
    until: async (wanted) => {
      const end = Date.now() + patience
      for (;;) {
        // Without blocking: the server that the program talks to may be of this very process.
        const { stdout: now } = await started('tmux', line(...capture), { cwd })
        if (typeof wanted === 'function' ? wanted(now) : wanted.test(now)) return now
        if (Date.now() > end) throw new Error(`never ${String(wanted)} on the screen:\n${now}`)
        await wait(between)
      }
    },
    close: () => void spawnSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' }),
  }
}
