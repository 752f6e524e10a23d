import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeState, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js'
import { sender } from './instance.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcctl-state-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const during = async <T>(
  work: (send: ReturnType<typeof sender>) => Promise<T>,
  options: Partial<SandboxOptions> = {},
): Promise<T> => {
  const sandbox = await startSandbox({ stateDir: folder, ...options })
  try {
    return await work(sender(() => sandbox.url))
  } finally {
    await sandbox.close()
  }
}
const rename = (description: string) => (send: ReturnType<typeof sender>) =>
  send('PUT /runners/1', { json: { description } })
const description = async (send: ReturnType<typeof sender>) =>
  (await send('GET /runners/1')).body.description

describe('state', () => {
  it('is kept from one start to the next, in a file of the owner only', async () => {
    await during(rename('kept'))
    expect(await during(description)).toBe('kept')
    expect((await stat(join(folder, 'state.json'))).mode & 0o777).toBe(0o600)
  })

  it('is not written by reading, and leaves nothing else behind', async () => {
    await during(description)
    expect(await readdir(folder)).toEqual([])
    await during(rename('x'))
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  it('is the same after the same start', async () => {
    const list = (send: ReturnType<typeof sender>) => send('GET /runners/all?per_page=100')
    expect((await during(list)).text).toBe((await during(list)).text)
  })

  it('is whole after a reset', async () => {
    await during(rename('changed'))
    await removeState(folder)
    expect(await during(description)).toBe('shared-linux-1')
  })

  it('is refused when it cannot be read, and the file stays as it was', async () => {
    for (const text of ['{"format":1,', '{"format":99}']) {
      await writeFile(join(folder, 'state.json'), text)
      await expect(during(description)).rejects.toMatchObject({
        category: 'failed',
        details: { hint: expect.stringContaining('sandbox reset') },
      })
      expect(await readFile(join(folder, 'state.json'), 'utf8')).toBe(text)
    }
    await rm(join(folder, 'state.json'))
    expect(await during(description)).toBe('shared-linux-1')
  })

  it('is refused where it is damaged: also groups that stand in each other', async () => {
    await during(rename('whole'))
    const file = join(folder, 'state.json')
    const whole = JSON.parse(await readFile(file, 'utf8'))
    const rows = whole.groups.rows.map((row: object, i: number, all: { id: number }[]) => ({
      ...row,
      parent_id: all[(i + 1) % all.length]?.id,
    }))
    const damaged: readonly object[] = [
      { format: 1 },
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
      await expect(during(description), JSON.stringify(state).slice(0, 99)).rejects.toMatchObject({
        category: 'failed',
        message: expect.stringContaining('is damaged'),
      })
    }
  })

  it('belongs to one process at a time; another waits for its turn', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((token) =>
        during((send) =>
          send('POST /runners', {
            as: '',
            json: { token: 'sandbox-instance-registration', description: token },
          }),
        ),
      ),
    )
    const { body } = await during((send) => send('GET /runners/all?per_page=100'))
    expect(
      body
        .slice(10)
        .map((r: { description: string }) => r.description)
        .sort(),
    ).toEqual(['a', 'b', 'c'])
  })

  it('says when it cannot be saved', async () => {
    const sandbox = await startSandbox({ stateDir: folder })
    await mkdir(join(folder, 'state.json', 'in the way'), { recursive: true })
    await rename('lost')(sender(() => sandbox.url))
    await expect(sandbox.close()).rejects.toThrow()
  })

  it('keeps what happened in repositories too', async () => {
    const path = '/projects/1/repository/commits'
    const made = await during((send) =>
      send(`POST ${path}`, {
        json: {
          branch: 'main',
          commit_message: 'Kept',
          actions: [{ action: 'create', file_path: 'kept.txt', content: 'x' }],
        },
      }),
    )
    const head = await during((send) => send(`GET ${path}/main`))
    expect(head.body.id).toBe(made.body.id)
  })
})
