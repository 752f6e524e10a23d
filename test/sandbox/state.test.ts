import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  readState,
  removeState,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/index.js'
import { createSender } from './instance.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcctl-state-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const withSandbox = async <T>(
  work: (send: ReturnType<typeof createSender>) => Promise<T>,
  options: Partial<SandboxOptions> = {},
): Promise<T> => {
  const sandbox = await startSandbox({ stateDir: folder, ...options })
  try {
    return await work(createSender(() => sandbox.url))
  } finally {
    await sandbox.close()
  }
}
const rename = (description: string) => (send: ReturnType<typeof createSender>) =>
  send('PUT /runners/1', { json: { description } })
const getDescription = async (send: ReturnType<typeof createSender>) =>
  (await send('GET /runners/1')).body.description

describe('state', () => {
  it('is kept from one start to the next, in a file of the owner only', async () => {
    await withSandbox(rename('kept'))
    expect(await withSandbox(getDescription)).toBe('kept')
    expect((await stat(join(folder, 'state.json'))).mode & 0o777).toBe(0o600)
  })

  it('is not written by reading, and leaves nothing else behind', async () => {
    await withSandbox(getDescription)
    expect(await readdir(folder)).toEqual([])
    await withSandbox(rename('x'))
    expect(await readdir(folder)).toEqual(['state.json'])
    await withSandbox(getDescription)
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  it('is the same after the same start', async () => {
    const list = (send: ReturnType<typeof createSender>) => send('GET /runners/all?per_page=100')
    expect((await withSandbox(list)).text).toBe((await withSandbox(list)).text)
  })

  it('has no membership of a group or project that was deleted', async () => {
    await withSandbox((send) => send('DELETE /groups/platform'))
    const state = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'))
    const listIds = (table: string): unknown[] =>
      state[table].rows.map(({ id }: { id: number }) => id)
    const left = { group: listIds('groups'), project: listIds('projects') }
    for (const { source_type: type, source_id: id } of [
      ...state.members.rows,
      ...state.shares.rows,
    ])
      expect(left[type as keyof typeof left], type).toContain(id)
  })

  it('is whole after a reset', async () => {
    await withSandbox(rename('changed'))
    await removeState(folder)
    expect(await withSandbox(getDescription)).toBe('shared-linux-1')
  })

  it('is refused when it cannot be read, and the file stays as it was', async () => {
    for (const [text, why] of [
      ['{"format":2,', 'cannot be read'],
      ['{"format":99}', 'was written by another version'],
    ] as const) {
      await writeFile(join(folder, 'state.json'), text)
      await expect(withSandbox(getDescription)).rejects.toMatchObject({
        category: 'failed',
        message: expect.stringContaining(why),
        details: { hint: expect.stringContaining('sandbox reset') },
      })
      expect(await readFile(join(folder, 'state.json'), 'utf8')).toBe(text)
    }
    await rm(join(folder, 'state.json'))
    expect(await withSandbox(getDescription)).toBe('shared-linux-1')
  })

  it('is refused where it is damaged: also groups that stand in each other', async () => {
    await withSandbox(rename('whole'))
    const file = join(folder, 'state.json')
    const whole = JSON.parse(await readFile(file, 'utf8'))
    const rows = whole.groups.rows.map((row: object, i: number, all: { id: number }[]) => ({
      ...row,
      parent_id: all[(i + 1) % all.length]?.id,
    }))
    const damaged: readonly object[] = [
      { format: 1 },
      { format: 2 },
      { ...whole, generation: 3 },
      { ...whole, config: null },
      { ...whole, settings: 4 },
      { ...whole, runners: 5 },
      { ...whole, runners: { next: 'x', rows: [] } },
      { ...whole, runners: { next: 1, rows: 5 } },
      { ...whole, runners: { next: 1, rows: [null] } },
      { ...whole, runners: { next: 1e300, rows: [] } },
      { ...whole, groups: { ...whole.groups, rows } },
    ]
    for (const state of damaged) {
      await writeFile(file, JSON.stringify(state))
      await expect(
        withSandbox(getDescription),
        JSON.stringify(state).slice(0, 99),
      ).rejects.toMatchObject({
        category: 'failed',
        message: expect.stringContaining('is damaged'),
      })
    }
  })

  it('belongs to one process at a time; another waits for its turn', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((token) =>
        withSandbox((send) =>
          send('POST /runners', {
            as: '',
            json: { token: 'sandbox-instance-registration', description: token },
          }),
        ),
      ),
    )
    const { body } = await withSandbox((send) => send('GET /runners/all?per_page=100'))
    expect(
      body
        .slice(10)
        .map((r) => r.description)
        .sort(),
    ).toEqual(['a', 'b', 'c'])
  })

  it('advises what any line can do where another process has taken it over', async () => {
    const sandbox = await startSandbox({ stateDir: folder })
    await rm(join(folder, '.lock'), { recursive: true })
    await rename('lost')(createSender(() => sandbox.url))
    const failure: unknown = await sandbox.close().catch((error: unknown) => error)
    expect(failure).toMatchObject({
      category: 'conflict',
      details: {
        hint: expect.stringMatching(/without --sandbox, .*sandbox serve --state-dir <folder>/),
      },
    })
  })

  it('says when it cannot be saved', async () => {
    const sandbox = await startSandbox({ stateDir: folder })
    await mkdir(join(folder, 'state.json', 'in the way'), { recursive: true })
    await rename('lost')(createSender(() => sandbox.url))
    await expect(sandbox.close()).rejects.toThrow()
  })

  it('keeps what happened in repositories too', async () => {
    const path = '/projects/1/repository/commits'
    const made = await withSandbox((send) =>
      send(`POST ${path}`, {
        json: {
          branch: 'main',
          commit_message: 'Kept',
          actions: [{ action: 'create', file_path: 'kept.txt', content: 'x' }],
        },
      }),
    )
    const head = await withSandbox((send) => send(`GET ${path}/main`))
    expect(head.body.id).toBe(made.body.id)
  })
})

