/**
 * The order of a plan's drafts, and the choice of those that can be done together: one topological sort. Required predecessors come first;
 * among the drafts that are ready, the preferred one comes first. Everything that an action waits for stands before it.
 */

import { addToGroup, groupBy } from '../../base/group-by.js'
import { type JsonValue, listObjects } from '../../base/objects.js'
import { runners } from '../../catalogue/areas/runners.js'
import type { Managed } from '../../catalogue/managed.js'
import { accessLevels } from '../../catalogue/shapes/common.js'
import {
  comparePlaces,
  type Draft,
  type PlanFinding,
  type PlannedAction,
  ReadyQueue,
  stageOf,
} from '../actions.js'
import { placeText, toAddressText } from '../address.js'
import { mapSideBySide } from '../reading/records.js'
import { compareTexts, normalizeValue } from '../values.js'
import { dropNonMemberApprovers, listApproversIn } from './approvers.js'
import type { DiffOptions, DiffView, StandingApprovers } from './context.js'
import {
  getParentGroup,
  isOwnershipLoss,
  listMemberships,
  listPlaceAndParents,
  owner,
  PlannedLevels,
  type PlannedMembership,
  planOfMembership,
} from './members.js'

const verbs = ['create', 'enable', 'update', 'delete']

const isGone = ({ verb }: Draft): boolean => verb === 'delete'

const isFirst = ({ kind, before, step }: Draft): boolean =>
  kind.first !== undefined &&
  (before?.record[kind.first] === true || step.values[kind.first] === true)

/** Deletes come after the rest, in reverse; the rest by stage, and by place within it. */
const compareDrafts = (a: Draft, b: Draft): number => {
  const gone = Number(isGone(a)) - Number(isGone(b))
  if (gone !== 0) return gone
  const turn = isGone(a) ? -1 : 1
  return (
    turn * (stageOf(a.address) - stageOf(b.address)) ||
    turn * (Number(isFirst(b)) - Number(isFirst(a))) ||
    turn * comparePlaces(a.address, b.address) ||
    verbs.indexOf(a.verb) - verbs.indexOf(b.verb) ||
    compareTexts(a.address.item ?? '', b.address.item ?? '')
  )
}

/** The conditions that an action makes true, and those that must be true before it, as texts. */
interface Conditions {
  readonly makes: string[]
  readonly needs: string[]
}

/** A user leaves a group, or is lowered there, before coming below it; an owner falls after others rise. */
const addMembership = (
  { makes, needs }: Conditions,
  one: PlannedMembership,
  [here = '', ...outer]: readonly string[],
): void => {
  const { user, before, after } = one
  if (after > 0) {
    makes.push(`member ${user} ${here}`)
    needs.push(...outer.map((group) => `less ${user} ${group}`))
  }
  if (after < before) makes.push(`less ${user} ${here}`)
  if (before < owner && after >= owner) makes.push(`owner ${here}`)
  if (isOwnershipLoss(one)) needs.push(...[here, ...outer].map((group) => `owner ${group}`))
}

/** A value that one item has at a time is given up before it is taken; wherever, of what is alone. */
const addUnique = ({ makes, needs }: Conditions, draft: Draft, here: string): void => {
  const { kind, before, step } = draft
  if (kind.holds !== 'set') return
  for (const name of [kind.identity, kind.also]) {
    if (name === undefined) continue
    const param = kind.create?.params[name] ?? kind.update?.params[name]
    const where = kind.alone === true ? '' : here
    const textOf = (value: JsonValue | undefined) =>
      value === undefined
        ? undefined
        : `free ${kind.name} ${where} ${name} ${normalizeValue({ param }, value)}`.toLowerCase()
    const was = textOf(name === kind.identity ? before?.identity : before?.attributes[name])
    const is = isGone(draft) ? undefined : (textOf(step.values[name]) ?? was)
    if (was === is) continue
    if (was !== undefined) makes.push(was)
    if (is !== undefined) needs.push(is)
  }
}

