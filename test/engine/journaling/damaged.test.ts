/** Tests damaged journals: the damage is reported with exit code 8, and never ignored. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRuns } from './runs.js'

const { server, run, files, written, forget, fresh } = createRuns()

/** The runners of the instance by ID: true for an active runner. */
const active = new Map<string, boolean>()
beforeEach(() => {
  fresh()
  active.clear()
  server.answer = ({ url, method, body }) => {
    if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
    const id = /(\d+)$/.exec(url)?.[1] ?? ''
    if (method === 'PUT') active.set(id, JSON.parse(body).active)
    return { body: { id: Number(id), active: active.get(id) ?? true } }
  }
})

const getJournal = (): string => files()[0] ?? ''
const readLines = (): string[] => readFileSync(getJournal(), 'utf8').trimEnd().split('\n')
const writeLines = (all: readonly string[]): void =>
  writeFileSync(getJournal(), all.map((line) => `${line}\n`).join(''))
/** Finds the number of the line with a text, counted from 1. */
const findLineNumber = (text: string): number =>
  readLines().findIndex((line) => line.includes(text)) + 1
/** Formats a line with its checksum, as the tool writes it. */
const addChecksum = (line: object): string => {
  const text = JSON.stringify(line)
  return `${text.slice(0, -1)},"c":${crc32(text)}}`
}
/** Removes the checksums from the journal. */
const removeChecksums = (): void =>
  writeLines(readLines().map((line) => line.replace(/,"c":\d+\}$/, '}')))
const runJournal = async (words: string) => run(`journal ${words}`)

const pauseRunners = async (): Promise<void> => {
  const ran = await run('runners pause 1 2 3 --undo-record')
  expect(ran.code, ran.stderr).toBe(0)
  forget()
}
/** Changes one byte in the line that says that runner 2 is done. Returns the number of that line. */
const writeDamage = (): number => {
  const at = findLineNumber('"object":"2","state":"done"')
  writeLines(
    readLines().map((line, i) => (i + 1 === at ? line.replace('"status"', '"statuz"') : line)),
  )
  return at
}

describe('a damaged line', () => {
  it('has a checksum to be held against: CRC-32 of its text', async () => {
    await pauseRunners()
    for (const line of readLines()) {
      const { c, ...rest } = JSON.parse(line)
      expect([Object.keys(JSON.parse(line)).at(-1), c]).toEqual(['c', crc32(JSON.stringify(rest))])
    }
  })

  it('is named by journal show, exit 8', async () => {
    await pauseRunners()
    const at = writeDamage()
    const shown = await runJournal('show last')
    expect([shown.code, shown.stderr]).toEqual([
      8,
      expect.stringContaining(`line ${at} is damaged`),
    ])
    expect(shown.stderr).toContain('3 done and not 2')
    expect(shown.stdout).toBe('object\tstate\tcategory\tmessage\n2\tbegun\t\t\n')
    const { stdout } = await runJournal('show last -o json')
    expect(JSON.parse(stdout)).toMatchObject({ gap: { lines: [at], damaged: 1, missing: 0 } })
  })

  it('is named by journal undo, which puts the others back, exit 8', async () => {
    await pauseRunners()
    const at = writeDamage()
    const undone = await runJournal('undo 20260101T000000-none --yes')
    expect(undone.code).toBe(2)
    const id = JSON.parse(readLines()[0] ?? '').id
    const done = await runJournal(`undo ${id} --yes`)
    expect([done.code, done.stderr]).toEqual([8, expect.stringContaining(`line ${at} is damaged`)])
    // The line that says that runner 2 was begun is intact, with its previous values.
    expect(written().toSorted()).toEqual([1, 2, 3].map((id) => `PUT /runners/${id}`))
  })

  it('is named by --resume, which does again what may not be done, exit 8', async () => {
    await pauseRunners()
    const at = writeDamage()
    const ran = await run('runners pause --resume last')
    expect([ran.code, ran.stderr]).toEqual([8, expect.stringContaining(`line ${at} is damaged`)])
    expect(written()).toEqual([])
    // The run has a record, so the resumed run reads runner 2, which already has its new value.
    expect(server.lines()).toContain('GET /runners/2')
  })

  it('keeps a POST from being sent once more', async () => {
    await run('vulnerabilities confirm 1 2')
    for (const state of ['begun', 'done']) {
      const at = findLineNumber(`"object":"2","state":"${state}"`)
      writeLines(
        readLines().map((line, i) =>
          i + 1 === at ? `${line.slice(0, 9)}x${line.slice(10)}` : line,
        ),
      )
    }
    forget()
    const ran = await run('vulnerabilities confirm --resume last')
    expect(ran.code).toBe(8)
    expect(written()).toEqual([])
  })

  it('that comes first is no run of which anything is known', async () => {
    await pauseRunners()
    writeLines(readLines().map((line, i) => (i === 0 ? line.replace('pause', 'pauze') : line)))
    for (const words of ['show last', `show ${getJournal()}`, `undo ${getJournal()} --yes`]) {
      const ran = await runJournal(words)
      expect([ran.code, ran.stderr]).toEqual([8, expect.stringContaining('its first line')])
    }
    const listed = await runJournal('list')
    expect(listed.stderr).toContain(`${getJournal()} is not a readable journal`)
    expect(written()).toEqual([])
  })

  it('is none where the last one was torn', async () => {
    await pauseRunners()
    truncateSync(getJournal(), readFileSync(getJournal()).length - 9)
    expect(await runJournal('show last')).toMatchObject({ code: 0 })
  })

  it('of an old journal is what is no line', async () => {
    await pauseRunners()
    removeChecksums()
    expect((await runJournal('show last')).code).toBe(0)
    const at = findLineNumber('"object":"2","state":"done"')
    writeLines(readLines().map((line, i) => (i + 1 === at ? line.slice(0, -7) : line)))
    const shown = await runJournal('show last')
    expect([shown.code, shown.stderr]).toEqual([
      8,
      expect.stringContaining(`line ${at} is damaged`),
    ])
  })
})

