/**
 * In which order a plan is done: one topological sort. What must come first does; among what may be done, the
 * preferred comes first. Everything that an action waits for stands before it.
 */

import { addToGroup } from '../../base/group-by.js'
import type { JsonValue } from '../../base/json/value.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import { type PlannedAction, ReadyQueue } from '../actions.js'
import { addressText, type ManagedPlace, placeText } from '../address.js'
import { byText, normalised } from '../values.js'
import { lineOf, owner, type PlannedMembership, planOfMembership } from './members.js'
import type { Draft } from './types.js'

const stages = new Map(managedKinds.map(({ scope, name }, i) => [`${scope} ${name}`, i]))
const verbs = ['create', 'enable', 'update', 'delete']
const scopes = ['site', 'group', 'project']

const stageOf = ({ kind }: Draft): number => stages.get(`${kind.scope} ${kind.name}`) ?? stages.size

/** Places: the instance, groups with the outer first, projects. */
export const byPlace = (a: ManagedPlace, b: ManagedPlace): number =>
  scopes.indexOf(a.scope) - scopes.indexOf(b.scope) ||
  byText(a.path.toLowerCase(), b.path.toLowerCase())

const isGone = ({ verb }: Draft): boolean => verb === 'delete'

const isFirst = ({ kind, before, step }: Draft): boolean =>
  kind.first !== undefined &&
  (before?.record[kind.first] === true || step.values[kind.first] === true)

/** Deletes come after the rest, in reverse; the rest by stage, and by place within it. */
const preferred = (a: Draft, b: Draft): number => {
  const gone = Number(isGone(a)) - Number(isGone(b))
  if (gone !== 0) return gone
  const turn = isGone(a) ? -1 : 1
  return (
    turn * (stageOf(a) - stageOf(b)) ||
    turn * (Number(isFirst(b)) - Number(isFirst(a))) ||
    turn * byPlace(a.address, b.address) ||
    verbs.indexOf(a.verb) - verbs.indexOf(b.verb) ||
    byText(a.address.item ?? '', b.address.item ?? '')
  )
}

/** What an action brings about, and what has to be so before it, as texts. */
interface Conditions {
  readonly makes: readonly string[]
  readonly needs: readonly string[]
}

/** A user leaves a group, or is lowered there, before coming below it; an owner falls after others rise. */
const ofMembership = (
  { draft: { address }, user, before, after }: PlannedMembership,
  [here = '', ...above]: readonly string[],
): Conditions => ({
  makes: [
    ...(after > 0 ? [`member ${user} ${here}`] : []),
    ...(after < before ? [`less ${user} ${here}`] : []),
    ...(before < owner && after >= owner ? [`owner ${here}`] : []),
  ],
  needs: [
    ...(after > 0 ? above.map((group) => `less ${user} ${group}`) : []),
    ...(address.scope === 'group' && before >= owner && after < owner
      ? [here, ...above].map((group) => `owner ${group}`)
      : []),
  ],
})

/** Who approves is a member before. */
const ofUsers = ({ kind, step }: Draft, line: readonly string[]): Conditions => {
  const names = Object.entries(kind.refs ?? {}).flatMap(([name, ref]) =>
    ref === 'user' && kind.after?.includes('members') === true ? [name] : [],
  )
  const users = names.flatMap((name) => step.values[name] ?? [])
  return {
    makes: [],
    needs: users.flatMap((user) => line.map((place) => `member ${user} ${place}`)),
  }
}

/** A value that one item has at a time is given up before it is taken; wherever, of what is alone. */
const ofUnique = (draft: Draft, here: string): Conditions => {
  const { kind, before, step } = draft
  const where = kind.alone === true ? '' : here
  const all = [kind.identity, kind.also].flatMap((name) => {
    if (name === undefined || kind.by !== undefined || kind.holds !== 'set') return []
    const param = kind.create?.params[name] ?? kind.update?.params[name]
    const textOf = (value: JsonValue | undefined): readonly string[] =>
      value === undefined
        ? []
        : [`free ${kind.name} ${where} ${name} ${normalised({ param }, value)}`.toLowerCase()]
    const [was] = textOf(name === kind.identity ? before?.identity : before?.attributes[name])
    const [sent = was] = textOf(step.values[name])
    const is = isGone(draft) ? undefined : sent
    return was === is ? [] : [{ was, is }]
  })
  return { makes: all.flatMap(({ was }) => was ?? []), needs: all.flatMap(({ is }) => is ?? []) }
}

/** What must be somewhere comes to the next place before it leaves the first. */
const ofShared = ({ kind, verb, step }: Draft): Conditions => {
  const [name = ''] = Object.keys(kind.at ?? {})
  const number = step.values[name]
  if (kind.enable === undefined || number === undefined) return none
  const text = `taken ${kind.name} ${number}`
  if (verb === 'delete') return { makes: [], needs: [text] }
  return { makes: verb === 'enable' ? [text] : [], needs: [] }
}

/** An item is there before it is changed, and before the one goes that it replaces. */
const ofItem = ({ verb, address }: Draft): Conditions => {
  const text = [`there ${addressText(address)}`]
  return verb === 'create' || verb === 'enable'
    ? { makes: text, needs: [] }
    : { makes: [], needs: text }
}

/** Those that the others of their kind wait for. */
const ofFirst = (draft: Draft, here: string): Conditions => {
  if (draft.kind.first === undefined || isGone(draft)) return none
  const text = [`first ${draft.kind.name} ${here}`]
  return isFirst(draft) ? { makes: text, needs: [] } : { makes: [], needs: text }
}

const none: Conditions = { makes: [], needs: [] }

/** All conditions of a draft. */
const conditionsOf = (draft: Draft): readonly Conditions[] => {
  const line = lineOf(draft.address).map((place) => placeText(place).toLowerCase())
  const [here = ''] = line
  if (draft.kind.by === 'user') return [ofMembership(planOfMembership(draft), line)]
  return [
    ...(isGone(draft) ? [] : [ofUsers(draft, line)]),
    ofItem(draft),
    ofUnique(draft, here),
    ofShared(draft),
    ofFirst(draft, here),
  ]
}

type Waits = ReadonlyMap<Draft, ReadonlySet<Draft>>

/** What each draft waits for: all that bring about what it needs. */
const waitsOf = (drafts: readonly Draft[]): Waits => {
  const makers = new Map<string, Draft[]>()
  for (const draft of drafts)
    for (const { makes } of conditionsOf(draft))
      for (const text of makes) addToGroup(makers, text, draft)
  const waits = new Map<Draft, ReadonlySet<Draft>>()
  for (const draft of drafts) {
    const needs = conditionsOf(draft).flatMap((one) => one.needs)
    const first = new Set(needs.flatMap((text) => makers.get(text) ?? []))
    first.delete(draft)
    if (first.size > 0) waits.set(draft, first)
  }
  return waits
}

/** Drafts in the order in which they are done, and those that wait for each other, of which none can be. */
export const ordered = (
  drafts: readonly Draft[],
): { readonly actions: readonly PlannedAction[]; readonly circular: readonly Draft[] } => {
  const waits = waitsOf(drafts)
  const queue = new ReadyQueue([...drafts].sort(preferred), (draft) => waits.get(draft) ?? [])
  const actions: Draft[] = []
  for (let draft = queue.take(); draft !== undefined; draft = queue.take()) {
    actions.push(draft)
    queue.end(draft)
  }
  for (const [draft, first] of waits) draft.waitsFor = [...first].map(({ id }) => id).sort(byText)
  const done = new Set(actions)
  return { actions, circular: drafts.filter((draft) => !done.has(draft)) }
}
