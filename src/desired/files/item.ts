/** An item of a file: its attributes, and the words beside them. */
import { quoteText } from '../../base/quoted.js'
import { isSecret } from '../../base/secrets/mask.js'
import { didYouMean, nearest } from '../../base/suggest.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import type { Reference } from '../address.js'
import { type Attribute, attributesOf, isAttributeName, isSecretPlace } from '../attributes.js'
import type { Origin, SaidOnce, WantedValue } from '../wishes.js'
import { listChange, rangeOf } from './change.js'
import type { DeclaredItem } from './levels.js'
import { fileNamed, secretSource, textInFile } from './secret.js'
import { attributeValue, heldValue } from './value.js'
import {
  type Judging,
  onlyOnce,
  plainValue,
  sort,
  switched,
  type Written,
  type WrittenEntry,
  type WrittenMap,
} from './written.js'

// The words of kinds that stand beside attributes.

const textsOf = (entry: WrittenEntry, { mistakes }: Judging): readonly string[] | undefined => {
  const { value } = entry
  const items = value.is === 'list' ? value.items : [value]
  const texts = items.flatMap((item) =>
    item.is === 'scalar' && item.value !== null && item.text !== '' ? [item.text] : [],
  )
  if (texts.length === items.length) return texts
  mistakes.add(value.origin, `${entry.key} takes a list of names`)
  return undefined
}

/** `previously`: what an item was called. */
const previouslyOf = (
  kind: Managed,
  item: DeclaredItem,
  entry: WrittenEntry,
  judging: Judging,
): void => {
  const { mistakes } = judging
  if (kind.renames !== true) {
    const label = kind.label === undefined ? '' : `: change its ${kind.label}`
    mistakes.add(entry.origin, `${kind.name} cannot be renamed${label}`)
    return
  }
  const names = textsOf(entry, judging)
  if (names === undefined) return
  if (names.includes(String(item.identity)))
    mistakes.add(entry.origin, `previously names ${quoteText(String(item.identity))} itself`)
  item.previously = onlyOnce(
    item.previously,
    { value: names, origin: entry.origin },
    'previously',
    judging,
  )
}

/** `family`: whose attributes an item has, where its name does not say it. */
const familyOf = (
  kind: Managed,
  item: DeclaredItem,
  { origin, value }: WrittenEntry,
  judging: Judging,
): void => {
  const families = kind.families ?? []
  const text = value.is === 'scalar' ? value.text : ''
  if (families.some(({ name }) => name === text)) {
    item.family = onlyOnce(item.family, { value: text, origin }, 'family', judging)
    return
  }
  const names = families.map(({ name }) => name)
  judging.mistakes.add(
    value.origin,
    `family takes one of ${names.join(', ')}, not ${quoteText(sort(value))}`,
    didYouMean(text, names),
  )
}

const secretOf = (name: string, written: Written, judging: Judging): WantedValue | undefined => {
  const source = secretSource(name, written, judging.rules, judging.mistakes)
  return source === undefined ? undefined : { is: 'secret', source }
}

const fileValue = (
  attribute: Attribute,
  file: string,
  origin: Origin,
  { rules, mistakes }: Judging,
): string | undefined => {
  const held = textInFile(file, { name: attribute.name, origin }, rules, mistakes)
  return held === undefined ? undefined : heldValue(attribute, { file, origin, held }, mistakes)
}

/** A text that is a secret is one of its own; no map or list can be sent as one, nor can a plan show its members. */
const withoutSecrets = (
  name: string,
  wanted: Extract<WantedValue, { is: 'value' | 'change' }>,
  origin: Origin,
  { mistakes }: Judging,
): WantedValue | undefined => {
  const value = wanted.is === 'change' ? [...wanted.add, ...wanted.remove] : wanted.value
  if (typeof value !== 'object' || !isSecret(name, value)) return wanted
  mistakes.add(origin, `${name} holds a secret, which files cannot say`)
  return undefined
}

const declaredValue = (
  attribute: Attribute,
  written: Written,
  judging: Judging,
): WantedValue | undefined => {
  const { name, source } = attribute
  if (source === 'secret') return secretOf(name, written, judging)
  const range = rangeOf(attribute, written, judging.mistakes)
  const change = range ?? listChange(attribute, written, judging.mistakes)
  if (change === 'wrong') return undefined
  if (change?.is === 'range') return change
  if (change !== undefined) return withoutSecrets(name, change, written.origin, judging)
  const file = source === 'file' ? fileNamed(written) : undefined
  const value =
    file === undefined
      ? attributeValue(attribute, written, judging.mistakes)
      : fileValue(attribute, file, written.origin, judging)
  if (value === undefined) return undefined
  if (attribute.required && (value === null || value === '')) {
    judging.mistakes.add(written.origin, `${name} cannot be unset: nothing is created without it`)
    return undefined
  }
  return withoutSecrets(name, { is: 'value', value }, written.origin, judging)
}

