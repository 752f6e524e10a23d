/** A damaged journal: what is missing of it is named, exit 8, and never passed over. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { runs } from './runs.js'

const { server, run, files, written, forget, fresh } = runs()

/** What the instance says of its runners. */
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

const journal = (): string => files()[0] ?? ''
const lines = (): string[] => readFileSync(journal(), 'utf8').trimEnd().split('\n')
const write = (all: readonly string[]): void =>
  writeFileSync(journal(), all.map((line) => `${line}\n`).join(''))
/** The number of a line, from 1 on. */
const numberOf = (text: string): number => lines().findIndex((line) => line.includes(text)) + 1
/** A line as the tool writes it. */
const summed = (line: object): string => {
  const text = JSON.stringify(line)
  return `${text.slice(0, -1)},"c":${crc32(text)}}`
}
/** The journal without checksums. */
const withoutSums = (): void => write(lines().map((line) => line.replace(/,"c":\d+\}$/, '}')))
const last = async (words: string) => run(`journal ${words}`)

const paused = async (): Promise<void> => {
  const ran = await run('runners pause 1 2 3 --undo-record')
  expect(ran.code, ran.stderr).toBe(0)
  forget()
}
/** The line that says that runner 2 is done, with one byte changed. */
const damage = (): number => {
  const at = numberOf('"object":"2","state":"done"')
  write(lines().map((line, i) => (i + 1 === at ? line.replace('"status"', '"statuz"') : line)))
  return at
}

describe('a damaged line', () => {
  it('has a checksum to be held against: CRC-32 of its text', async () => {
    await paused()
    for (const line of lines()) {
      const { c, ...rest } = JSON.parse(line)
      expect([Object.keys(JSON.parse(line)).at(-1), c]).toEqual(['c', crc32(JSON.stringify(rest))])
    }
  })

  it('is named by journal show, exit 8', async () => {
    await paused()
    const at = damage()
    const shown = await last('show last')
    expect([shown.code, shown.stderr]).toEqual([
      8,
      expect.stringContaining(`line ${at} is damaged`),
    ])
    expect(shown.stderr).toContain('3 done and not 2')
    expect(shown.stdout).toBe('object\tstate\tcategory\tmessage\n2\tbegun\t\t\n')
    const { stdout } = await last('show last -o json')
    expect(JSON.parse(stdout)).toMatchObject({ gap: { lines: [at], damaged: 1, missing: 0 } })
  })

  it('is named by journal undo, which puts the others back, exit 8', async () => {
    await paused()
    const at = damage()
    const undone = await last('undo 20260101T000000-none --yes')
    expect(undone.code).toBe(2)
    const id = JSON.parse(lines()[0] ?? '').id
    const done = await last(`undo ${id} --yes`)
    expect([done.code, done.stderr]).toEqual([8, expect.stringContaining(`line ${at} is damaged`)])
    // That it was begun is there, with what it was before.
    expect(written().toSorted()).toEqual([1, 2, 3].map((id) => `PUT /runners/${id}`))
  })

  it('is named by --resume, which does again what may not be done, exit 8', async () => {
    await paused()
    const at = damage()
    const ran = await run('runners pause --resume last')
    expect([ran.code, ran.stderr]).toEqual([8, expect.stringContaining(`line ${at} is damaged`)])
    expect(written()).toEqual([])
    // It is as it was to be: that is looked at, since the run has a record.
    expect(server.lines()).toContain('GET /runners/2')
  })

  it('keeps a POST from being sent once more', async () => {
    await run('vulnerabilities confirm 1 2')
    for (const state of ['begun', 'done']) {
      const at = numberOf(`"object":"2","state":"${state}"`)
      write(
        lines().map((line, i) => (i + 1 === at ? `${line.slice(0, 9)}x${line.slice(10)}` : line)),
      )
    }
    forget()
    const ran = await run('vulnerabilities confirm --resume last')
    expect(ran.code).toBe(8)
    expect(written()).toEqual([])
  })

  it('that comes first is no run of which anything is known', async () => {
    await paused()
    write(lines().map((line, i) => (i === 0 ? line.replace('pause', 'pauze') : line)))
    for (const words of ['show last', `show ${journal()}`, `undo ${journal()} --yes`]) {
      const ran = await last(words)
      expect([ran.code, ran.stderr]).toEqual([8, expect.stringContaining('its first line')])
    }
    const listed = await last('list')
    expect(listed.stderr).toContain(`${journal()} is not a readable journal`)
    expect(written()).toEqual([])
  })

  it('is none where the last one was torn', async () => {
    await paused()
    truncateSync(journal(), readFileSync(journal()).length - 9)
    expect(await last('show last')).toMatchObject({ code: 0 })
  })

  it('of an old journal is what is no line', async () => {
    await paused()
    withoutSums()
    expect((await last('show last')).code).toBe(0)
    const at = numberOf('"object":"2","state":"done"')
    write(lines().map((line, i) => (i + 1 === at ? line.slice(0, -7) : line)))
    const shown = await last('show last')
    expect([shown.code, shown.stderr]).toEqual([
      8,
      expect.stringContaining(`line ${at} is damaged`),
    ])
  })
})

describe('a total', () => {
  it('that the lines do not come to is exit 8', async () => {
    await paused()
    write(lines().filter((line) => !line.includes('"object":"2"')))
    for (const old of [false, true]) {
      if (old) withoutSums()
      const shown = await last('show last')
      expect([shown.code, shown.stderr]).toEqual([
        8,
        expect.stringContaining('1 object of 3 is missing'),
      ])
    }
    const undone = await run(['journal', 'undo', journal(), '--yes'])
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
    await paused()
    for (const text of [summed(line), JSON.stringify(line)]) {
      const all = lines()
      write([...all.slice(0, 2), text, ...all.slice(2)])
      if (!text.includes('"c"')) withoutSums()
      const shown = await last('show last')
      expect([shown.code, shown.stderr]).toEqual([8, expect.stringMatching(/lines? 3.* damaged/)])
      const ran = await run('runners pause --resume last')
      expect([ran.code, written()]).toEqual([8, []])
    }
  })
})

describe('a journal of a version before', () => {
  it.each([1, 2])('is named as one, and not read: %d', async (format) => {
    await paused()
    const old = JSON.stringify({ journal: format, id: 'x', command: 'runners pause' })
    for (const text of [old, summed(JSON.parse(old))]) {
      write([text, ...lines().slice(1)])
      for (const line of [`journal show ${journal()}`, `journal undo ${journal()} --yes`]) {
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
