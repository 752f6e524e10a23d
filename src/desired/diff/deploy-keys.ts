/** Compares deploy keys, whose identity is the type and base64 of the key, and whose label is the title. */
import type { JsonValue } from '../../base/objects.js'
import { getActionId } from '../actions.js'
import { computeItemDigest, getAttributes } from '../attributes.js'
import {
  type CurrentItem,
  type DesiredItem,
  type DesiredValue,
  getPlainValue,
  type SourcedValue,
  withValue,
} from '../state.js'
import { normalizeValue } from '../values.js'
import { diffAttributes } from './attributes.js'
import {
  type DiffContext,
  findNamed,
  getItemAddress,
  type ItemMatch,
  readEverywhere,
  type SharedClaim,
  type WithKind,
} from './context.js'
import {
  buildItemStep,
  buildStep,
  buildUpdateStep,
  createDraft,
  createRemoval,
  getPlaceValues,
  toChange,
} from './steps.js'

/** True if the items of a kind have a label, such as a title, besides their identity. */
export const isKeyed = ({ kind: { by, holds, label } }: WithKind): boolean =>
  label !== undefined && holds === 'set' && by === undefined

/** Returns the identity of the item that has a key. */
const toKeyIdentity = ({ kind }: WithKind, key: JsonValue): string =>
  String(normalizeValue({ param: getAttributes(kind).get('key')?.param }, key))

const findByKey = (
  c: WithKind,
  items: readonly CurrentItem[],
  key: JsonValue,
): CurrentItem | undefined => {
  const wanted = toKeyIdentity(c, key)
  return items.find(({ identity }) => identity === wanted)
}

/** Adds the title of a key. Unless files declare one, it is the key in the map of declarations. */
const addTitle = (desired: DesiredItem): DesiredItem => ({
  ...desired,
  attributes: new Map<string, SourcedValue<DesiredValue>>([
    ['title', { value: { is: 'value', value: String(desired.identity) }, origin: desired.origin }],
    ...desired.attributes,
  ]),
})

const listByTitle = (
  items: readonly CurrentItem[],
  desired: DesiredItem,
): readonly CurrentItem[] => {
  const title = getPlainValue(addTitle(desired), 'title')
  return items.filter(({ attributes }) => attributes.title === title)
}

/** Finds the current key with the same title that no other desired item declares. The desired key replaces it. */
const findReplacedKey = (c: DiffContext, desired: DesiredItem): CurrentItem | undefined => {
  const ones = listByTitle(c.items, desired)
  if (ones.length === 0) return undefined
  const others = c.desired.items.flatMap((one) => {
    const key = one === desired ? undefined : getPlainValue(one, 'key')
    return key === undefined ? [] : [toKeyIdentity(c, key)]
  })
  return ones.find(({ identity }) => !others.includes(identity))
}

const removeKey = (...key: Parameters<typeof createRemoval>): void => {
  const [{ diff }] = key
  diff.drafts.push(...[createRemoval(...key) ?? []].flat())
}

/** Replaces a key by two actions with separate outcomes. The new key is created before the old one is deleted. */
const replaceKey = async (c: DiffContext, given: DesiredItem, old: CurrentItem): Promise<void> => {
  const { create } = c.kind
  if (create === undefined) return
  const { origin, attributes } = given
  const address = getItemAddress(c.desired, given.identity)
  const { can_push: push } = old.attributes
  // Without a declaration, the push permission stays as it was.
  const isDeclared = push === undefined || attributes.has('can_push')
  const wanted = isDeclared ? given : withValue(given, 'can_push', push)
  const all = await diffAttributes(c, address, wanted, undefined)
  const made = createDraft(c, 'create', address, origin, {
    changes: all.filter(({ name }) => attributes.has(name)).map(toChange),
    step: buildStep(create, getPlaceValues(c), all),
    replaces: getActionId({ verb: 'delete', address }),
  })
  c.diff.drafts.push(made)
  removeKey(c, old, origin, address)
}

