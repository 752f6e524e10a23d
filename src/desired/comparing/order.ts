/** In which order a plan is done, and what waits for what. */

import type { JsonValue } from '../../base/json/value.js'
import { shelve } from '../../base/shelves.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { PlannedAction } from '../actions.js'
import { addressText, type ManagedPlace, placeText } from '../address.js'
import { movesOf } from './moves.js'
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

/** Deletes come after the rest, in reverse; the rest by stage, and by place within it. */
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

/**
 * Whether `later` waits for `first`: both are about the same user.
 * @param late those that come after the deletes
 */
const waits = (later: Draft, first: Draft, late: ReadonlySet<Draft> = new Set()): boolean => {
  const follows = later.kind.after?.includes(first.kind.name) === true
  // Whoever approves has to be a member first.
  if (follows) return !isGone(first) && inside(later.address, first.address)
  // And is one until no rule has him, but for one that he comes back for.
  if (first.kind.after?.includes(later.kind.name) === true)
    return isGone(later) && !late.has(first) && inside(first.address, later.address)
  if (first.kind.name !== later.kind.name || later.kind.by === undefined) return false
  if (comesBack(later, first)) return true
  // Members of the same name: outer ones come first, and go last.
  if (isGone(first) !== isGone(later)) return false
  const [outer, inner] = isGone(later) ? [later, first] : [first, later]
  return outer.kind.scope === 'group' && inside(inner.address, outer.address)
}

/** Whether somebody is to be a member within a group that they are taken out of. */
const comesBack = (member: Draft, taken: Draft): boolean =>
  isGone(taken) &&
  !isGone(member) &&
  member.kind.by === 'user' &&
  member.kind.name === taken.kind.name &&
  placeText(member.address) !== placeText(taken.address) &&
  inside(member.address, taken.address)

/** A place, and the groups that it lies in, inner ones first. */
const lineOf = ({ scope, path }: ManagedPlace): readonly string[] => {
  const parts = path.toLowerCase().split('/')
  const groups = parts.map((_, i) => `groups/${parts.slice(0, parts.length - i).join('/')}`)
  return scope === 'group' ? groups : [`${scope}s/${path.toLowerCase()}`, ...groups.slice(1)]
}

type Shelves = Map<string, Draft[]>

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

/**
 * Those about the same users as a draft. Of thousands only those come into question that stand where the
 * draft does or further out, of deletes those further in.
 */
const fellowsOf = (drafts: readonly Draft[]) => {
  const users = new Map(drafts.map((draft) => [draft, usersOf(draft)] as const))
  const at: Shelves = new Map()
  const below: Shelves = new Map()
  for (const [draft, ones] of users)
    for (const user of ones) {
      const line = lineOf(draft.address)
      shelve(at, `${user} ${line[0]}`, draft)
      for (const place of line) shelve(below, `${user} ${place}`, draft)
    }
  return (draft: Draft): readonly Draft[] => {
    const line = lineOf(draft.address)
    const places = isGone(draft) ? line.slice(0, 1) : line
    const shelves = isGone(draft) ? below : at
    return [...(users.get(draft) ?? [])]
      .flatMap((user) => places.flatMap((place) => shelves.get(`${user} ${place}`) ?? []))
      .filter((other) => other !== draft)
  }
}

/**
 * Those that come after the deletes: members within a group that they are taken out of, since until then they
 * can be no less there, and some instances end all that is below; and what needs such members.
 */
const lateOnes = (
  drafts: readonly Draft[],
  fellows: ReturnType<typeof fellowsOf>,
): ReadonlySet<Draft> => {
  if (!drafts.some((draft) => isGone(draft) && draft.kind.by === 'user')) return new Set()
  const late = new Set(
    drafts.filter((draft) => fellows(draft).some((other) => comesBack(draft, other))),
  )
  const needing = drafts.filter((draft) =>
    fellows(draft).some((other) => late.has(other) && waits(draft, other)),
  )
  return new Set([...late, ...needing])
}

/** Drafts as actions, in the order in which they are done; each knows what it waits for. */
export const ordered = (drafts: readonly Draft[]): readonly PlannedAction[] => {
  const fellows = fellowsOf(drafts)
  const moves = movesOf(drafts)
  const late = new Set([...lateOnes(drafts, fellows), ...moves.late])
  const sorted = [...drafts].sort(
    (a, b) => Number(late.has(a)) - Number(late.has(b)) || inOrder(a, b),
  )
  const owners = ownersFirst(sorted)
  const leaders = leadersOf(sorted)
  return sorted.map((draft): PlannedAction => {
    const made = (owners.get(draft) ?? []).filter((other) => !late.has(other))
    const others = fellows(draft).filter((other) => waits(draft, other, late))
    const { before: _, ...action } = draft
    const first = [...made, ...leaders(draft), ...others, ...(moves.before.get(draft) ?? [])]
    return { id: idOf(draft), ...action, waitsFor: [...new Set(first.map(idOf))].sort(byText) }
  })
}
