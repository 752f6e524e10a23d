/** Applies `--where` to lists: adds the conditions that the instance can test to the request, and tests the others. */
import { getOwn, type JsonValue } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { isListParam, type Param } from '../../catalogue/params.js'
import { largestPage } from '../../client/defaults.js'
import type { Paging } from '../../client/paging.js'
import { Failure, isObjectFailure, usage } from '../../errors.js'
import type { Ask, Batch, ListEnd } from '../../http/types.js'
import { getFlagName } from '../command/derive.js'
import type { Globals, GroupFlags } from '../command/globals.js'
import { createKnown } from '../command/record-facts.js'
import type { TargetValues } from '../command/target-fields.js'
import type { Command, Given, Plan } from '../command/types.js'
import { isEmptyValue, parseIfAccepted, parseValue } from '../plan/parse-values.js'
import type { FullRecordReader } from '../rows.js'
import {
  bindWhere,
  type Condition,
  checkRanges,
  createConditionFailure,
  type Expression,
  findUnshapedFields,
  isOnlyInSingle,
  type Known,
  needsSamples,
  parseWhere,
} from '../where/index.js'
import { mayAskSingles, type SingleBudget } from './budget.js'
import { removeTargetConditions, toRecordFields } from './expressions.js'
import {
  filterList,
  findSingleReader,
  getSingleFields,
  type SingleCommand,
  type SingleReads,
} from './single.js'

// Single records are read once, whether for conditions or for output.

class SingleCache implements FullRecordReader {
  readonly #reads: SingleReads
  readonly #budget: SingleBudget | undefined
  readonly #keeps: boolean
  /** The records that conditions read, by name, until they are shown. */
  readonly #kept = new Map<string, unknown>()

  /** @param keeps true if records that conditions read are shown as well */
  constructor(reads: SingleReads, budget: SingleBudget | undefined, keeps: boolean) {
    this.#reads = reads
    this.#budget = budget
    this.#keeps = keeps
  }

  /** Returns the reader for conditions, which report unreadable records themselves. */
  get conditionReads(): SingleReads {
    return {
      ...this.#reads,
      readRecord: async (record) => {
        const single = await this.#fetch(record)
        if (this.#keeps) this.#kept.set(this.#reads.getName(record), single)
        return single
      },
    }
  }

  has(record: unknown): boolean {
    return this.#kept.size > 0 && this.#kept.has(this.#reads.getName(record))
  }

  async read(record: unknown): Promise<unknown> {
    const text = this.#reads.getName(record)
    if (this.#kept.has(text)) {
      const single = this.#kept.get(text)
      this.#kept.delete(text)
      return single
    }
    try {
      return await this.#fetch(record)
    } catch (error) {
      if (!isObjectFailure(error)) throw error
      this.#reads.onFailure(text, error)
      return undefined
    }
  }

  #fetch(record: unknown): Promise<unknown> {
    this.#budget?.add()
    return this.#reads.readRecord(record)
  }
}

// Conditions on fields are always tested on this machine; they are also sent if the catalogue says that a parameter
// means exactly the same. Conditions on parameters are only sent.

/** Parameters of order and shape, which are no conditions on a record. */
const shapingParameters = new Set(['order_by', 'sort', 'simple', 'view', 'page', 'per_page'])

interface SplitCondition {
  /** The values of the list's request, with those that conditions add. */
  readonly values: Ask['values']
  /** The conditions that remain to be tested; none if every received record matches. */
  readonly tested: readonly Expression[]
}

interface Parts {
  readonly endpoint: Endpoint
  readonly values: Record<string, JsonValue | undefined>
  readonly known: Known
  readonly expressions: readonly Expression[]
  readonly whole: boolean
}

/**
 * Returns the parameter of a condition whose name is no field of the records.
 * @throws Failure `usage` if it is a parameter of order, shape or paging
 */
const findParam = ({ endpoint }: Parts, { field }: Condition, { text }: Expression, at: number) => {
  const param = getOwn<Param>(endpoint.params, field)
  if (shapingParameters.has(field) && (param !== undefined || /^(per_)?page$/.test(field))) {
    const flag = `--${param === undefined ? field.replace('_', '-') : getFlagName(field, param)}`
    const why = `${field} is not a field of the records; use the flag ${flag}`
    throw createConditionFailure(text, at, why)
  }
  return param
}

const hasSameCondition = (expression: Expression, { field, values: [value] }: Condition): boolean =>
  expression.conditions.some(
    ({ field: name, op, values: [only, ...more] }) =>
      name === field && op === '=' && more.length === 0 && only?.text === value?.text,
  )

/**
 * Returns the failure of a condition on a parameter that no request can express. The instance checks the value itself.
 */
