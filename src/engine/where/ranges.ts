/** Rejects contradictory ranges of one field, such as `id>5,id<3`, because no record can match them. */

import { dayLength, parseMoment, parseSpan } from '../../base/dates.js'
import { getOwn } from '../../base/objects.js'
import {
  type Condition,
  createConditionFailure,
  createTest,
  type Expression,
  formatCondition,
  type Names,
  type Operand,
  type Plain,
  type Test,
} from './condition.js'
import { getFieldNames, getShapeKind, type Known } from './fields.js'
import { type FieldKind, isSingular } from './shape.js'

/** Above this number, the middle of two numbers may not be exact, so ranges are not checked. */
const maxExact = 2 ** 50

/** Returns the numbers at which the result of a test changes: times in milliseconds, and for a day also its end. */
const getBounds = ({ text, quoted }: Operand, kind: FieldKind, names: Names, now: number) => {
  if (kind === 'number') return [Number(getOwn(names, text) ?? text)]
  const age = quoted ? undefined : parseSpan(text)
  const moment = age === undefined ? parseMoment(text, now) : now - age
  return moment === undefined ? [Number.NaN] : [moment, moment + dayLength]
}

/** Creates the numbers to test: each bound, one between each two, and one beyond each end. If any number passes, one of these does. */
const createProbes = (bounds: readonly number[]): readonly number[] => {
  const sorted = bounds.toSorted((a, b) => a - b)
  const between = sorted.slice(1).map((bound, i) => (bound + (sorted[i] ?? bound)) / 2)
  return [(sorted[0] ?? 0) - 1, ...sorted, ...between, (sorted.at(-1) ?? 0) + 1]
}

/** Groups the conditions by field, for fields that hold a single number or time. */
const groupRanges = ({ conditions }: Expression, known: Known) => {
  const groups = new Map<string, Condition[]>()
  for (const condition of conditions) {
    const { field, op, values } = condition
    const asksNull = values.some(({ text, quoted }) => !quoted && text === 'null')
    const single = [known.list, known.single].some((shape) => isSingular(shape, field))
    const kind = getShapeKind(field, known)
    if (!single || asksNull || op.endsWith('~') || (kind !== 'number' && kind !== 'time')) continue
    groups.set(field, [...(groups.get(field) ?? []), condition])
  }
  return [...groups.values()].filter((group) => group.length > 1)
}

/** True if some value passes all conditions of a field, or if that cannot be determined. */
const canHold = (group: readonly Condition[], kind: FieldKind, known: Known): boolean => {
  const names = getFieldNames(group[0]?.field ?? '', known)
  const bounds = group.flatMap(({ values }) =>
    values.flatMap((value) => getBounds(value, kind, names, known.now)),
  )
  const isTellable = (bound: number) =>
    kind === 'time' ? !Number.isNaN(bound) : Math.abs(bound) < maxExact
  if (!bounds.every(isTellable)) return true
  const tests = group.map(({ op, values }): Test => {
    const plain = op.replace('!', '') as Plain
    const each = values.map((value) => createTest(value, plain, kind, known.now, names))
    return (probe) => each.some((test) => test?.(probe) === true) !== op.startsWith('!')
  })
  return createProbes(bounds).some((bound) => {
    const probe = kind === 'time' ? new Date(bound).toISOString() : bound
    return tests.every((test) => test(probe))
  })
}

/**
 * Rejects conditions of one field that no number or time can satisfy together.
 * @throws Failure `usage`
 */
export const checkRanges = (expression: Expression, known: Known): void => {
  for (const group of groupRanges(expression, known)) {
    const [first] = group
    const last = group.at(-1)
    const kind = first && getShapeKind(first.field, known)
    if (last === undefined || kind === undefined || canHold(group, kind, known)) continue
    const name = known.naming.describeName(last.field)
    const why = `no ${name} matches all of its conditions, and a comma means that all must match`
    const each = group.map((one) => `'${formatCondition(one)}'`).join(' ')
    const isAge = group.some(({ values }) =>
      values.some(({ text }) => parseSpan(text) !== undefined),
    )
    const age = isAge ? `${name}>30d is more than 30 days ago. ` : ''
    const hint = `${age}To match either of them, repeat the flag: ${each}.`
    throw createConditionFailure(expression.text, last.at, why, hint)
  }
}
