/** `--where` on the lists of a run: what of it is sent, and the stage that tests the rest. */
import { getCurrentIo } from '../../base/io.js'
import { getOwn, type JsonValue } from '../../base/objects.js'
import { findNearest } from '../../base/suggest.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { isListParam, type Param } from '../../catalogue/params.js'
import { findLevelNames } from '../../catalogue/shapes/common.js'
import { describeName, type Words } from '../../catalogue/words.js'
import { largestPage, type Paging } from '../../client/defaults.js'
import { Failure, isObjectFailure, usage } from '../../errors.js'
import type { Ask, Batch, ListEnd } from '../../http/types.js'
import { getFlagName } from '../command/derive.js'
import type { Globals, GroupFlags } from '../command/globals.js'
import type { TargetValues } from '../command/target-fields.js'
import type { Command, Given, Plan } from '../command/types.js'
import { createLearnt } from '../command/words.js'
import { parseFitting, parseValue } from '../plan/values.js'
import type { SingleReader } from '../rows.js'
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
import { withNeutral, withoutTarget, withShown } from './expressions.js'
import {
  createSingleReader,
  filterList,
  getSingleFields,
  type SingleReads,
  type SingleRecord,
} from './single.js'

// The single records behind a list, each read once, whatever it is read for.

class SingleSource implements SingleReader {
  readonly #reads: SingleReads
  readonly #budget: SingleBudget | undefined
  readonly #keeps: boolean
  /** The records that conditions read, until they are shown, by what they are called. */
  readonly #kept = new Map<string, unknown>()

  /** @param keeps whether what conditions read is shown as well */
  constructor(reads: SingleReads, budget: SingleBudget | undefined, keeps: boolean) {
    this.#reads = reads
    this.#budget = budget
    this.#keeps = keeps
  }

  /** For conditions, which tell by themselves of what cannot be read. */
  get forConditions(): SingleReads {
    return {
      ...this.#reads,
      read: async (record) => {
        const single = await this.#fetched(record)
        if (this.#keeps) this.#kept.set(this.#reads.textOf(record), single)
        return single
      },
    }
  }

  has(record: unknown): boolean {
    return this.#kept.size > 0 && this.#kept.has(this.#reads.textOf(record))
  }

  async read(record: unknown): Promise<unknown> {
    const text = this.#reads.textOf(record)
    if (this.#kept.has(text)) {
      const single = this.#kept.get(text)
      this.#kept.delete(text)
      return single
    }
    try {
      return await this.#fetched(record)
    } catch (error) {
      if (!isObjectFailure(error)) throw error
      this.#reads.failed(text, error)
      return undefined
    }
  }

  #fetched(record: unknown): Promise<unknown> {
    this.#budget?.add()
    return this.#reads.read(record)
  }
}

// What of `--where` the instance is asked for, and what is tested here: a field of the record always
// is, a parameter never; a field goes along as well where the catalogue says that its parameter
// means exactly the same.

/** Parameters of order and shape: no condition on a record. */
const shaping = new Set(['order_by', 'sort', 'simple', 'view', 'page', 'per_page'])

interface SplitCondition {
  /** The values of the list's request, with those that the conditions add. */
  readonly values: Ask['values']
  /** The conditions that are left to be tested; none where every record that comes matches. */
  readonly tested: readonly Expression[]
}

interface Parts {
  readonly endpoint: Endpoint
  readonly values: Record<string, JsonValue | undefined>
  readonly known: Known
  readonly expressions: readonly Expression[]
  readonly whole: boolean
}

