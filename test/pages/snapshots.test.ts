/** Tests that ages in an old snapshot count from its own time, not from today. */
import { appendFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCaller, runOnTerminal } from '../commands/calling.js'
import { createFolder } from '../support/program.js'
import { setSnapshotTime } from './parts.js'

const { call } = createCaller()
const liveInstance = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }
const noInstance = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: '' }

interface MergeRequest {
  readonly id: number
  readonly created_at: string
}

it('counts the ages of conditions, of flags and of tables from the time of each snapshot', async () => {
  const home = createFolder()
  const [old, late] = [join(home, 'old'), join(home, 'late')]
  const list = ['mr', 'list', '--all-projects']
  await call(['snapshot', list.join(' '), '--to', old], { env: liveInstance })
  cpSync(old, late, { recursive: true })
  const whole = await call([...list, '--from', old, '-o', 'ndjson'], { env: noInstance })
  const { record }: { readonly record: MergeRequest } = JSON.parse(
    whole.stdout.split('\n')[0] ?? '',
  )
  const id = String(record.id)
  const daysLater = (days: number) =>
    new Date(Date.parse(record.created_at) + days * 86_400_000).toISOString()
  setSnapshotTime(old, daysLater(3))
  setSnapshotTime(late, daysLater(20))
  const read = async (from: string, ...words: readonly string[]) => {
    const shown = ['--from', from, '--fields', 'id', '-o', 'value']
    const { stdout } = await call([...list, ...shown, ...words], { env: noInstance })
    return stdout.split('\n').filter((one) => one === id)
  }
  expect(await read(old, '--where', 'created_at<7d')).toEqual([id])
  expect(await read(late, '--where', 'created_at<7d')).toEqual([])
  expect(await read(home, '--where', 'created_at<7d')).toEqual([id])
  expect(await read(late, '--where', 'created_at>7d')).toEqual([id])
  expect(await read(old, '--created-after', '7d')).toEqual([id])
  expect(await read(late, '--created-after', '7d')).toEqual([])
  // The age of the snapshot itself counts from today.
  expect(await read(home, '--where', 'snapshot>1d')).toEqual([id, id])
  const shown = `--where id=${id} --fields snapshot,created_at`
  const screen = await runOnTerminal(
    `mr list --all-projects --from ${home} ${shown}`,
    noInstance,
    (one) => one.until(/ended with/),
  )
  expect(screen).toContain('3 d ago')
  expect(screen).toContain('20 d ago')
  expect(screen).toContain(daysLater(3).slice(0, 16).replace('T', ' '))
}, 60_000)

it('notes no empty lists of the snapshots that a condition left out, unless it left out all', async () => {
  const home = createFolder()
  const [old, late] = [join(home, 'old'), join(home, 'late')]
  await call(['snapshot', 'projects list', '--to', old], { env: liveInstance })
  cpSync(old, late, { recursive: true })
  setSnapshotTime(old, '2026-09-01T08:00:00.000Z')
  setSnapshotTime(late, '2026-10-01T08:00:00.000Z')
  const read = (where: string) =>
    call(['projects', 'list', '--from', home, '--where', where, '-o', 'ndjson'], {
      env: noInstance,
    })
  const chosen = await read('snapshot=2026-10-01T08:00:00.000Z')
  expect(chosen.stdout.split('\n').length).toBeGreaterThan(10)
  expect(chosen.stderr).toBe('from 2 snapshots\n')
  const names = ['2026-09-01T08:00:00.000Z', '2026-10-01T08:00:00.000Z']
  const notes = ['from 2 snapshots', ...names.map((name) => `${name}: no matches`), '']
  expect((await read('snapshot=2020-01-01T00:00:00.000Z')).stderr).toBe(notes.join('\n'))
  expect((await read('name="no such"')).stderr).toBe(notes.join('\n'))
}, 60_000)

it('says whether the snapshots are limited to groups, and to different ones', async () => {
  const home = createFolder()
  const take = (name: string, ...groups: string[]) =>
    call(['snapshot', 'projects list', '--to', join(home, name), ...groups], { env: liveInstance })
  const count = async () => {
    const line = ['projects', 'list', '--from', home, '--group-by', 'snapshot', '-o', 'value']
    const { stdout, stderr } = await call(line, { env: noInstance })
    return [stderr, ...(stdout.match(/\d+$/gm) ?? [])]
  }
  await take('one', '--group', 'web')
  await take('two', '--group', 'web')
  expect(await count()).toEqual(['from 2 snapshots, limited to web\n', '4', '4'])
  await take('three')
  expect(await count()).toEqual([
    'from 3 snapshots, some limited to web, some not limited: their counts differ for this reason, too\n',
    '4',
    '4',
    '14',
  ])
}, 60_000)