describe('the log of a state', () => {
  const at = (name: string) => join(folder, name)
  const log = () => readFile(at('state.log'))
  /** Reads the state in the folder, as another process would. */
  const held = async () => JSON.stringify(await readState(folder))
  const names = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `n${from + i}`)
  const renameAll =
    (all: readonly string[]) =>
    async (send: ReturnType<typeof createSender>): Promise<void> => {
      for (const name of all) await rename(name)(send)
    }

  it('gets a line for each write, and the state stays as it is', async () => {
    await withSandbox(rename('first'))
    const whole = await readFile(at('state.json'))
    await withSandbox(renameAll(names(3)))
    expect(await readFile(at('state.json'))).toEqual(whole)
    expect((await stat(at('state.log'))).mode & 0o777).toBe(0o600)
    const lines = (await log()).toString().trimEnd().split('\n')
    const { generation } = JSON.parse(whole.toString())
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      names(3).map((name, i) => ({
        generation,
        n: i + 1,
        changes: [['runners', 1, { id: 1, description: name }]],
        crc: expect.any(Number),
      })),
    )
    expect(await withSandbox(getDescription)).toBe('n2')
  })

  it('is read up to its last whole line, wherever a process ended, and is gone on with there', async () => {
    await withSandbox(renameAll(names(4)))
    const whole = await log()
    const ends = [...whole.keys()].filter((i) => whole[i] === 10).map((i) => i + 1)
    for (let bytes = 0; bytes <= whole.length; bytes += 7) {
      await writeFile(at('state.log'), whole.subarray(0, bytes))
      const lines = ends.filter((end) => end <= bytes).length
      expect((await readState(folder)).runners.get(1)?.description).toBe(`n${lines}`)
    }
    await writeFile(at('state.log'), whole.subarray(0, whole.length - 5))
    await withSandbox(rename('after'))
    expect(await withSandbox(getDescription)).toBe('after')
    expect((await log()).toString().trimEnd().split('\n')).toHaveLength(3)
  })

  it('is refused where a line but the last is not what was written', async () => {
    await withSandbox(renameAll(names(4)))
    const whole = (await log()).toString()
    const [one = '', two = '', three = ''] = whole.split('\n')
    const damaged = [
      whole.replace('n1', 'm1'),
      [one, three, ''].join('\n').repeat(2),
      [one, '', two, ''].join('\n'),
      [one, two.slice(0, 30), three, ''].join('\n'),
    ]
    for (const text of damaged) {
      await writeFile(at('state.log'), text)
      await expect(withSandbox(getDescription)).rejects.toMatchObject({
        category: 'failed',
        message: expect.stringContaining('is damaged at byte'),
      })
      expect((await log()).toString()).toBe(text)
    }
  })

  it('is written into the state when it is large, and what is left of an older one does no harm', async () => {
    await withSandbox(renameAll(names(2)))
    const old = await log()
    await copyFile(at('state.json'), at('old.json'))
    const large = 'x'.repeat(1.5 * 1024 * 1024)
    await withSandbox(async (send) => {
      for (const name of names(3)) await rename(`${name}${large}`)(send)
      await rename('small')(send)
    })
    expect((await log()).length).toBeLessThan(10_000)
    const now = await held()
    expect(JSON.parse(now).runners.rows[0].description).toBe('small')
    // As if a process had ended after it wrote the state, and before it emptied the log.
    await writeFile(at('state.log'), Buffer.concat([old, await log()]))
    expect(await held()).toBe(now)
    await withSandbox(rename('on'))
    expect(await withSandbox(getDescription)).toBe('on')
    // As if a process had ended before it wrote the state.
    await copyFile(at('old.json'), at('state.json'))
    await writeFile(at('state.log'), old)
    expect(await withSandbox(getDescription)).toBe('n1')
  })

  it('follows a state of the format before, which becomes one of this format', async () => {
    await withSandbox(rename('kept'))
    const { format, generation, ...older } = JSON.parse(await readFile(at('state.json'), 'utf8'))
    expect([format, typeof generation]).toEqual([2, 'string'])
    await writeFile(at('state.json'), JSON.stringify({ format: 1, ...older }))
    await writeFile(at('state.log'), 'of something else')
    expect(await withSandbox(getDescription)).toBe('kept')
    expect(JSON.parse(await readFile(at('state.json'), 'utf8')).format).toBe(1)
    await withSandbox(renameAll(names(2)))
    expect(JSON.parse(await readFile(at('state.json'), 'utf8')).format).toBe(2)
    expect(await withSandbox(getDescription)).toBe('n1')
  })

  it('goes with the state when that is reset', async () => {
    await withSandbox(renameAll(names(2)))
    await removeState(folder)
    expect(await readdir(folder)).toEqual([])
  })
})
