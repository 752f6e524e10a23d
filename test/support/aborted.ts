/** A run that starts a process and goes on for ever, or ends itself (`own`): run.test.ts ends it otherwise. */
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { enterRun, openRun } from './run.js'

const [parent = '', ending] = process.argv.slice(2)
const run = openRun(parent)
const other = mkdtempSync(join(run.folder, 'file-'))
enterRun(run.folder, other)
const started = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
process.stdout.write(`${JSON.stringify({ ...run, started: started.pid })}\n`)

if (ending === 'own')
  await run.close().catch((error: Error) => process.stdout.write(`${error.message}\n`))
else setInterval(() => {}, 60_000)
