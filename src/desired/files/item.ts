/** An item in a file: its attributes, and the words beside them. */

import { isSecret } from '../../base/secrets/mask.js'
import { nearest } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import type { Reference } from '../address.js'
import {
  type Attribute,
  attributesOf,
  isAttributeName,
  isSecretPlace,
  paramsOfKind,
} from '../attributes.js'
import type { DesiredItem, DesiredValue, Origin } from '../state.js'
import { listChange, rangeOf } from './change.js'
import { fileNamed, secretSource, textInFile } from './secret.js'
import { attributeValue, heldValue } from './value.js'
import {
  plainValue,
  type ReadContext,
  switched,
  type Written,
  type WrittenEntry,
} from './written.js'

/** Which item an entry belongs to. */
interface ItemContext extends ReadContext {
  readonly kind: Managed
  readonly item: DesiredItem
}

type TakeEntry = (entry: WrittenEntry, context: ItemContext) => undefined

// The words of kinds that stand beside attributes.

const textsOf = (
  { key, value }: WrittenEntry,
  { mistakes }: ReadContext,
): readonly string[] | undefined => {
  const items = value.is === 'list' ? value.items : [value]
  const texts = items.flatMap((item) =>
    item.is === 'scalar' && item.value !== null && item.text !== '' ? [item.text] : [],
  )
  if (texts.length === items.length) return texts
  return mistakes.add(value.origin, `${key} must be a list of names`)
}

/** `previously`: the former names of an item. */
const takePreviously: TakeEntry = (entry, context) => {
  const { kind, item, mistakes } = context
  const { origin } = entry
  if (kind.renames !== true) {
    const label = kind.label === undefined ? '' : `: change its ${kind.label}`
    return mistakes.add(origin, `${kind.name} cannot be renamed${label}`)
  }
  const value = textsOf(entry, context)
  if (value === undefined) return
  const name = String(item.identity)
  if (value.includes(name)) mistakes.add(origin, `previously contains ${quoteText(name)} itself`)
  item.previously = mistakes.once(item.previously, { value, origin }, 'previously')
}

/** `family`: whose attributes an item has, where its name does not say it. */
const takeFamily: TakeEntry = ({ origin, value }, { kind, item, mistakes }) => {
  const names = (kind.families ?? []).map(({ name }) => name)
  const text = value.is === 'scalar' ? value.text : ''
  if (names.includes(text))
    item.family = mistakes.once(item.family, { value: text, origin }, 'family')
  else {
    const near = nearest(text, names)
    const hint = near && `Did you mean ${near}?`
    mistakes.mistyped(value, `family must be one of ${names.join(', ')}`, hint)
  }
}

const secretOf = (
  name: string,
  written: Written,
  { rules, mistakes }: ReadContext,
): DesiredValue | undefined => {
  const source = secretSource(name, written, rules, mistakes)
  return source && { is: 'secret', source }
}

const fileValue = (
  attribute: Attribute,
  file: string,
  origin: Origin,
  { rules, mistakes }: ReadContext,
): string | undefined => {
  const held = textInFile(file, { name: attribute.name, origin }, rules, mistakes)
  return held && heldValue(attribute, { file, origin, held }, mistakes)
}

/** A text that is a secret is one of its own; no map or list can be sent as one, nor can a plan show its members. */
const withoutSecrets = (
  name: string,
  desired: Extract<DesiredValue, { is: 'value' | 'change' }>,
  origin: Origin,
  { mistakes }: ReadContext,
): DesiredValue | undefined => {
  const value = desired.is === 'change' ? [...desired.add, ...desired.remove] : desired.value
  if (typeof value !== 'object' || !isSecret(name, value)) return desired
  return mistakes.add(origin, `${name} contains a secret, which declared files cannot express`)
}

const documented = (
  attribute: Attribute,
  written: Written,
  context: ReadContext,
): DesiredValue | undefined => {
  const { name, source } = attribute
  const { mistakes } = context
  const { origin } = written
  if (source === 'secret') return secretOf(name, written, context)
  const change = rangeOf(attribute, written, mistakes) ?? listChange(attribute, written, mistakes)
  if (change === 'wrong') return undefined
  if (change !== undefined)
    return change.is === 'range' ? change : withoutSecrets(name, change, origin, context)
  const file = source === 'file' ? fileNamed(written) : undefined
  const value =
    file === undefined
      ? attributeValue(attribute, written, mistakes)
      : fileValue(attribute, file, origin, context)
  if (value === undefined) return undefined
  if (attribute.required && (value === null || value === ''))
    return mistakes.add(origin, `${name} cannot be unset, because creation requires it`)
  return withoutSecrets(name, { is: 'value', value }, origin, context)
}

