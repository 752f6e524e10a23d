/**
 * npm run bench -- [start|flags|lists|formats|writes|fleet|instances|sandbox|as-code|download|million …] [--runs <n>]
 * Prints what the program takes beside its budgets; goals, never a failure. Node's own start is
 * measured in the same run, since machines differ.
 */
import { parseArgs } from 'node:util'
import build from '../../.config/build-once.js'
import { asCode } from './as-code.js'
import { type Bench, withBench } from './bench.js'
import { download } from './download.js'
import { flags } from './flags.js'
import { fleet } from './fleet.js'
import { formats } from './formats.js'
import { instances } from './instances.js'
import { lists } from './lists.js'
import { sandbox } from './sandbox.js'
import { start } from './start.js'
import { lineOf, type Row, tableOf } from './table.js'
import { million, writes } from './writes.js'

const groups: Record<string, (bench: Bench) => Promise<void>> = {
  start,
  flags,
  lists,
  formats,
  writes,
  fleet,
  'as-code': asCode,
  instances,
  sandbox,
  download,
  million,
}
/** Those that take minutes, or are a part of another, are run only where they are named. */
const onlyNamed = new Set(['million', 'writes'])

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '0' } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => groups[name] === undefined)
if (unknown.length > 0)
  throw new Error(`no group ${unknown.join(', ')}; there are ${Object.keys(groups).join(', ')}`)

build()
const rows: Row[] = []
const report = (row: Row): void => {
  rows.push(row)
  process.stderr.write(`${lineOf(row)}\n`)
}
await withBench(Number(values.runs), report, async (bench) => {
  for (const [name, group] of Object.entries(groups)) {
    const named = positionals.includes(name)
    if (positionals.length > 0 ? !named : onlyNamed.has(name)) continue
    try {
      await group(bench)
    } catch (error) {
      process.stderr.write(`\n${name}: ${error instanceof Error ? error.message : error}\n`)
      process.exitCode = 1
    }
  }
})
process.stdout.write(`\n${tableOf(rows)}\n`)