describe('a total', () => {
  it('that the lines do not come to is exit 8', async () => {
    await pauseRunners()
    writeLines(readLines().filter((line) => !line.includes('"object":"2"')))
    for (const old of [false, true]) {
      if (old) removeChecksums()
      const shown = await runJournal('show last')
      expect([shown.code, shown.stderr]).toEqual([
        8,
        expect.stringContaining('1 object of 3 is missing'),
      ])
    }
    const undone = await run(['journal', 'undo', getJournal(), '--yes'])
    expect(undone.code, undone.stderr).toBe(8)
    expect(written().toSorted()).toEqual(['PUT /runners/1', 'PUT /runners/3'])
  })
})

describe('a number', () => {
  it.each([
    { n: 4_000_000_000, object: '9', state: 'queued' },
    { n: 4_000_000_000, object: '9', state: 'done', before: { active: true } },
    { input: 'complete', total: 4_000_000_000 },
  ])('that no file of this size can have is damaged: %j', async (line) => {
    await pauseRunners()
    for (const text of [addChecksum(line), JSON.stringify(line)]) {
      const all = readLines()
      writeLines([...all.slice(0, 2), text, ...all.slice(2)])
      if (!text.includes('"c"')) removeChecksums()
      const shown = await runJournal('show last')
      expect([shown.code, shown.stderr]).toEqual([8, expect.stringMatching(/lines? 3.* damaged/)])
      const ran = await run('runners pause --resume last')
      expect([ran.code, written()]).toEqual([8, []])
    }
  })
})

describe('a journal of a version before', () => {
  it.each([1, 2])('is named as one, and not read: %d', async (format) => {
    await pauseRunners()
    const old = JSON.stringify({ journal: format, id: 'x', command: 'runners pause' })
    for (const text of [old, addChecksum(JSON.parse(old))]) {
      writeLines([text, ...readLines().slice(1)])
      for (const line of [`journal show ${getJournal()}`, `journal undo ${getJournal()} --yes`]) {
        const { code, stderr } = await run(line)
        expect([code, stderr]).toEqual([
          2,
          expect.stringContaining('is a journal of an earlier version of svcctl'),
        ])
      }
    }
    expect(written()).toEqual([])
  })
})