/** Enables a key of another project here, and updates it if its title or its push permission differs. */
const enableKey = async (
  c: DiffContext,
  desired: DesiredItem,
  elsewhere: CurrentItem,
): Promise<boolean> => {
  const { enable, update } = c.kind
  if (enable === undefined || update === undefined) return false
  const { origin } = desired
  const address = getItemAddress(c.desired, desired.identity)
  // A key that is enabled in another project has no push permission there.
  const before = { ...elsewhere, attributes: { ...elsewhere.attributes, can_push: false } }
  const all = await diffAttributes(c, address, desired, before)
  const differing = all.filter(({ verdict }) => verdict === 'differs').map(toChange)
  const changes = (await diffAttributes(c, address, desired, undefined)).map(toChange)
  const step = buildItemStep(c, enable, elsewhere)
  c.diff.drafts.push(createDraft(c, 'enable', address, origin, { changes, step }))
  const renamed = differing.find(({ attribute }) => attribute === 'title')
  if (renamed !== undefined) {
    const text = `other projects call this key ${String(renamed.now)}: its title changes there, too`
    c.diff.addFinding('warning', address, text, renamed.origin)
  }
  if (differing.length > 0) {
    const made = {
      before,
      changes: differing,
      step: buildUpdateStep(c, update, before, desired, all),
    }
    c.diff.drafts.push(createDraft(c, 'update', address, origin, made))
  }
  return true
}

/** Finds the current key of a desired item: by the key if files declare it, else by its title if that is unique. */
export const matchKey = (c: DiffContext, desired: DesiredItem): ItemMatch => {
  const key = getPlainValue(desired, 'key')
  if (key !== undefined) return { item: findByKey(c, c.items, key) }
  const [item, another] = findNamed(c, desired.identity)
  if (another === undefined) return { item }
  const text = `several keys have the title ${desired.identity}`
  c.mistakes.add(desired.origin, text, 'Set key: to choose one.')
  return 'mistaken'
}

/** Adds the title to a desired item, unless the item was found by its title. */
export const addTitleIfNew = (desired: DesiredItem, item: CurrentItem | undefined): DesiredItem =>
  desired.gone !== undefined || (item !== undefined && !desired.attributes.has('key'))
    ? desired
    : addTitle(desired)

const oneTitleRule: SharedClaim['rule'] = {
  text: 'a key has one title in all its projects',
  hint: 'Give it the same title everywhere, with title: if the names differ.',
}

/** Returns the claim on the title of a key, which all its projects share; undefined if the key itself is not known. */
export const createKeyClaim = (
  c: WithKind,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): Omit<SharedClaim, 'address'> | undefined => {
  const key = getPlainValue(desired, 'key')
  const identity = key === undefined ? item?.identity : toKeyIdentity(c, key)
  const { attributes } = addTitle(desired)
  const says = getPlainValue({ attributes }, 'title')
  const { origin } = attributes.get('title') ?? desired
  if (identity === undefined || typeof says !== 'string') return undefined
  return { thing: `${c.kind.name} ${identity}`, says, rule: oneTitleRule, origin }
}

/** Adds the drafts for a key that replaces another one, or that another project has. @returns false if the key is new */
export const addKnownKey = async (c: DiffContext, desired: DesiredItem): Promise<boolean> => {
  const key = getPlainValue(desired, 'key')
  if (key === undefined) return false
  const old = findReplacedKey(c, desired)
  if (old !== undefined) {
    await replaceKey(c, desired, old)
    return true
  }
  const elsewhere = findByKey(c, await readEverywhere(c.view, c.kind), key)
  return elsewhere !== undefined && enableKey(c, desired, elsewhere)
}

/**
 * Reports keys that are not `claimed` and have the title of a declared key: a replacement left them, or a person added them. They stay,
 * unless a resumed run was about to delete exactly this key.
 */
export const reportLeftovers = (c: DiffContext, claimed: ReadonlySet<CurrentItem>): void => {
  const free = c.items.filter((item) => !claimed.has(item))
  for (const desired of c.desired.items.filter(({ gone }) => gone === undefined))
    for (const item of listByTitle(free, desired)) {
      const address = getItemAddress(c.desired, desired.identity)
      const digest = c.options.unfinished?.get(getActionId({ verb: 'delete', address }))
      const { id = '' } = item.record
      const push = item.attributes.can_push === true ? 'can' : 'cannot'
      const text = `another key has this title and is not declared: ID ${id}, which ${push} push; svcctl deploy-keys delete ${id} -P ${c.place.path} removes it`
      if (digest === computeItemDigest(c.kind, item)) removeKey(c, item, desired.origin, address)
      else c.diff.addFinding('leftover', address, text, desired.origin)
    }
}
