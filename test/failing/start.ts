/** Starts the program without waiting for its end, so that something may happen to it meanwhile. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { clean, configuration, folder, program } from '../support/program.js'

interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly kill: (signal: NodeJS.Signals) => void
  /** Writes to its standard input, which stays open; resolves once that is out of this process's hands. */
  readonly write: (text: string) => Promise<void>
  /** Closes its standard input. */
  readonly endInput: () => void
  /** Resolves once standard output holds the text, with all that was said. */
  readonly said: (text: string) => Promise<string>
  /** Resolves once standard error holds the text. */
  readonly noted: (text: string) => Promise<void>
  readonly ended: Promise<Ended>
}

export const start = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = folder(),
  input: 'ended' | 'open' = 'ended',
): Started => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...clean(), SVC_CONFIG_DIR: configuration(), SVC_TOKEN: 'any', ...env },
    stdio: 'pipe',
  })
  let stdout = ''
  let stderr = ''
  child.stdin.on('error', () => {})
  if (input === 'ended') child.stdin.end()
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = once(child, 'close').then(
    ([code, signal]) => ({ code, signal, stdout, stderr }) as Ended,
  )
  return {
    kill: (signal) => child.kill(signal),
    write: (text) => new Promise((resolve) => child.stdin.write(text, () => resolve())),
    endInput: () => child.stdin.end(),
    said: async (text) => {
      while (!stdout.includes(text)) await once(child.stdout, 'data')
      return stdout
    },
    noted: async (text) => {
      while (!stderr.includes(text)) await once(child.stderr, 'data')
    },
    ended,
  }
}
