/**
 * Orders a plan's drafts by a topological sort, and drops those that cannot be carried out together. Every action comes after those that it
 * waits for; among drafts that are ready, the preferred one comes first.
 */

import { addToGroup, groupBy } from '../../base/collections.js'
import { type JsonValue, listObjects } from '../../base/objects.js'
import { runners } from '../../catalogue/areas/runners.js'
import type { Managed } from '../../catalogue/managed.js'
import { accessLevels } from '../../catalogue/shapes/common.js'
import {
  comparePlaces,
  type Draft,
  getKindStage,
  isDelete,
  type PlanFinding,
  type PlannedAction,
  ReadyQueue,
} from '../actions.js'
import { toAddressText, toPlaceText } from '../address.js'
import { mapSideBySide } from '../reading/records.js'
import { compareTexts, normalizeValue } from '../values.js'
import { dropNonMemberApprovers, listApproversIn } from './approvers.js'
import {
  type DiffOptions,
  type DiffView,
  readEverywhere,
  type UnchangedApprovers,
} from './context.js'
import {
  getParentGroup,
  isOwnershipLoss,
  listMemberships,
  listPlaceAndParents,
  ownerLevel,
  PlannedLevels,
  type PlannedMembership,
  toPlannedMembership,
} from './member-levels.js'

const verbs = ['create', 'enable', 'update', 'delete']

const isFirst = ({ kind, before, step }: Draft): boolean =>
  kind.first !== undefined &&
  (before?.record[kind.first] === true || step.values[kind.first] === true)

/** Compares drafts. Deletes come last, in reverse order. The others are ordered by kind, and by place within a kind. */
const compareDrafts = (a: Draft, b: Draft): number => {
  const gone = Number(isDelete(a)) - Number(isDelete(b))
  if (gone !== 0) return gone
  const turn = isDelete(a) ? -1 : 1
  return (
    turn * (getKindStage(a.address) - getKindStage(b.address)) ||
    turn * (Number(isFirst(b)) - Number(isFirst(a))) ||
    turn * comparePlaces(a.address, b.address) ||
    verbs.indexOf(a.verb) - verbs.indexOf(b.verb) ||
    compareTexts(a.address.item ?? '', b.address.item ?? '')
  )
}

/**
 * The conditions that an action makes true, and those that must be true before it. Each condition is a text such as `member 7 groups/a`.
 */
interface Conditions {
  readonly makes: string[]
  readonly needs: string[]
}

/**
 * Adds the conditions of a membership. A user leaves or is lowered in a group before joining below it. An owner is lowered only after
 * others become owners.
 */
const addMembershipConditions = (
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
  if (before < ownerLevel && after >= ownerLevel) makes.push(`owner ${here}`)
  if (isOwnershipLoss(one)) needs.push(...[here, ...outer].map((group) => `owner ${group}`))
}

/**
 * Adds the conditions of unique values: one item gives a value up before another takes it. If the kind is `alone`, that holds across
 * places.
 */
const addUniqueConditions = ({ makes, needs }: Conditions, draft: Draft, here: string): void => {
  const { kind, before, step } = draft
  if (kind.holds !== 'set') return
  for (const name of [kind.identity, kind.also]) {
    if (name === undefined) continue
    const param = kind.create?.params[name] ?? kind.update?.params[name]
    const where = kind.alone === true ? '' : here
    const toCondition = (value: JsonValue | undefined) =>
      value === undefined
        ? undefined
        : `free ${kind.name} ${where} ${name} ${normalizeValue({ param }, value)}`.toLowerCase()
    const was = toCondition(name === kind.identity ? before?.identity : before?.attributes[name])
    const is = isDelete(draft) ? undefined : (toCondition(step.values[name]) ?? was)
    if (was === is) continue
    if (was !== undefined) makes.push(was)
    if (is !== undefined) needs.push(is)
  }
}

/** Collects all conditions of a draft. */
const collectConditions = (draft: Draft): Conditions => {
  const { kind, verb, step, address } = draft
  const all: Conditions = { makes: [], needs: [] }
  const { makes, needs } = all
  const lineage = listPlaceAndParents(address).map((place) => toPlaceText(place).toLowerCase())
  const [here = ''] = lineage
  if (kind.by === 'user') {
    addMembershipConditions(all, toPlannedMembership(draft), lineage)
    return all
  }
  // An approver must become a member first.
  for (const user of listApproversIn(draft))
    needs.push(...lineage.map((place) => `member ${user} ${place}`))
  // An item must exist before it is changed, and before the item that it replaces is deleted.
  const isNew = verb === 'create' || verb === 'enable'
  const existence = isNew ? makes : needs
  existence.push(`there ${toAddressText(address)}`)
  if (kind.by === undefined) addUniqueConditions(all, draft, here)
  // An item that must always be somewhere is enabled in the new place before it leaves the old one.
  const number = step.values[Object.keys(kind.at ?? {})[0] ?? '']
  const enabled = `taken ${kind.name} ${number}`
  if (kind.enable !== undefined && number !== undefined && verb === 'enable') makes.push(enabled)
  if (kind.enable !== undefined && number !== undefined && isDelete(draft)) needs.push(enabled)
  // The other items of the kind wait for the first.
  const first = isFirst(draft) ? makes : needs
  if (kind.first !== undefined && !isDelete(draft)) first.push(`first ${kind.name} ${here}`)
  return all
}

