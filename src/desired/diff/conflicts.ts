/** What can be done by itself, and not with all the rest of a plan. */

import { groupBy } from '../../base/group-by.js'
import { isJsonList, type JsonValue } from '../../base/json/value.js'
import type { Change, PlanFinding, PlannedAction } from '../actions.js'
import { addressText } from '../address.js'
import { sideBySide } from '../reading/view.js'
import { sameValue } from '../values.js'
import { projectsOfRunner } from './kinds/runners.js'
import { above, allMembers, LevelsAfter, memberships, type PlannedMembership } from './members.js'
import { byPlace, ordered } from './order.js'
import type { DiffOptions, DiffView, Draft, SetCount } from './types.js'

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
  readonly dropped: ReadonlySet<Draft>
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
    dropped,
  }
}

/** Tallies of sets without what cannot be done. */
export const lessThese = (
  tallies: readonly SetCount[],
  dropped: ReadonlySet<Draft>,
): readonly SetCount[] => {
  const sets = new Map<string, { creates: number; deletes: number }>()
  for (const { verb, address } of dropped) {
    const { scope, path, kind } = address
    const set = addressText({ scope, path, kind })
    const less = sets.get(set) ?? { creates: 0, deletes: 0 }
    less[verb === 'delete' ? 'deletes' : 'creates'] += verb === 'update' ? 0 : 1
    sets.set(set, less)
  }
  return tallies.map((tally) => {
    const { creates = 0, deletes = 0 } = sets.get(addressText(tally.address)) ?? {}
    return { ...tally, creates: tally.creates - creates, deletes: tally.deletes - deletes }
  })
}