const checkParameter = (
  { expressions, known, values }: Parts,
  condition: Condition,
  { text }: Expression,
): Failure | undefined => {
  const { field, op, at, values: alternatives } = condition
  const is = `${known.naming.describeName(field)} is a parameter, not a field of the records`
  if (op !== '=') return createConditionFailure(text, at, `${is}: only = is allowed`)
  if (alternatives.length > 1)
    return createConditionFailure(text, at, `${is}: only one value is allowed`)
  if (!expressions.every((one) => hasSameCondition(one, condition)))
    return createConditionFailure(text, at, `${is}: every --where must set it to the same value`)
  const sent = values[field]
  if (sent !== undefined && String(sent) !== alternatives[0]?.text)
    return usage(`${known.naming.describeName(field)} is set twice: by its flag and by --where`)
  return undefined
}

const isBlocked = ({ endpoint, values }: Parts, field: string): boolean =>
  values[field] !== undefined ||
  (endpoint.exclusive ?? []).some(
    (names) => names.includes(field) && names.some((name) => values[name] !== undefined),
  )

/** True if the instance can test a condition exactly. */
const isExact = (parts: Parts, { field, op, values }: Condition, param: Param): boolean => {
  const [only, ...more] = values
  if (parts.expressions.length > 1 || param.exact !== true || op !== '=') return false
  if (parts.whole && !isOnlyInSingle(field, parts.known)) return false
  if (only === undefined || more.length > 0 || only.text === '' || isBlocked(parts, field))
    return false
  const word = !only.quoted && only.text === 'null'
  return !word && !(isListParam(param) && only.text.includes(','))
}

/** Adds the value of a condition to the request, if possible. Returns true if the condition must also be tested. */
const splitCondition = (
  parts: Parts,
  condition: Condition,
  expression: Expression,
  strange: ReadonlySet<string>,
): boolean => {
  const { field, at } = condition
  const text = condition.values[0]?.text ?? ''
  const now = new Date(parts.known.now)
  if (strange.has(field)) {
    const param = findParam(parts, condition, expression, at)
    if (param === undefined) return true
    const wrong = checkParameter(parts, condition, expression)
    if (wrong !== undefined) throw wrong
    const value = parseValue(param, [text], `--where ${field}`, { now, parameter: field })
    if (isEmptyValue(value)) {
      const name = parts.known.naming.describeName(field)
      const why = `${name} is a parameter, and the instance ignores it without a value`
      throw createConditionFailure(expression.text, at, why)
    }
    parts.values[field] = value
    return false
  }
  const param = getOwn<Param>(parts.endpoint.params, field)
  if (param === undefined || !isExact(parts, condition, param)) return true
  const sent = parseIfAccepted(param, text, now)
  // The flag of a list also takes JSON, such as `[]`. A condition compares its text with one item.
  if (sent === undefined || (Array.isArray(sent) && String(sent[0]) !== text)) return true
  parts.values[field] = sent
  // If the list does not show the field, testing would need a request for each record.
  return !isOnlyInSingle(field, parts.known)
}

/**
 * Splits conditions into request values and tests.
 * @throws Failure `usage` for a parameter that cannot be used in a condition
 */
const splitConditions = (
  { endpoint, values }: Ask,
  expressions: readonly Expression[],
  known: Known,
  whole = false,
): SplitCondition => {
  const strange = new Set(findUnshapedFields(expressions, known))
  const parts: Parts = { endpoint, values: { ...values }, known, expressions, whole }
  const tested = expressions.map((expression) => ({
    ...expression,
    conditions: expression.conditions.filter((condition) =>
      splitCondition(parts, condition, expression, strange),
    ),
  }))
  // If one alternative has no test left, every received record matches.
  const open = tested.some(({ conditions }) => conditions.length === 0)
  return { values: parts.values, tested: open ? [] : tested }
}

type Batches = AsyncGenerator<Batch, ListEnd>

export interface RecordFilterOptions {
  readonly command: Command
  readonly paging: Pick<Paging, 'perPage'>
  readonly width: number
  readonly signal: AbortSignal
  readonly now: Date
  /** The time that ages of the records count from. */
  readonly asOf: Date
  readonly planCommand: (command: Command, given: Given) => Promise<readonly Plan[]>
  readonly readData: (ask: Ask) => Promise<unknown>
  /** The flags for which single records are read, besides conditions. */
  readonly asked?: Pick<Globals, 'fields' | 'sort'> & GroupFlags
  /** Limits the number of single records that are read. */
  readonly budget?: SingleBudget
  /** Sends no condition on fields of the list's records. */
  readonly whole?: boolean | undefined
  /** True if conditions of a person and of others were joined: an empty result is then no mistake. */
  readonly composed?: boolean | undefined
  /** The target of the list, if its line has several. */
  readonly target?: TargetValues | undefined
  /** Receives each record that could not be read. */
  readonly reportFailure: (text: string, failure: Failure) => void
}

/** Replaces a list that cannot match its target by an empty one; nothing is read. */
async function* passNothing(): Batches {
  yield* []
  return { records: 0, more: false }
}

