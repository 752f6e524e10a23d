/** Before each test file: a temporary folder of its own, which goes when the file's tests have ended. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { enter } from './run.js'

const run = inject('run')
const folder = mkdtempSync(join(run, 'file-'))
enter(run, folder)

// Hooks end in reverse order: this one comes after those of the file, which end its servers.
afterAll(() => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // A folder that was made unreadable goes with the run's.
  }
})
