/** The whole matrix: every fault with every operation, a few at a time. */
import { packedObjects } from './answers.js'
import { canBe } from './around.js'
import { cellOf, judge, outcomeOf } from './cell.js'
import { type Cell, type Fault, faults } from './faults.js'
import { type Operation, operations } from './operations.js'

export interface Judged {
  readonly fault: Fault
  readonly operation: Operation
  readonly cell: Cell
  /** What the program said at last, on standard error. */
  readonly said: string
  /** What is not as the matrix says. */
  readonly wrong: readonly string[]
}

/** Most of a cell's time is waiting, so more run at once than there are cores. */
const atOnce = 6

/** Runs work over items, so many at once, and gives the results in order. */
export const together = async <In, Out>(
  items: readonly In[],
  count: number,
  work: (item: In) => Promise<Out>,
): Promise<Out[]> => {
  const results: Out[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as In)
  }
  // All end before one fails, so that none is left behind.
  const ended = await Promise.allSettled(Array.from({ length: count }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return results
}

const pairs = faults
  .filter(canBe)
  .flatMap((fault) =>
    operations
      .filter(({ name }) => fault.only === undefined || fault.only === name)
      .map((operation) => ({ fault, operation })),
  )

/** Runs every cell. */
export const runMatrix = (): Promise<Judged[]> => {
  // Made before anybody waits for it: packing takes longer than a cell has patience.
  packedObjects()
  return together(pairs, atOnce, async ({ fault, operation }) => {
    const cell = cellOf(fault, operation)
    const outcome = await outcomeOf(fault, operation)
    const wrong = judge(cell, operation, outcome)
    return { fault, operation, cell, said: lastSaid(outcome.stderr), wrong }
  })
}

/** The message of the error, else the last note; addresses are those of one run only. */
const lastSaid = (stderr: string): string => {
  const last = stderr.trim().split('\n').at(-1) ?? ''
  const message: unknown = last.startsWith('{') ? JSON.parse(last).error.message : last
  return String(message)
    .replace(/127\.0\.0\.1:\d+/g, '<host>')
    .replace(/\S*\/work\//, '')
}

const shown = ({ cell, wrong }: Judged): string =>
  wrong.length > 0 ? 'WRONG' : `${cell.exit}/${cell.requests}`

/** The matrix as a table: exit code and number of requests of each cell. */
export const tableOf = (judged: readonly Judged[]): string => {
  const width = Math.max(...faults.map(({ name }) => name.length))
  const line = (first: string, rest: readonly string[]): string =>
    [first.padEnd(width), ...rest.map((text) => text.padEnd(8))].join('  ').trimEnd()
  const cell = (fault: Fault, operation: Operation): string => {
    const one = judged.find((some) => some.fault === fault && some.operation === operation)
    return one === undefined ? '' : shown(one)
  }
  const rows = faults.map((fault) =>
    line(
      fault.name,
      operations.map((operation) => cell(fault, operation)),
    ),
  )
  return [
    line(
      'exit code / requests',
      operations.map(({ name }) => name),
    ),
    ...rows,
  ].join('\n')
}

/** What is said in each cell: operations that hear the same stand together. */
export const sayingsOf = (judged: readonly Judged[]): string =>
  faults
    .map((fault) => {
      const heard = new Map<string, string[]>()
      for (const { operation, said } of judged.filter((one) => one.fault === fault))
        heard.set(said, [...(heard.get(said) ?? []), operation.name])
      const lines = [...heard].map(
        ([said, names]) => `  ${names.join(', ')}: ${said || '(nothing)'}`,
      )
      return [fault.name, ...lines].join('\n')
    })
    .join('\n')

export const complaintsOf = (judged: readonly Judged[]): string[] =>
  judged.flatMap(({ fault, operation, wrong }) =>
    wrong.map((text) => `${fault.name} × ${operation.name}: ${text}`),
  )
