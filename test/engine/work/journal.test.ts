import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { machineClock } from '../../../src/base/async.js'
import { recordSecret } from '../../../src/base/secrets/redact.js'
import { readUnfinishedLines } from '../../../src/commands/journal/index.js'
import { checkIdentity, checkResumable } from '../../../src/engine/journal/author.js'
import { pruneJournals } from '../../../src/engine/journal/begin-run.js'
import {
  createJournalId,
  findLastOpen,
  getPlanFile,
  readJournalFolder,
} from '../../../src/engine/journal/folder.js'
import {
  formatLine,
  type Header,
  type JournalLine,
  parseLine,
  parsePlacement,
} from '../../../src/engine/journal/lines.js'
import {
  readSeenObjects,
  readUndoable,
  readWork,
  startSpool,
} from '../../../src/engine/journal/objects.js'
import { getNextStep, isDone, readRunHistory } from '../../../src/engine/journal/reader.js'
import { createRunRecord } from '../../../src/engine/journal/run-record.js'
import {
  createJournal,
  Journal,
  type JournalFile,
  resumeJournal,
} from '../../../src/engine/journal/writer.js'
import { chooseUndoAction } from '../../../src/engine/journaling/undo-action.js'
import type { GivenObject, Item } from '../../../src/engine/work/report.js'
import { Failure } from '../../../src/errors.js'
import { createScriptedClock } from '../../http/gate/clock.js'
import { header } from './header.js'

let home: string
let file: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svcctl-journal-'))
  file = join(home, 'runs', '1-run.ndjson')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const readLines = (path = file): unknown[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => {
      const { c: _, ...line } = JSON.parse(text)
      return line
    })
async function* yieldGiven(
  ...objects: readonly (string | GivenObject)[]
): AsyncGenerator<GivenObject> {
  for (const one of objects) yield typeof one === 'string' ? { object: one } : one
}
const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const one of source) found.push(one)
  return found
}
/** Creates a journal with these lines after its first line, without an end. */
const leaveJournal = async (
  path: string,
  lines: readonly JournalLine[],
  first: Header = header,
): Promise<void> => {
  const journal = await createJournal(path, first, machineClock)
  for (const line of lines) await journal.append(line)
  await journal.close()
}
const createPlace = (n: number) => ({ n, object: String(n) })
const createQueued = (n: number): JournalLine => ({ ...createPlace(n), state: 'queued' })
const rejectCall = (): Promise<never> => Promise.reject(new Error('nothing was written'))
const createDone = (n: number, more = {}): JournalLine => ({
  ...createPlace(n),
  state: 'done',
  status: 200,
  ...more,
})
const createFailed = (n: number): JournalLine => ({
  ...createPlace(n),
  state: 'failed',
  category: 'not_found',
  message: 'no',
})

