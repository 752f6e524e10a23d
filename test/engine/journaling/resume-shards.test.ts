import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFolder } from '../../support/program.js'
import { createRuns, notFound, readStates } from './runs.js'

const { server, run, written, forget, fresh } = createRuns()
/** The IDs of the runners that the instance refuses to change. */
let refused: readonly number[] = []
let [first, second] = ['', '']

const getId = (url: string): number => Number(/\d+$/.exec(url)?.[0])

beforeEach(async () => {
  fresh()
  refused = [1, 2, 3, 4, 5, 6]
  server.answer = ({ url, method }) => {
    if (url.endsWith('/user')) return { body: { username: 'ana' } }
    if (method !== 'GET' && refused.includes(getId(url))) return notFound
    return { body: { id: getId(url), active: method === 'GET' } }
  }
  const folder = createFolder()
  first = join(folder, '1.ndjson')
  second = join(folder, '2.ndjson')
  await run(`runners pause 1 2 3 4 5 6 --shard 1/2 --journal ${first}`)
  await run(`runners pause 1 2 3 4 5 6 --shard 2/2 --journal ${second}`)
  forget()
})

/** Returns the exit code and the IDs that the line printed. */
const resume = async (flags: string) => {
  const { code, stdout, stderr } = await run(`runners pause ${flags} -o json`)
  return { code, ids: JSON.parse(stdout).map(({ id }: { id: number }) => id), stderr }
}

describe('the shards of a run', () => {
  it('are resumed one after the other, with one answer', async () => {
    refused = []
    const { code, ids, stderr } = await resume(`--resume ${first} --resume ${second}`)
    expect([code, ids.toSorted()]).toEqual([0, [1, 2, 3, 4, 5, 6]])
    expect(written()).toEqual(ids.map((id: number) => `PUT /runners/${id}`))
    expect(stderr).toMatch(/^\S+1\.ndjson: \d done\..*\n\S+2\.ndjson: \d done\./)
    const states = [first, second].flatMap((file) => Object.values(readStates(file)))
    expect(new Set(states)).toEqual(new Set(['done']))
    forget()
    const again = await resume(`--resume ${first} --resume ${second}`)
    expect([again.code, again.ids, written()]).toEqual([0, [], []])
    expect(again.stderr.match(/nothing is left to do/g)).toHaveLength(2)
  })

  it('are all resumed, even if one fails, unless --max-failures says otherwise', async () => {
    const all = await resume(`--resume ${first} --resume ${second}`)
    expect([all.code, written()]).toEqual([4, expect.arrayContaining(['PUT /runners/1'])])
    expect(written()).toHaveLength(6)
    expect(all.stderr).toContain(`{"run":"${second}","error":`)
    forget()
    const { code, stderr } = await resume(
      `--resume ${first} --resume ${second} --max-failures 1 --concurrency 1`,
    )
    expect([code, written().length]).toEqual([8, 1])
    expect(stderr).toContain('2.ndjson: warning: not started')
  })

  it('are named once each', async () => {
    refused = []
    const { code, ids } = await resume(`--resume ${first} --resume ${first}`)
    expect([code, ids.length]).toEqual([0, written().length])
  })

  it('must be shards of one run of the command', async () => {
    await run('runners pause 7')
    const other = join(createFolder(), 'other.ndjson')
    await run(`runners resume 1 2 3 --shard 1/2 --journal ${other}`)
    forget()
    for (const [line, why] of [
      [`runners pause --resume ${first} --resume ${other}`, 'different runs: command differs'],
      [`runners pause --resume ${first} --resume last`, 'unknown journal "last"'],
      [`runners pause --resume ${first} --resume ${second} -p a,b`, 'exclude each other'],
      [`runners pause 1 --resume ${first} --resume ${second}`, '--resume takes no objects'],
      [`apply --resume ${first} --resume ${second}`, 'apply resumes a single run'],
    ] as const) {
      const { code, stdout, stderr } = await run(line)
      expect([line, code, stdout, written()]).toEqual([line, 2, '', []])
      expect(stderr).toContain(why)
    }
  })
})
