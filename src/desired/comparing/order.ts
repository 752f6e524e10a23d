/** In which order a plan is done, and what waits for what. */

import type { JsonValue } from '../../base/json/value.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { PlannedAction } from '../actions.js'
import { addressText, type ManagedPlace, placeText } from '../address.js'
import { ownersFirst } from './owners.js'
import type { Draft } from './types.js'

const stages = new Map(managedKinds.map(({ scope, name }, i) => [`${scope} ${name}`, i]))
const verbs = ['create', 'enable', 'update', 'replace', 'delete']
const scopes = ['site', 'group', 'project']

const stageOf = ({ kind }: Draft): number => stages.get(`${kind.scope} ${kind.name}`) ?? stages.size

/** Texts by their code units: the same order everywhere. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Places: the instance, groups with the outer first, projects. */
export const byPlace = (a: ManagedPlace, b: ManagedPlace): number =>
  scopes.indexOf(a.scope) - scopes.indexOf(b.scope) ||
  byText(a.path.toLowerCase(), b.path.toLowerCase())

const isFirst = ({ kind, before, steps }: Draft): boolean =>
  kind.first !== undefined &&
  (before?.record[kind.first] === true || steps[0]?.values[kind.first] === true)

/** Deletes come last, in reverse; the rest by stage, and by place within it. */
const inOrder = (a: Draft, b: Draft): number => {
  const gone = Number(a.verb === 'delete') - Number(b.verb === 'delete')
  if (gone !== 0) return gone
  const turn = a.verb === 'delete' ? -1 : 1
  return (
    turn * (stageOf(a) - stageOf(b)) ||
    turn * (Number(isFirst(b)) - Number(isFirst(a))) ||
    turn * byPlace(a.address, b.address) ||
    verbs.indexOf(a.verb) - verbs.indexOf(b.verb) ||
    byText(a.address.item ?? '', b.address.item ?? '')
  )
}

const idOf = ({ verb, address }: Draft): string => `${verb} ${addressText(address)}`

const numbers = (value: JsonValue | undefined): readonly number[] => {
  const all: readonly JsonValue[] = Array.isArray(value) ? value : [value ?? null]
  return all.map(Number).filter((n) => Number.isInteger(n) && n > 0)
}

/** The users that a draft is about: the member, or those that a rule has or had. */
const usersOf = ({ kind, before, steps }: Draft): ReadonlySet<number> => {
  const own = kind.by === 'user' ? Object.keys(kind.at ?? {}) : []
  const referring = Object.entries(kind.refs ?? {}).flatMap(([name, ref]) =>
    ref === 'user' ? [name] : [],
  )
  return new Set(
    [...own, ...referring].flatMap((name) => [
      ...steps.flatMap(({ values }) => numbers(values[name])),
      ...numbers(before?.attributes[name]),
    ]),
  )
}

/** Whether a place is another, or lies in it. */
const inside = (place: ManagedPlace, outer: ManagedPlace): boolean => {
  const path = place.path.toLowerCase()
  const above = outer.path.toLowerCase()
  if (place.scope === outer.scope && path === above) return true
  return outer.scope === 'group' && path.startsWith(`${above}/`)
}

const isGone = ({ verb }: Draft): boolean => verb === 'delete'

/** Whether `later` waits for `first`: both are about the same user. */
const waits = (later: Draft, first: Draft): boolean => {
  const follows = later.kind.after?.includes(first.kind.name) === true
  // Whoever approves has to be a member first.
  if (follows) return !isGone(first) && inside(later.address, first.address)
  // And is one until no rule has him.
  if (first.kind.after?.includes(later.kind.name) === true)
    return isGone(later) && inside(first.address, later.address)
  if (first.kind.name !== later.kind.name || later.kind.by === undefined) return false
  // Members of the same name: outer ones come first, and go last.
  if (isGone(first) !== isGone(later)) return false
  const [outer, inner] = isGone(later) ? [later, first] : [first, later]
  return outer.kind.scope === 'group' && inside(inner.address, outer.address)
}

const byUser = (drafts: readonly Draft[]): ReadonlyMap<number, readonly Draft[]> => {
  const index = new Map<number, Draft[]>()
  for (const draft of drafts)
    for (const user of usersOf(draft)) {
      const known = index.get(user)
      if (known === undefined) index.set(user, [draft])
      else known.push(draft)
    }
  return index
}

/** Those that the others of their kind wait for. */
const leadersOf = (drafts: readonly Draft[]) => {
  const first = drafts.filter(isFirst)
  return (draft: Draft): readonly Draft[] =>
    isFirst(draft) || isGone(draft)
      ? []
      : first.filter(
          ({ kind, address }) =>
            kind === draft.kind && placeText(address) === placeText(draft.address),
        )
}

/** Those about the same users that a draft waits for. */
const fellowsOf = (drafts: readonly Draft[]) => {
  const users = byUser(drafts)
  return (draft: Draft): readonly Draft[] =>
    [...usersOf(draft)]
      .flatMap((user) => users.get(user) ?? [])
      .filter((other) => other !== draft && waits(draft, other))
}

/** Drafts as actions, in the order in which they are done; each knows what it waits for. */
export const ordered = (drafts: readonly Draft[]): readonly PlannedAction[] => {
  const sorted = [...drafts].sort(inOrder)
  const owners = ownersFirst(sorted)
  const leaders = leadersOf(sorted)
  const fellows = fellowsOf(sorted)
  return sorted.map((draft): PlannedAction => {
    const first = [...(owners.get(draft) ?? []), ...leaders(draft), ...fellows(draft)]
    const { before: _, ...action } = draft
    return { id: idOf(draft), ...action, waitsFor: [...new Set(first.map(idOf))].sort(byText) }
  })
}
