/** Turns in a tree: what is around waits for what is inside. */
import { expect, it } from 'vitest'
import { compareInnerFirst, parseTreePlace, TurnQueue } from '../../src/engine/work/turns.js'

it('lets a group wait for what was begun inside of it, however that ends, and for nothing else', async () => {
  const turns = new TurnQueue()
  const done: string[] = []
  const ends = new Map<string, (well: boolean) => void>()
  const begin = (parent: string): Promise<unknown> =>
    turns
      .runAfterInner(parseTreePlace(parent), () => {
        done.push(parent)
        return new Promise<void>((resolve, reject) => {
          ends.set(parent, (well) => (well ? resolve() : reject(new Error('refused'))))
        })
      })
      .catch(() => {})
  const settle = async (parent: string, well = true): Promise<void> => {
    ends.get(parent)?.(well)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const inside = ['project:A/b/app', 'project:a/site', 'project:ab/other']
  const all = [...inside, 'group:a/b', 'group:a'].map(begin)
  await settle('nobody')
  expect(done).toEqual(inside)
  await settle('project:A/b/app', false)
  expect(done).toEqual([...inside, 'group:a/b'])
  await settle('project:a/site')
  expect(done).not.toContain('group:a')
  await settle('group:a/b')
  expect(done).toContain('group:a')
  for (const name of ['group:a', 'project:ab/other']) await settle(name)
  await Promise.all(all)
  expect(parseTreePlace('platform/app')).toBeUndefined()
  expect(
    [{ parent: 'group:a' }, { parent: 'project:a/b/c' }, { parent: 'group:a/b' }].sort(
      compareInnerFirst,
    ),
  ).toEqual([{ parent: 'project:a/b/c' }, { parent: 'group:a/b' }, { parent: 'group:a' }])
})
