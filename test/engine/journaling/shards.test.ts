/** `--shard`: the parts of one line are disjoint, and together all of it. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRuns, readHeader, user } from './runs.js'

const { server, run, files, written, forget, fresh } = createRuns()

beforeEach(() => {
  fresh()
  server.answer = ({ url }) => {
    if (url.endsWith('/user')) return user
    if (url.includes('runners/all')) return { body: [1, 2, 3, 4, 5].map((id) => ({ id })) }
    return { body: { id: 1 } }
  }
})

const ids = Array.from({ length: 12 }, (_, i) => String(i + 1))

describe('--shard', () => {
  it.each([
    ['ids', `runners pause ${ids.join(' ')}`, undefined, 12],
    ['the lines of standard input', 'runners pause -', ids.join('\n'), 12],
    ['a selection', 'runners pause --instance --select id>0 --yes', undefined, 5],
    ['ids in several projects', 'deploy-keys enable 1 2 3 -P a/b -P a/c', undefined, 6],
    [
      'projects',
      'approvals rules create --name QA --approvals-required 1 -P a,b,c,d,e',
      undefined,
      5,
    ],
    ['any call', 'api put runners/{} -', ids.join('\n'), 12],
  ])('shares %s out', { timeout: 60_000 }, async (_, line, input, count) => {
    const parts: string[][] = []
    for (const part of [1, 2, 3]) {
      forget()
      const { code, stderr } = await run(`${line} --shard ${part}/3`, input)
      expect(code, stderr).toBe(0)
      parts.push([...written()])
      if (written().length === 0) expect(stderr).toContain('nothing to do')
    }
    const all = parts.flat()
    expect(all).toHaveLength(count)
    forget()
    await run(`${line} --journal none`, input)
    expect(all.toSorted()).toEqual(written().toSorted())
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(count)
  })

  it('is that of a parallel job, and stands in the journal', async () => {
    const line = `runners pause ${ids.join(' ')} --shard ci`
    await run(line, undefined, { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '3' })
    const ci = written()
    forget()
    await run(`runners pause ${ids.join(' ')} --shard 2/3`)
    expect(written()).toEqual(ci)
    expect(files().map((file) => readHeader(file).shard)).toEqual(['2/3', '2/3'])
  })

  it('of one object that is in another part does nothing', async () => {
    const codes = await Promise.all([1, 2].map((part) => run(`runners pause 1 --shard ${part}/2`)))
    expect(codes.map(({ code }) => code)).toEqual([0, 0])
    expect(written()).toEqual(['PUT /runners/1'])
  })
})
