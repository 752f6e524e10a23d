/** `journal undo last` undoes the last write, or nothing: where another came after the newest journal it names both. */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { lock } from '../../src/base/files/lock.js'
import { connect } from '../../src/library/client.js'
import { configuration } from '../support/program.js'
import { recording } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = recording()
let config = ''
const active = new Map<string, boolean>()
beforeEach(() => {
  config = configuration()
  active.clear()
  server.answer = ({ url, method, body }) => {
    if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
    const id = /runners\/(\d+)/.exec(url)?.[1] ?? ''
    if (method === 'PUT') active.set(id, JSON.parse(body).active ?? true)
    return { body: { id: Number(id), active: active.get(id) ?? true } }
  }
})

const journals = () => join(config, 'state', 'journals')
const notes = () => join(config, 'state', 'last-writes')
const files = () => readdirSync(journals()).filter((name) => name.endsWith('.ndjson'))
const audit = () => join(config, 'audit.ndjson')
/** Profiles `work` and `other` at the recorder, the first of them the current one. */
const withProfiles = (more: object = {}): void => {
  const profile = (name: string) => ({ name, baseUrl: server.url, ...more })
  const profiles = { work: profile('work'), other: profile('other') }
  const text = JSON.stringify({ version: 1, current: 'work', profiles })
  writeFileSync(join(config, 'config.json'), text, { mode: 0o600 })
}
const run = (line: string | readonly string[], env: Readonly<Record<string, string>> = {}) =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    env: { SVC_CONFIG_DIR: config, SVC_TOKEN: 'a-token-of-ana', SVC_NO_KEYRING: '1', ...env },
  })
