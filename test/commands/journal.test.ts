/** `svcctl journal`: looking back at runs over many objects. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ObjectLine } from '../../src/engine/journal/lines.js'
import { startSandbox } from '../../src/library/sandbox.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { journalOf } from './journals.js'

let config = ''
beforeEach(() => {
  config = configuration()
})
const kept = (id: string): string => join(config, 'state', 'journals', `${id}.ndjson`)
const run = (line: string, cwd = config) =>
  svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config }, cwd })

const done = (n: number): ObjectLine => ({ n, object: String(n), state: 'done', status: 200 })
const failed = (n: number): ObjectLine => ({
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
    journalOf(kept(first), [done(1), failed(2)])
    const lines: ObjectLine[] = [done(1), { n: 2, object: '2', state: 'begun' }]
    journalOf(kept(second), lines, 'killed', { id: second })
    const { stdout } = await run('journal list -o json')
    expect(JSON.parse(stdout)).toMatchObject([
      { id: second, end: null, done: 1, unknown: 1, failed: 0, file: kept(second) },
      { id: first, end: 'completed', done: 1, failed: 1, command: 'runners pause' },
    ])
    const table = await run('journal list')
    expect(table.stdout.split('\n')[0]).toBe(
      'id\tcommand\tend\tdone\tunchanged\tfailed\tunknown\tnot_tried',
    )
  })

  it('says that there is none', async () => {
    const { code, stderr } = await run('journal list')
    expect([code, stderr]).toEqual([0, expect.stringContaining('no journals yet')])
  })
})

describe('journal show', () => {
  it('shows what failed and is not done since, and the counts, by id, file or last', async () => {
    const again: ObjectLine = { ...done(3), n: 3 }
    journalOf(kept(first), [
      done(1),
      failed(2),
      failed(3),
      again,
      { n: 4, object: '4', state: 'begun' },
    ])
    for (const name of [first, 'last', kept(first), `state/journals/${first}.ndjson`]) {
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
      journalOf(kept(first), [done(1)], 'completed', { id: first })
      for (const line of [`journal ${verb}`, `journal ${verb} `]) {
        const { code, stderr } = await run(line)
        expect([code, stderr]).toEqual([
          2,
          expect.stringContaining(`svcctl journal ${verb} ${first}`),
        ])
      }
      journalOf(kept(second), [done(1)], 'completed', { id: second, undoes: first })
      const { stderr } = await run(`journal ${verb}`)
      const redo = 'svcctl journal undo last --redo'
      expect(stderr).toContain(verb === 'undo' ? redo : `svcctl journal show ${second}`)
    },
  )

  it('refuses what is none', async () => {
    expect((await run('journal show last')).code).toBe(2)
    expect((await run('journal show nothing')).stderr).toContain('unknown journal "nothing')
  })
})

describe('journal merge', () => {
  it('writes one journal, and exits 8 while a part has no end', async () => {
    const [one, two] = [join(config, 'one.ndjson'), join(config, 'two.ndjson')]
    journalOf(one, [done(1), failed(2)])
    journalOf(
      two,
      [
        { ...done(1), object: '2' },
        { ...failed(2), object: '3' },
      ],
      'killed',
    )
    const open = await run('journal merge one.ndjson two.ndjson --to open.ndjson -o json')
    expect([open.code, JSON.parse(open.stdout)]).toMatchObject([
      8,
      { done: 2, failed: 1, open: [two] },
    ])
    expect(open.stderr).toContain('is not finished')
    journalOf(join(config, 'three.ndjson'), [{ ...done(1), object: '9' }])
    const whole = await run('journal merge one.ndjson three.ndjson --to whole.ndjson')
    expect(whole.code).toBe(0)
    expect(readFileSync(join(config, 'whole.ndjson'), 'utf8')).toContain('"end":"completed"')
    const twice = await run('journal merge one.ndjson --to whole.ndjson')
    expect([twice.code, twice.stderr]).toEqual([
      2,
      expect.stringMatching(/it exists\n.*--to <file>/),
    ])
    expect(twice.stderr).not.toContain('--journal')
    expect((await run('journal merge one.ndjson')).code).toBe(2)
  })

  it('exits 8, and names what is missing, while it has not every shard of the whole', async () => {
    const parts = [1, 2, 3, 4, 5, 6, 7].map((part) => {
      const file = `${part}.ndjson`
      const line = { ...done(1), object: String(part) }
      journalOf(join(config, file), [line], 'completed', { shard: `${part}/7` })
      return file
    })
    const three = await run('journal merge 1.ndjson 2.ndjson 5.ndjson --to three.ndjson -o json')
    expect([three.code, JSON.parse(three.stdout)]).toMatchObject([
      8,
      { done: 3, missing: ['3/7', '4/7', '6/7', '7/7'] },
    ])
    expect(three.stderr).toContain('the journal of shard 3/7 is missing')
    const text = readFileSync(join(config, 'three.ndjson'), 'utf8')
    expect(text).not.toMatch(/"end"|"total"/)
    const all = await run(`journal merge ${parts.join(' ')} --to all.ndjson`)
    expect([all.code, all.stderr]).toEqual([0, '7 done\n'])
    expect(readFileSync(join(config, 'all.ndjson'), 'utf8')).toContain('"end":"completed"')
    const left: ObjectLine = { n: 2, object: '9', state: 'queued' }
    journalOf(join(config, '3b.ndjson'), [done(1), left], 'stopped', { shard: '3/7' })
    const others = parts.filter((file) => file !== '3.ndjson').join(' ')
    const open = await run(`journal merge ${others} 3b.ndjson --to open.ndjson`)
    expect([open.code, open.stderr]).toEqual([
      8,
      expect.stringContaining('3b.ndjson is not finished'),
    ])
    journalOf(join(config, 'x.ndjson'), [done(1)], 'completed', { shard: '2/3' })
    expect((await run('journal merge 1.ndjson x.ndjson --to y.ndjson')).code).toBe(2)
  })

  it('takes the journals of shards that had no objects', async () => {
    const sandbox = await startSandbox()
    onTestFinished(() => sandbox.close())
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token }
    for (const [words, input] of [
      ['1 2', undefined],
      ['-', '1\n2\n'],
    ] as const) {
      const cwd = folder()
      const line = (text: string) =>
        svcctl(text.split(' '), { env, cwd, ...(input === undefined ? {} : { input }) })
      const parts = [1, 2, 3, 4, 5].map((part) => `${part}.ndjson`)
      for (const [i, file] of parts.entries())
        expect(
          await line(`runners pause ${words} --shard ${i + 1}/5 --journal ${file}`),
        ).toMatchObject({ code: 0 })
      const merged = await line(`journal merge ${parts.join(' ')} --to whole.ndjson -o json`)
      expect([merged.code, JSON.parse(merged.stdout).missing], merged.stderr).toEqual([0, []])
    }
  })

  it('refuses parts of different runs', async () => {
    journalOf(join(config, 'one.ndjson'), [done(1)])
    journalOf(join(config, 'two.ndjson'), [done(1)], 'completed', {
      command: 'runners resume',
    })
    const { code, stderr } = await run('journal merge one.ndjson two.ndjson --to x.ndjson')
    expect([code, stderr]).toEqual([2, expect.stringContaining('command differs')])
  })
})
