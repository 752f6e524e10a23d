/** The whole matrix: every fault with every operation, a few at a time. */
import { cellOf, judge, outcomeOf } from './cell.js'
import { type Cell, type Fault, faults } from './faults.js'
import { type Operation, operations } from './operations.js'

export interface Judged {
  readonly fault: Fault
  readonly operation: Operation
  readonly cell: Cell
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
  await Promise.all(Array.from({ length: count }, worker))
  return results
}

const pairs = faults.flatMap((fault) => operations.map((operation) => ({ fault, operation })))

/** Runs every cell. */
export const runMatrix = (): Promise<Judged[]> =>
  together(pairs, atOnce, async ({ fault, operation }) => {
    const cell = cellOf(fault, operation)
    return {
      fault,
      operation,
      cell,
      wrong: judge(cell, operation, await outcomeOf(fault, operation)),
    }
  })

const shown = ({ cell, wrong }: Judged): string =>
  wrong.length > 0 ? 'WRONG' : `${cell.exit}/${cell.requests}`

/** The matrix as a table: exit code and number of requests of each cell. */
export const tableOf = (judged: readonly Judged[]): string => {
  const width = Math.max(...faults.map(({ name }) => name.length))
  const line = (first: string, rest: readonly string[]): string =>
    [first.padEnd(width), ...rest.map((text) => text.padEnd(8))].join('  ').trimEnd()
  const rows = faults.map((fault) =>
    line(fault.name, judged.filter((one) => one.fault === fault).map(shown)),
  )
  return [
    line(
      'exit code / requests',
      operations.map(({ name }) => name),
    ),
    ...rows,
  ].join('\n')
}

export const complaintsOf = (judged: readonly Judged[]): string[] =>
  judged.flatMap(({ fault, operation, wrong }) =>
    wrong.map((text) => `${fault.name} × ${operation.name}: ${text}`),
  )
