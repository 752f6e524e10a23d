/**
 * Opens a test run: one folder for all files of the tests, which is removed at the end together with all processes that they
 * started, also if the run is aborted. Vitest opens one before the tests (`globalSetup`).
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    run: string
    /** The seed of property tests: the same seed draws the same values. */
    seed: number
  }
}

export interface Run {
  readonly folder: string
  /** The ID of the process that cleans up if this one does not. */
  readonly reaper: number | undefined
  /** Removes the folder. Throws if tests left processes running, and kills those. */
  close(): Promise<void>
}

/** Opens a run below a folder. If the run is aborted, `others` are removed as well. */
export const openRun = (parent: string, others: readonly string[] = []): Run => {
  const folder = mkdtempSync(join(parent, `svcctl-tests-${process.pid}-`))
  const reaper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'reaper.mjs'), folder, ...others],
    // In a session of its own, so that Ctrl-C at the terminal does not reach it.
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

/** Makes all files and processes that this process creates from now on part of a run. */
export const enterRun = (run: string, folder: string): void => {
  // Without SHLVL, bash with a pipe from Node believes that it is the first shell of a remote login and reads the person's
  // ~/.bashrc, which may wait for a lock that others hold.
  Object.assign(process.env, { TMPDIR: folder, SVCCTL_TESTS: run, SHLVL: '1' })
}

const sharedMemory = '/dev/shm'
const gibibyte = 2 ** 30

/** True if a program in this folder can be started: in many containers, shared memory does not allow it. */
const canExecuteFrom = (folder: string): boolean => {
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
 * Chooses the folder of a run. The tests make some ten thousand small files, and the program syncs many of them to the disk: in
 * shared memory, if there is enough, the run takes a seventh less. A TMPDIR that is set wins.
 */
export const chooseFolder = (env: NodeJS.ProcessEnv, folder = sharedMemory): string => {
  if (env.TMPDIR !== undefined) return tmpdir()
  try {
    const { bavail, bsize } = statfsSync(folder)
    const room = Math.min(bavail * bsize, freemem())
    return room > 2 * gibibyte && canExecuteFrom(folder) ? folder : tmpdir()
  } catch {
    return tmpdir()
  }
}

export default (project: TestProject): (() => Promise<void>) => {
  const run = openRun(chooseFolder(process.env), [project.tmpDir])
  project.provide('run', run.folder)
  project.provide('seed', project.config.sequence.seed)
  return run.close
}