const ok = async (line: string | readonly string[]): Promise<void> => {
  const { code, stderr } = await run(line)
  expect(code, `${line}: ${stderr}`).toBe(0)
}
const written = () =>
  server.seen.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`)
const idOf = (file: string | undefined): string => basename(file ?? '', '.ndjson')

/** A run that keeps a journal and can be undone; its id. */
const kept = async (more = ''): Promise<string> => {
  const before = existsSync(journals()) ? files() : []
  await ok(`runners pause 1 2${more}`)
  return idOf(files().find((name) => !before.includes(name)))
}

/** Holds that nothing is undone, and that what was seen is named, with the run that can be undone by its name. */
const refused = async (id: string, ...said: readonly string[]): Promise<void> => {
  server.seen.length = 0
  const { code, stderr } = await run('journal undo last --yes')
  expect([code, written()], stderr).toEqual([2, []])
  for (const text of [id, ...said]) expect(stderr).toContain(text)
  expect(stderr).toContain(`svcctl journal undo ${id}`)
  await ok(`journal undo ${id} --yes`)
}
const undone = async (line = 'journal undo last --yes') => {
  server.seen.length = 0
  const ran = await run(line)
  expect(ran.code, ran.stderr).toBe(0)
  expect(written().toSorted()).toEqual([1, 2].map((id) => `PUT /api/v4/runners/${id}`))
  return ran
}

describe('journal undo last', () => {
  beforeEach(() => withProfiles())

  it('undoes the last run once, and does it again with --redo', async () => {
    const id = await kept()
    const both = (is: boolean) => new Map([1, 2].map((n) => [String(n), is]))
    await undone()
    expect(active).toEqual(both(true))
    const again = await run('journal undo last --yes')
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining(`the last write already undid ${id}`),
    ])
    await undone('journal undo last --redo --yes')
    expect(active).toEqual(both(false))
    await undone()
    expect(active).toEqual(both(true))
    // What was done again and undone again is the last undo.
    await undone('journal undo last --redo --yes')
    expect(active).toEqual(both(false))
    const other = await run(`journal undo ${id} --redo --yes`)
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('--redo works only for the last undo'),
    ])
    await ok('runners pause 1 2')
    const none = await run('journal undo last --redo --yes')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is not an undo')])
  })

  it('goes on with an undo that left something', async () => {
    await kept()
    const { answer } = server
    server.answer = (seen, i) =>
      seen.method === 'PUT' && seen.url.endsWith('/2') ? { status: 403, body: {} } : answer(seen, i)
    expect((await run('journal undo last --yes')).code).toBe(8)
    server.answer = answer
    server.seen.length = 0
    await ok('journal undo last --yes')
    expect(written()).toEqual(['PUT /api/v4/runners/2'])
  })

  it('undoes one object, and what was under way as its process was lost', async () => {
    await ok('runners pause 7')
    const [name = ''] = files()
    const file = join(journals(), name)
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, `${lines.filter((text) => !/"end"|"done"/.test(text)).join('\n')}`)
    await ok('journal undo last --yes')
    expect(active).toEqual(new Map([['7', true]]))
  })

  it.each([
    ['runners pause 7 --journal none', 'runners pause (PUT /runners/7)'],
    ['runners pause 7 8 --journal none', 'runners pause (PUT /runners/'],
  ])('refuses after %s, and names both', async (line, said) => {
    const id = await kept()
    server.answer = (
      (of) => (seen, i) =>
        seen.url.includes('/jobs') ? { body: [] } : of(seen, i)
    )(server.answer)
    const { code, stderr } = await run(line)
    expect(code, stderr).toBe(0)
    expect(stderr).not.toContain('c4n4ry')
    await refused(id, said, 'was not recorded in a journal', 'runners pause, written last at 2')
    for (const name of readdirSync(notes()))
      expect(readFileSync(join(notes(), name), 'utf8')).not.toContain('c4n4ry')
  })

  it.each([
    ['api PUT runners/7?token=c4n4ry-01 --param active=false', 'api'],
    ['api DELETE runners/7 --yes', 'api'],
    ['artifacts delete 7 -P a/b --yes', 'artifacts delete'],
    ['alerts send --endpoint SERVER/alert --authorization-key k --title x', 'alerts send'],
  ])('refuses after %s, which nothing takes back, and names both', async (line, said) => {
    const id = await kept()
    await ok(line.replace('SERVER', server.url))
    await refused(id, `the last write was 2`, `(${said}, written last at 2`, 'cannot be undone')
    for (const name of [...readdirSync(notes()), ...files()]) {
      const folder = name.endsWith('.ndjson') ? journals() : notes()
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('c4n4ry')
    }
  })

  it('refuses after a write without a profile, and needs no instance to send elsewhere', async () => {
    rmSync(join(config, 'config.json'))
    const env = { SVC_BASE_URL: server.url }
    await run('runners pause 1 2', env)
    await run('runners pause 7 --journal none', env)
    const { code, stderr } = await run('journal undo last --yes', env)
    expect([code, stderr]).toEqual([2, expect.stringContaining('runners pause (PUT /runners/7)')])
    const alert = `alerts send --endpoint ${server.url}/alert --authorization-key k --title x`
    expect(await run(alert)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('record'),
    })
  })

  it('refuses after a write of a program', async () => {
    const id = await kept()
    const env = { SVC_CONFIG_DIR: config, SVC_TOKEN: 'a-token-of-ana', SVC_NO_KEYRING: '1' }
    const api = connect({ profile: 'work', env })
    await api.runners.update({ id: 7, active: false })
    await api.close()
    await refused(id, 'svcctl/client (PUT /runners/7)')
  })

  it('does not mind what reads, tries, was declined, or never got so far', async () => {
    await kept()
    await ok('runners get 7')
    await ok('runners pause 7 --dry-run')
    await ok('runners pause 7 --curl')
    expect((await run('runners pause 7 8 --tag-list')).code).toBe(2)
    expect((await run('api DELETE runners/7')).code).toBe(2)
    await undone()
  })

  it('takes a run that a write came before, and one that was gone on with after', async () => {
    await kept()
    await ok('runners pause 7')
    await ok('runners resume 1 2')
    await undone()
  })

  it('refuses while the run still goes on', async () => {
    const id = await kept()
    const file = join(journals(), `${id}.ndjson`)
    const { release } = await lock(`${file}.lock`, {
      patience: 0,
      held: () => {
        throw new Error('nobody holds it')
      },
    })
    const { code, stderr } = await run('journal undo last --yes')
    release()
    expect([code, stderr]).toEqual([5, expect.stringContaining(`the run ${id} is still running`)])
  })

  it('refuses where another journal was written later, by whichever clock', async () => {
    const id = await kept()
    const file = join(journals(), `${id}.ndjson`)
    const other = '20200101T000000-runners-pause'
    await ok('runners resume 1 2')
    const latest = idOf(files().find((name) => name !== basename(file)))
    copyFileSync(file, join(journals(), `${other}.ndjson`))
    const text = readFileSync(file, 'utf8')
    // The end of a run whose clock was ahead, as versions without checksums wrote it.
    const ahead = text
      .replaceAll(/,"c":\d+\}\n/g, '}\n')
      .replace(/(?<="end":.*"at":")2\d\d\d/, '2999')
      .replace(id, other)
    writeFileSync(join(journals(), `${other}.ndjson`), ahead)
    await refused(latest, other, 'the clock may have changed')
  })

  it('refuses where a version before took no note of other writes', async () => {
    const id = await kept()
    rmSync(notes(), { recursive: true })
    await refused(id, 'cannot tell whether', 'an older version of svcctl made it')
  })

  it('offers no run where there is none', async () => {
    withProfiles()
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('no journal of a run with profile work'),
    ])
    expect(stderr).toContain('Every write is recorded in a journal.')
    expect(stderr).not.toContain('svcctl journal undo')
  })

  it('names the newest run of all where this profile has none', async () => {
    const id = await kept(' -p other')
    const { code, stderr } = await run('journal undo last --yes -p work')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('no journal of a run with profile work'),
    ])
    expect(stderr).toContain(id)
    expect(stderr).toContain('with profile other')
  })

  it('refuses where its journal is gone', async () => {
    const id = await kept()
    await ok(`runners pause 1 2 --journal ${join(config, 'elsewhere.ndjson')}`)
    rmSync(join(config, 'elsewhere.ndjson'))
    await refused(id, 'no longer has a journal', join(config, 'elsewhere.ndjson'))
  })

  it('takes a journal that was named', async () => {
    await kept()
    await ok(`runners resume 1 2 --journal ${join(config, 'elsewhere.ndjson')}`)
    await undone()
    expect(active.get('1')).toBe(false)
  })

  it('refuses where a newer journal cannot be read', async () => {
    await kept()
    const damaged = join(journals(), '29990101T000000-runners-pause.ndjson')
    writeFileSync(damaged, '{"journal":2}\n', { mode: 0o600 })
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([8, expect.stringContaining(damaged)])
  })

  it('leaves no note where no run ever kept a journal', async () => {
    await ok('runners pause 7 --journal none')
    expect([journals(), notes()].map((path) => existsSync(path))).toEqual([false, false])
  })

  it.runIf(process.getuid?.() !== 0)('warns of a write that cannot be noted', async () => {
    await kept()
    chmodSync(notes(), 0o500)
    const { code, stderr } = await run('runners pause 7 --journal none')
    chmodSync(notes(), 0o700)
    expect([code, stderr]).toEqual([0, expect.stringContaining('this write cannot be recorded (')])
  })
})

describe('journal undo last, of several profiles at one instance', () => {
  beforeEach(() => withProfiles())

  it('is about the one that is named, and names what others wrote since', async () => {
    await kept(' -p work')
    await ok('runners pause 7 -p other --journal none')
    const { stderr } = await undone('journal undo last --yes -p work')
    expect(stderr).toContain('There was a write since then: runners pause (PUT /runners/7) at 2')
    expect(stderr).toContain('with profile other')
  })

  it('refuses where none is named, and another wrote since', async () => {
    const id = await kept()
    await ok('runners pause 7 -p other --journal none')
    server.seen.length = 0
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, written()]).toEqual([2, []])
    for (const text of [id, 'runners pause (PUT /runners/7)', 'with profile other', '-p <profile>'])
      expect(stderr).toContain(text)
  })

  it('agrees with a model over random writes, undos and journals', {
    timeout: 120_000,
  }, async () => {
    const step = fc.record({
      profile: fc.constantFrom('work', 'other'),
      what: fc.constantFrom('kept', 'single', 'none', 'undo', 'undo', 'redo'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 10 }), async (steps) => {
        config = configuration()
        withProfiles()
        const last = new Map<string, 'kept' | 'unkept' | 'undone'>()
        let turn = false
        for (const { profile, what } of steps) {
          turn = !turn
          const verb = turn ? 'pause' : 'resume'
          const line = {
            kept: `runners ${verb} 1 2`,
            single: `runners ${verb} 7`,
            none: `runners ${verb} 1 2 --journal none`,
            undo: 'journal undo last --yes',
            redo: 'journal undo last --redo --yes',
          }[what]
          const was = last.get(profile)
          const may = { undo: was === 'kept', redo: was === 'undone' }
          const refuses = what in may && !may[what as keyof typeof may]
          server.seen.length = 0
          const { code, stderr } = await run(`${line} -p ${profile}`)
          expect(refuses ? [2] : [0, 5, 8], `${line} -p ${profile}: ${stderr}`).toContain(code)
          // An undo that wrote nothing, since nothing was changed or somebody else changed it, was no write.
          const isUndo = what in may
          if (isUndo && (refuses || written().length === 0)) continue
          if (isUndo) last.set(profile, what === 'undo' && code === 0 ? 'undone' : 'kept')
          else last.set(profile, what === 'none' ? 'unkept' : 'kept')
        }
      }),
      { numRuns: 8 },
    )
  })
})

describe('journal undo last, with an audit log', () => {
  beforeEach(() => withProfiles({ auditLog: audit() }))
  const entry = (more: object): string => {
    const [first = ''] = readFileSync(audit(), 'utf8').split('\n')
    return `${JSON.stringify({ ...JSON.parse(first), path: '/api/v4/runners/9', ...more })}\n`
  }
  const later = '2999-01-31T00:00:00.000Z'

  it('goes by it where it has nothing later', async () => {
    await kept()
    appendFileSync(audit(), entry({ profile: 'other', time: later }))
    appendFileSync(audit(), entry({ outcome: 'refused', status: 404, time: later }))
    await undone()
  })

  it.each(['done', 'unknown'])('refuses where it has a later write that is %s', async (outcome) => {
    const id = await kept()
    appendFileSync(audit(), entry({ outcome, time: later }))
    await refused(id, `PUT /api/v4/runners/9 at ${later}`, audit(), 'written last at 2')
  })

  it('refuses where its last write is older than the run: a clock was set', async () => {
    const id = await kept()
    appendFileSync(audit(), entry({ time: '2020-01-31T00:00:00.000Z' }))
    await refused(
      id,
      'PUT /api/v4/runners/9 at 2020-01-31',
      'before the run began; the clock may have changed',
    )
  })

  it('refuses where it ends with what cannot be read', async () => {
    const id = await kept()
    appendFileSync(audit(), '{"time":"2026-\n')
    await refused(id, 'ends with 1 unreadable line')
  })
})
