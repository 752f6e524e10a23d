/**
 * A run of tests: one folder for everything that they write, and an end for it and for everything that they start, also when
 * the run is aborted. Vitest opens one before the tests (`globalSetup`).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the run. */
    run: string
  }
}

export interface Run {
  readonly folder: string
  /** The process that ends the run if this one does not. */
  readonly reaper: number | undefined
  /** Removes the folder. Throws with the processes that the tests should have ended, which it ends. */
  close(): Promise<void>
}

/** Opens a run below a folder; `others` go with it when it is aborted. */
export const openRun = (parent: string, others: readonly string[] = []): Run => {
  const folder = mkdtempSync(join(parent, `svcctl-tests-${process.pid}-`))
  const reaper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'reaper.mjs'), folder, ...others],
    // In a session of its own: Ctrl-C at the terminal is not for it.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  )
  reaper.unref()
  let left = ''
  reaper.stdout.on('data', (text: Buffer) => {
    left += text.toString()
  })
  return {
    folder,
    reaper: reaper.pid,
    close: async () => {
      reaper.ref()
      reaper.stdin.end('done\n')
      const [code] = await once(reaper, 'close')
      if (code !== 0) throw new Error(`tests left processes, which are ended now:\n${left}`)
    },
  }
}

/** Makes everything that this process writes and starts from now on part of a run. */
export const enter = (run: string, folder: string): void => {
  Object.assign(process.env, { TMPDIR: folder, SVCCTL_TESTS: run })
}

export default (project: TestProject): (() => Promise<void>) => {
  const run = openRun(tmpdir(), [project.tmpDir])
  project.provide('run', run.folder)
  return run.close
}
