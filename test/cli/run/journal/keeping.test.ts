/** Which runs keep a journal, and what stands in it. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { folder } from '../../../support/program.js'
import { headerOf, linesOf, notFound, runs, user } from './runs.js'

const { server, run, files, written, fresh } = runs()

const idIn = (url: string): number => Number(/runners\/(\d+)/.exec(url)?.[1])
beforeEach(() => {
  fresh()
  server.answer = ({ url, method }) => {
    if (url.endsWith('/user')) return user
    if (url.includes('runners/all')) return { body: [1, 2].map((id) => ({ id, active: true })) }
    if (method !== 'GET' && idIn(url) === 9) return notFound
    return { body: { id: idIn(url), active: false }, headers: { 'x-request-id': 'r-1' } }
  }
})

describe('a journal is kept', () => {
  it.each([
    ['runners pause 1 2', undefined, 'arguments'],
    ['runners pause 1 1', undefined, 'arguments'],
    ['runners pause -', '1\n2\n', 'stdin'],
    ['runners pause -', '1\n', 'stdin'],
    ['runners pause --instance --select active=true --yes', undefined, 'select'],
    ['deploy-keys enable 5 -P a/b -P a/c', undefined, 'parents'],
    ['api put runners/{} -', '1\n2\n', 'stdin'],
  ])('of %s', async (line, input, source) => {
    const { code, stderr } = await run(line, input)
    expect(code, stderr).toBe(0)
    const [file = '', ...others] = files()
    expect(others).toEqual([])
    expect(headerOf(file)).toMatchObject({ journal: 1, source, instance: server.url, user: 'ana' })
    expect(linesOf(file).at(-1)).toMatchObject({ end: 'completed' })
    expect(stderr).toContain(`done. Journal: ${file}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['runners pause 1', undefined],
    ['runners get 1 2', undefined],
    ['runners get -', '1\n2\n'],
    ['api get runners/{} -', '1\n2\n'],
    ['runners pause 1 2 --journal none', undefined],
    ['runners pause 1 2 --dry-run', undefined],
    ['runners pause 1 2 --curl', undefined],
    ['runners list -P a/b -P a/c', undefined],
    ['runners drain 1 2 --resume-after true', undefined],
  ])('of %s none is', async (line, input) => {
    const { stderr } = await run(line, input)
    expect(files()).toEqual([])
    expect(stderr).not.toContain('Journal:')
    expect(server.lines()).not.toContain('GET /user')
  })

  it('of one object where it is asked for, in the file that is named', async () => {
    const file = join(folder(), 'new', 'one.ndjson')
    const { code, stderr } = await run(['runners', 'pause', '1', '--journal', file])
    expect(code, stderr).toBe(0)
    expect(linesOf(file)).toEqual([
      expect.objectContaining({ command: 'runners pause', endpoint: 'PUT /runners/:id' }),
      { n: 1, object: '1', state: 'queued' },
      { input: 'complete', total: 1 },
      { n: 1, object: '1', state: 'begun' },
      { n: 1, object: '1', state: 'done', status: 200, request_id: 'r-1' },
      {
        end: 'completed',
        counts: { done: 1, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 },
        at: expect.any(String),
      },
    ])
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
  })

  it('says what failed, and how to go on', async () => {
    const { code, stderr } = await run('runners pause 1 9')
    expect(code).toBe(8)
    const [file = ''] = files()
    expect(stderr).toContain(
      `1 done, 1 failed (1 not found). Journal: ${file} — svcctl runners pause --resume last tries the failed ones again`,
    )
    expect(linesOf(file)).toContainEqual({
      n: 2,
      object: '9',
      state: 'failed',
      category: 'not_found',
      status: 404,
      message: expect.stringContaining('404'),
    })
  })

  it('of two runs in one second, each in a file of its own', async () => {
    await Promise.all(Array.from({ length: 4 }, () => run('runners pause 1 2')))
    expect(new Set(files().map((file) => headerOf(file).id)).size).toBe(4)
  })
})

describe('nothing is sent where it cannot be kept', () => {
  const refused = async (line: readonly string[], words: string): Promise<void> => {
    const { code, stderr } = await run(line)
    expect([code, written()]).toEqual([2, []])
    expect(stderr).toContain(words)
  }

  it('and --journal none is named where the folder cannot be written', async () => {
    const config = fresh()
    mkdirSync(join(config, 'state'), { recursive: true })
    // A file in its place: no user may make a folder of it.
    writeFileSync(join(config, 'state', 'journals'), '')
    await refused(['runners', 'pause', '1', '2'], '--journal none')
  })

  it('since the file is there already, or is a link', async () => {
    const there = join(folder(), 'there.ndjson')
    writeFileSync(there, 'mine')
    await refused(['runners', 'pause', '1', '--journal', there], 'it exists')
    expect(readFileSync(there, 'utf8')).toBe('mine')
    const link = join(folder(), 'link.ndjson')
    symlinkSync('/nowhere/at/all', link)
    await refused(['runners', 'pause', '1', '--journal', link], 'it exists')
  })

  it('since a destructive run is not confirmed: its journal goes', async () => {
    await refused(['deploy-keys', 'delete', '1', '2', '-P', 'a/b'], '--yes')
    expect(files()).toEqual([])
  })

  it.each([
    [['--undo-record', '--journal', 'none'], '--undo-record keeps'],
    [['--resume', 'last', '--journal', 'x'], 'exclude each other'],
    [['--dry-run', '--journal', 'x'], 'exclude each other'],
    [['--shard', '3/2'], 'no part of a whole'],
    [['--shard', 'ci'], 'CI_NODE_INDEX'],
  ])('for %j', async (flags, words) => {
    await refused(['runners', 'pause', '1', '2', ...flags], words)
  })
})

describe('who made the run', () => {
  it('is not known where the instance does not say, which is noted', async () => {
    server.answer = ({ url }) => (url.endsWith('/user') ? notFound : { body: { id: idIn(url) } })
    const { code, stderr } = await run('runners pause 1 2')
    expect(code).toBe(0)
    expect(stderr).toContain('does not say who you are')
    expect(headerOf(files()[0] ?? '')).toMatchObject({ user: null })
  })

  it('is asked once, and --sudo is written down', async () => {
    await run('runners pause 1 2 3 --sudo ben')
    expect(server.lines().filter((line) => line === 'GET /user')).toHaveLength(1)
    expect(headerOf(files()[0] ?? '')).toMatchObject({ sudo: 'ben' })
  })
})

it('keeps the newest of the default folder', { timeout: 60_000 }, async () => {
  const config = fresh()
  const journals = join(config, 'state', 'journals')
  mkdirSync(journals, { recursive: true })
  chmodSync(journals, 0o700)
  await run('runners pause 1 2')
  const [first = ''] = files()
  const text = readFileSync(first, 'utf8')
  for (let i = 100; i < 160; i++) writeFileSync(join(journals, `20200101T000${i}-x.ndjson`), text)
  await run('runners pause 1 2')
  // Fifty that ended, and its own, which had not yet.
  expect(files()).toHaveLength(51)
})