/** Finds the parameter of a name that is a parameter of the endpoint and no field of its records. */
const findParam = ({ endpoint }: Parts, { field }: Condition, { text }: Expression, at: number) => {
  const param = getOwn<Param>(endpoint.params, field)
  if (shaping.has(field) && (param !== undefined || /^(per_)?page$/.test(field))) {
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

/** Returns the failure of a parameter-only condition that no request can have. The value is the instance's to understand. */
const checkParameter = (
  { expressions, known, values }: Parts,
  condition: Condition,
  { text }: Expression,
): Failure | undefined => {
  const { field, op, at, values: alternatives } = condition
  const is = `${describeName(field, known.words)} is a parameter, not a field of the records`
  if (op !== '=') return createConditionFailure(text, at, `${is}: only = is allowed`)
  if (alternatives.length > 1)
    return createConditionFailure(text, at, `${is}: only one value is allowed`)
  if (!expressions.every((one) => hasSameCondition(one, condition)))
    return createConditionFailure(text, at, `${is}: every --where must set it to the same value`)
  const sent = values[field]
  if (sent !== undefined && String(sent) !== alternatives[0]?.text)
    return usage(`${describeName(field, known.words)} is set twice: by its flag and by --where`)
  return undefined
}

const isBlocked = ({ endpoint, values }: Parts, field: string): boolean =>
  values[field] !== undefined ||
  (endpoint.exclusive ?? []).some(
    (names) => names.includes(field) && names.some((name) => values[name] !== undefined),
  )

/** True if the instance's own answer to a condition is the one that is meant. */
const isExact = (parts: Parts, { field, op, values }: Condition, param: Param): boolean => {
  const [only, ...more] = values
  if (parts.expressions.length > 1 || param.exact !== true || op !== '=') return false
  if (parts.whole && !isOnlyInSingle(field, parts.known)) return false
  if (only === undefined || more.length > 0 || only.text === '' || isBlocked(parts, field))
    return false
  const word = !only.quoted && only.text === 'null'
  return !word && !(isListParam(param) && only.text.includes(','))
}

/** Sends what is to be sent of a condition; whether it is to be tested as well. */
const isTested = (
  parts: Parts,
  condition: Condition,
  expression: Expression,
  strange: ReadonlySet<string>,
): boolean => {
  const { field, at } = condition
  const text = condition.values[0]?.text ?? ''
  if (strange.has(field)) {
    const param = findParam(parts, condition, expression, at)
    if (param === undefined) return true
    const wrong = checkParameter(parts, condition, expression)
    if (wrong !== undefined) throw wrong
    parts.values[field] = parseValue(param, [text], `--where ${field}`, { parameter: field })
    return false
  }
  const param = getOwn<Param>(parts.endpoint.params, field)
  if (param === undefined || !isExact(parts, condition, param)) return true
  const sent = parseFitting(param, text)
  if (sent === undefined) return true
  parts.values[field] = sent
  // Not shown by the list: else each record would have to be read.
  return !isOnlyInSingle(field, parts.known)
}

/** Splits conditions into what is sent and what is tested here. @throws Failure `usage` for a name that stands where it cannot */
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
      isTested(parts, condition, expression, strange),
    ),
  }))
  // Where one of the alternatives is left empty, everything that comes matches.
  const open = tested.some(({ conditions }) => conditions.length === 0)
  return { values: parts.values, tested: open ? [] : tested }
}

type Batches = AsyncGenerator<Batch, ListEnd>

export interface RecordChoiceOptions {
  readonly command: Command
  readonly paging: Pick<Paging, 'perPage'>
  readonly width: number
  readonly signal: AbortSignal
  /** The time that ages of the records count from. */
  readonly asOf: Date
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words
  readonly planned: (command: Command, given: Given) => Promise<readonly Plan[]>
  readonly data: (ask: Ask) => Promise<unknown>
  /** The flags for which single records are read besides. */
  readonly asked?: Pick<Globals, 'fields' | 'sort'> & GroupFlags
  /** The limit on the number of single records that may be read. */
  readonly budget?: SingleBudget
  /** No condition on a field of the list's records is sent. */
  readonly whole?: boolean | undefined
  /** The conditions are a person's and others, joined: that nothing matches them is no mistake. */
  readonly composed?: boolean | undefined
  /** The columns of the target that the list is read of, if its line has several. */
  readonly target?: TargetValues | undefined
  /** Takes a record that could not be read. */
  readonly failed: (text: string, failure: Failure) => void
}

/** The stage of a list that no record of its target can pass: the list is not read. */
async function* passNothing(): Batches {
  yield* []
  return { records: 0, more: false }
}

/** A list of which some records are chosen. */
export interface FilteredList<A> {
  readonly ask: A
  /** Absent where every record that comes matches. */
  readonly stage?: (batches: Batches) => Batches
  /** The reader of single records, if fields are shown or sorted by that only these have. */
  readonly singles?: SingleReader
  /** The conditions that are tested here, a line each. */
  readonly tested: readonly string[]
}

/** Columns that say which parent or object a row is of. */
const besides = new Map([
  ['project', 'choose projects with --project'],
  ['group', 'choose groups with --group'],
  ['of', 'choose projects and groups with --project and --group'],
  ['object', 'choose objects by their IDs'],
])