/** Of what no document speaks; what a secret's name has is one. */
const undocumented = (
  { key, value: written }: WrittenEntry,
  context: ReadContext,
): DesiredValue | undefined => {
  if (isSecretPlace(key, written.is === 'scalar' ? written.value : undefined))
    return secretOf(key, written, context)
  const value = plainValue(written, context.mistakes)
  return withoutSecrets(key, { is: 'value', value }, written.origin, context)
}

const takeOther: TakeEntry = ({ origin, value }, context) => {
  const { kind, mistakes } = context
  if (kind.open === true) {
    const text = `${kind.name} does not need $other: it accepts every attribute of the response`
    return mistakes.add(origin, text)
  }
  if (value.is !== 'map') return mistakes.mistyped(value, '$other must be a map')
  for (const entry of value.entries) {
    const { key } = entry
    if (!isAttributeName(key)) mistakes.add(entry.origin, `${quoteText(key)} is unknown`)
    else if (attributesOf(kind).has(key))
      mistakes.add(entry.origin, `${key} is a known attribute: move it out of $other`)
    else say(entry, undocumented(entry, context), context)
  }
}

const nothingSaid: DesiredValue = { is: 'change', add: [], remove: [] }

const say = (
  { key, origin }: WrittenEntry,
  // A mistake changes nothing, and a second one is no better.
  value: DesiredValue = nothingSaid,
  { item: { attributes }, mistakes }: ItemContext,
): void => {
  const said = mistakes.once(attributes.get(key), { value, origin }, quoteText(key))
  if (said !== undefined) attributes.set(key, said)
}

/** Reports a key that is no attribute: what else could be meant, or why it is none. */
const sayUnknown: TakeEntry = (entry, { kind, mistakes }) => {
  const { key, origin, value } = entry
  const params = paramsOfKind(kind)
  const param = Object.hasOwn(params, key) ? params[key] : undefined
  if (key === kind.present) {
    const isFalse = value.is === 'scalar' && value.value === false
    const hint = isFalse
      ? 'To delete an item, write null instead of its attributes.'
      : 'Leave it out.'
    return mistakes.add(origin, `${key} is not an attribute: a listed item is always ${key}`, hint)
  }
  if (param?.deprecated !== undefined)
    return mistakes.add(origin, `${key} is deprecated`, `Use ${param.deprecated}.`)
  if (key === kind.identity || (param !== undefined && kind.without?.includes(key) !== true))
    return mistakes.add(origin, `${key} is not an attribute: it comes from the key of the item`)
  const words = [
    ...attributesOf(kind).keys(),
    ...(kind.renames === true ? ['previously'] : []),
    ...(kind.families === undefined ? [] : ['family']),
    '$inherit',
    ...(kind.open === true ? [] : ['$other']),
  ]
  const beyond =
    kind.open === true || key.startsWith('$')
      ? undefined
      : 'Put attributes of newer instances under $other.'
  mistakes.unknown(entry, words, beyond, `${quoteText(key)} is not an attribute of ${kind.name}`)
}

/** Whether the instance's answer is what says that an attribute is one. */
const isOpen = (kind: Managed, key: string): boolean =>
  kind.open === true && isAttributeName(key) && kind.update?.params[key]?.deprecated === undefined

/** Takes what an entry of an item says. */
export const takeAttribute: TakeEntry = (entry, context) => {
  const { key, value } = entry
  const { kind, item, mistakes } = context
  const attribute = attributesOf(kind).get(key)
  if (attribute !== undefined) say(entry, documented(attribute, value, context), context)
  else if (key === '$inherit')
    item.inherit = mistakes.once(item.inherit, switched(entry, context), key)
  else if (key === '$other') takeOther(entry, context)
  else if (key === 'previously' && kind.holds === 'set') takePreviously(entry, context)
  else if (key === 'family' && kind.families !== undefined) takeFamily(entry, context)
  else if (isOpen(kind, key)) say(entry, undocumented(entry, context), context)
  else sayUnknown(entry, context)
}

/** An item of which nothing is said yet. */
export const newItem = (
  identity: Reference,
  origin: Origin,
  match?: DesiredItem['match'],
): DesiredItem => ({ identity, origin, attributes: new Map(), match })