/** Of what no document speaks; what a secret's name has is one. */
const undocumented = (
  { key, value: written }: WrittenEntry,
  judging: Judging,
): WantedValue | undefined => {
  if (isSecretPlace(key, written.is === 'scalar' ? written.value : undefined))
    return secretOf(key, written, judging)
  const value = plainValue(written, judging.mistakes)
  return withoutSecrets(key, { is: 'value', value }, written.origin, judging)
}

const otherOf = (
  kind: Managed,
  item: DeclaredItem,
  { origin, value }: WrittenEntry,
  judging: Judging,
): void => {
  const { mistakes } = judging
  if (kind.open === true) {
    mistakes.add(
      origin,
      `${kind.name} needs no $other: it takes whatever the instance's answer has`,
    )
    return
  }
  if (value.is !== 'map') {
    mistakes.add(value.origin, `$other takes a map, not ${quoteText(sort(value))}`)
    return
  }
  for (const entry of value.entries) {
    if (!isAttributeName(entry.key))
      mistakes.add(entry.origin, `${quoteText(entry.key)} is not known`)
    else if (attributesOf(kind).has(entry.key))
      mistakes.add(entry.origin, `${entry.key} is known: it stands beside $other, not under it`)
    else say(item.other, entry, undocumented(entry, judging), judging)
  }
}

const say = (
  to: Map<string, SaidOnce<WantedValue>>,
  { key, origin }: WrittenEntry,
  value: WantedValue | undefined,
  judging: Judging,
): void => {
  // What is wrong is said all the same, and changes nothing: a second one is no better.
  const said = { value: value ?? { is: 'change', add: [], remove: [] }, origin } as const
  to.set(key, onlyOnce(to.get(key), said, quoteText(key), judging))
}

/** What else could be meant by a key that is none, or why it is none. */
const unknown = (kind: Managed, entry: WrittenEntry, { mistakes }: Judging): void => {
  const { key, origin, value } = entry
  const params = { ...kind.create?.params, ...kind.update?.params }
  const param = Object.hasOwn(params, key) ? params[key] : undefined
  if (key === kind.present) {
    const isFalse = value.is === 'scalar' && value.value === false
    mistakes.add(
      origin,
      `${key} is no attribute: what is listed is ${key}`,
      isFalse
        ? 'What must not be there is written null in place of its attributes.'
        : 'Leave it out.',
    )
    return
  }
  if (param?.deprecated !== undefined) {
    mistakes.add(origin, `${key} is deprecated`, `Use ${param.deprecated}.`)
    return
  }
  if (key === kind.identity || (param !== undefined && kind.without?.includes(key) !== true)) {
    mistakes.add(origin, `${key} is no attribute: the key that the item stands under says it`)
    return
  }
  const words = [
    ...attributesOf(kind).keys(),
    ...(kind.renames === true ? ['previously'] : []),
    ...(kind.families === undefined ? [] : ['family']),
    '$inherit',
    ...(kind.open === true ? [] : ['$other']),
  ]
  const near = nearest(key, words)
  const beyond =
    kind.open === true || key.startsWith('$')
      ? undefined
      : 'What only a newer instance knows stands under $other.'
  mistakes.add(
    origin,
    `${quoteText(key)} is no attribute of ${kind.name}`,
    near === undefined ? beyond : `Did you mean ${near}?`,
  )
}

const take = (kind: Managed, item: DeclaredItem, entry: WrittenEntry, judging: Judging): void => {
  const { key } = entry
  const attribute = attributesOf(kind).get(key)
  if (attribute !== undefined)
    say(item.attributes, entry, declaredValue(attribute, entry.value, judging), judging)
  else if (key === '$inherit') {
    const said = switched(entry, judging)
    if (said !== undefined) item.inherit = onlyOnce(item.inherit, said, key, judging)
  } else if (key === '$other') otherOf(kind, item, entry, judging)
  else if (key === 'previously' && kind.holds === 'set') previouslyOf(kind, item, entry, judging)
  else if (key === 'family' && kind.families !== undefined) familyOf(kind, item, entry, judging)
  else if (isOpen(kind, key)) say(item.other, entry, undocumented(entry, judging), judging)
  else unknown(kind, entry, judging)
}

/** Whether the instance's answer is what says that an attribute is one. */
const isOpen = (kind: Managed, key: string): boolean =>
  kind.open === true && isAttributeName(key) && kind.update?.params[key]?.deprecated === undefined

/** What a map says of an item, added to what other files say of it at the same level. */
export const takeAttributes = (
  kind: Managed,
  item: DeclaredItem,
  map: WrittenMap,
  judging: Judging,
): void => {
  for (const entry of map.entries) take(kind, item, entry, judging)
}

/** An item of which nothing is said yet. */
export const newItem = (
  identity: Reference,
  origin: Origin,
  match?: DeclaredItem['match'],
): DeclaredItem => ({
  identity,
  origin,
  attributes: new Map(),
  other: new Map(),
  match,
})
