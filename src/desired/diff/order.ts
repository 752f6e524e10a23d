/**
 * Which drafts of a plan can be done together, and in which order: one topological sort. What must come first does; among
 * what may be done, the preferred comes first. Everything that an action waits for stands before it.
 */

import { addToGroup, groupBy } from '../../base/group-by.js'
import { isJsonList, type JsonValue } from '../../base/json/value.js'
import { objects } from '../../base/objects.js'
import { runners } from '../../catalogue/areas/runners.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { type Change, type PlanFinding, type PlannedAction, ReadyQueue } from '../actions.js'
import { addressText, type ManagedPlace, placeText } from '../address.js'
import { sideBySide } from '../reading/view.js'
import { byText, normalised, sameValue } from '../values.js'
import {
  above,
  allMembers,
  LevelsAfter,
  lineOf,
  memberships,
  owner,
  type PlannedMembership,
  planOfMembership,
} from './members.js'
import type { DiffOptions, DiffView, Draft } from './types.js'

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
const ordered = (
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

// Who approves is a member once the plan is done: an instance leaves the others out without a word.

/** A draft with fewer members of a list; undefined where nothing is left to change. */
const without = (made: Draft, name: string, left: ReadonlySet<JsonValue>): Draft | undefined => {
  const ids = listIn(made.step.values[name])
  const value = ids.filter((id) => !left.has(id))
  const isSame = sameValue({ param: undefined }, made.before?.attributes[name] ?? [], value)
  const changes = made.changes.flatMap((change): readonly Change[] => {
    if (change.attribute !== name) return [change]
    const wanted = listIn(change.wanted).filter((_, i) => !left.has(ids[i] ?? null))
    return made.verb === 'update' && isSame ? [] : [{ ...change, wanted }]
  })
  if (made.verb === 'update' && changes.length === 0) return undefined
  const { id, verb, address, kind, digest, loses, origin, replaces, before, step } = made
  const values = { ...step.values, [name]: value }
  const rest = { digest, loses, origin, replaces, before, waitsFor: [] }
  return { id, verb, address, kind, changes, step: { ...step, values }, ...rest }
}

const listIn = (value: JsonValue | undefined): readonly JsonValue[] =>
  isJsonList(value) ? value : []

/** The attribute that names who approves; undefined of a draft that names nobody. */
const approversOf = ({ kind, verb, step }: Draft): string | undefined => {
  const [name] = Object.entries(kind.refs ?? {}).find(([, ref]) => ref === 'user') ?? []
  const isOne = verb !== 'delete' && kind.after?.includes('members') === true
  return name !== undefined && isOne && listIn(step.values[name]).length > 0 ? name : undefined
}

/** Those of whom a draft speaks, and who are no members. */
const strangersOf = async (
  { address: { scope, path }, before, step }: Draft,
  name: string,
  view: DiffView,
  levels: LevelsAfter,
): Promise<readonly JsonValue[]> => {
  const place = { scope, path }
  // Whom the rule has already, the instance takes, for as long as no membership ends.
  const had = new Set(listIn(before?.attributes[name]))
  const users = listIn(step.values[name]).filter(
    (user) => !had.has(user) || levels.changes(place, Number(user)),
  )
  if (users.length === 0 || (await allMembers(view, place)).is !== 'read') return []
  const all: JsonValue[] = []
  for (const user of users) if ((await levels.of(place, Number(user))) === 0) all.push(user)
  return all
}

/** Drafts without approvers who are no members, each of whom is told of. */
const membersOnly = async (
  drafts: readonly Draft[],
  view: DiffView,
  { about }: Pick<DiffOptions, 'about'>,
): Promise<{ readonly drafts: readonly Draft[]; readonly findings: readonly PlanFinding[] }> => {
  const levels = new LevelsAfter(view, memberships(drafts))
  const findings: PlanFinding[] = []
  const check = async (made: Draft): Promise<readonly Draft[]> => {
    const name = approversOf(made)
    const left = name === undefined ? [] : await strangersOf(made, name, view, levels)
    if (name === undefined || left.length === 0) return [made]
    const { address, changes } = made
    const isShared = about?.(address.path)?.shared === true
    const said = changes.find(({ attribute }) => attribute === name) ?? made
    const called = left.map((id) => view.names.name('user', Number(id), address) ?? id).join(', ')
    findings.push({
      is: isShared ? 'unknown' : 'impossible',
      address: { ...address, attribute: name },
      text: isShared
        ? `the project is shared with groups, so svcctl cannot tell whether ${called} may approve`
        : `approvers must be members of the project, and this one is not: ${called}`,
      origin: said.origin,
    })
    if (isShared) return [made]
    return [without(made, name, new Set(left)) ?? []].flat()
  }
  return { drafts: (await sideBySide(drafts, check)).flat(), findings }
}

// No member is less in a place than in the groups above it, as the plan leaves those.

/** Those that say nothing of each other's floors: groups of one depth, the outer ones first, and projects. */
const inTurn = (all: readonly PlannedMembership[]): readonly (readonly PlannedMembership[])[] => {
  const depths = groupBy(all, ({ draft: { address } }) =>
    address.scope === 'project' ? Number.POSITIVE_INFINITY : address.path.split('/').length,
  )
  return [...depths].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ones]) => ones)
}

