/** Values of a plan as people read them. */
import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '../../base/json/value.js'
import type { Change } from '../../desired/actions.js'
import type { SecretSource } from '../../desired/wishes.js'

const lines = (text: string): number => text.trimEnd().split('\n').length

/** One value: text as it is, what is not set by a word, what has many lines by their number. */
export const valueText = (value: JsonValue | undefined): string => {
  if (value === undefined) return 'not known'
  if (value === null) return 'unset'
  if (value === '') return "''"
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((one) => valueText(one)).join(' ')
  if (typeof value === 'string') {
    const count = lines(value)
    return count > 1 ? `(${count} lines)` : value
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Where a secret comes from, without it. */
export const sourceText = (source: SecretSource): string => {
  if ('env' in source) return `from env:${source.env}`
  if ('file' in source) return `from @${source.file}`
  return 'command' in source ? `from command ${source.command[0] ?? ''}` : 'as the file has it'
}

const members = (value: JsonValue | undefined): readonly JsonValue[] | undefined =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : undefined

/** A list, or nothing in the place of one. */
const isList = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || Array.isArray(value)

const less = (list: readonly JsonValue[], taken: readonly JsonValue[]): readonly JsonValue[] =>
  list.filter((one) => !taken.some((other) => isDeepStrictEqual(one, other)))

/** How it is said what goes, what comes, and what becomes of it. */
export interface ChangeSigns {
  readonly gone: string
  readonly come: string
  readonly to: string
}
const symbols: ChangeSigns = { gone: '-', come: '+', to: '→' }

/** A list by what goes and what comes. */
const listText = (
  now: readonly JsonValue[],
  wanted: readonly JsonValue[],
  signs: ChangeSigns,
): string => {
  const gone = less(now, wanted).map((one) => `${signs.gone} ${valueText(one)}`)
  const come = less(wanted, now).map((one) => `${signs.come} ${valueText(one)}`)
  return [...gone, ...come].join('  ')
}

/** A change of an item that is there: from what, to what. */
export const changeText = (
  { now, wanted, secret }: Change,
  signs: ChangeSigns = symbols,
): string => {
  if (secret !== undefined) return `set ${sourceText(secret)}`
  const was = members(now)
  const will = members(wanted)
  if ((was ?? will) !== undefined && isList(now) && isList(wanted))
    return listText(was ?? [], will ?? [], signs)
  const [before, after] = [valueText(now), valueText(wanted)]
  return before === after ? `another, ${after}` : `${before} ${signs.to} ${after}`
}

/** What an item that comes is to have, in one line. */
export const givenText = (changes: readonly Change[]): string =>
  changes
    .map(({ attribute, wanted, secret }) =>
      secret === undefined
        ? `${attribute} ${valueText(wanted)}`
        : `${attribute} ${sourceText(secret)}`,
    )
    .join(', ')
