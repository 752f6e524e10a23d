/** Tests rows of several targets: their order, and how many of them are read. */
import { describe, expect, it } from 'vitest'
import type { Row, Rows, Target } from '../../src/engine/rows.js'
import { yieldRecord, yieldRecords } from '../../src/engine/rows.js'
import {
  describeUnread,
  TargetWriter,
  TurnScheduler,
  takeRecords,
} from '../../src/engine/target-order.js'

const source = { isOrdered: false, attachReader: () => {} }
const toBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** Yields the rows of a list of one target. */
async function* yieldList(of: Target, ...batches: readonly (readonly number[])[]): Rows {
  yield { kind: 'open', many: true, view: {}, source, target: of }
  for (const batch of batches) yield { kind: 'records', batch: batch.map(toBytes), target: of }
  yield { kind: 'end', target: of }
}

const collect = async (rows: Rows): Promise<Row[]> => {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

const listRecords = (rows: readonly Row[]): readonly number[] =>
  rows.flatMap((row) =>
    row.kind === 'records' ? [...row.batch].map((one) => Number(Buffer.from(one).toString())) : [],
  )

describe('the records of several targets', () => {
  async function* both(): Rows {
    yield* yieldList({ profile: 'a' }, [1, 2], [3])
    yield* yieldList({ profile: 'b' }, [4])
    yield { kind: 'end' }
  }

  it.each([
    [2, [1, 2], 'a'],
    [3, [1, 2, 3], 'b'],
    [1, [1], 'a'],
    [4, [1, 2, 3, 4], undefined],
    [Number.POSITIVE_INFINITY, [1, 2, 3, 4], undefined],
  ])('are taken up to %d, and it is told where that was', async (most, expected, at) => {
    const told: (string | undefined)[] = []
    const rows = await collect(takeRecords(both(), most, ({ profile }) => told.push(profile)))
    expect(listRecords(rows)).toEqual(expected)
    expect(told).toEqual(at === undefined ? [] : [at])
    // Each part that was opened ends, and the whole ends, too.
    expect(rows.filter(({ kind }) => kind === 'open')).toHaveLength(
      rows.filter(({ kind, target: of }) => kind === 'end' && of !== undefined).length,
    )
    expect(rows.at(-1)).toEqual({ kind: 'end' })
  })

  it('that a command made are all taken', async () => {
    const rows = await collect(takeRecords(yieldRecords([1, 2, 3]), 1, () => {}))
    expect(rows.filter(({ kind }) => kind === 'value')).toHaveLength(3)
  })

  it('end their source where no more are taken', async () => {
    let ended = false
    async function* watched(): Rows {
      try {
        yield* both()
      } finally {
        ended = true
      }
    }
    await collect(takeRecords(watched(), 1, () => {}))
    expect(ended).toBe(true)
  })
})

/** Creates a turn, which comes when it is opened. */
const createTurn = (): { readonly opened: Promise<void>; readonly open: () => void } => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('turns', () => {
  it('come in the order of the sources, which all begin at once, also after one that failed', async () => {
    const seen: string[] = []
    const turns = new TurnScheduler()
    const { opened, open } = createTurn()
    const first = turns.schedule(async () => {
      seen.push('a begins')
      await opened
      throw new Error('a is wrong')
    })
    const second = turns.schedule(async (turn) => {
      seen.push('b begins')
      await turn
      seen.push('b has its turn')
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual(['a begins', 'b begins'])
    open()
    await expect(first).rejects.toThrow('a is wrong')
    await second
    expect(seen).toEqual(['a begins', 'b begins', 'b has its turn'])
  })
})

describe('the rows of one of several targets', () => {
  const write = (turn: Promise<void> = Promise.resolve()) => {
    const rows: Row[] = []
    const push = async (row: Row): Promise<void> => void rows.push(row)
    return { rows, writer: new TargetWriter({ target: { profile: 'a' }, turn, push }) }
  }

  it('wait for their turn, and the part opens with its first record', async () => {
    const { opened, open } = createTurn()
    const { rows, writer } = write(opened)
    const taken = writer.writeAll(yieldRecord(1))
    await new Promise((resolve) => setImmediate(resolve))
    expect(rows).toEqual([])
    open()
    await taken
    expect(rows.map(({ kind, target: of }) => [kind, of?.profile])).toEqual([
      ['open', 'a'],
      ['value', 'a'],
      ['end', 'a'],
    ])
  })

  it('tell their source that it is held, until the turn has come', async () => {
    const { opened, open } = createTurn()
    const { writer } = write(opened)
    let held = (): boolean | undefined => undefined
    await writer.write({
      kind: 'open',
      many: true,
      view: {},
      source: { isOrdered: false, attachReader: (taker) => (held = () => taker.held?.()) },
    })
    expect(held()).toBe(true)
    open()
    await new Promise((resolve) => setImmediate(resolve))
    expect(held()).toBe(false)
  })

  it('end the part where they break off', async () => {
    const { rows, writer } = write()
    async function* broken(): Rows {
      yield { kind: 'open', many: true, view: {} }
      yield { kind: 'value', value: 1 }
      throw new Error('broken')
    }
    await expect(writer.writeAll(broken())).rejects.toThrow('broken')
    expect(rows.at(-1)).toEqual({ kind: 'end', isCut: true, target: { profile: 'a' } })
  })
})

it('names at most five of the targets that were left', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  expect(describeUnread(3, names)).toBe(
    'showing 3; not read, or not to the end: a, b, c, d, e and 2 more; use --limit <n> or --limit all for more',
  )
})