/** The records of a run's lists that are wanted. */
export class RecordChoice {
  readonly #options: RecordChoiceOptions
  /** The expressions about records; undefined if no record of the target can match. */
  readonly #expressions: readonly Expression[] | undefined

  /** @throws Failure `usage` for what cannot be understood */
  constructor(texts: readonly string[], options: RecordChoiceOptions) {
    this.#options = options
    const { target = {} } = options
    // The column of a snapshot is an age of today, not of its own time.
    const now = getCurrentIo().now().getTime()
    const known = { ...this.#known(), now, samples: [target], made: {}, others: [] }
    this.#expressions = withoutTarget(parseWhere(texts), target, known)
  }

  /**
   * @param limit how many records, at most
   * @throws Failure `usage` for what the list's records cannot be asked
   */
  async of<A extends Ask>(ask: A, limit: number | undefined): Promise<FilteredList<A>> {
    if (this.#expressions === undefined) return { ask, stage: passNothing, tested: [] }
    const single = await createSingleReader(this.#options.command, ask)
    const known: Known = {
      list: ask.endpoint.returns.shape,
      single: single?.endpoint.returns.shape,
      ...this.#known(),
    }
    const expressions = withShown(withNeutral(this.#expressions, known, ask.endpoint), known)
    if (this.#options.composed !== true)
      for (const expression of expressions) checkRanges(expression, known)
    const { values, tested } = splitConditions(ask, expressions, known, this.#options.whole)
    const asked = { ...ask, values }
    const more = await this.#asksSingles(ask.endpoint)
    const source =
      single && new SingleSource(this.#reading(single), this.#options.budget, more !== undefined)
    const shown = {
      singles: more === undefined ? undefined : source,
      lines:
        more === undefined ? [] : [`reading single records for ${more}: ${single?.endpoint.route}`],
    }
    const { lines, ...singles } = shown
    if (tested.length === 0) return { ask: asked, tested: lines, ...singles }
    const read = !needsSamples(tested, known) && bindWhere(tested, known).detail.length > 0
    const reading = source === undefined ? {} : { reading: source.forConditions }
    return {
      ask: asked,
      ...singles,
      stage: (batches) => this.#stage(batches, tested, known, { limit, ...reading }),
      tested: [
        ...tested.map(({ text }) => `filtered by svcctl: ${text}`),
        ...(read ? [`reading each record for: ${single?.endpoint.route}`] : []),
        ...lines,
      ],
    }
  }

  /** The fields for which single records are read, beside those of conditions. */
  async #asksSingles(endpoint: Endpoint): Promise<string | undefined> {
    const { asked, command, words } = this.#options
    if (asked === undefined || !mayAskSingles(command, asked)) return undefined
    const found = await getSingleFields({ command, emit: { endpoint }, words }, asked)
    return found && [...new Set([...found.shown, ...found.sorted])].join(', ')
  }

  /** A list of which the catalogue knows nothing. */
  ofAny(batches: Batches, limit: number | undefined): Batches {
    const tested = this.#expressions
    if (tested === undefined) return passNothing()
    return this.#stage(batches, tested, this.#known(), { limit })
  }

  #known(): Known {
    const { asOf, command, words } = this.#options
    const { computedFields: made, instanceFields: others } = command
    return {
      now: asOf.getTime(),
      names: findLevelNames,
      nearest: findNearest,
      beside: (field) => besides.get(field),
      made,
      others,
      words,
      learnt: createLearnt(command, words),
    }
  }

  #stage(
    batches: Batches,
    tested: readonly Expression[],
    known: Known,
    how: { readonly limit: number | undefined; readonly reading?: SingleReads },
  ): Batches {
    return filterList(batches, {
      bind: (samples) => bindWhere(tested, { ...known, samples }),
      samples: needsSamples(tested, known) ? (this.#options.paging.perPage ?? largestPage) : 0,
      ...how,
    })
  }

  #reading({ command, textOf, given }: SingleRecord): SingleReads {
    const { width, signal, failed, planned, data } = this.#options
    return {
      width,
      signal,
      failed,
      textOf,
      read: async (record) => {
        const [plan] = await planned(command, given(record))
        if (plan === undefined) throw new Failure('internal', 'a record without a plan')
        return data(plan)
      },
    }
  }
}
