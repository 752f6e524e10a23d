/** A kind of a file: a set of items, one object, or rules. */

import type { JsonValue } from '../../base/json/value.js'
import { quoteText } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { getProperties } from '../../catalogue/shapes/properties.js'
import { foldedName, type Reference, referenceOf } from '../address.js'
import { shortAttribute } from '../attributes.js'
import { canonical } from '../values.js'
import { originText } from '../wishes.js'
import { newItem, takeAttributes } from './item.js'
import type { DeclaredItem, DeclaredKind, DeclaredLevel } from './levels.js'
import { teamNamed } from './teams.js'
import {
  isNull,
  type Judging,
  onlyOnce,
  plainValue,
  sort,
  switched,
  type Written,
  type WrittenEntry,
  type WrittenMap,
  withValues,
} from './written.js'

// Rules of a file: what each is for, and what those get.

const fieldsOf = (kind: Managed): readonly string[] => {
  const shapes = [kind.read, kind.each].map((endpoint) => getProperties(endpoint?.returns.shape))
  return [...new Set(['id', ...shapes.flatMap((fields) => Object.keys(fields ?? {}))])]
}

/** What a rule is for; undefined where it is wrong. */
const matchOf = (
  kind: Managed,
  map: WrittenMap,
  { mistakes }: Judging,
): Readonly<Record<string, JsonValue>> | undefined => {
  const fields = fieldsOf(kind)
  const wrong = map.entries.filter(({ key, origin, value }) => {
    const isField = fields.includes(key)
    const texts = value.is === 'list' ? value.items : [value]
    const fits = texts.every((text) => text.is === 'scalar' && text.value !== null)
    if (!isField)
      mistakes.add(
        origin,
        `${quoteText(key)} is no field of ${kind.name}`,
        didYouMean(key, fields) ?? `Its fields are ${fields.join(', ')}.`,
      )
    else if (!fits) mistakes.add(value.origin, `${key} takes a value to match`)
    return !isField || !fits
  })
  if (map.entries.length === 0)
    mistakes.add(map.origin, 'a rule says which it is for', 'With {id: "*"} it is for all.')
  if (wrong.length > 0 || map.entries.length === 0) return undefined
  return Object.fromEntries(map.entries.map(({ key, value }) => [key, plainValue(value, mistakes)]))
}

const takeRule = (declared: DeclaredKind, rule: WrittenMap, judging: Judging): void => {
  const { mistakes } = judging
  const parts = new Map(rule.entries.map((entry) => [entry.key, entry]))
  for (const { key, origin } of rule.entries)
    if (key !== 'match' && key !== 'set')
      mistakes.add(
        origin,
        `${quoteText(key)} is not known here`,
        didYouMean(key, ['match', 'set']) ?? 'A rule has match and set.',
      )
  const [match, set] = [parts.get('match')?.value, parts.get('set')?.value]
  if (match?.is !== 'map' || set?.is !== 'map') {
    mistakes.add(rule.origin, 'a rule has two maps, match and set')
    return
  }
  const fields = matchOf(declared.kind, match, judging)
  const key = fields === undefined ? `?${originText(rule.origin)}` : `=${canonical(fields)}`
  const item = declared.items.get(key) ?? newItem(key.slice(1), rule.origin, fields ?? {})
  item.body ??= rule.origin
  declared.items.set(key, item)
  takeAttributes(declared.kind, item, set, judging)
}

/** Takes a kind's rules; later ones win, and one for the same as another goes on with it. */
const takeRules = (declared: DeclaredKind, rules: Written, judging: Judging): void => {
  for (const rule of rules.is === 'list' ? rules.items : [])
    if (rule.is === 'map') takeRule(declared, rule, judging)
    else
      judging.mistakes.add(
        rule.origin,
        `a rule has match and set, and is not ${quoteText(sort(rule))}`,
      )
}

