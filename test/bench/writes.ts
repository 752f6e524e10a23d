/** Measures many writes at once. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from './bench.js'
import {
  buildScript,
  buildWatchedProgram,
  computeMedian,
  type Run,
  run,
  runInterleaved,
} from './measure.js'
import { reportPair } from './pairs.js'
import { formatUsage } from './table.js'

/** Finds the journal that the last run of this benchmark wrote. */
const findNewestJournal = async (folder: string): Promise<string> => {
  const journals = join(folder, '.local', 'share', 'svcctl', 'runs')
  const names = (await readdir(journals)).filter((name) => name.endsWith('.ndjson'))
  const bySeq = names.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  return join(journals, bySeq.at(-1) ?? '')
}

/** Removes the last two lines of a journal: the outcome of its last object, and the end of the run. */
const removeJournalEnd = async (file: string): Promise<void> => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  await writeFile(file, `${lines.slice(0, -2).join('\n')}\n`)
}

export const buildPauseProgram = (url: string, count: number, ...more: readonly string[]) => ({
  ...buildWatchedProgram('runners', 'pause', '-', ...more, '-o', 'ndjson'),
  env: { SVC_BASE_URL: url, SVC_TOKEN: 'bench' },
  stdin: Array.from({ length: count }, (_, i) => `${i + 1}\n`).join(''),
  silent: true as const,
})

/** Measures updates without --concurrency. */
const measureAutomatic = async ({ folder, runs, instance, report }: Bench): Promise<void> => {
  const { it } = await runInterleaved(
    { it: buildPauseProgram(instance(100, 20), 2_000) },
    runs || 3,
    folder,
    1,
  )
  report({
    work: '2,000 updates at 20 ms, auto',
    measured: computeMedian(it.map((r) => r.wall)),
    budget: 1.9,
    unit: 's',
    detail: formatUsage(it),
  })
}

/** Measures the cost of the journal, without previous values, which need one more request each. */
const measureJournalShare = async (bench: Bench): Promise<void> => {
  const plain = (...more: readonly string[]) =>
    buildPauseProgram(
      bench.instance(100, 0),
      20_000,
      '--concurrency',
      '32',
      '--no-undo-record',
      ...more,
    )
  await reportPair(
    bench,
    { it: plain(), base: plain('--journal', 'none') },
    { work: '20,000 updates, what the journal adds', budget: 10, unit: '%', pairs: 3 },
  )
}

/** Compares updates with a bare loop that sends the same requests: without a journal, and with the journal and previous values. */
const compareWithLoop = async (bench: Bench): Promise<void> => {
  const url = bench.instance(100, 0)
  for (const [how, budget, reading, ...flags] of [
    ['', 2.5, [], '--no-undo-record', '--journal', 'none'],
    [', each read before and on record', 1.25, ['read']],
  ] as const) {
    const it = buildPauseProgram(url, 10_000, '--concurrency', '32', ...flags)
    const loop = buildScript('loop.cjs', url, '32', ...reading)
    await reportPair(
      bench,
      { it, base: { ...loop, stdin: it.stdin, silent: true } },
      { work: `10,000 updates${how}, beside a bare loop over undici`, budget, pairs: 3 },
    )
  }
}

/** Measures 100,000 updates with previous values once, which takes a minute, and the time to read their journal again. */
const measureJournal = async (bench: Bench): Promise<void> => {
  const { folder, runs, instance, report } = bench
  const url = instance(100, 0)
  const kept = await run(buildPauseProgram(url, 100_000, '--concurrency', '32'), folder)
  report({
    work: '100,000 updates, --concurrency 32, two requests each',
    measured: kept.wall,
    budget: 26,
    unit: 's',
    detail: formatUsage([kept]),
  })
  report({
    work: 'peak memory of these',
    measured: kept.megabytes,
    budget: 160,
    unit: 'MB',
  })
  const file = await findNewestJournal(folder)
  await measureResuming({ folder, runs, report }, url, file)
  const undo = ['journal', 'undo', file, '--yes', '--concurrency', '32', '-o', 'ndjson']
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'bench' }
  const undone = await run({ ...buildWatchedProgram(...undo), env, silent: true }, folder)
  report({
    work: 'peak memory of the undo of 100,000 updates',
    measured: undone.megabytes,
    budget: 160,
    unit: 'MB',
    detail: formatUsage([undone]),
  })
}

/** Resumes a run that was killed before its last object was done: the whole journal is read, and one request is sent. */
const measureResuming = async (
  { folder, runs, report }: Pick<Bench, 'folder' | 'runs' | 'report'>,
  url: string,
  file: string,
): Promise<void> => {
  const again = {
    ...buildWatchedProgram('runners', 'pause', '--resume', file, '--yes'),
    env: { SVC_BASE_URL: url, SVC_TOKEN: 'bench' },
    silent: true as const,
  }
  const it: Run[] = []
  for (let i = 0; i < (runs || 3); i++) {
    await removeJournalEnd(file)
    it.push(await run(again, folder))
  }
  report({
    work: 'resuming the journal of 100,000 that are done',
    measured: computeMedian(it.map((r) => r.wall)),
    budget: 0.5,
    unit: 's',
    detail: formatUsage(it),
  })
}

/**
 * Measures the memory of adding 100,000 members from rows, each with its own level and date. All rows are checked before anything is
 * sent.
 */
const measureRows = async ({ folder, instance, report }: Bench): Promise<void> => {
  const row = (i: number): string => `${i + 1},${10 * (1 + (i % 4))},2027-0${1 + (i % 9)}-01\n`
  const lines = Array.from({ length: 100_000 }, (_, i) => row(i))
  const fields = ['--row-fields', 'access_level,expires_at']
  const program = {
    ...buildWatchedProgram('members', 'add', '-', '-P', '1', ...fields, '-o', 'ndjson'),
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
    detail: formatUsage([it]),
  })
}

/** Measures the memory of a million updates, which must not exceed that of a few. Takes minutes: it is run only if it is named. */
export const measureMillion = async ({ folder, instance, report }: Bench): Promise<void> => {
  const program = buildPauseProgram(instance(100, 0), 1_000_000, '--concurrency', '32')
  const { it } = await runInterleaved({ it: program }, 1, folder, 0)
  report({
    work: 'peak memory of 1,000,000 updates with their journal',
    measured: Math.max(...it.map((r) => r.megabytes)),
    budget: 160,
    unit: 'MB',
    detail: formatUsage(it),
  })
}

export const measureWrites = async (bench: Bench): Promise<void> => {
  const { folder, runs, instance, report } = bench
  const ids = Array.from({ length: 2_000 }, (_, i) => `${i + 1}\n`).join('')
  const program = {
    ...buildWatchedProgram('runners', 'pause', '-', '--concurrency', '32', '-o', 'ndjson'),
    env: { SVC_BASE_URL: instance(100, 20), SVC_TOKEN: 'bench' },
    stdin: ids,
    silent: true as const,
  }
  const { it } = await runInterleaved({ it: program }, runs || 3, folder, 1)
  report({
    work: '2,000 updates at 20 ms, --concurrency 32',
    measured: computeMedian(it.map((r) => r.wall)),
    budget: 1.7,
    unit: 's',
    detail: formatUsage(it),
  })
  report({
    work: 'peak memory of these updates',
    measured: Math.max(...it.map((r) => r.megabytes)),
    budget: 130,
    unit: 'MB',
  })
  await measureAutomatic(bench)
  await compareWithLoop(bench)
  await measureJournalShare(bench)
  await measureJournal(bench)
  await measureRows(bench)
}
