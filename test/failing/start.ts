/** Starts the program without waiting for its end, so that a test can act on it while it runs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConfiguration, createFolder, getCleanEnv, program } from '../support/program.js'

interface ProcessEnd {
  /** Null if a signal ended the process. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartedProcess {
  readonly kill: (signal: NodeJS.Signals) => void
  /** Writes to standard input, which stays open. Resolves when the system has taken the text. */
  readonly write: (text: string) => Promise<void>
  /** Closes its standard input. */
  readonly endInput: () => void
  /** Resolves with all of standard output when that contains the text. */
  readonly said: (text: string) => Promise<string>
  /** Resolves when standard error contains the text. */
  readonly noted: (text: string) => Promise<void>
  readonly ended: Promise<ProcessEnd>
}

export const start = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = createFolder(),
  input: 'ended' | 'open' = 'ended',
): StartedProcess => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...getCleanEnv(), SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'any', ...env },
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
    ([code, signal]) => ({ code, signal, stdout, stderr }) as ProcessEnd,
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
