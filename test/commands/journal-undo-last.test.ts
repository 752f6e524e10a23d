/** Tests that `journal undo last` undoes the last write or nothing: if another write came after the newest journal, it names both. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { lock } from '../../src/base/files/lock.js'
import { connect } from '../../src/library/client.js'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
let config = ''
const active = new Map<string, boolean>()
beforeEach(() => {
  config = createConfiguration()
  active.clear()
  server.answer = ({ url, method, body }) => {
    if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
    const id = /runners\/(\d+)/.exec(url)?.[1] ?? ''
    if (method === 'PUT') active.set(id, JSON.parse(body).active ?? true)
    return { body: { id: Number(id), active: active.get(id) ?? true } }
  }
})

const getJournalFolder = () => join(config, 'state', 'runs')
const listJournals = () =>
  readdirSync(getJournalFolder()).filter((name) => name.endsWith('.ndjson'))
const findJournal = (id: string): string =>
  join(getJournalFolder(), listJournals().find((name) => toRunId(name) === id) ?? '')
/** Writes the profiles `work`, which is the current one, and `other`. Both use the recorder. */
const writeProfiles = (): void => {
  const profile = (name: string) => ({ name, baseUrl: server.url })
  const profiles = { work: profile('work'), other: profile('other') }
  const text = JSON.stringify({ version: 1, current: 'work', profiles })
  writeFileSync(join(config, 'config.json'), text, { mode: 0o600 })
}
const run = (line: string | readonly string[], env: Readonly<Record<string, string>> = {}) =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    env: { SVC_CONFIG_DIR: config, SVC_TOKEN: 'a-token-of-ana', SVC_NO_KEYRING: '1', ...env },
  })
