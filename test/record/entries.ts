/**
 * Reads the lines of the record as data. A file under `lines/` is a group. An entry is a single line without `svcctl`, or a block
 * that begins with `== title` and ends with an empty line; a block has settings (`key: value`) and lines (`$ line`). Settings before
 * the first line belong to the entry, others to the line before them. `#` begins a comment.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * The environments of entries: an instance in the variables, two profiles (`a` and `b`, with an unreachable `dead`; or `staging` and
 * `prod`), or the profiles that examples name.
 */
const placeNames = ['plain', 'profiles', 'stages', 'examples'] as const
export type PlaceName = (typeof placeNames)[number]

export interface Step {
  /** A shell line with `svcctl`. */
  readonly line: string
  /** Standard input; by default none. */
  readonly input?: string
  /** Interrupts the line after this number of writes to standard output. */
  readonly stopAfter?: number
  /**
   * Input and waits at a terminal: `wait TEXT`, `type TEXT`, `press KEY …`, `show`; `seed ROWS` adds rows to the instance meanwhile.
   */
  readonly keys?: readonly string[]
  /** Lets the clock run during the line, for lines that wait for time to pass. */
  readonly ticks?: boolean
  /** Failures of requests by route: `PUT /runners/:id {"status":503}`. */
  readonly faults?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface Entry {
  readonly title: string
  readonly place: PlaceName
  /** The instance behind `url`: the sample data, or one with other options. */
  readonly instance: string
  readonly env: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
  /** Rows that are added to the sample data. */
  readonly seed?: string
  /** The size of the terminal for the lines, such as `80x24`. */
  readonly terminal?: string
  /** Another program runs the lines by `svcctl/run`, with a real clock and real random values. */
  readonly library: boolean
  /** Lines that run before, without a record. */
  readonly before: readonly string[]
  /** The order of requests within a line is not fixed, even if they do not overlap. */
  readonly unordered: boolean
  /** The number of polls depends on time, so each request is recorded once. */
  readonly rounds: boolean
  readonly steps: readonly Step[]
}

export interface Group {
  readonly name: string
  readonly entries: readonly Entry[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Creates an entry of one line without settings. */
export const createEntry = (title: string, lines: readonly string[]): Mutable<Entry> => ({
  title,
  place: 'plain',
  instance: 'a',
  env: {},
  files: {},
  before: [],
  library: false,
  unordered: false,
  rounds: false,
  steps: lines.map((line) => ({ line })),
})

const readVariable = (value: string): Readonly<Record<string, string>> => {
  const at = value.indexOf('=')
  return { [value.slice(0, at)]: value.slice(at + 1) }
}

const isPlace = (name: string): name is PlaceName => placeNames.some((place) => place === name)

/** Sets a setting of an entry. @returns true if there is a setting of that name */
const setOfEntry = (entry: Mutable<Entry>, key: string, value: string): boolean => {
  if (key === 'place' && isPlace(value)) entry.place = value
  else if (key === 'instance') entry.instance = value
  else if (key === 'terminal') entry.terminal = value
  else if (key === 'seed') entry.seed = value
  else if (key === 'unordered') entry.unordered = true
  else if (key === 'rounds') entry.rounds = true
  else if (key === 'library') entry.library = true
  else if (key === 'before') entry.before = [...entry.before, `svcctl ${value}`]
  else if (key === 'env') entry.env = { ...entry.env, ...readVariable(value) }
  else if (key.startsWith('file '))
    entry.files = { ...entry.files, [key.slice(5)]: JSON.parse(value) }
  else return false
  return true
}

/** Sets a setting of a line. @returns true if there is a setting of that name */
const setOfStep = (step: Mutable<Step>, key: string, value: string): boolean => {
  if (key === 'input') step.input = JSON.parse(value)
  else if (key === 'stop-after') step.stopAfter = Number(value)
  else if (key === 'keys') step.keys = [...(step.keys ?? []), value]
  else if (key === 'ticks') step.ticks = true
  else if (key === 'fail') step.faults = [...(step.faults ?? []), value]
  else if (key === 'env') step.env = { ...step.env, ...readVariable(value) }
  else return false
  return true
}

/** Reads a block. @throws Error for an unknown setting */
const readBlock = (title: string, rows: readonly string[]): Entry => {
  const entry = createEntry(title, [])
  const steps: Mutable<Step>[] = []
  for (const row of rows) {
    if (row.startsWith('$ ')) {
      steps.push({ line: `svcctl ${row.slice(2)}` })
      continue
    }
    const [, key = '', value = ''] = /^([\w-]+(?: [^:]+)?):\s*(.*)$/.exec(row) ?? []
    const step = steps.at(-1)
    const known = step === undefined ? setOfEntry(entry, key, value) : setOfStep(step, key, value)
    if (!known) throw new Error(`"${title}" has no setting like "${row}"`)
  }
  return { ...entry, steps }
}

/** Reads the entries of a text. */
const readEntries = (text: string): readonly Entry[] =>
  text.split(/\n{2,}|\n(?=== )/).flatMap((block) => {
    const rows = block.split('\n').filter((row) => row !== '' && !row.startsWith('#'))
    const [head = ''] = rows
    if (head.startsWith('== ')) return [readBlock(head.slice(3), rows.slice(1))]
    return rows.map((row) => createEntry(row, [`svcctl ${row}`]))
  })

export const readGroup = (file: string): Group => ({
  name: basename(file, '.txt'),
  entries: readEntries(readFileSync(file, 'utf8')),
})
