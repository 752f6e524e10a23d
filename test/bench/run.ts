/**
 * npm run bench -- [start|flags|lists|formats|writes|fleet|instances|sandbox|as-code|download|million …] [--runs <n>]
 * Prints what the program takes beside its budgets; goals, never a failure. Node's own start is
 * measured in the same run, since machines differ.
 */
import { parseArgs } from 'node:util'
import build from '../../.config/build-once.js'
import { measureAsCode } from './as-code.js'
import { type Bench, withBench } from './bench.js'
import { measureDownload } from './download.js'
import { measureFlags } from './flags.js'
import { measureFleet } from './fleet.js'
import { measureFormats } from './formats.js'
import { measureInstances } from './instances.js'
import { measureLists } from './lists.js'
import { measureSandbox } from './sandbox.js'
import { measureStart } from './start.js'
import { formatRow, formatTable, type Row } from './table.js'
import { measureMillion, measureWrites } from './writes.js'

const groups: Record<string, (bench: Bench) => Promise<void>> = {
  start: measureStart,
  flags: measureFlags,
  lists: measureLists,
  formats: measureFormats,
  writes: measureWrites,
  fleet: measureFleet,
  'as-code': measureAsCode,
  instances: measureInstances,
  sandbox: measureSandbox,
  download: measureDownload,
  million: measureMillion,
}
/** Groups that take minutes or are part of another group: they are run only if they are named. */
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
  process.stderr.write(`${formatRow(row)}\n`)
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
process.stdout.write(`\n${formatTable(rows)}\n`)
