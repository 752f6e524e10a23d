/** Tests fields that only single records have, in `--fields`, `--sort` and `--where`: each record is read once. */
import { describe, expect, it } from 'vitest'
import { createConfiguration, type LineResult } from '../support/program.js'
import { type Script, useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

type Fields = Readonly<Record<string, unknown>>

const recorder = useRecorder()
const run = (line: string, env: Readonly<Record<string, string>> = {}): Promise<LineResult> =>
  svcctl(line.split(' '), { env: { SVC_BASE_URL: recorder.url, SVC_TOKEN: 't', ...env } })

/** Answers a list of `count` runners, and single records with more fields. */
const answerRunners =
  (count: number, more: (id: number) => Fields = (id) => ({ version: `14.${id}` })): Script =>
  ({ url }) => {
    const id = Number(/runners\/(\d+)/.exec(url)?.[1] ?? 0)
    if (id > 0) return { body: { id, active: 'single', ...more(id) } }
    const page = Number(new URL(url, recorder.url).searchParams.get('page') ?? 1)
    const path = `${recorder.url}${new URL(url, recorder.url).pathname}`
    const body = Array.from({ length: Math.min(100, count - (page - 1) * 100) }, (_, i) => ({
      id: (page - 1) * 100 + i + 1,
      active: true,
      y: 1.5,
    }))
    const next = `<${path}?per_page=100&page=${page + 1}>; rel="next"`
    return { body, headers: page * 100 < count ? { link: next } : {} }
  }

/** Lists the IDs of the runners that were read one by one. */
const listSingleReads = (): readonly number[] =>
  recorder
    .lines()
    .flatMap((line) => Number(/^GET \/runners\/(\d+)/.exec(line)?.[1] ?? Number.NaN))
    .filter((id) => id > 0)
    .sort((a, b) => a - b)

describe('--fields', () => {
  it.each([
    ['-o csv', 'id,active,version\n1,true,14.1\n2,true,14.2\n'],
    ['', 'id\tactive\tversion\n1\ttrue\t14.1\n2\ttrue\t14.2\n'],
    [
      '-o ndjson',
      '{"id":1,"active":true,"version":"14.1"}\n{"id":2,"active":true,"version":"14.2"}\n',
    ],
  ])(
    'shows them in every format, and reads what is printed alone: %s',
    async (format, expected) => {
      recorder.answer = answerRunners(5)
      const line = `runners list --limit 2 --fields id,active,version ${format}`.trim()
      const { stdout, code } = await run(line)
      expect([code, stdout]).toEqual([0, expected])
      expect(listSingleReads()).toEqual([1, 2])
    },
  )

  it('reads nothing where the list shows all of them', async () => {
    const all = answerRunners(3)
    recorder.answer = (seen, i) =>
      /runners\/\d/.test(seen.url) ? all(seen, i) : { body: [{ id: 1, version: '9' }, { id: 2 }] }
    const { stdout } = await run('runners list --fields id,version -o csv')
    expect(stdout).toBe('id,version\n1,9\n2,14.2\n')
    expect(listSingleReads()).toEqual([2])
    recorder.seen.length = 0
    await run('runners list --fields id,status')
    expect(recorder.lines()).toHaveLength(1)
  })

  it('prints what the list has of a record that cannot be read, and ends 8', async () => {
    const all = answerRunners(3)
    recorder.answer = (seen, i) =>
      seen.url.includes('runners/2') ? { status: 403, body: { message: 'no' } } : all(seen, i)
    const { stdout, stderr, code } = await run('runners list --fields id,version -o csv')
    expect([code, stdout]).toEqual([8, 'id,version\n1,14.1\n2,\n3,14.3\n'])
    expect(stderr).toContain('2: ')
  })

  it('masks the secrets of single records', async () => {
    recorder.answer = answerRunners(1, () => ({ version: { token: 'glrt-canary' } }))
    const { stdout } = await run('runners list --fields version -o json')
    expect(stdout).toContain('token')
    expect(stdout).not.toContain('canary')
  })

  it('reads them below each of several projects', async () => {
    recorder.answer = answerRunners(2)
    const { stdout, code } = await run('runners list -P a -P b --limit 3 --fields id,version')
    expect([code, stdout]).toEqual([
      0,
      'project\tid\tversion\na\t1\t14.1\na\t2\t14.2\nb\t1\t14.1\n',
    ])
    expect(listSingleReads()).toEqual([1, 1, 2])
  })

  it('knows their names, and the nearest', async () => {
    recorder.answer = answerRunners(1)
    const { stderr, code } = await run('runners list --fields contacted_a')
    expect([code, listSingleReads()]).toEqual([2, []])
    expect(stderr).toContain('unknown field "contacted_a"')
    expect(stderr).toContain('Did you mean contacted_at?')
  })
})

describe('--sort', () => {
  it('reads each record for the order, and passes it on as it came', async () => {
    recorder.answer = answerRunners(12)
    const { stdout } = await run('runners list --sort -version --limit 2 -o ndjson')
    expect(stdout).toBe('{"id":12,"active":true,"y":1.5}\n{"id":11,"active":true,"y":1.5}\n')
    expect(listSingleReads()).toHaveLength(12)
  })

  it('by a field of the list reads only what is printed', async () => {
    recorder.answer = answerRunners(12)
    const line = 'runners list --sort -id --limit 2 --fields id,version -o csv'
    expect((await run(line)).stdout).toBe('id,version\n12,14.12\n11,14.11\n')
    expect(listSingleReads()).toEqual([11, 12])
  })

  it('reads a record once for conditions, order and fields together', async () => {
    recorder.answer = answerRunners(12, (id) => ({ version: `14.${id}`, platform: `p${id % 3}` }))
    const line = 'runners list --where version>=14.3 --sort platform,-version --limit 3'
    const { stdout } = await run(`${line} --fields id,platform,revision,version -o csv`)
    expect(stdout).toBe('id,platform,revision,version\n12,p0,,14.12\n9,p0,,14.9\n6,p0,,14.6\n')
    expect(listSingleReads()).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
    recorder.seen.length = 0
    await run('runners list --where version>=14.3 --sort -id --limit 3 --fields id,version')
    expect(listSingleReads()).toHaveLength(12)
    recorder.seen.length = 0
    await run('runners list --where version>=14.3 --limit 3 --fields id,version')
    expect(new Set(listSingleReads()).size).toBe(listSingleReads().length)
  })

  it('works over several instances', async () => {
    const config = createConfiguration()
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '' }
    for (const name of ['x', 'y']) {
      const line = ['profile', 'set', name, '--base-url', recorder.url, '--token-command']
      await svcctl([...line, 'printf token'], { env })
    }
    recorder.answer = answerRunners(3)
    const { stdout, stderr } = await run(
      'runners list -p x,y --sort -id --limit 2 --fields id,version',
      env,
    )
    expect(stdout, stderr).toBe('profile\tid\tversion\nx\t3\t14.3\ny\t3\t14.3\n')
  })
})

