/** Values of a plan as people read them. */
import { isJsonList, type JsonValue } from '../../base/json/value.js'
import { grouped } from '../../base/text.js'
import type { Change } from '../../desired/actions.js'
import type { EntryKind, PlanEntry } from '../../desired/entries.js'
import type { PlanCounts } from '../../desired/planfile/read.js'
import { type SecretSource, sourceText } from '../../desired/state.js'
import { withoutMembers } from '../../desired/values.js'

const lines = (text: string): number => text.trimEnd().split('\n').length

/** One value: text as it is, what is not set by a word, what has many lines by their number. */
export const valueText = (value: JsonValue | undefined): string => {
  if (value === undefined) return 'unknown'
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
export const describeSecretSource = (source: SecretSource): string =>
  'literal' in source ? 'as in the file' : `from ${sourceText(source)}`

/** The members of a list, or of nothing in the place of one. */
const membersIn = (value: JsonValue | undefined): readonly JsonValue[] | undefined =>
  isJsonList(value) ? value : value === undefined || value === null ? [] : undefined

/** How it is said what goes, what comes, and what becomes of it. */
export interface ChangeSigns {
  readonly gone: string
  readonly come: string
  readonly to: string
}
const symbols: ChangeSigns = { gone: '-', come: '+', to: '→' }

/** What goes of a list, and what comes to it; undefined where there is none. */
export const describeListChange = (now: JsonValue | undefined, wanted: JsonValue | undefined) => {
  const [was, will] = [membersIn(now), membersIn(wanted)]
  if (was === undefined || will === undefined) return undefined
  if (!isJsonList(now) && !isJsonList(wanted)) return undefined
  const [gone, come] = [withoutMembers(was, will, undefined), withoutMembers(will, was, undefined)]
  return { gone: gone.map(valueText), come: come.map(valueText) }
}

/** A change of an item that is there: from what, to what. */
export const changeText = (
  { now, wanted, secret, within }: Change,
  signs: ChangeSigns = symbols,
): string => {
  if (secret !== undefined) return `set ${describeSecretSource(secret)}`
  const list = describeListChange(now, wanted)
  if (list !== undefined) {
    const gone = list.gone.map((one) => `${signs.gone} ${one}`)
    return [...gone, ...list.come.map((one) => `${signs.come} ${one}`)].join('  ')
  }
  const [before, after] = [valueText(now), valueText(wanted)]
  if (within !== undefined) return `${before} ${signs.to} ${within}: ${after}`
  return before === after ? `another, ${after}` : `${before} ${signs.to} ${after}`
}

/** What an item that comes is to have, in one line. */
export const givenText = (changes: readonly Change[]): string =>
  changes
    .map(({ attribute, wanted, secret }) =>
      secret === undefined
        ? `${attribute} ${valueText(wanted)}`
        : `${attribute} ${describeSecretSource(secret)}`,
    )
    .join(', ')

/** What stands before an item. */
export const marks: Readonly<Record<EntryKind, string>> = {
  create: '+',
  enable: '+',
  update: '~',
  replace: '±',
  delete: '-',
  leftover: '!',
  secret: '!',
  unknown: '?',
  impossible: '!',
  unsupported: '!',
  warning: '!',
  note: '·',
  unread: '✗',
}

/** Whether something would be done to an item. */
export const isAction = ({ id }: PlanEntry): boolean => id !== undefined

// What a plan comes to, in a sentence.

/** What making a plan took. */
export interface Worked {
  readonly requests: number
  readonly seconds: number
}

const part = (n: number, words: string): readonly string[] =>
  n === 0 ? [] : [`${grouped(n)} ${words}`]

/** What there is to do, and what else was found. */
export const countWords = (counts: PlanCounts) => ({
  todo: [
    ...part(counts.create, 'to create'),
    ...part(counts.enable, 'to enable'),
    ...part(counts.update, 'to change'),
    ...part(counts.replace, 'to replace'),
    ...part(counts.delete, 'to delete'),
  ],
  rest: [
    ...part(counts.impossible, 'impossible'),
    ...part(counts.unsupported, 'not supported by the instance'),
    ...part(counts.leftover, 'leftover'),
    ...part(counts.secret, counts.secret === 1 ? 'secret missing' : 'secrets missing'),
    ...part(counts.unread, 'not read'),
    `${grouped(counts.same)} unchanged`,
  ],
})

/** What a plan is compared with, and how much of it is left out. @param shown how a text is written */
export const comparedText = (
  { ref, commit, standing }: { ref: string; commit: string; standing: number },
  shown: (text: string) => string,
): string => {
  const further = standing === 1 ? '1 other change' : `${standing} other changes`
  return `Compared with ${shown(ref)} at ${shown(commit.slice(0, 7))}: ${further} from before that commit. Apply includes all changes.`
}

/** `Plan: 1 to create, 2 to change; 1 impossible; 12 objects as they should be (20 requests, 1 s).` */
export const summarizePlan = (counts: PlanCounts, { requests, seconds }: Worked): string => {
  const { todo, rest } = countWords(counts)
  const took = `${grouped(requests)} request${requests === 1 ? '' : 's'}, ${grouped(Math.round(seconds))} s`
  const what = todo.length === 0 ? 'nothing to do' : todo.join(', ')
  return `Plan: ${[what, ...rest].join('; ')} (${took}).`
}