/** What tells items of a kind apart in files. */
const keyOf = (kind: Managed, identity: Reference): string =>
  typeof identity === 'number'
    ? `#${identity}`
    : // The case of teams matters.
      `=${teamNamed(identity) === undefined ? foldedName(kind.by, identity) : identity}`

const itemOf = (
  declared: DeclaredKind,
  identity: Reference,
  origin: DeclaredItem['origin'],
): DeclaredItem => {
  const key = keyOf(declared.kind, identity)
  const item = declared.items.get(key) ?? newItem(identity, origin)
  declared.items.set(key, item)
  return item
}

/** The name of an item, or its ID; `$$` stands for a `$` that begins it. */
const identityOf = (
  kind: Managed,
  { key, origin }: WrittenEntry,
  { mistakes }: Judging,
): Reference | undefined => {
  const name = key.startsWith('$$') ? key.slice(1) : key
  return kind.by === undefined ? name : mistakes.tried(origin, () => referenceOf(name))
}

/** Reports what is null, and has attributes as well. */
const checkBoth = (
  { identity, gone, body }: DeclaredItem,
  here: DeclaredItem['origin'],
  { mistakes }: Judging,
): void => {
  if (gone === undefined || body === undefined) return
  mistakes.add(
    here,
    `${quoteText(String(identity))} is null and has attributes at one level, first at ${originText(gone === here ? body : gone)}`,
  )
}

const takeItem = (declared: DeclaredKind, entry: WrittenEntry, judging: Judging): void => {
  const { kind } = declared
  const { mistakes } = judging
  const identity = identityOf(kind, entry, judging)
  if (identity === undefined) return
  const item = itemOf(declared, identity, entry.origin)
  if (isNull(entry.value)) {
    if (kind.remove === undefined)
      mistakes.add(entry.origin, `nothing of ${kind.name} can be deleted`, emptyHint)
    else if (item.gone !== undefined)
      mistakes.add(
        entry.origin,
        `${quoteText(entry.key)} is null a second time at this level, first at ${originText(item.gone)}`,
      )
    item.gone ??= entry.origin
    checkBoth(item, entry.origin, judging)
    return
  }
  const short = entry.value.is === 'scalar' ? shortAttribute(kind) : undefined
  const { origin } = entry.value
  const body: Written =
    short === undefined
      ? entry.value
      : { is: 'map', origin, entries: [{ key: short.name, origin, value: entry.value }] }
  if (body.is === 'map') {
    item.body ??= entry.origin
    checkBoth(item, entry.origin, judging)
    takeAttributes(kind, item, body, judging)
  } else
    mistakes.add(
      origin,
      `${quoteText(entry.key)} takes a map of attributes${kind.remove === undefined ? '' : ', or null'}, not ${quoteText(sort(entry.value))}`,
    )
}

/** How a list of names is written as a map; undefined for what may be anything. */
const mapHint = (kind: Managed, value: Written): string | undefined => {
  const texts = value.is === 'list' ? value.items.slice(0, 3) : []
  const names = texts.flatMap((one) =>
    one.is === 'scalar' && /^[\w.-]{1,40}$/.test(one.text) ? [one.text] : [],
  )
  const short = shortAttribute(kind)
  if (names.length === 0 || names.length < texts.length) return undefined
  const items = names.map((name) => `${name}: ${short === undefined ? '{}' : `<${short.name}>`}`)
  return `Write ${kind.name}: {${items.join(', ')}}.`
}

const emptyHint = 'What has nothing to say is written {}.'

const takeExact = (declared: DeclaredKind, entry: WrittenEntry, judging: Judging): void => {
  if (declared.kind.remove === undefined) {
    judging.mistakes.add(
      entry.origin,
      `nothing of ${declared.kind.name} can be deleted, so it cannot be exact`,
    )
    return
  }
  const said = switched(entry, judging)
  if (said !== undefined) declared.exact = onlyOnce(declared.exact, said, '$exact', judging)
}