describe('--where', () => {
  it('reads runners of a project, which belong to none', async () => {
    recorder.answer = answerRunners(3)
    const { stdout, code } = await run('runners list -P a --where version>=14.2 -o id')
    expect([code, stdout]).toEqual([0, '2\n3\n'])
  })
})

describe('how many are read', () => {
  it('is said above a hundred', async () => {
    recorder.answer = answerRunners(120)
    const few = await run('runners list --fields version --limit 100 -o value')
    expect(few.stderr).not.toContain('one by one')
    const { stderr } = await run('runners list --fields version --limit 110 -o value')
    expect(stderr).toContain('read 110 records one by one')
  })

  it('is no more than a thousand without --limit', { timeout: 60_000 }, async () => {
    recorder.answer = answerRunners(1100)
    const { stdout, stderr, code } = await run('runners list --sort version -o id')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('more than 1000 records would have to be read one by one')
    expect(listSingleReads().length).toBeLessThanOrEqual(1000)
    recorder.seen.length = 0
    const asked = await run('runners list --sort -version -o id --limit 1')
    expect([asked.code, asked.stdout]).toEqual([0, '1100\n'])
    expect(asked.stderr).toContain('read 1100 records one by one')
  })

  it('is said by --curl', async () => {
    const { stdout } = await run('runners list --sort version --fields id,platform --curl')
    expect(stdout).toContain('# reading single records for platform, version: GET /runners/:id\n')
    expect(recorder.lines()).toEqual([])
  })
})

describe('an answer that is no object', () => {
  it.each([
    [[{ id: 1 }], 'a list', '1\n'],
    [[], 'a list', ''],
    ['"x"', 'a single value', undefined],
  ])('is said to differ from the documents: %j', async (body, what, ids) => {
    const note = `the instance answered with ${what} instead of an object`
    recorder.answer = () => ({ body })
    for (const format of ['-o json', '-o csv', '-o table', '-o ndjson']) {
      const { stderr, code } = await run(`runners get 1 ${format}`)
      expect([code, stderr]).toEqual([0, expect.stringContaining(note)])
    }
    const { stdout, stderr } = await run('runners get 1 -o id')
    expect([stdout, stderr]).toEqual([ids ?? '', expect.stringContaining(note)])
    const several = await run('runners get 1 2 -o json')
    expect(several.stderr).toContain(`2: ${note}`)
  })

  it('is not said of an answer that the documents leave open', async () => {
    recorder.answer = () => ({ body: [{ diff: 'x' }] })
    expect((await run('commits diff main -P 1 -o json')).stderr).toBe('')
  })
})