/** Returns the drafts in the order of execution, and separately those that wait for each other in a circle. */
const orderDrafts = (
  drafts: readonly Draft[],
): { readonly actions: readonly PlannedAction[]; readonly circular: readonly Draft[] } => {
  // Each draft waits for all drafts that make one of its conditions true.
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

// The floor of levels: a member cannot have a lower level in a place than in the groups above it.

/** Finds the drafts that would give a user a lower level than the groups above do, with a finding for each. */
const findBelowFloor = async (
  drafts: readonly Draft[],
  view: DiffView,
  { about }: Pick<DiffOptions, 'about'>,
) => {
  // A personal namespace has no groups above it.
  const all = listMemberships(drafts).filter(
    ({ draft: { address } }) => about?.(address.path)?.namespace !== 'user',
  )
  const levels = new PlannedLevels(view, all)
  const dropped = new Set<Draft>()
  const findings: PlanFinding[] = []
  const check = async (one: PlannedMembership): Promise<void> => {
    const { address, origin, verb } = one.draft
    const group = getParentGroup(address)
    // The floor also applies if only the expiry date changes: the level is sent along, and would be refused.
    const floor =
      verb === 'delete' || group === undefined ? 0 : await levels.getLevel(group, one.user)
    if (one.after >= floor) return
    levels.remove(one)
    dropped.add(one.draft)
    const name = Object.entries(accessLevels).find(([, level]) => level === floor)?.[0]
    const as = name === undefined ? `at level ${floor}` : `as ${name}`
    const text = `is a member of ${group?.path} ${as}, and cannot have a lower level here`
    findings.push({ is: 'impossible', address, text, origin })
  }
  // Outer groups come first and projects last. Places of the same depth do not affect each other's floors.
  const depths = groupBy(all, ({ draft: { address } }) =>
    address.scope === 'project' ? Number.POSITIVE_INFINITY : address.path.split('/').length,
  )
  for (const [, ones] of [...depths].sort(([a], [b]) => (a < b ? -1 : 1)))
    await mapSideBySide(ones, check)
  return { findings, dropped }
}

// The last project of a runner: a runner must not lose it.

/** The overrides of the runner kind that read any runner by its ID. */
const singleRunner = {
  name: 'runners/one',
  scope: 'site',
  read: runners.get,
  unlisted: '/runners/:id',
  only: {},
} as const

/** Returns the number of projects that a runner has; undefined if its record has none. The list of runners never has them. */
const countRunnerProjects = async (view: DiffView, kind: Managed, id: number) => {
  const one = { ...kind, ...singleRunner }
  const current = await view.readKind({ scope: 'site', path: '' }, one, [String(id)])
  const items = current.is === 'read' ? current.items : []
  const found = items.find(({ record }) => record.id === id)
  return found && listObjects(found.record.projects).length
}

/** Finds the drafts that would take the last project from a runner. Of several drafts, it is the one that would run last. */
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
      // Deletes run in reverse order of places.
      const taken = ones.filter(isDelete).sort((a, b) => comparePlaces(a.address, b.address))
      const [last] = taken
      const now = last && (await countRunnerProjects(view, last.kind, id))
      return last && now !== undefined && now + ones.length - 2 * taken.length <= 0 ? [last] : []
    },
  )
  return new Set(found.flat())
}

// Items that can be in only one place: they must leave the first place before they come to another.

/** Finds the drafts that would take an item that another place keeps. Each is returned with the ID of that place. */
const findTakenElsewhere = async (
  drafts: readonly Draft[],
  view: DiffView,
): Promise<ReadonlyMap<Draft, number>> => {
  const taken = new Map<Draft, number>()
  const isAlone = ({ kind, verb }: Draft): boolean => kind.alone === true && verb === 'create'
  const getItemKey = ({ address: { item = '' } }: Draft): string => item.toLowerCase()
  const freed = new Set(
    drafts.filter(({ kind, verb }) => kind.alone && verb === 'delete').map(getItemKey),
  )
  for (const draft of drafts.filter((one) => isAlone(one) && !freed.has(getItemKey(one)))) {
    const items = await readEverywhere(view, draft.kind)
    const item = items.find(({ identity }) => identity.toLowerCase() === getItemKey(draft))
    if (item !== undefined) taken.set(draft, Number(item.record.project_id))
  }
  return taken
}

/** Removes the drafts that other drafts make impossible, with a finding for each, and sorts the rest in the order of execution. */
export const selectPossibleDrafts = async (
  all: readonly Draft[],
  standing: readonly UnchangedApprovers[],
  view: DiffView,
  options: DiffOptions,
): Promise<{
  readonly drafts: readonly Draft[]
  readonly actions: readonly PlannedAction[]
  readonly findings: readonly PlanFinding[]
}> => {
  const floors = await findBelowFloor(all, view, options)
  const last = await findLastProjects(all, view)
  const taken = await findTakenElsewhere(all, view)
  const left = all.filter(
    (draft) => !floors.dropped.has(draft) && !last.has(draft) && !taken.has(draft),
  )
  const { drafts: possible, findings } = await dropNonMemberApprovers(left, standing, view, options)
  const { actions, circular } = orderDrafts(possible)
  const others = circular.map(({ address }) => toAddressText(address)).join(', ')
  const createImpossibleFindings = (
    text: string,
    drafts: Iterable<Draft>,
  ): readonly PlanFinding[] =>
    [...drafts].map(({ address, origin }) => ({ is: 'impossible', address, text, origin }))
  return {
    drafts: possible.filter((draft) => !circular.includes(draft)),
    actions,
    findings: [
      ...floors.findings,
      ...findings,
      ...createImpossibleFindings(
        'this is the only project of the runner, so it cannot be removed',
        last,
      ),
      ...[...taken].flatMap(([draft, project]) =>
        createImpossibleFindings(
          `the project with the ID ${project} has it: remove it there first`,
          [draft],
        ),
      ),
      ...createImpossibleFindings(
        `these changes wait for each other: ${others}; apply a value in between first`,
        circular,
      ),
    ],
  }
}
