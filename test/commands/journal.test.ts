/** Tests `svcctl journal`, which shows earlier runs over many objects. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ObjectLine } from '../../src/engine/journal/lines.js'
import { startSandbox } from '../../src/library/sandbox.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { writeJournal } from './journals.js'

let config = ''
beforeEach(() => {
  config = createConfiguration()
})
const toJournalPath = (id: string): string =>
  join(config, 'state', 'runs', `${id === first ? 1 : 2}-${id}.ndjson`)
const run = (line: string, cwd = config) =>
  svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config }, cwd })

const createDoneLine = (n: number): ObjectLine => ({
  n,
  object: String(n),
  state: 'done',
  status: 200,
})
const createFailedLine = (n: number): ObjectLine => ({
  n,
  object: String(n),
  state: 'failed',
  category: 'not_found',
  status: 404,
  message: '404 Runner Not Found',
})
const first = '20261121T120102-runners-pause'
const second = '20261121T130000-runners-resume'

describe('journal list', () => {
  it('has the newest first, with counts also of one that was killed', async () => {
    writeJournal(toJournalPath(first), [createDoneLine(1), createFailedLine(2)])
    const lines: ObjectLine[] = [createDoneLine(1), { n: 2, object: '2', state: 'begun' }]
    writeJournal(toJournalPath(second), lines, 'killed', { id: second })
    const { stdout } = await run('journal list -o json')
    expect(JSON.parse(stdout)).toMatchObject([
      { id: second, end: null, done: 1, unknown: 1, failed: 0, file: toJournalPath(second) },
      { id: first, end: 'completed', done: 1, failed: 1, command: 'runners pause' },
    ])
    const table = await run('journal list')
    expect(table.stdout.split('\n')[0]).toBe(
      'id\tcommand\tend\tdone\tunchanged\tfailed\tunknown\tnot_tried',
    )
  })

  it('has the runs of a profile, if it is named', async () => {
    writeJournal(toJournalPath(first), [createDoneLine(1)])
    writeJournal(toJournalPath(second), [createDoneLine(1)], 'completed', {
      id: second,
      profile: 'work',
    })
    const { stdout } = await run('journal list -o json --profile work')
    expect(JSON.parse(stdout)).toMatchObject([{ id: second }])
  })

  it('has a run whose lines are in another file, unless that is gone', async () => {
    const file = join(createFolder(), 'mine.ndjson')
    writeJournal(file, [createDoneLine(1)])
    writeJournal(toJournalPath(first), [], 'killed', { file })
    const listed = async () => JSON.parse((await run('journal list -o json')).stdout)
    expect(await listed()).toMatchObject([{ id: first, end: 'completed', done: 1, file }])
    rmSync(file)
    expect(await listed()).toEqual([])
  })

  it('says that there is none', async () => {
    const { code, stderr } = await run('journal list')
    expect([code, stderr]).toEqual([0, expect.stringContaining('no journals yet')])
  })
})

describe('journal show', () => {
  it('shows what failed and is not done since, and the counts, by id, file or last', async () => {
    const again: ObjectLine = { ...createDoneLine(3), n: 3 }
    writeJournal(toJournalPath(first), [
      createDoneLine(1),
      createFailedLine(2),
      createFailedLine(3),
      again,
      { n: 4, object: '4', state: 'begun' },
    ])
    for (const name of [first, 'last', toJournalPath(first), `state/runs/1-${first}.ndjson`]) {
      const { code, stdout, stderr } = await run(`journal show ${name}`)
      expect(code).toBe(0)
      expect(stdout).toBe(
        'object\tstate\tcategory\tmessage\n2\tfailed\tnot_found\t404 Runner Not Found\n4\tbegun\t\t\n',
      )
      expect(stderr).toContain('2 done, 1 failed, 1 unknown')
    }
    const { stdout } = await run('journal show last -o json')
    expect(JSON.parse(stdout)).toMatchObject({
      id: first,
      done: 2,
      values: { active: false },
      failures: [{ object: '2', status: 404 }, { object: '4' }],
    })
  })

  it.each(['show', 'undo'])(
    '%s without a run offers the newest, and means no folder',
    async (verb) => {
      const none = await run(`journal ${verb}`)
      expect([none.code, none.stderr]).toEqual([
        2,
        expect.stringContaining('There are no journals'),
      ])
      writeJournal(toJournalPath(first), [createDoneLine(1)], 'completed', { id: first })
      for (const line of [`journal ${verb}`, `journal ${verb} `]) {
        const { code, stderr } = await run(line)
        expect([code, stderr]).toEqual([
          2,
          expect.stringContaining(`svcctl journal ${verb} ${first}`),
        ])
      }
      writeJournal(toJournalPath(second), [createDoneLine(1)], 'completed', {
        id: second,
        undoes: first,
      })
      const { stderr } = await run(`journal ${verb}`)
      const redo = 'svcctl journal undo last --redo'
      expect(stderr).toContain(verb === 'undo' ? redo : `svcctl journal show ${second}`)
    },
  )

  it('has the headings of its list where nothing failed, in each format', async () => {
    writeJournal(toJournalPath(first), [createDoneLine(1)], 'completed')
    expect((await run('journal show last')).stdout).toBe('object\tstate\tcategory\tmessage\n')
    expect((await run('journal show last -o csv')).stdout).toBe('object,state,category,message\n')
    expect((await run('journal show last -o html')).stdout).toContain('</html>')
  })

  it('refuses what is none', async () => {
    expect((await run('journal show last')).code).toBe(2)
    expect((await run('journal show nothing')).stderr).toContain('unknown journal "nothing')
  })
})

describe('journal show of several', () => {
  const part = (name: string) => join(config, `${name}.ndjson`)

  it('shows the shards of a run as one, and exits 8 while one has no end', async () => {
    writeJournal(part('one'), [createDoneLine(1), createFailedLine(2)], 'completed', {
      shard: '1/2',
    })
    const others: ObjectLine[] = [
      { ...createDoneLine(1), object: '8' },
      { ...createFailedLine(2), object: '9' },
    ]
    writeJournal(part('two'), others, 'killed', { shard: '2/2' })
    const open = await run('journal show one.ndjson two.ndjson -o json')
    expect([open.code, JSON.parse(open.stdout)]).toMatchObject([
      8,
      { end: null, done: 2, failed: 2, missing: [], failures: [{ object: '2' }, { object: '9' }] },
    ])
    expect(open.stderr).toContain(`${part('two')} is not finished`)
    writeJournal(part('two'), others, 'completed', { shard: '2/2' })
    const whole = await run('journal show one.ndjson two.ndjson')
    expect([whole.code, whole.stderr]).toEqual([0, expect.stringContaining('2 done, 2 failed')])
    expect(whole.stdout.split('\n').slice(1, 3).join()).toMatch(/^2\tfailed.*,9\tfailed/)
    // A file that has several names counts once.
    const again = await run(`journal show one.ndjson ./one.ndjson two.ndjson ${part('two')}`)
    expect([again.code, again.stderr, again.stdout]).toEqual([0, whole.stderr, whole.stdout])
  })

  it('exits 8, and names what is missing, while it has not every shard of the whole', async () => {
    const parts = [1, 2, 3, 4, 5, 6, 7].map((n) => {
      const line = { ...createDoneLine(1), object: String(n) }
      writeJournal(part(`${n}`), [line], 'completed', { shard: `${n}/7` })
      return `${n}.ndjson`
    })
    const three = await run('journal show 1.ndjson 2.ndjson 5.ndjson -o json')
    expect([three.code, JSON.parse(three.stdout)]).toMatchObject([
      8,
      { done: 3, end: null, missing: ['3/7', '4/7', '6/7', '7/7'] },
    ])
    expect(three.stderr).toContain('the journal of shard 3/7 is missing')
    const all = await run(`journal show ${parts.join(' ')}`)
    expect([all.code, all.stderr]).toEqual([0, expect.stringMatching(/completed\n7 done\n$/)])
    writeJournal(part('x'), [createDoneLine(1)], 'completed', { shard: '2/3' })
    expect((await run('journal show 1.ndjson x.ndjson')).code).toBe(2)
    writeJournal(part('y'), [createDoneLine(1)])
    expect((await run('journal show 1.ndjson y.ndjson')).code).toBe(2)
  })

  it('takes the journals of shards that had no objects', async () => {
    const sandbox = await startSandbox()
    onTestFinished(() => sandbox.close())
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token }
    for (const [words, input] of [
      ['1 2', undefined],
      ['-', '1\n2\n'],
    ] as const) {
      const cwd = createFolder()
      const line = (text: string) =>
        svcctl(text.split(' '), { env, cwd, ...(input === undefined ? {} : { input }) })
      const parts = [1, 2, 3, 4, 5].map((n) => `${n}.ndjson`)
      for (const [i, file] of parts.entries())
        expect(
          await line(`runners pause ${words} --shard ${i + 1}/5 --journal ${file}`),
        ).toMatchObject({ code: 0 })
      const shown = await line(`journal show ${parts.join(' ')} -o json`)
      expect([shown.code, JSON.parse(shown.stdout).missing], shown.stderr).toEqual([0, []])
    }
  })

  it.each([
    { command: 'runners resume' },
    { endpoint: 'PUT /x' },
    { input: { active: true } },
    { instance: 'https://other.example' },
  ])('refuses journals of different runs: %j', async (other) => {
    writeJournal(part('one'), [createDoneLine(1)])
    writeJournal(part('two'), [createDoneLine(1)], 'completed', other)
    const { code, stderr } = await run('journal show one.ndjson two.ndjson')
    const [what] = Object.keys(other)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${what} differs`)])
  })
})