/** All conditions of a draft. */
const collectConditions = (draft: Draft): Conditions => {
  const { kind, verb, step, address } = draft
  const all: Conditions = { makes: [], needs: [] }
  const { makes, needs } = all
  const line = listPlaceAndParents(address).map((place) => placeText(place).toLowerCase())
  const [here = ''] = line
  if (kind.by === 'user') {
    addMembership(all, planOfMembership(draft), line)
    return all
  }
  // Who approves is a member before.
  for (const user of listApproversIn(draft))
    needs.push(...line.map((place) => `member ${user} ${place}`))
  // An item is there before it is changed, and before the one goes that it replaces.
  const isNew = verb === 'create' || verb === 'enable'
  const there = isNew ? makes : needs
  there.push(`there ${toAddressText(address)}`)
  if (kind.by === undefined) addUnique(all, draft, here)
  // What must be somewhere comes to the next place before it leaves the first.
  const number = step.values[Object.keys(kind.at ?? {})[0] ?? '']
  const taken = `taken ${kind.name} ${number}`
  if (kind.enable !== undefined && number !== undefined && verb === 'enable') makes.push(taken)
  if (kind.enable !== undefined && number !== undefined && isGone(draft)) needs.push(taken)
  // The others of their kind wait for the first.
  const first = isFirst(draft) ? makes : needs
  if (kind.first !== undefined && !isGone(draft)) first.push(`first ${kind.name} ${here}`)
  return all
}

/** Drafts in the order in which they are done, and those that wait for each other, of which none can be. */
const orderDrafts = (
  drafts: readonly Draft[],
): { readonly actions: readonly PlannedAction[]; readonly circular: readonly Draft[] } => {
  // What each waits for: all that bring about what it needs.
  const makers = new Map<string, Draft[]>()
  for (const draft of drafts)
    for (const text of collectConditions(draft).makes) addToGroup(makers, text, draft)
  const waits = new Map<Draft, ReadonlySet<Draft>>()
  for (const draft of drafts) {
    const first = new Set(collectConditions(draft).needs.flatMap((text) => makers.get(text) ?? []))
    first.delete(draft)
    if (first.size > 0) waits.set(draft, first)
  }
  const queue = new ReadyQueue([...drafts].sort(compareDrafts), (draft) => waits.get(draft) ?? [])
  const actions: Draft[] = []
  for (let draft = queue.take(); draft !== undefined; draft = queue.take()) {
    actions.push(draft)
    queue.end(draft)
  }
  for (const [draft, first] of waits)
    draft.waitsFor = [...first].map(({ id }) => id).sort(compareTexts)
  const done = new Set(actions)
  return { actions, circular: drafts.filter((draft) => !done.has(draft)) }
}

// No member is less in a place than in the groups above it, as the plan leaves those.