describe('a journal', () => {
  it('is for its owner only, in a folder for its owner only, and made once', async () => {
    const journal = await createJournal(file, header, machineClock)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, 'runs')).mode & 0o777).toBe(0o700)
    await expect(createJournal(file, header, machineClock)).rejects.toMatchObject({ exitCode: 2 })
    await journal.close()
    await expect(createJournal(file, header, machineClock)).rejects.toThrow('it exists')
    expect(existsSync(`${file}.lock`)).toBe(false)
  })
  it('is never made through a link', async () => {
    const elsewhere = join(home, 'elsewhere')
    const link = join(home, 'link.ndjson')
    symlinkSync(elsewhere, link)
    await expect(createJournal(link, header, machineClock)).rejects.toMatchObject({ exitCode: 2 })
    expect(existsSync(elsewhere)).toBe(false)
    await leaveJournal(file, [])
    const other = join(home, 'other.ndjson')
    symlinkSync(file, other)
    await expect(resumeJournal(other, machineClock)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('it is a symbolic link'),
    })
  })
  it.runIf(process.geteuid !== undefined)(
    'is gone by where nobody else can have written it, and may be looked at anyhow',
    async () => {
      await leaveJournal(file, [
        createQueued(1),
        createQueued(2),
        createDone(1, { before: {}, after: {} }),
      ])
      const past = await readRunHistory(file)
      const journal = new Journal({
        file,
        header,
        handle: { write: () => 0, datasync: rejectCall, truncate: () => {}, close: rejectCall },
        lock: { isHeld: () => true, release: () => {} },
        clock: machineClock,
        written: past.size,
      })
      const gone: Readonly<Record<string, () => Promise<unknown>>> = {
        read: () => readRunHistory(file),
        resumed: async () => (await resumeJournal(file, machineClock)).journal.close(),
        worked: () => collect(readWork(journal)),
        seen: () => readSeenObjects(journal),
        undone: () => collect(readUndoable(past, () => {})),
        last: () => findLastOpen(join(home, 'runs'), () => true),
      }
      const tried = async (): Promise<readonly string[]> => {
        const names: string[] = []
        for (const [name, go] of Object.entries(gone))
          await go().catch((error: unknown) => {
            expect(error).toMatchObject({
              exitCode: 2,
              message: `the journal cannot be trusted: other users can write to ${file}`,
              details: { hint: expect.stringContaining(`chmod go-w ${file}`) },
            })
            names.push(name)
          })
        return names
      }
      expect(await tried()).toEqual([])
      for (const mode of [0o602, 0o620]) {
        chmodSync(file, mode)
        expect(await tried()).toEqual(Object.keys(gone))
        expect(existsSync(`${file}.lock`)).toBe(false)
        expect(await readRunHistory(file, 'any')).toMatchObject({ counts: { done: 1 } })
        expect(await readUnfinishedLines(past)).toEqual([])
        expect((await readJournalFolder(join(home, 'runs'))).entries).toHaveLength(1)
      }
    },
  )
  it.runIf(process.getuid?.() !== 0)('that cannot be made says how to go without', async () => {
    chmodSync(home, 0o500)
    const error = await createJournal(file, header, machineClock).catch(
      (failure: Failure) => failure,
    )
    chmodSync(home, 0o700)
    expect(error).toMatchObject({
      exitCode: 2,
      details: { hint: expect.stringContaining('--journal none') },
    })
  })
  it('reads as the specification has it', async () => {
    const journal = await createJournal(file, header, machineClock)
    const { ended } = startSpool(
      journal,
      yieldGiven('17', { object: '18', parent: 'platform/app' }),
    )
    await ended
    const before = { active: true }
    const record = createRunRecord<number>(journal, {
      getFacts: (after) => ({
        status: 200,
        requestId: 'r-1',
        before,
        after: { active: after === 0 },
      }),
      mask: (attributes) => attributes,
      getKnownFacts: () => ({ before }),
      getIntendedAttributes: () => ({ active: false }),
    })
    const items: Item[] = [createPlace(1), createPlace(2)].map(({ n }) => ({
      n,
      object: String(n + 16),
    }))
    const [first, second] = items
    if (first === undefined || second === undefined) throw new Error('none')
    await record.recordStart(first)
    await record.recordOutcome(first, { state: 'done', result: 1 })
    await record.recordStart(second)
    const failure = new Failure('not_found', '404 Not Found', { status: 404 })
    await record.recordOutcome(second, { state: 'failed', failure })
    await journal.end('completed')
    await journal.close()
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(readLines()).toEqual([
      header,
      { n: 1, object: '17', state: 'queued' },
      { n: 2, object: '18', parent: 'platform/app', state: 'queued' },
      { input: 'complete', total: 2 },
      { n: 1, object: '17', state: 'begun', before, at },
      { n: 1, object: '17', state: 'done', status: 200, request_id: 'r-1', at },
      { n: 2, object: '18', state: 'begun', before, at },
      {
        at,
        n: 2,
        object: '18',
        state: 'failed',
        category: 'not_found',
        status: 404,
        message: '404 Not Found',
      },
      {
        end: 'completed',
        counts: { done: 1, unchanged: 0, failed: 1, unknown: 0, not_tried: 0 },
        at: expect.any(String),
      },
    ])
  })
  it('masks attributes and messages, and takes no object that is a secret', async () => {
    recordSecret('glpat-canary-1234567890')
    const journal = await createJournal(file, header, machineClock)
    const record = createRunRecord<number>(journal, {
      getFacts: () => ({ before: { token: 'old-canary' }, after: {} }),
      mask: (attributes) => (attributes === null ? null : { ...attributes, token: '[masked]' }),
    })
    await record.recordOutcome(createPlace(1), { state: 'done', result: 1 })
    const failure = new Failure('failed', 'bad glpat-canary-1234567890')
    await record.recordOutcome(createPlace(2), { state: 'failed', failure })
    await expect(
      startSpool(journal, yieldGiven('glpat-canary-1234567890')).ended,
    ).rejects.toMatchObject({
      exitCode: 2,
    })
    await journal.close()
    expect(readFileSync(file, 'utf8')).not.toContain('canary')
  })
  it('is one process’s at a time', async () => {
    const journal = await createJournal(file, header, machineClock)
    const error = await resumeJournal(file, machineClock).catch((failure: Failure) => failure)
    expect(error).toMatchObject({
      exitCode: 5,
      details: { hint: expect.stringContaining(`delete ${file}.lock`) },
    })
    await journal.close()
    const again = await resumeJournal(file, machineClock)
    await again.journal.close()
  })
  it('is taken away again where nothing was begun', async () => {
    const journal = await createJournal(file, header, machineClock)
    await journal.discard()
    expect(existsSync(file)).toBe(false)
    expect(existsSync(`${file}.lock`)).toBe(false)
  })
})

