/** Names the instances that `parallel` generates from a job, such as `test 1/3` or `test: [linux, x86]`. */
import { mapValues } from '../../base/objects.js'
import type { Variables } from './expression.js'
import { Budget, type Hash, hasNode, isHash } from './types.js'

export interface CiJob {
  readonly name: string
  readonly stage: string
  readonly config: Hash
}

const maxParallel = 200

/** The maximum length of the name of a job or an instance. */
export const longestName = 255

/** Returns each combination of the values of a matrix. */
export const getCombinations = (matrix: unknown): readonly Variables[] =>
  [matrix ?? []]
    .flat()
    .filter(isHash)
    .flatMap((entry) =>
      Object.entries(entry).reduce<readonly Variables[]>(
        (rows, [name, values]) =>
          rows
            .flatMap((row) => [values].flat().map((value) => ({ ...row, [name]: String(value) })))
            .slice(0, maxParallel),
        [{}],
      ),
    )
    .slice(0, maxParallel)

export const buildMatrixName = (name: string, row: Variables): string =>
  `${name}: [${Object.values(row).join(', ')}]`

/** An instance of a job: its name, and the variables of its matrix row. */
type Instance = readonly [name: string, row: Variables]

/** Returns the instances of a job; undefined if it has no `parallel`. */
export const getInstances = ({
  name,
  config: { parallel },
}: CiJob): readonly Instance[] | undefined => {
  if (isHash(parallel))
    return getCombinations(parallel.matrix).map((row) => [buildMatrixName(name, row), row])
  if (typeof parallel !== 'number') return undefined
  const count = Math.min(parallel, maxParallel)
  return Array.from({ length: count }, (_, at) => [`${name} ${at + 1}/${count}`, {}])
}

/** A job that another job needs. */
export interface JobNeed {
  readonly job: string
  readonly optional: boolean
  /** Selects instances by values of their matrix; all instances if absent. */
  readonly parallel?: unknown
}

/** The maximum number of instance names that may be compared. Configurations by people need far fewer. */
const maxNames = 1_000_000
/** The cost of the expansion of a need, in compared names. */
const expansionCost = 10

/** Finds the jobs of a configuration by the names that they have in a pipeline. */
export class JobNames {
  readonly #all: ReadonlyMap<string, CiJob>
  /** The instances of each job, by the name of the job. */
  readonly #instances = new Map<string, ReadonlyMap<string, Variables> | undefined>()
  readonly #budget = new Budget(maxNames)

  constructor(all: ReadonlyMap<string, CiJob>) {
    this.#all = all
  }

  /** Returns the instances of a job; undefined if it has no `parallel`. */
  instances(job: CiJob): ReadonlyMap<string, Variables> | undefined {
    if (!this.#instances.has(job.name)) {
      const instances = getInstances(job)
      this.#budget.spend(instances?.length ?? 0)
      this.#instances.set(job.name, instances && new Map(instances))
    }
    return this.#instances.get(job.name)
  }

  /** Finds the job with this name in a pipeline. A job with instances has only their names there. */
  find(name: string): CiJob | undefined {
    const plain = this.#all.get(name)
    if (plain !== undefined && this.instances(plain) === undefined) return plain
    return [...name.matchAll(/ (?=\d+\/\d+$)|: \[/g)]
      .map(({ index }) => this.#all.get(name.slice(0, index)))
      .find((job) => job !== undefined && this.instances(job)?.has(name) === true)
  }

  /** Finds the job with this name, or the one that has an instance with this name. */
  base(name: string): CiJob | undefined {
    return this.#all.get(name) ?? this.find(name)
  }

  /** Returns the names that a need refers to: those of the instances, if it has the name of their job. */
  expand({ job: name, parallel }: JobNeed): readonly string[] {
    this.#budget.spend(expansionCost)
    const job = this.#all.get(name)
    const names = job && this.instances(job)
    if (names === undefined) return [name]
    const expanded = isHash(parallel)
      ? getCombinations(parallel.matrix).map((row) => buildMatrixName(name, row))
      : [...names.keys()]
    this.#budget.spend(expanded.length)
    return expanded
  }

  /** Returns the name of a job in messages: that of its first instance, if it has several. */
  label(job: CiJob): string {
    return this.instances(job)?.keys().next().value ?? job.name
  }
}

// Needs with values of the job's own matrix: `$[[ matrix.OS ]]`.

const expression = /\$\[\[\s*matrix\.([\w-]+)\s*\]\]/g
/** The first version with such expressions. */
export const matrixExpressions = { since: '18.6' } as const

const fill = (value: unknown, write: (text: string) => string): unknown => {
  if (typeof value === 'string') return write(value)
  if (Array.isArray(value)) return value.map((item) => fill(item, write))
  if (!isHash(value)) return value
  return mapValues(value, (item) => fill(item, write))
}

/** True if a value contains such an expression. */
export const hasMatrixExpression = (value: unknown): boolean =>
  hasNode(value, (one) => typeof one === 'string' && one.search(expression) >= 0)

/** Replaces the expressions in a value for one instance. Also returns the names for which its matrix has no values. */
export const fillMatrix = (
  value: unknown,
  row: Variables,
): { readonly value: unknown; readonly missing: readonly string[] } => {
  const missing: string[] = []
  const filled = fill(value, (text) =>
    text.replace(expression, (whole, name: string) => {
      if (Object.hasOwn(row, name)) return row[name] ?? ''
      missing.push(name)
      return whole
    }),
  )
  return { value: filled, missing }
}
