/** Runs the whole matrix: every fault with every operation, a few at a time. */
import { getPackedObjects } from './answers.js'
import { isPossible } from './around.js'
import { getCell, judge, runCell } from './cell.js'
import { type Cell, type Fault, faults } from './faults.js'
import { type Operation, operations } from './operations.js'

export interface JudgedCell {
  readonly fault: Fault
  readonly operation: Operation
  readonly cell: Cell
  /** The last message on standard error. */
  readonly said: string
  /** The differences from the expected outcome. */
  readonly wrong: readonly string[]
}

/** Most of a cell's time is waiting, so more cells run at once than there are cores. */
const maxConcurrent = 6

/** Runs work over items, `count` at once. Returns the results in order. */
export const runConcurrently = async <In, Out>(
  items: readonly In[],
  count: number,
  work: (item: In) => Promise<Out>,
): Promise<Out[]> => {
  const results: Out[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as In)
  }
  // Waits for all of them before it throws the error of one.
  const ended = await Promise.allSettled(Array.from({ length: count }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return results
}

const pairs = faults
  .filter(isPossible)
  .flatMap((fault) =>
    operations
      .filter(({ name }) => fault.only === undefined || fault.only === name)
      .map((operation) => ({ fault, operation })),
  )

export const runMatrix = (): Promise<JudgedCell[]> => {
  // Compressed before any cell needs it, because that takes longer than the timeout of a cell.
  getPackedObjects()
  return runConcurrently(pairs, maxConcurrent, async ({ fault, operation }) => {
    const cell = getCell(fault, operation)
    const outcome = await runCell(fault, operation)
    const wrong = judge(cell, operation, outcome)
    return { fault, operation, cell, said: getLastMessage(outcome.stderr), wrong }
  })
}

/** Returns the message of the error, or else the last note, without the addresses and paths of this run. */
const getLastMessage = (stderr: string): string => {
  const last = stderr.trim().split('\n').at(-1) ?? ''
  const message: unknown = last.startsWith('{') ? JSON.parse(last).error.message : last
  return String(message)
    .replace(/127\.0\.0\.1:\d+/g, '<host>')
    .replace(/\S*\/work\//, '')
}

const formatCell = ({ cell, wrong }: JudgedCell): string =>
  wrong.length > 0 ? 'WRONG' : `${cell.exit}/${cell.requests}`

/** Formats the matrix as a table: exit code and number of requests of each cell. */
export const formatTable = (judged: readonly JudgedCell[]): string => {
  const width = Math.max(...faults.map(({ name }) => name.length))
  const line = (first: string, rest: readonly string[]): string =>
    [first.padEnd(width), ...rest.map((text) => text.padEnd(8))].join('  ').trimEnd()
  const cell = (fault: Fault, operation: Operation): string => {
    const one = judged.find((some) => some.fault === fault && some.operation === operation)
    return one === undefined ? '' : formatCell(one)
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

/** Formats the messages of each fault. Operations with the same message share a line. */
export const formatMessages = (judged: readonly JudgedCell[]): string =>
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

export const listProblems = (judged: readonly JudgedCell[]): string[] =>
  judged.flatMap(({ fault, operation, wrong }) =>
    wrong.map((text) => `${fault.name} × ${operation.name}: ${text}`),
  )
