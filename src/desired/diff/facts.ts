/** What the fact of a kind says of comparing its items: which one is meant, what goes along, what cannot be done. */

import { X509Certificate } from 'node:crypto'
import { type Fields, isObject } from '../../base/objects.js'
import { familyOf } from '../attributes.js'
import { type CurrentItem, type DesiredItem, plainValueOf, withValue } from '../state.js'
import { ownsNamespace } from './members.js'
import type { DiffContext, Draft } from './types.js'

type WithKind = Pick<DiffContext, 'kind'>

// There is one of some items, whatever it is called.

export const isSingle = ({ kind: { single } }: WithKind, { record }: CurrentItem): boolean =>
  single !== undefined && record[single.field] === single.value

export const wantsSingle = ({ kind: { single } }: WithKind, desired: DesiredItem): boolean =>
  single !== undefined && plainValueOf(desired, single.field) === single.value

// Two attributes that go together: a certificate and its key.

const without = (desired: DesiredItem, names: readonly string[]): DesiredItem => ({
  ...desired,
  attributes: new Map([...desired.attributes].filter(([name]) => !names.includes(name))),
})

const withPair = (
  { kind: { pair } }: WithKind,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): DesiredItem => {
  if (pair === undefined) return desired
  const { shown, hidden, unless } = pair
  if ((plainValueOf(desired, unless) ?? item?.attributes[unless]) === true)
    return without(desired, [shown, hidden])
  // A certificate that is taken away takes its key along.
  const value = plainValueOf(desired, shown)
  return value === null || value === '' ? withValue(desired, hidden, '') : desired
}

/** The item as it is wanted, where files leave something to be understood. */
export const asMeant = (
  c: WithKind,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): DesiredItem =>
  item !== undefined && wantsSingle(c, desired)
    ? { ...desired, identity: item.identity }
    : withPair(c, desired, item)

const hasAny = (item: CurrentItem | undefined, name: string): boolean => {
  const value = item?.attributes[name]
  return Array.isArray(value) && value.length > 0
}

const requiredBy = ({ kind }: WithKind, { identity, family }: DesiredItem): readonly string[] => {
  const known = familyOf(kind, String(identity), family?.value)
  const params = Object.entries(known?.params ?? {})
  return params.flatMap(([name, param]) => (param.required === true ? [name] : []))
}

/** Attributes that a change of an item sends besides what every change of its kind does. */
export const goesAlong = (
  c: WithKind,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): readonly string[] => {
  const { keepAny = [], requires = {}, pair } = c.kind
  const { attributes } = desired
  const both = pair === undefined ? [] : [pair.shown, pair.hidden]
  return [
    ...requiredBy(c, desired),
    ...keepAny.filter((name) => hasAny(item, name)),
    ...(both.every((name) => attributes.has(name)) ? both : []),
    ...Object.entries(requires).flatMap(([name, other]) =>
      plainValueOf(desired, name) === true &&
      item?.attributes[name] !== true &&
      attributes.has(other)
        ? [other]
        : [],
    ),
  ]
}

// What cannot be done here.

const hidesMembers = ({ kind: { mask = {} } }: WithKind, { before }: Draft, desired: DesiredItem) =>
  Object.entries(mask).find(
    ([name, field]) => before?.record[field] === true && !desired.attributes.has(name),
  )?.[0]

/** Required parameters that neither the files nor the record give. */
const lacking = (c: WithKind, { before }: Draft, desired: DesiredItem): readonly string[] =>
  requiredBy(c, desired).filter(
    (name) => !desired.attributes.has(name) && (before?.attributes[name] ?? '') === '',
  )

const whyNotSent = (c: DiffContext, draft: Draft, desired: DesiredItem): string | undefined => {
  const { pair, refs } = c.kind
  const hidden = draft.verb === 'update' ? hidesMembers(c, draft, desired) : undefined
  if (hidden !== undefined)
    return `the rule has ${refs?.[hidden]}s that you cannot see, which a change would remove: declare ${hidden}`
  const isShown = draft.changes.some(({ attribute }) => attribute === pair?.shown)
  if (pair !== undefined && isShown && !desired.attributes.has(pair.hidden))
    return 'a certificate requires its private key, which the files do not contain'
  const lacks = draft.verb === 'delete' ? [] : lacking(c, draft, desired)
  if (lacks.length > 0)
    return `cannot be set without ${lacks.join(', ')}, which the files do not contain`
  return undefined
}

/** Why a draft cannot be done; undefined where it can. @param desired what it is for; undefined of what is not listed */
export const whyImpossible = (
  c: DiffContext,
  draft: Draft,
  desired: DesiredItem | undefined,
): string | undefined => {
  const { by, onlyIf } = c.kind
  if (onlyIf !== undefined && draft.verb === 'create') return onlyIf.why
  if (by === 'user' && ownsNamespace(c, draft.before?.identity ?? desired?.identity ?? ''))
    return "the project is in the user's own namespace, so the user stays its owner"
  return desired && whyNotSent(c, draft, desired)
}

/** Whether an exact set leaves an item alone that it does not list. */
export const isSpared = (c: DiffContext, item: CurrentItem): boolean =>
  c.kind.spared?.test(item.identity) === true ||
  isSingle(c, item) ||
  (c.kind.by === 'user' && ownsNamespace(c, item.identity))

/** Whether an item that is not there is as it is wanted all the same. */
export const isOff = ({ kind: { onlyIf } }: WithKind, desired: DesiredItem): boolean =>
  onlyIf?.off !== undefined &&
  Object.entries(onlyIf.off).every(([name, value]) => plainValueOf(desired, name) === value)

// Certificates that end within thirty days, or ended.

const soon = 30
const day = 24 * 60 * 60 * 1000

const endOf = ({ expiration, certificate: pem }: Fields): Date | undefined => {
  if (typeof expiration === 'string') return new Date(expiration)
  if (typeof pem !== 'string' || pem === '') return undefined
  try {
    return new Date(new X509Certificate(pem).validTo)
  } catch {
    return undefined
  }
}

/** What is to be warned of an item's certificate. */
export const certificateWarning = (
  { kind: { pair }, how }: DiffContext,
  { record, attributes }: CurrentItem,
): string | undefined => {
  const certificate = pair && record[pair.shown]
  if (!isObject(certificate) || attributes[pair?.unless ?? ''] === true) return undefined
  const end = endOf(certificate)
  const now = how.now?.() ?? new Date()
  const on = end === undefined ? '' : ` on ${end.toISOString().slice(0, 10)}`
  if (certificate.expired === true || (end !== undefined && end <= now))
    return `its certificate expired${on}`
  const days = end === undefined ? soon + 1 : Math.ceil((end.getTime() - now.getTime()) / day)
  return days > soon
    ? undefined
    : `its certificate expires${on}, in ${days} day${days === 1 ? '' : 's'}`
}
