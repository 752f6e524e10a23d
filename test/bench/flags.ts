/** What each flag of V8 and each patch is worth: the program beside itself without it. What wins no tenth goes. */
import { resolve } from 'node:path'
import type { Bench } from './bench.js'
import { median, type Program, sideBySide, watched } from './measure.js'
import { reportPair } from './pairs.js'
import { pausing } from './writes.js'

/** The same program with something loaded before it. */
const preloading = (program: Program, module: string): Program => ({
  ...program,
  args: ['--require', module, ...program.args],
})

const untuned = resolve('test/bench/untuned.cjs')

/** How the memory of `it` compares. */
const reportMemory = async (
  { folder, runs, report }: Bench,
  programs: { readonly it: Program; readonly base: Program },
  work: string,
): Promise<void> => {
  const { it, base } = await sideBySide(programs, runs || 3, folder, 1)
  const [with_, without] = [it, base].map((all) => median(all.map((one) => one.megabytes)))
  report({
    work,
    measured: (with_ ?? Number.NaN) / (without ?? Number.NaN),
    budget: 0.9,
    unit: '×',
    detail: `${with_?.toFixed(0)} MB, beside ${without?.toFixed(0)} MB; ${it.length} pairs`,
  })
}

export const flags = async (bench: Bench): Promise<void> => {
  const url = bench.instance(100, 0)
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'bench' }
  const one: Program = { ...watched('runners', 'get', '1', '-o', 'json'), env, silent: true }
  await reportPair(
    bench,
    { it: one, base: preloading(one, untuned) },
    { work: 'one record, with the quiet parser beside without', budget: 0.9, pairs: 11 },
  )
  await reportPair(
    bench,
    { it: one, base: preloading(one, 'node:http2') },
    { work: 'one record, without HTTP/2 beside with', budget: 0.9, pairs: 21 },
  )
  const updates = pausing(url, 20_000, '--concurrency', '32')
  await reportMemory(
    bench,
    { it: updates, base: preloading(updates, untuned) },
    '20,000 updates, with the small heap beside without: peak memory',
  )
}