const runOk = async (line: string | readonly string[]): Promise<void> => {
  const { code, stderr } = await run(line)
  expect(code, `${line}: ${stderr}`).toBe(0)
}
const listWrites = () =>
  server.seen.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`)
const toRunId = (file: string | undefined): string =>
  basename(file ?? '', '.ndjson').replace(/^\d+-/, '')

/** Runs a command that keeps a journal and can be undone, and returns the ID of the run. */
const runUndoable = async (more = ''): Promise<string> => {
  const before = existsSync(getJournalFolder()) ? listJournals() : []
  await runOk(`runners pause 1 2${more}`)
  return toRunId(listJournals().find((name) => !before.includes(name)))
}

/** Expects that nothing is undone, that the error names the run and these texts, and that the run can be undone by its ID. */
const expectRefused = async (id: string, ...said: readonly string[]): Promise<void> => {
  server.seen.length = 0
  const { code, stderr } = await run('journal undo last --yes')
  expect([code, listWrites()], stderr).toEqual([2, []])
  for (const text of [id, ...said]) expect(stderr).toContain(text)
  expect(stderr).toContain(`svcctl journal undo ${id}`)
  await runOk(`journal undo ${id} --yes`)
}
const expectUndone = async (line = 'journal undo last --yes') => {
  server.seen.length = 0
  const ran = await run(line)
  expect(ran.code, ran.stderr).toBe(0)
  expect(listWrites().toSorted()).toEqual([1, 2].map((id) => `PUT /api/v4/runners/${id}`))
  return ran
}

describe('journal undo last', () => {
  beforeEach(() => writeProfiles())

  it('names an earlier run only if that run can be undone', async () => {
    const id = await runUndoable()
    await runOk('runners pause 3 4 --no-undo-record')
    await runOk('issues unsubscribe 7 -P a/b')
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining(`svcctl journal undo ${id}`)])
  })

  it('passes over runs that sent nothing, because the profile only read or the objects had changed', async () => {
    await runUndoable()
    await runOk('profile set work --read-only')
    for (const line of ['runners pause 3 4', 'runners pause 3'])
      expect((await run(line)).code, line).toBe(2)
    await runOk('profile set work --no-read-only')
    const saved = await run('runners update 5 6 --description x --dry-run --save')
    const [, planned = ''] = /saved as (\S+);/.exec(saved.stderr) ?? []
    const answer = server.answer
    server.answer = (request, index) =>
      /runners\/[56]$/.test(request.url)
        ? { body: { id: 5, active: true, description: 'another' } }
        : answer?.(request, index)
    expect((await run(`journal run ${planned} --yes`)).code).toBe(5)
    await expectUndone()
  })

  it('names the profile in the lines of its hints', async () => {
    await runOk('runners pause 1 -p other')
    await runOk('journal undo last -p other --yes')
    for (const [line, hint] of [
      [
        'journal undo last -p other',
        'redo it, run `svcctl journal undo last --redo --profile other`',
      ],
      ['journal undo', 'redo that: svcctl journal undo last --redo -p other'],
    ] as const)
      expect((await run(line)).stderr).toContain(hint)
  })

  it('undoes the last run once, and does it again with --redo', async () => {
    const id = await runUndoable()
    const both = (is: boolean) => new Map([1, 2].map((n) => [String(n), is]))
    await expectUndone()
    expect(active).toEqual(both(true))
    const again = await run('journal undo last --yes')
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining(`the last write already undid ${id}`),
    ])
    await expectUndone('journal undo last --redo --yes')
    expect(active).toEqual(both(false))
    await expectUndone()
    expect(active).toEqual(both(true))
    // The undo of a redo is the last undo, so it can be redone.
    await expectUndone('journal undo last --redo --yes')
    expect(active).toEqual(both(false))
    const other = await run(`journal undo ${id} --redo --yes`)
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('--redo works only for the last undo'),
    ])
    await runOk('runners pause 1 2')
    const none = await run('journal undo last --redo --yes')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is not an undo')])
  })

  it('goes on with an undo that left something', async () => {
    await runUndoable()
    const { answer } = server
    server.answer = (seen, i) =>
      seen.method === 'PUT' && seen.url.endsWith('/2') ? { status: 403, body: {} } : answer(seen, i)
    expect((await run('journal undo last --yes')).code).toBe(8)
    server.answer = answer
    server.seen.length = 0
    await runOk('journal undo last --yes')
    expect(listWrites()).toEqual(['PUT /api/v4/runners/2'])
  })

  /** Makes the writes of runner 2 fail. With status 500 the instance still carries them out. */
  const failSecond = (status: number): (() => void) => {
    const { answer } = server
    server.answer = (seen, i) => {
      if (seen.method !== 'PUT' || !seen.url.endsWith('/2')) return answer(seen, i)
      if (status === 500) answer(seen, i)
      return { status, body: {} }
    }
    return () => {
      server.answer = answer
    }
  }

  it('redoes what several undos undid together, and completes the redo', async () => {
    await runUndoable()
    const both = (is: boolean) => new Map([1, 2].map((n) => [String(n), is]))
    const mend = failSecond(403)
    expect((await run('journal undo last --yes')).code).toBe(8)
    mend()
    await runOk('journal undo last --yes')
    expect(active).toEqual(both(true))
    const mendAgain = failSecond(403)
    expect((await run('journal undo last --redo --yes')).code).toBe(8)
    mendAgain()
    await runOk('journal undo last --redo --yes')
    expect(active).toEqual(both(false))
  })

  it('redoes only the undo if another write came between two undos', async () => {
    const id = await runUndoable()
    const mend = failSecond(403)
    expect((await run(`journal undo ${id} --yes`)).code).toBe(8)
    mend()
    await runOk('runners pause 3 4')
    await runOk(`journal undo ${id} --yes`)
    server.seen.length = 0
    await runOk('journal undo last --redo --yes')
    expect(listWrites()).toEqual(['PUT /api/v4/runners/2'])
  })

  it.each([[[]], [['runners pause --resume last']]])(
    'undoes what the instance wrote before it failed, after %j',
    async (lines) => {
      const mend = failSecond(500)
      expect((await run('runners pause 1 2')).code).toBe(8)
      mend()
      for (const line of lines) await runOk(line)
      await expectUndone()
      expect(active).toEqual(new Map([1, 2].map((n) => [String(n), true])))
    },
  )

  it('undoes one object, and what was under way as its process was lost', async () => {
    await runOk('runners pause 7')
    const [name = ''] = listJournals()
    const file = join(getJournalFolder(), name)
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, `${lines.filter((text) => !/"end"|"done"/.test(text)).join('\n')}`)
    await runOk('journal undo last --yes')
    expect(active).toEqual(new Map([['7', true]]))
  })

  it.each([
    ['runners pause 7 --journal none', 'PUT /runners/7'],
    ['runners pause 7 8 --journal none', 'PUT /runners/'],
  ])('refuses after %s, and names both', async (line, said) => {
    const id = await runUndoable()
    server.answer = (
      (of) => (seen, i) =>
        seen.url.includes('/jobs') ? { body: [] } : of(seen, i)
    )(server.answer)
    const { code, stderr } = await run(line)
    expect(code, stderr).toBe(0)
    expect(stderr).not.toContain('c4n4ry')
    const text = readFileSync(
      join(getJournalFolder(), listJournals().find((one) => /^2-/.test(one)) ?? ''),
      'utf8',
    )
    expect(text).toContain(said)
    expect(text).not.toMatch(/c4n4ry|"state"/)
    await expectRefused(id, 'it recorded its requests', 'runners pause, written last at 2')
  })

  it.each([
    ['api PUT runners/7?token=c4n4ry-01 --param active=false', 'api'],
    ['api DELETE runners/7 --yes', 'api'],
    ['artifacts delete 7 -P a/b --yes', 'artifacts delete'],
    ['alerts send --endpoint SERVER/alert --authorization-key k --title x', 'alerts send'],
  ])('refuses after %s, which nothing takes back, and names both', async (line, said) => {
    const id = await runUndoable()
    await runOk(line.replace('SERVER', server.url))
    await expectRefused(
      id,
      `the last write was 2`,
      `(${said}, written last at 2`,
      'cannot be undone',
    )
    for (const name of listJournals())
      expect(readFileSync(join(getJournalFolder(), name), 'utf8')).not.toContain('c4n4ry')
  })

  it('refuses after a write without a profile, and needs no instance to send elsewhere', async () => {
    rmSync(join(config, 'config.json'))
    const env = { SVC_BASE_URL: server.url }
    await run('runners pause 1 2', env)
    await run('runners pause 7 --journal none', env)
    const { code, stderr } = await run('journal undo last --yes', env)
    expect([code, stderr]).toEqual([2, expect.stringContaining('it recorded its requests')])
    const alert = `alerts send --endpoint ${server.url}/alert --authorization-key k --title x`
    expect(await run(alert)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('record'),
    })
  })

  it('refuses after a write of a program', async () => {
    const id = await runUndoable()
    const env = { SVC_CONFIG_DIR: config, SVC_TOKEN: 'a-token-of-ana', SVC_NO_KEYRING: '1' }
    const api = connect({ profile: 'work', env })
    await api.runners.update({ id: 7, active: false })
    await api.close()
    await expectRefused(id, 'svcctl/client, written last at 2', 'it recorded its requests')
  })

  it('does not mind what reads, tries, was declined, or never got so far', async () => {
    await runUndoable()
    await runOk('runners get 7')
    await runOk('runners pause 7 --dry-run')
    await runOk('runners pause 7 --curl')
    expect((await run('runners pause 7 8 --tag-list')).code).toBe(2)
    expect((await run('api DELETE runners/7')).code).toBe(2)
    await expectUndone()
  })

  it('takes a run that a write came before, and one that was gone on with after', async () => {
    await runUndoable()
    await runOk('runners pause 7')
    await runOk('runners resume 1 2')
    await expectUndone()
  })

  it('refuses while the run still goes on', async () => {
    const id = await runUndoable()
    const file = findJournal(id)
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

  it('is the run that began last, whatever clocks say', async () => {
    const [early, late] = [await runUndoable(), await runUndoable()]
    utimesSync(findJournal(early), new Date('2999-01-31'), new Date('2999-01-31'))
    await runOk('runners resume 1 2')
    const { stderr } = await expectUndone()
    expect(active.get('1')).toBe(false)
    expect(stderr).not.toContain(late)
  })

  it('is the run that was gone on with last', async () => {
    server.answer = (
      (of) => (seen, i) =>
        seen.method === 'PUT' && seen.url.endsWith('/2') ? { status: 403, body: {} } : of(seen, i)
    )(server.answer)
    expect((await run('runners pause 1 2')).code).toBe(8)
    const id = toRunId(listJournals()[0])
    server.answer = ({ method, url, body }) => {
      if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
      const runner = /runners\/(\d+)/.exec(url)?.[1] ?? ''
      if (method === 'PUT') active.set(runner, JSON.parse(body).active ?? true)
      return { body: { id: Number(runner), active: active.get(runner) ?? true } }
    }
    await runOk('runners pause 7')
    await runOk(`runners pause --resume ${id}`)
    await expectUndone()
    expect(active.get('7')).toBe(false)
  })

  it('offers no run where there is none', async () => {
    writeProfiles()
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('no journal of a run with profile work'),
    ])
    expect(stderr).toContain('Every write is recorded in a journal.')
    expect(stderr).not.toContain('svcctl journal undo')
  })

  it('says that its newest run sent nothing where it was killed before that', async () => {
    const id = await runUndoable()
    const all = readFileSync(findJournal(id), 'utf8').split('\n')
    const queued = all.filter((line) => line.includes('"run":1') || line.includes('"queued"'))
    writeFileSync(findJournal(id), `${queued.join('\n')}\n`)
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`no run with profile work at ${server.url} sent a write`),
    ])
    expect(stderr).toContain(`the newest is ${id}`)
    expect(stderr).not.toContain('svcctl journal undo')
  })

  it('names the newest run of all where this profile has none', async () => {
    const id = await runUndoable(' -p other')
    const { code, stderr } = await run('journal undo last --yes -p work')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('no journal of a run with profile work'),
    ])
    expect(stderr).toContain(id)
    expect(stderr).toContain('with profile other')
  })

  it('refuses where its journal is gone', async () => {
    const id = await runUndoable()
    await runOk(`runners pause 1 2 --journal ${join(config, 'elsewhere.ndjson')}`)
    rmSync(join(config, 'elsewhere.ndjson'))
    await expectRefused(id, 'no longer has a journal', join(config, 'elsewhere.ndjson'))
  })

  it('takes a journal that was named', async () => {
    await runUndoable()
    await runOk(`runners resume 1 2 --journal ${join(config, 'elsewhere.ndjson')}`)
    await expectUndone()
    expect(active.get('1')).toBe(false)
  })

  it('refuses where a newer journal cannot be read', async () => {
    await runUndoable()
    const damaged = join(getJournalFolder(), '99-29990101T000000-runners-pause.ndjson')
    writeFileSync(damaged, '{"run":1}\n', { mode: 0o600 })
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([8, expect.stringContaining(damaged)])
  })

  it.runIf(process.getuid?.() !== 0)('warns of a write that cannot be recorded', async () => {
    await runUndoable()
    chmodSync(getJournalFolder(), 0o500)
    const { code, stderr } = await run('runners pause 7 --journal none')
    chmodSync(getJournalFolder(), 0o700)
    expect([code, stderr]).toEqual([0, expect.stringContaining('this write cannot be recorded (')])
  })
})

describe('journal undo last, of several profiles at one instance', () => {
  beforeEach(() => writeProfiles())

  it('is about the one that is named, and names what others wrote since', async () => {
    await runUndoable(' -p work')
    await runOk('runners pause 7 -p other --journal none')
    const { stderr } = await expectUndone('journal undo last --yes -p work')
    expect(stderr).toContain('(runners pause, written last at 2')
    expect(stderr).toContain('with profile other')
  })

  it('refuses where none is named, and another wrote since', async () => {
    const id = await runUndoable()
    await runOk('runners pause 7 -p other --journal none')
    server.seen.length = 0
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, listWrites()]).toEqual([2, []])
    for (const text of [
      id,
      '(runners pause, written last at 2',
      'with profile other',
      '-p <profile>',
    ])
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
        config = createConfiguration()
        writeProfiles()
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
          // An undo that wrote nothing does not count as a write: nothing had changed, or another user had changed it.
          const isUndo = what in may
          if (isUndo && (refuses || listWrites().length === 0)) continue
          if (isUndo) last.set(profile, what === 'undo' && code === 0 ? 'undone' : 'kept')
          else last.set(profile, what === 'none' ? 'unkept' : 'kept')
        }
      }),
      { numRuns: 8 },
    )
  })
})
