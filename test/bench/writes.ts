/** Many writes at once. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from './bench.js'
import { median, type Run, run, script, sideBySide, watched } from './measure.js'
import { reportPair } from './pairs.js'
import { used } from './table.js'

/** The journal that a run of this benchmark wrote last. */
const newestJournal = async (folder: string): Promise<string> => {
  const journals = join(folder, '.local', 'share', 'svcctl', 'runs')
  const names = (await readdir(journals)).filter((name) => name.endsWith('.ndjson'))
  const bySeq = names.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  return join(journals, bySeq.at(-1) ?? '')
}

/** Takes a journal's last lines away: that its last object was done, and that the run ended. */
const withoutEnd = async (file: string): Promise<void> => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  await writeFile(file, `${lines.slice(0, -2).join('\n')}\n`)
}

export const pausing = (url: string, count: number, ...more: readonly string[]) => ({
  ...watched('runners', 'pause', '-', ...more, '-o', 'ndjson'),
  env: { SVC_BASE_URL: url, SVC_TOKEN: 'bench' },
  stdin: Array.from({ length: count }, (_, i) => `${i + 1}\n`).join(''),
  silent: true as const,
})

/** Nobody says how many at once. */
const auto = async ({ folder, runs, instance, report }: Bench): Promise<void> => {
  const { it } = await sideBySide({ it: pausing(instance(100, 20), 2_000) }, runs || 3, folder, 1)
  report({
    work: '2,000 updates at 20 ms, auto',
    measured: median(it.map((r) => r.wall)),
    budget: 1.9,
    unit: 's',
    detail: used(it),
  })
}

/** What the journal costs: without the former values, which cost a request each. */
const journalShare = async (bench: Bench): Promise<void> => {
  const plain = (...more: readonly string[]) =>
    pausing(bench.instance(100, 0), 20_000, '--concurrency', '32', '--no-undo-record', ...more)
  await reportPair(
    bench,
    { it: plain(), base: plain('--journal', 'none') },
    { work: '20,000 updates, what the journal adds', budget: 10, unit: '%', pairs: 3 },
  )
}

/** What an update costs beside a bare loop that sends the same: alone, and with its journal and the former values. */
const besideLoop = async (bench: Bench): Promise<void> => {
  const url = bench.instance(100, 0)
  for (const [how, budget, reading, ...flags] of [
    ['', 2.5, [], '--no-undo-record', '--journal', 'none'],
    [', each read before and on record', 1.25, ['read']],
  ] as const) {
    const it = pausing(url, 10_000, '--concurrency', '32', ...flags)
    const loop = script('loop.cjs', url, '32', ...reading)
    await reportPair(
      bench,
      { it, base: { ...loop, stdin: it.stdin, silent: true } },
      { work: `10,000 updates${how}, beside a bare loop over undici`, budget, pairs: 3 },
    )
  }
}

/** So many with their former values, once: a minute. And how soon their journal is read again. */
const journal = async (bench: Bench): Promise<void> => {
  const { folder, runs, instance, report } = bench
  const url = instance(100, 0)
  const kept = await run(pausing(url, 100_000, '--concurrency', '32'), folder)
  report({
    work: '100,000 updates, --concurrency 32, two requests each',
    measured: kept.wall,
    budget: 26,
    unit: 's',
    detail: used([kept]),
  })
  report({
    work: 'peak memory of these',
    measured: kept.megabytes,
    budget: 160,
    unit: 'MB',
  })
  const file = await newestJournal(folder)
  await resuming({ folder, runs, report }, url, file)
  const undo = ['journal', 'undo', file, '--yes', '--concurrency', '32', '-o', 'ndjson']
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'bench' }
  const undone = await run({ ...watched(...undo), env, silent: true }, folder)
  report({
    work: 'peak memory of the undo of 100,000 updates',
    measured: undone.megabytes,
    budget: 160,
    unit: 'MB',
    detail: used([undone]),
  })
}

/** A run that was killed before the last of so many was done: all of it is read, one is sent. */
const resuming = async (
  { folder, runs, report }: Pick<Bench, 'folder' | 'runs' | 'report'>,
  url: string,
  file: string,
): Promise<void> => {
  const again = {
    ...watched('runners', 'pause', '--resume', file, '--yes'),
    env: { SVC_BASE_URL: url, SVC_TOKEN: 'bench' },
    silent: true as const,
  }
  const it: Run[] = []
  for (let i = 0; i < (runs || 3); i++) {
    await withoutEnd(file)
    it.push(await run(again, folder))
  }
  report({
    work: 'resuming the journal of 100,000 that are done',
    measured: median(it.map((r) => r.wall)),
    budget: 0.5,
    unit: 's',
    detail: used(it),
  })
}

/** People with a level and a day of their own, from a sheet: all of its rows are checked before anything is sent. */
const rows = async ({ folder, instance, report }: Bench): Promise<void> => {
  const row = (i: number): string => `${i + 1},${10 * (1 + (i % 4))},2027-0${1 + (i % 9)}-01\n`
  const lines = Array.from({ length: 100_000 }, (_, i) => row(i))
  const fields = ['--row-fields', 'access_level,expires_at']
  const program = {
    ...watched('members', 'add', '-', '-P', '1', ...fields, '-o', 'ndjson'),
    env: { SVC_BASE_URL: instance(100, 0), SVC_TOKEN: 'bench' },
    stdin: `user_id,access_level,expires_at\n${lines.join('')}`,
    silent: true,
  } as const
  const it = await run(program, folder)
  report({
    work: 'peak memory of 100,000 members from rows',
    measured: it.megabytes,
    budget: 160,
    unit: 'MB',
    detail: used([it]),
  })
}

/** So many stay in memory no more than few do. Minutes: only where it is asked for. */
export const million = async ({ folder, instance, report }: Bench): Promise<void> => {
  const program = pausing(instance(100, 0), 1_000_000, '--concurrency', '32')
  const { it } = await sideBySide({ it: program }, 1, folder, 0)
  report({
    work: 'peak memory of 1,000,000 updates with their journal',
    measured: Math.max(...it.map((r) => r.megabytes)),
    budget: 160,
    unit: 'MB',
    detail: used(it),
  })
}

export const writes = async (bench: Bench): Promise<void> => {
  const { folder, runs, instance, report } = bench
  const ids = Array.from({ length: 2_000 }, (_, i) => `${i + 1}\n`).join('')
  const program = {
    ...watched('runners', 'pause', '-', '--concurrency', '32', '-o', 'ndjson'),
    env: { SVC_BASE_URL: instance(100, 20), SVC_TOKEN: 'bench' },
    stdin: ids,
    silent: true as const,
  }
  const { it } = await sideBySide({ it: program }, runs || 3, folder, 1)
  report({
    work: '2,000 updates at 20 ms, --concurrency 32',
    measured: median(it.map((r) => r.wall)),
    budget: 1.7,
    unit: 's',
    detail: used(it),
  })
  report({
    work: 'peak memory of these updates',
    measured: Math.max(...it.map((r) => r.megabytes)),
    budget: 130,
    unit: 'MB',
  })
  await auto(bench)
  await besideLoop(bench)
  await journalShare(bench)
  await journal(bench)
  await rows(bench)
}