/** A list with the conditions that apply to it. */
export interface FilteredList<A> {
  readonly ask: A
  /** Filters the records; absent if every received record matches. */
  readonly stage?: (batches: Batches) => Batches
  /** The reader of single records, if the line shows or sorts by fields that only these have. */
  readonly singles?: FullRecordReader
  /** Descriptions of the conditions that are tested on this machine. */
  readonly tested: readonly string[]
}

/** Columns that name the parent or object of a row, with the hint to use instead of a condition. */
const targetHints = new Map([
  ['project', 'choose projects with --project'],
  ['group', 'choose groups with --group'],
  ['of', 'choose projects and groups with --project and --group'],
  ['object', 'choose objects by their IDs'],
])

/** Filters the lists of a run by its conditions. */
export class RecordFilter {
  readonly #options: RecordFilterOptions
  /** The conditions on records; undefined if no record of the target can match. */
  readonly #expressions: readonly Expression[] | undefined

  /** @throws Failure `usage` if a condition is invalid */
  constructor(texts: readonly string[], options: RecordFilterOptions) {
    this.#options = options
    const { target = {} } = options
    // The column of a snapshot is an age of today, not of its own time.
    const now = options.now.getTime()
    const known = { ...this.#createKnown(), now, samples: [target], computed: {}, undocumented: [] }
    this.#expressions = removeTargetConditions(parseWhere(texts), target, known)
  }

  /**
   * Adds the conditions to a list.
   * @param limit the maximum number of records
   * @throws Failure `usage` if a condition cannot apply to the list
   */
  async narrow<A extends Ask>(ask: A, limit: number | undefined): Promise<FilteredList<A>> {
    if (this.#expressions === undefined) return { ask, stage: passNothing, tested: [] }
    const single = await findSingleReader(this.#options.command, ask)
    const known: Known = {
      list: ask.endpoint.returns.shape,
      single: single?.endpoint.returns.shape,
      ...this.#createKnown(),
    }
    const expressions = toRecordFields(this.#expressions, known, ask.endpoint)
    if (this.#options.composed !== true)
      for (const expression of expressions) checkRanges(expression, known)
    const { values, tested } = splitConditions(ask, expressions, known, this.#options.whole)
    const narrowed = { ...ask, values }
    const more = await this.#findSingleFields(ask.endpoint)
    const source =
      single && new SingleCache(this.#createReads(single), this.#options.budget, more !== undefined)
    const singles = more === undefined ? undefined : source
    const lines =
      more === undefined ? [] : [`reading single records for ${more}: ${single?.endpoint.route}`]
    if (tested.length === 0) return { ask: narrowed, tested: lines, singles }
    const read = !needsSamples(tested, known) && bindWhere(tested, known).detail.length > 0
    const reading = source === undefined ? {} : { reading: source.conditionReads }
    return {
      ask: narrowed,
      singles,
      stage: (batches) => this.#filter(batches, tested, known, { limit, ...reading }),
      tested: [
        ...tested.map(({ text }) => `filtered by svcctl: ${text}`),
        ...(read ? [`reading each record for: ${single?.endpoint.route}`] : []),
        ...lines,
      ],
    }
  }

  /** Returns the fields for which single records are read, besides conditions. */
  async #findSingleFields(endpoint: Endpoint): Promise<string | undefined> {
    const { asked, command } = this.#options
    if (asked === undefined || !mayAskSingles(command, asked)) return undefined
    const found = await getSingleFields({ command, emit: { endpoint } }, asked)
    return found && [...new Set([...found.shown, ...found.sorted])].join(', ')
  }

  /** Filters a list that is not in the catalogue. */
  filterAny(batches: Batches, limit: number | undefined): Batches {
    const tested = this.#expressions
    if (tested === undefined) return passNothing()
    return this.#filter(batches, tested, this.#createKnown(), { limit })
  }

  #createKnown(): Known {
    const { asOf, command } = this.#options
    return { ...createKnown(command, asOf), explainColumn: (field) => targetHints.get(field) }
  }

  #filter(
    batches: Batches,
    tested: readonly Expression[],
    known: Known,
    how: { readonly limit: number | undefined; readonly reading?: SingleReads },
  ): Batches {
    return filterList(batches, {
      makeLegible: this.#options.command.naming.makeLegible,
      bind: (samples) => bindWhere(tested, { ...known, samples }),
      samples: needsSamples(tested, known) ? (this.#options.paging.perPage ?? largestPage) : 0,
      ...how,
    })
  }

  #createReads({ command, getName, createGiven }: SingleCommand): SingleReads {
    const { width, signal, reportFailure, planCommand, readData } = this.#options
    return {
      width,
      signal,
      onFailure: reportFailure,
      getName,
      readRecord: async (record) => {
        const [plan] = await planCommand(command, createGiven(record))
        if (plan === undefined) throw new Failure('internal', 'a record without a plan')
        return readData(plan)
      },
    }
  }
}