interface Certificate {
  readonly expires_at?: string
  readonly left_seconds?: number
}

it('counts the ages of an old snapshot from its own time', async () => {
  const to = join(createFolder(), 'old')
  const lists = ['pages-domains list --instance', 'runners list --instance']
  const taken = await call(['snapshot', ...lists, '--to', to], { env: liveInstance })
  expect([taken.code, taken.stderr]).toEqual([0, expect.any(String)])
  const at = '2024-12-20T12:00:00.000Z'
  setSnapshotTime(to, at)
  const from = (line: string) => call(`${line} --from ${to}`, { env: noInstance })
  const overview = JSON.parse((await from('overview --parts certificates -o json')).stdout)
  const certificates: readonly Certificate[] = overview.certificates.certificates
  const known = certificates.flatMap(({ expires_at: end, left_seconds: left }) =>
    end === undefined ? [] : [[left, Math.floor((Date.parse(end) - Date.parse(at)) / 1000)]],
  )
  expect(known.length).toBeGreaterThan(0)
  for (const [left, counted] of known) expect(left).toBe(counted)
  const check = JSON.parse((await from('check certificates -o json')).stdout)
  const lefts = certificates.flatMap(({ left_seconds: left }) => left ?? [])
  expect(check.measures.map(({ value }: { value: number }) => value)).toEqual(lefts)
  const page = (await from('overview --parts certificates -o html')).stdout
  expect(page).toContain('>2024-12-20</text>')
  expect(page).not.toContain('>today</text>')
  const day = new Date().toISOString().slice(0, 10)
  expect(page).toContain(`<li>${day} `)
}, 60_000)

it('draws a snapshot without a match as zero, and one that is damaged as a gap', async () => {
  const home = createFolder()
  const [first, second, third] = [join(home, 'a'), join(home, 'b'), join(home, 'c')]
  const lists = ['projects list', 'runners list --instance', 'settings get']
  await call(['snapshot', ...lists, '--to', first], { env: liveInstance })
  cpSync(first, second, { recursive: true })
  cpSync(first, third, { recursive: true })
  const { stdout } = await call(`projects list --from ${first} -o json`, { env: noInstance })
  const projects: readonly { readonly last_activity_at: string }[] = JSON.parse(stdout)
  const latest = Math.max(...projects.map((one) => Date.parse(one.last_activity_at)))
  const days = [1, 50, 100].map((day) => new Date(latest + day * 86_400_000).toISOString())
  for (const [i, to] of [first, second, third].entries()) setSnapshotTime(to, days[i] ?? '')
  const from = async (line: string) => call(`${line} --from ${home}`, { env: noInstance })
  const row = (day: number, text: string) =>
    `<th scope="row">${days[day]?.slice(0, 10)}</th><td class="n">${text}</td>`
  const recent = 'projects list --where last_activity_at<10d -o html'
  const whole = await from(recent)
  expect(whole.stdout.includes(row(1, '0'))).toBe(true)
  expect(whole.stdout.includes(row(2, '0'))).toBe(true)
  // Projects that a condition on snapshots leaves out do not count as zero.
  const old = await from('projects list --where last_activity_at<70d,snapshot<3650d -o html')
  expect(old.stdout.includes(row(2, '0'))).toBe(false)
  appendFileSync(join(second, 'projects.ndjson'), '{}\n')
  const damaged = await from(recent)
  expect(damaged.code).toBe(8)
  expect(damaged.stdout.includes(row(1, '0'))).toBe(false)
  expect(damaged.stdout.includes(row(2, '0'))).toBe(true)
  const overview = await from('overview --parts runners,storages -o csv')
  expect(overview.code).toBe(8)
  expect(overview.stdout).toMatch(
    new RegExp(`^storages,,not read in ${days[1]?.slice(0, 10)}: .*was changed`, 'm'),
  )
  const twice = await call(`projects list --from ${first},${home}`, { env: noInstance })
  expect(twice.stderr).toContain('is given twice')
  cpSync(first, join(home, 'd'), { recursive: true })
  expect((await from('projects list')).stderr).toContain(
    `${join(home, 'd')} is given twice as ${first}`,
  )
}, 60_000)