interface BelowFloors {
  readonly findings: readonly PlanFinding[]
  readonly dropped: ReadonlySet<Draft>
}

/** The drafts that would make somebody less than the groups above do, and what is said of them. */
const belowFloors = async (
  drafts: readonly Draft[],
  view: DiffView,
  { about }: Pick<DiffOptions, 'about'>,
): Promise<BelowFloors> => {
  // Nobody is above what is a person's own.
  const all = memberships(drafts).filter(
    ({ draft: { address } }) => about?.(address.path)?.namespace !== 'user',
  )
  const levels = new LevelsAfter(view, all)
  const dropped = new Set<Draft>()
  const findings: PlanFinding[] = []
  const check = async (one: PlannedMembership): Promise<void> => {
    const { address, origin, verb } = one.draft
    const group = above(address)
    // Also where only the end changes: the level is sent with it, and refused.
    const floor = verb === 'delete' || group === undefined ? 0 : await levels.of(group, one.user)
    if (one.after >= floor) return
    levels.drop(one)
    dropped.add(one.draft)
    const text = `is a member of ${group?.path} at level ${floor}, and cannot have a lower level here`
    findings.push({ is: 'impossible', address, text, origin })
  }
  for (const ones of inTurn(all)) await sideBySide(ones, check)
  return { findings, dropped }
}

// No runner loses its only project, as the plan leaves it.

/** Any runner, by its ID. */
const byItself = {
  name: 'runners/one',
  scope: 'site',
  read: runners.get,
  unlisted: '/runners/:id',
  only: {},
} as const

/** How many projects a runner has; undefined where it does not say it: the list never does. */
const projectsOfRunner = async (
  view: DiffView,
  kind: Managed,
  id: number,
): Promise<number | undefined> => {
  const one = { ...kind, ...byItself }
  const current = await view.readKind({ scope: 'site', path: '' }, one, [String(id)])
  if (current.is !== 'read') return undefined
  const found = current.items.find(({ record }) => record.id === id)
  return found === undefined ? undefined : objects(found.record.projects).length
}

/** The number of the runner that a draft is about. */
const runnerOf = ({ kind, step }: Draft): number | undefined => {
  const id = Number(step.values.runner_id)
  return kind.by === 'runner' && Number.isInteger(id) ? id : undefined
}

/** The drafts that would take the last project from a runner: of several, the one that is done last. */
const lastProjects = async (
  drafts: readonly Draft[],
  view: DiffView,
): Promise<ReadonlySet<Draft>> => {
  const all = [...groupBy(drafts, runnerOf)].filter(([, ones]) =>
    ones.some(({ verb }) => verb === 'delete'),
  )
  const found = await sideBySide(all, async ([id, ones]): Promise<readonly Draft[]> => {
    const taken = ones.filter(({ verb }) => verb === 'delete')
    const [kind] = taken.map((draft) => draft.kind)
    const now = kind === undefined ? undefined : await projectsOfRunner(view, kind, id)
    if (now === undefined || now + ones.length - 2 * taken.length > 0) return []
    // They go in reverse.
    return [...taken].sort((a, b) => byPlace(a.address, b.address)).slice(0, 1)
  })
  return new Set(found.flat())
}

interface PossibleTogether {
  readonly drafts: readonly Draft[]
  /** The same, in the order in which they are done. */
  readonly actions: readonly PlannedAction[]
  readonly findings: readonly PlanFinding[]
}

/** Drafts without those that the rest makes impossible, which are told of. */
export const possibleTogether = async (
  all: readonly Draft[],
  view: DiffView,
  how: DiffOptions,
): Promise<PossibleTogether> => {
  const floors = await belowFloors(all, view, how)
  const last = await lastProjects(all, view)
  const left = all.filter((draft) => !floors.dropped.has(draft) && !last.has(draft))
  const { drafts: possible, findings } = await membersOnly(left, view, how)
  const { actions, circular } = ordered(possible)
  const dropped = new Set([...floors.dropped, ...last, ...circular])
  const others = circular.map(({ address }) => addressText(address)).join(', ')
  const said = (text: string, drafts: Iterable<Draft>): readonly PlanFinding[] =>
    [...drafts].map(({ address, origin }) => ({ is: 'impossible', address, text, origin }))
  return {
    drafts: possible.filter((draft) => !dropped.has(draft)),
    actions,
    findings: [
      ...floors.findings,
      ...findings,
      ...said('this is the only project of the runner, so it cannot be removed', last),
      ...said(
        `these changes wait for each other: ${others}; apply a value in between first`,
        circular,
      ),
    ],
  }
}
