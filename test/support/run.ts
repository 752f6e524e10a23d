/**
 * A run of tests: one folder for everything that they write, and an end for it and for everything that they start, also when
 * the run is aborted. Vitest opens one before the tests (`globalSetup`).
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the run. */
    run: string
    /** What property tests draw from: the same one gives the same values. */
    seed: number
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
  // A shell started this: bash that gets a pipe from Node and believes itself the first one takes it for a remote
  // login, and reads the person's ~/.bashrc. What stands there may wait, for a lock that others hold.
  Object.assign(process.env, { TMPDIR: folder, SVCCTL_TESTS: run, SHLVL: '1' })
}

const memory = '/dev/shm'
const gibibyte = 2 ** 30

/** Whether what is written somewhere can be started from there: not so in many containers' memory. */
const starts = (folder: string): boolean => {
  const own = mkdtempSync(join(folder, 'svcctl-starts-'))
  const file = join(own, 'true')
  try {
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(file).status === 0
  } finally {
    rmSync(own, { recursive: true })
  }
}

/**
 * Where a run writes. The tests make some ten thousand small files, and the program brings many of them to the disk: in memory,
 * where there is plenty of it, the run takes a seventh less. A TMPDIR is somebody's wish.
 */
export const ground = (env: NodeJS.ProcessEnv, folder = memory): string => {
  if (env.TMPDIR !== undefined) return tmpdir()
  try {
    const { bavail, bsize } = statfsSync(folder)
    const room = Math.min(bavail * bsize, freemem())
    return room > 2 * gibibyte && starts(folder) ? folder : tmpdir()
  } catch {
    return tmpdir()
  }
}

export default (project: TestProject): (() => Promise<void>) => {
  const run = openRun(ground(process.env), [project.tmpDir])
  project.provide('run', run.folder)
  project.provide('seed', project.config.sequence.seed)
  return run.close
}
