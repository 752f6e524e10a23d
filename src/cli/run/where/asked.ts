/**
 * What of `--where` the instance is asked for, and what is tested here: a field of the record always
 * is, a parameter never; a field goes along as well where the catalogue says that its parameter
 * means exactly the same.
 */
import type { JsonValue } from '../../../base/json/value.js'
import type { Endpoint } from '../../../catalogue/endpoint.js'
import type { Param } from '../../../catalogue/params.js'
import { called } from '../../../catalogue/words.js'
import { flagName } from '../../../commands/derive/index.js'
import { type Failure, usage } from '../../../errors.js'
import {
  type Condition,
  type Expression,
  isOfSingle,
  type Known,
  unshaped,
  wrongAt,
} from '../../../fleet/where/index.js'
import type { Ask } from '../../../http/types.js'
import { parseValue } from '../../plan/values.js'

/** Parameters of order and shape: no condition on a record. */
const shaping = new Set(['order_by', 'sort', 'simple', 'view', 'page', 'per_page'])

export interface AskedAndTested {
  /** The values of the list's request, with those that the conditions add. */
  readonly values: Ask['values']
  /** What is left to be tested; none where every record that comes matches. */
  readonly tested: readonly Expression[]
}

interface Parts {
  readonly endpoint: Endpoint
  readonly values: Record<string, JsonValue | undefined>
  readonly known: Known
  readonly expressions: readonly Expression[]
}

const labelOf = ({ field }: Condition): string => `--where ${field}`

/** A name that is a parameter of the endpoint and no field of its records. */
const parameterOf = (
  { endpoint }: Parts,
  { field }: Condition,
  { text }: Expression,
  at: number,
) => {
  const param = Object.hasOwn(endpoint.params, field) ? endpoint.params[field] : undefined
  if (shaping.has(field) && (param !== undefined || /^(per_)?page$/.test(field))) {
    const flag = `--${param === undefined ? field.replace('_', '-') : flagName(field, param)}`
    throw wrongAt(text, at, `${field} is no field of a record; there is the flag ${flag}`)
  }
  return param
}

const sameIn = (expression: Expression, { field, values: [value] }: Condition): boolean =>
  expression.conditions.some(
    ({ field: name, op, values: [only, ...more] }) =>
      name === field && op === '=' && more.length === 0 && only?.text === value?.text,
  )

/** What a parameter-only name cannot be; it is the instance's to understand it. */
const checkParameter = (
  { expressions, known, values }: Parts,
  condition: Condition,
  { text }: Expression,
): Failure | undefined => {
  const { field, op, at, values: alternatives } = condition
  const is = `${called(field, known.words)} is a parameter of the instance, no field of a record`
  if (op !== '=') return wrongAt(text, at, `${is}: it takes only =`)
  if (alternatives.length > 1) return wrongAt(text, at, `${is}: it takes one value`)
  if (!expressions.every((one) => sameIn(one, condition)))
    return wrongAt(text, at, `${is}: every --where must have it, with the same value`)
  const sent = values[field]
  if (sent !== undefined && String(sent) !== alternatives[0]?.text)
    return usage(`${called(field, known.words)} is given twice: by its flag and by --where`)
  return undefined
}

const isBlocked = ({ endpoint, values }: Parts, field: string): boolean =>
  values[field] !== undefined ||
  (endpoint.exclusive ?? []).some(
    (names) => names.includes(field) && names.some((name) => values[name] !== undefined),
  )

/** Whether the instance's own answer to a condition is the one that is meant. */
const isExact = (parts: Parts, { field, op, values }: Condition, param: Param): boolean => {
  const [only, ...more] = values
  if (parts.expressions.length > 1 || param.exact !== true || op !== '=') return false
  if (only === undefined || more.length > 0 || only.text === '' || isBlocked(parts, field))
    return false
  const word = !only.quoted && only.text === 'null'
  return !word && !(param.type === 'list' && only.text.includes(','))
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
    const param = parameterOf(parts, condition, expression, at)
    if (param === undefined) return true
    const wrong = checkParameter(parts, condition, expression)
    if (wrong !== undefined) throw wrong
    parts.values[field] = parseValue(param, [text], labelOf(condition), { parameter: field })
    return false
  }
  const param = Object.hasOwn(parts.endpoint.params, field)
    ? parts.endpoint.params[field]
    : undefined
  if (param === undefined || !isExact(parts, condition, param)) return true
  parts.values[field] = parseValue(param, [text], labelOf(condition), { parameter: field })
  // Not shown by the list: else each record would have to be read.
  return !isOfSingle(field, parts.known)
}

/**
 * Divides conditions.
 * @throws Failure `usage` for a name that stands where it cannot
 */
export const askedOf = (
  { endpoint, values }: Ask,
  expressions: readonly Expression[],
  known: Known,
): AskedAndTested => {
  const strange = new Set(unshaped(expressions, known))
  const parts: Parts = { endpoint, values: { ...values }, known, expressions }
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