describe('writing', () => {
  /** Creates a file that accepts `room` bytes and no more. */
  const small = (room: number) => {
    let [bytes, synced] = [Buffer.alloc(0), 0]
    const handle: JournalFile = {
      write: (all) => {
        const free = room - bytes.length
        if (free === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        bytes = Buffer.concat([bytes, all.subarray(0, free)])
        return Math.min(free, all.length)
      },
      datasync: async () => {
        synced += 1
      },
      truncate: (length) => {
        bytes = bytes.subarray(0, length)
      },
      close: async () => {},
    }
    return {
      handle,
      text: () => bytes.toString(),
      synced: () => synced,
    }
  }
  const held = { isHeld: () => true, release: () => {} }

  it('puts lines that come together into one write, whole', async () => {
    const { handle, text } = small(1e6)
    const journal = new Journal({ file, header, handle, lock: held, clock: createScriptedClock() })
    await Promise.all([1, 2, 3].map((n) => journal.append(createQueued(n))))
    expect(text().split('\n')).toHaveLength(4)
    expect(journal.written).toBe(text().length)
  })
  it('fails on a full disk, leaves whole lines, and takes nothing more', async () => {
    const two = [1, 2].map((n) => formatLine(createQueued(n))).join('')
    const { handle, text } = small(two.length + 20)
    const journal = new Journal({ file, header, handle, lock: held, clock: createScriptedClock() })
    await journal.append(createQueued(1))
    await journal.append(createQueued(2))
    const error = await journal.append(createQueued(3)).catch((failure: Failure) => failure)
    expect(error).toMatchObject({ category: 'failed' })
    expect(String(error)).toContain('no space left on the device')
    await expect(journal.append(createQueued(4))).rejects.toBe(error)
    expect(() => journal.flush()).toThrow(Failure)
    expect(text()).toBe(two)
  })
  it('reaches the disk once a second, and at the end', async () => {
    const { handle, synced } = small(1e6)
    const clock = createScriptedClock()
    const journal = new Journal({ file, header, handle, lock: held, clock })
    for (let n = 1; n <= 5; n++) await journal.append(createQueued(n))
    await clock.pass(999)
    expect(synced()).toBe(0)
    await clock.pass(1)
    expect(synced()).toBe(1)
    await clock.pass(5000)
    expect(synced()).toBe(1)
    await journal.append(createQueued(6))
    await journal.close()
    expect(synced()).toBe(2)
  })
  it('ends when another process has taken it over', async () => {
    const { handle } = small(1e6)
    const clock = createScriptedClock()
    const stolen = { isHeld: () => false, release: () => {} }
    const journal = new Journal({ file, header, handle, lock: stolen, clock })
    await journal.append(createQueued(1))
    await clock.pass(1000)
    await expect(journal.append(createQueued(2))).rejects.toThrow(
      'another process took over the journal',
    )
  })
})

describe('reading back', () => {
  const begun: JournalLine = { ...createPlace(4), state: 'begun' }
  const some = [
    createQueued(1),
    createQueued(2),
    createQueued(3),
    createQueued(4),
    createQueued(5),
    createDone(1),
    createFailed(2),
    begun,
  ]
  it('tells what was done, and what is left', async () => {
    await leaveJournal(file, some)
    const past = await readRunHistory(file)
    expect(past.counts).toEqual({ done: 1, unchanged: 0, failed: 1, unknown: 1, not_tried: 2 })
    expect(past.total).toBeUndefined()
    expect(isDone(past)).toBe(false)
    const next = (endpoint: string) =>
      [1, 2, 3, 4, 5].map((n) => getNextStep(past.states.get(n) ?? 'queued', endpoint))
    expect(next('PUT /x')).toEqual(['skip', 'do', 'do', 'comparing', 'do'])
    expect(next('DELETE /x')).toEqual(['skip', 'do', 'do', 'repeating', 'do'])
    expect(next('POST /x')).toEqual(['skip', 'do', 'do', 'verifying', 'do'])
    expect(next('PATCH /x')).toEqual(['skip', 'do', 'do', 'verifying', 'do'])
  })
  it('ignores a last line torn at any place, and cuts it off before it goes on', async () => {
    await leaveJournal(file, [createQueued(1), createQueued(2), createDone(1)])
    const whole = readFileSync(file)
    const from = whole.lastIndexOf('\n', whole.length - 2) + 1
    for (let end = from; end < whole.length; end++) {
      writeFileSync(file, whole.subarray(0, end))
      const { states, size } = await readRunHistory(file)
      expect(states.get(1)).toBe('queued')
      expect(size).toBe(from)
    }
    const { journal } = await resumeJournal(file, machineClock)
    await journal.append(createDone(2))
    await journal.close()
    expect(readLines()).toEqual([
      header,
      createQueued(1),
      createQueued(2),
      { resumed: expect.any(String) },
      { ...createDone(2), at: expect.any(String) },
    ])
  })
  it('passes over lines that are none, and never takes back what was done', async () => {
    await leaveJournal(file, [createQueued(1), createDone(1)])
    appendFileSync(file, '{"n":1,"object":"1","state":"begun"}\nrubbish\n{"n":-1,"state":"done"}\n')
    expect((await readRunHistory(file)).counts).toMatchObject({ done: 1, unknown: 0 })
  })
  it.each(['', '{}\n', '{"run":1,"endpoint":"x"}\n', 'text\n', '[1]\n'])(
    'refuses what is no journal: %j',
    async (text) => {
      const path = join(home, 'foreign.ndjson')
      writeFileSync(path, text)
      await expect(readRunHistory(path)).rejects.toMatchObject({ exitCode: 2 })
      expect(readFileSync(path, 'utf8')).toBe(text)
      await expect(readRunHistory(home)).rejects.toMatchObject({ exitCode: 2 })
      await expect(readRunHistory(join(home, 'none'))).rejects.toMatchObject({ exitCode: 2 })
    },
  )
  it('does not mistake a message for a line about an object', () => {
    expect(parseLine('{"message":"\\"state\\":\\"queued\\""}')).toBeUndefined()
  })
})

describe('work by way of the journal', () => {
  it('comes in the order given, each once, while more is still given', async () => {
    const journal = await createJournal(file, header, machineClock)
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* slow(): AsyncGenerator<GivenObject> {
      yield* yieldGiven('3', '1', '03')
      await held
      yield* yieldGiven('2', '1')
    }
    const source = startSpool(journal, slow())
    const found: string[] = []
    for await (const { object } of readWork(journal, source)) {
      found.push(object)
      if (found.length === 2) release()
    }
    expect(found).toEqual(['3', '1', '2'])
    expect(source.countQueued()).toBe(3)
    expect(source.countDuplicates()).toBe(2)
    expect(source.first.map(({ object }) => object)).toEqual(['3', '1', '2'])
    await journal.close()
  })
  it('goes on with what is left, and with what the same input still holds', async () => {
    await leaveJournal(file, [
      createQueued(1),
      createQueued(2),
      createQueued(3),
      createDone(1),
      { ...createPlace(3), state: 'begun' },
    ])
    const { journal, past } = await resumeJournal(file, machineClock)
    const source = startSpool(
      journal,
      yieldGiven('1', '2', '3', '4'),
      await readSeenObjects(journal),
    )
    const next = (n: number) => getNextStep(past.states.get(n) ?? 'queued', 'POST /x')
    expect(await collect(readWork(journal, source, next))).toEqual([
      createPlace(2),
      { ...createPlace(3), resumeBy: 'verifying' },
      createPlace(4),
    ])
    expect(source.countQueued()).toBe(4)
    await journal.close()
    expect((await readRunHistory(file)).total).toBe(4)
  })
  it('throws what broke the input, after what came before', async () => {
    const journal = await createJournal(file, header, machineClock)
    const found: Item[] = []
    let release = (): void => {}
    const worked = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* broken(): AsyncGenerator<GivenObject> {
      yield* yieldGiven('1')
      await worked
      yield* yieldGiven('2')
      throw new Error('the pipe broke')
    }
    await expect(
      (async () => {
        for await (const item of readWork(journal, startSpool(journal, broken()))) {
          found.push(item)
          release()
        }
      })(),
    ).rejects.toThrow('the pipe broke')
    expect(found).toEqual([createPlace(1), createPlace(2)])
    await journal.close()
    expect((await readRunHistory(file)).total).toBeUndefined()
  })
})

describe('who goes on with a run', () => {
  const { instance, profile, user, sudo, version } = header
  const same = { instance, profile, user, sudo, version }
  it('is the same', () => expect(checkIdentity(header, same)).toBeUndefined())
  it.each([
    { instance: 'https://other.example' },
    { user: 'ben' },
    { sudo: 'root' },
    { version: '2.0.0' },
  ])('is not another: %j', (other) => {
    expect(() => checkIdentity(header, { ...same, ...other })).toThrow(Failure)
  })
  it('may have another minor version', () =>
    expect(checkIdentity(header, { ...same, version: '1.9.0' })).toBeUndefined())
  it('is asked where either is not known', () => {
    expect(checkIdentity(header, { ...same, user: null })).toContain(
      'cannot tell whether the same user started the run',
    )
    expect(checkIdentity({ ...header, user: null }, same)).toContain(
      'cannot tell whether the same user started the run',
    )
    expect(checkIdentity({ ...header, user: null }, { ...same, user: null })).toBeUndefined()
  })
  it('cannot, where a secret was typed', () => {
    expect(() => checkResumable({ ...header, final: 'a secret was typed' })).toThrow('typed')
    expect(() => checkResumable(header)).not.toThrow()
  })
})

describe('the folder', () => {
  const counts = { done: 1, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 }
  const named = (n: number): string => join(home, `${n}-run.ndjson`)
  it('names journals by time and command', () => {
    expect(createJournalId('deploy-keys enable', new Date('2026-11-21T12:01:02.345Z'))).toBe(
      '20261121T120102-deploy-keys-enable',
    )
  })
  it('lists them, the newest first, and finds the last that is left to do', async () => {
    await leaveJournal(named(1), [createQueued(1)])
    await leaveJournal(named(2), [
      createQueued(1),
      createDone(1),
      { input: 'complete', total: 1 },
      { end: 'completed', counts },
    ])
    await leaveJournal(named(3), [createQueued(1), createFailed(1)], {
      ...header,
      command: 'runners resume',
    })
    writeFileSync(join(home, 'foreign.ndjson'), 'x')
    expect((await readJournalFolder(join(home, 'none'))).entries).toEqual([])
    const { entries } = await readJournalFolder(home)
    expect(entries.map(({ file: path, end }) => [path, end])).toEqual([
      [named(3), undefined],
      [named(2), 'completed'],
      [named(1), undefined],
    ])
    const last = await findLastOpen(home, ({ command }) => command === 'runners pause')
    expect(last?.file).toBe(named(1))
    expect((await findLastOpen(home, () => true))?.file).toBe(named(3))
    expect(await findLastOpen(home, () => false)).toBeUndefined()
  })
  it('keeps the newest fifty that ended, and thirty days what did not', async () => {
    const now = Date.parse('2026-12-31T00:00:00Z')
    const day = 24 * 3600
    for (let n = 1; n <= 56; n++) {
      const end = n <= 2 ? [] : [{ end: n === 3 ? 'stopped' : 'completed', counts } as const]
      await leaveJournal(named(n), end)
      const age = n === 1 ? 31 : 3
      utimesSync(named(n), now / 1000 - age * day, now / 1000 - age * day)
    }
    for (const n of [5, 30]) writeFileSync(getPlanFile(named(n)), '{}')
    // A process was killed long ago and left its lock.
    mkdirSync(`${named(1)}.lock`)
    const gone = await pruneJournals(home, now)
    // 53 journals ended well, and one is too old.
    expect(gone).toEqual([6, 5, 4, 1].map(named))
    expect([5, 30].map((n) => existsSync(getPlanFile(named(n))))).toEqual([false, true])
    expect(existsSync(`${named(1)}.lock`)).toBe(false)
    expect(existsSync(named(2))).toBe(true)
    expect(existsSync(named(3))).toBe(true)
  }, 60_000)
})

describe('taking back', () => {
  it('names what it does not know, and why', async () => {
    await leaveJournal(file, [
      createDone(1, { before: { active: true }, after: { active: false } }),
      createDone(2),
    ])
    const named: string[] = []
    const known = await collect(
      readUndoable(await readRunHistory(file), ({ object }, why) =>
        named.push(`${object}: ${why}`),
      ),
    )
    expect(known).toMatchObject([createPlace(1)])
    expect(named).toEqual(['2: the run did not record previous values'])
  })
  it('knows what was under way as the run ended by what was there before that', async () => {
    const begun = (n: number) => ({
      ...createPlace(n),
      state: 'begun' as const,
      before: { active: true },
    })
    await leaveJournal(file, [begun(1), begun(2), begun(3), createFailed(2), createDone(3)])
    expect(await collect(readUndoable(await readRunHistory(file), () => {}))).toMatchObject([
      { ...createPlace(3), before: { active: true }, after: { active: false } },
      { ...createPlace(1), before: { active: true }, after: { active: false } },
    ])
  })
  it('gives each object with what it was, without what was masked', async () => {
    await leaveJournal(file, [
      createQueued(1),
      createDone(1, { before: { active: true, token: '[masked]' }, after: { active: false } }),
      createFailed(2),
      createDone(3, { before: null, after: { id: 9 } }),
    ])
    const past = await readRunHistory(file)
    expect(await collect(readUndoable(past, () => {}))).toEqual([
      { ...createPlace(1), before: { active: true }, after: { active: false }, masked: ['token'] },
      { ...createPlace(3), before: null, after: { id: 9 }, masked: [] },
    ])
  })
  it('and going on read lines that another tool wrote with blanks', async () => {
    await leaveJournal(file, [])
    writeFileSync(file, `${JSON.stringify(header)}\n`)
    for (const line of [
      createQueued(1),
      createDone(1, { before: { active: true } }),
      createQueued(2),
    ])
      appendFileSync(file, `${JSON.stringify(line, null, 1).replaceAll('\n', ' ')}\n`)
    expect(await collect(readUndoable(await readRunHistory(file), () => {}))).toMatchObject([
      { object: '1' },
    ])
    const { journal } = await resumeJournal(file, machineClock)
    expect(await collect(readWork(journal))).toEqual([createPlace(1), createPlace(2)])
    await journal.close()
  })
  it.each([
    [{ active: false, name: 'x' }, 'write'],
    [{ active: true }, 'unchanged'],
    [null, 'conflict'],
    [{ active: null }, 'conflict'],
  ] as const)('looks whether it is as the run left it: %j', (now, taking) => {
    expect(
      chooseUndoAction(
        { ...createPlace(1), before: { active: true }, after: { active: false } },
        now,
      ),
    ).toBe(taking)
  })
  it('of what was made looks whether it is there', () => {
    const made = { ...createPlace(1), before: null, after: { id: 9 } }
    expect(chooseUndoAction(made, null)).toBe('unchanged')
    expect(chooseUndoAction(made, { id: 9, name: 'x' })).toBe('write')
  })
})

describe('place and state of a line', () => {
  it('are the same, read quickly or whole', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 40 }),
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        fc.constantFrom('queued', 'begun', 'done', 'odd'),
        fc.string(),
        (n, object, parent, state, message) => {
          const text = JSON.stringify({ n, object, parent, state, message })
          const whole = parseLine(text)
          expect(parsePlacement(text)).toEqual(whole === undefined ? undefined : { n, state })
          expect(parsePlacement(text.slice(0, -1))).toBeUndefined()
        },
      ),
    )
  })
})