/** @returns whether the entry was `$inherit` */
const takesInherit = (
  to: Pick<DeclaredKind | DeclaredLevel, 'inherit'>,
  entry: WrittenEntry,
  judging: Judging,
): boolean => {
  if (entry.key !== '$inherit') return false
  const said = switched(entry, judging)
  if (said !== undefined) to.inherit = onlyOnce(to.inherit, said, '$inherit', judging)
  return true
}

const takeSet = (declared: DeclaredKind, map: WrittenMap, judging: Judging): void => {
  for (const entry of map.entries) {
    const { key, origin } = entry
    if (takesInherit(declared, entry, judging)) continue
    if (key === '$exact') takeExact(declared, entry, judging)
    else if (key.startsWith('$') && !key.startsWith('$$'))
      judging.mistakes.add(
        origin,
        `${quoteText(key)} is not known here`,
        didYouMean(key, ['$exact', '$inherit']) ??
          `An item whose name begins with $ is written $${quoteText(key)}.`,
      )
    else takeItem(declared, entry, judging)
  }
}

const takeOne = (declared: DeclaredKind, map: WrittenMap, judging: Judging): void => {
  const item = itemOf(declared, '', declared.origin)
  item.body ??= map.origin
  const entries = map.entries.filter((entry) => {
    if (entry.key === '$exact') takeExact(declared, entry, judging)
    return entry.key !== '$exact'
  })
  takeAttributes(declared.kind, item, { ...map, entries }, judging)
}

/** What a kind's entry says, added to what other files say of it at the same level. */
const takeKind = (
  level: DeclaredLevel,
  kind: Managed,
  entry: WrittenEntry,
  judging: Judging,
): void => {
  const { value, origin } = entry
  const wanted = kind.holds === 'rules' ? 'list' : 'map'
  if (value.is !== wanted) {
    const hint =
      kind.remove === undefined ? emptyHint : `${emptyHint} With {$exact: true} none is left.`
    judging.mistakes.add(
      value.origin,
      `${kind.name} takes ${wanted === 'list' ? 'a list of rules' : 'a map'}, not ${quoteText(sort(value))}`,
      isNull(value) && wanted === 'map' ? hint : mapHint(kind, value),
    )
    return
  }
  const declared = level.kinds.get(kind.name) ?? { kind, origin, items: new Map() }
  level.kinds.set(kind.name, declared)
  const said = withValues(value, judging.mistakes, kind.holds === 'set')
  if (said.is !== 'map') takeRules(declared, said, judging)
  else if (kind.holds === 'one') takeOne(declared, said, judging)
  else takeSet(declared, said, judging)
}

/** Where a kind stands that is not one of this place. */
const elsewhere = (name: string, all: readonly Managed[]): string | undefined => {
  const scopes = all.filter((kind) => kind.name === name).map(({ scope }) => scope)
  if (scopes.length === 0) return undefined
  const keys = scopes.map((scope) => (scope === 'site' ? 'site' : `${scope}s`))
  return `${name} stands under ${keys.join(' and ')}.`
}

/** Takes what a map says of kinds, those of the level's scope. */
export const takeKinds = (
  level: DeclaredLevel,
  map: WrittenMap,
  all: readonly Managed[],
  judging: Judging,
): void => {
  const kinds = all.filter(({ scope }) => scope === level.scope)
  for (const entry of map.entries) {
    if (takesInherit(level, entry, judging)) continue
    const kind = kinds.find(({ name }) => name === entry.key)
    if (kind !== undefined) takeKind(level, kind, entry, judging)
    else
      judging.mistakes.add(
        entry.origin,
        `${quoteText(entry.key)} is no kind of a ${level.scope}`,
        elsewhere(entry.key, all) ??
          didYouMean(
            entry.key,
            kinds.map(({ name }) => name),
          ) ??
          `Available: ${kinds.map(({ name }) => name).join(', ')}.`,
      )
  }
}
