import { getHeapSpaceStatistics, type HeapSpaceInfo, setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { aroundEach, expect, test } from 'vitest'
import { processIo, runWithIo } from '../../../src/base/io.js'
import { HeapTuning } from '../../../src/engine/work/v8.js'
import { clientOf, get } from '../../http/clients.js'
import { serve } from '../../support/servers.js'

// Only a line that has the process for itself tunes it.
aroundEach((run) => runWithIo(processIo, run))

const [shape] = getHeapSpaceStatistics()

const heap = () => {
  const flags: string[] = []
  let size = 1 << 20
  return {
    flags,
    grow: (to: number): void => {
      size = to
    },
    v8: {
      setFlagsFromString: (flag: string): void => {
        flags.push(flag)
      },
      getHeapSpaceStatistics: (): HeapSpaceInfo[] =>
        shape === undefined ? [] : [{ ...shape, space_name: 'new_space', space_size: size }],
    },
  }
}

const looks = (frugal: HeapTuning, count: number): void => {
  for (let i = 0; i < count; i++) frugal.look()
}

const small = { old: '--heap-growing-percent=30', new: '--semi-space-growth-factor=1' }
const usual = { old: '--heap-growing-percent=0', new: '--semi-space-growth-factor=2' }

test('the space for new objects grows as it would until it is enough, and as ever afterwards', () => {
  const { v8, flags, grow } = heap()
  const frugal = new HeapTuning(v8)
  looks(frugal, 100)
  expect(flags).toEqual([small.old])
  grow(8 << 20)
  looks(frugal, 100)
  expect(flags).toEqual([small.old, small.new])
  frugal.end()
  frugal.end()
  expect(flags.slice(2)).toEqual([usual.old, usual.new])
})

test('where two keep the heap small it stays so until both have ended', () => {
  const { v8, flags, grow } = heap()
  const [one, other] = [new HeapTuning(v8), new HeapTuning(v8)]
  grow(8 << 20)
  looks(one, 100)
  looks(other, 100)
  one.end()
  expect(flags).toEqual([small.new, small.old])
  other.end()
  expect(flags.slice(2)).toEqual([usual.new, usual.old])
})

test('the old space is kept small, too, where the new one is large from the beginning', () => {
  const { v8, flags, grow } = heap()
  const frugal = new HeapTuning(v8)
  grow(8 << 20)
  looks(frugal, 100)
  expect(flags).toEqual([small.new, small.old])
  frugal.end()
})

test('a run that was short left all as it was', () => {
  const { v8, flags } = heap()
  const frugal = new HeapTuning(v8)
  looks(frugal, 10)
  frugal.end()
  expect(flags).toEqual([])
})

test('V8 tells of a space of that name', () => {
  expect(getHeapSpaceStatistics().map(({ space_name }) => space_name)).toContain('new_space')
  const frugal = new HeapTuning()
  frugal.look()
  frugal.end()
})

let texts = 0

/** Whether code that was kept compiled would be taken: only under the flags that it was made with. */
const keeper = (): (() => boolean) => {
  const text = `(function kept() { return ${texts++} })`
  const cachedData = new Script(text).createCachedData()
  // V8 remembers what it compiled, and looks at no data for that: another name is another script.
  return () => new Script(text, { cachedData, filename: `${texts++}` }).cachedDataRejected === false
}

test('a client by itself sets none, whatever it reads', async () => {
  const server = await serve(({ url }, response) => {
    const next = `<http://${response.req.headers.host}${url}&page=2>; rel="next"`
    response.writeHead(200, { link: next }).end('[{"id":1},{"id":2}]')
  })
  const good = keeper()
  for await (const _ of clientOf(server.base).list(get('/runners?per_page=2'), {})) {
    expect(good()).toBe(true)
    break
  }
  setFlagsFromString('--semi-space-growth-factor=3')
  expect(good()).toBe(false)
  setFlagsFromString('--semi-space-growth-factor=2')
  expect(good()).toBe(true)
})