/** Finds the drafts that would give a user a lower level than the groups above do, with a finding for each. */
const findBelowFloor = async (
  drafts: readonly Draft[],
  view: DiffView,
  { about }: Pick<DiffOptions, 'about'>,
) => {
  // Nobody is above what is a person's own.
  const all = listMemberships(drafts).filter(
    ({ draft: { address } }) => about?.(address.path)?.namespace !== 'user',
  )
  const levels = new PlannedLevels(view, all)
  const dropped = new Set<Draft>()
  const findings: PlanFinding[] = []
  const check = async (one: PlannedMembership): Promise<void> => {
    const { address, origin, verb } = one.draft
    const group = getParentGroup(address)
    // Also where only the end changes: the level is sent with it, and refused.
    const floor = verb === 'delete' || group === undefined ? 0 : await levels.of(group, one.user)
    if (one.after >= floor) return
    levels.drop(one)
    dropped.add(one.draft)
    const name = Object.entries(accessLevels).find(([, level]) => level === floor)?.[0]
    const as = name === undefined ? `at level ${floor}` : `as ${name}`
    const text = `is a member of ${group?.path} ${as}, and cannot have a lower level here`
    findings.push({ is: 'impossible', address, text, origin })
  }
  // The outer groups first, projects last: those of one depth say nothing of each other's floors.
  const depths = groupBy(all, ({ draft: { address } }) =>
    address.scope === 'project' ? Number.POSITIVE_INFINITY : address.path.split('/').length,
  )
  for (const [, ones] of [...depths].sort(([a], [b]) => (a < b ? -1 : 1)))
    await mapSideBySide(ones, check)
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

/** Returns the number of projects that a runner has; undefined if its record has none. The list of runners never has them. */
const countRunnerProjects = async (view: DiffView, kind: Managed, id: number) => {
  const one = { ...kind, ...byItself }
  const current = await view.readKind({ scope: 'site', path: '' }, one, [String(id)])
  const items = current.is === 'read' ? current.items : []
  const found = items.find(({ record }) => record.id === id)
  return found && listObjects(found.record.projects).length
}

/** The drafts that would take the last project from a runner: of several, the one that is done last. */
const findLastProjects = async (
  drafts: readonly Draft[],
  view: DiffView,
): Promise<ReadonlySet<Draft>> => {
  const byRunner = groupBy(drafts, ({ kind, step: { values } }) => {
    const id = Number(values.runner_id)
    return kind.by === 'runner' && Number.isInteger(id) ? id : undefined
  })
  const found = await mapSideBySide(
    [...byRunner],
    async ([id, ones]): Promise<readonly Draft[]> => {
      // They go in reverse.
      const taken = ones.filter(isGone).sort((a, b) => comparePlaces(a.address, b.address))
      const [last] = taken
      const now = last && (await countRunnerProjects(view, last.kind, id))
      return last && now !== undefined && now + ones.length - 2 * taken.length <= 0 ? [last] : []
    },
  )
  return new Set(found.flat())
}

// No item that is in one place at a time comes to another before it leaves the first.

/** The drafts that would take an item which some other place has, and keeps: each with that place's ID. */
const findTakenElsewhere = async (
  drafts: readonly Draft[],
  view: DiffView,
): Promise<ReadonlyMap<Draft, number>> => {
  const taken = new Map<Draft, number>()
  const isAlone = ({ kind, verb }: Draft): boolean => kind.alone === true && verb === 'create'
  const nameOf = ({ address: { item = '' } }: Draft): string => item.toLowerCase()
  const freed = new Set(
    drafts.filter(({ kind, verb }) => kind.alone && verb === 'delete').map(nameOf),
  )
  for (const draft of drafts.filter(isAlone)) {
    const { everywhere, name } = draft.kind
    if (everywhere === undefined || freed.has(nameOf(draft))) continue
    const kind = { ...draft.kind, scope: 'site', name: `${name}/all`, read: everywhere } as const
    const current = await view.readKind({ scope: 'site', path: '' }, kind)
    const items = current.is === 'read' ? current.items : []
    const item = items.find(({ identity }) => identity.toLowerCase() === nameOf(draft))
    if (item !== undefined) taken.set(draft, Number(item.record.project_id))
  }
  return taken
}

/** Removes the drafts that other drafts make impossible, with a finding for each, and sorts the rest in the order of execution. */
export const selectPossibleDrafts = async (
  all: readonly Draft[],
  standing: readonly StandingApprovers[],
  view: DiffView,
  how: DiffOptions,
): Promise<{
  readonly drafts: readonly Draft[]
  readonly actions: readonly PlannedAction[]
  readonly findings: readonly PlanFinding[]
}> => {
  const floors = await findBelowFloor(all, view, how)
  const last = await findLastProjects(all, view)
  const taken = await findTakenElsewhere(all, view)
  const left = all.filter(
    (draft) => !floors.dropped.has(draft) && !last.has(draft) && !taken.has(draft),
  )
  const { drafts: possible, findings } = await dropNonMemberApprovers(left, standing, view, how)
  const { actions, circular } = orderDrafts(possible)
  const others = circular.map(({ address }) => toAddressText(address)).join(', ')
  const said = (text: string, drafts: Iterable<Draft>): readonly PlanFinding[] =>
    [...drafts].map(({ address, origin }) => ({ is: 'impossible', address, text, origin }))
  return {
    drafts: possible.filter((draft) => !circular.includes(draft)),
    actions,
    findings: [
      ...floors.findings,
      ...findings,
      ...said('this is the only project of the runner, so it cannot be removed', last),
      ...[...taken].flatMap(([draft, project]) =>
        said(`the project with the ID ${project} has it: remove it there first`, [draft]),
      ),
      ...said(
        `these changes wait for each other: ${others}; apply a value in between first`,
        circular,
      ),
    ],
  }
}
