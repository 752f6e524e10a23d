/** Who approves is a member once the plan is done: an instance leaves the others out without a word. */
import type { JsonValue } from '../../base/json/value.js'
import { groupMembers, projectMembers } from '../../catalogue/managed/members.js'
import type { Change, PlanFinding } from '../actions.js'
import { type ManagedPlace, placeText } from '../address.js'
import { sideBySide } from '../reading/once.js'
import { sameValue } from '../values.js'
import { above, allMembers } from './kinds/members.js'
import { memberships, type PlannedMembership } from './memberships.js'
import type { ComparingOptions, ComparingSight, Draft } from './types.js'

/** A place, and the groups above it. */
const lineOf = (place: ManagedPlace): readonly ManagedPlace[] => {
  const group = above(place)
  return [place, ...(group === undefined ? [] : lineOf(group))]
}

const keyOf = (place: ManagedPlace, user: JsonValue): string =>
  `${user} ${placeText(place).toLowerCase()}`

type Planned = ReadonlyMap<string, PlannedMembership>

/** Whether a user is a member of a project once a plan is done. */
const isMember = async (
  sight: ComparingSight,
  project: ManagedPlace,
  user: JsonValue,
  { planned, now }: { readonly planned: Planned; readonly now: ReadonlySet<JsonValue> },
): Promise<boolean> => {
  const line = lineOf(project)
  const plans = line.flatMap((place) => planned.get(keyOf(place, user)) ?? [])
  if (plans.length === 0) return now.has(user)
  if (plans.some(({ after }) => after > 0)) return true
  for (const place of line.filter((one) => !planned.has(keyOf(one, user)))) {
    const seen = await sight.see(place, place.scope === 'group' ? groupMembers : projectMembers)
    if (seen.is === 'read' && seen.items.some(({ record }) => record.id === user)) return true
  }
  return false
}

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
  const values = { ...made.step.values, [name]: value }
  return { ...made, changes, step: { ...made.step, values } }
}

const listIn = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : []

/** The attribute that names who approves; undefined of a draft that names nobody. */
const approversOf = ({ kind, verb, step }: Draft): string | undefined => {
  const [name] = Object.entries(kind.refs ?? {}).find(([, ref]) => ref === 'user') ?? []
  const isOne = verb !== 'delete' && kind.after?.includes('members') === true
  return name !== undefined && isOne && listIn(step.values[name]).length > 0 ? name : undefined
}

/** Those of whom a draft speaks, and who are no members. */
const strangersOf = async (
  made: Draft,
  name: string,
  sight: ComparingSight,
  planned: Planned,
): Promise<readonly JsonValue[]> => {
  const { scope, path } = made.address
  const place = { scope, path }
  // Whom the rule has already, the instance takes, for as long as no membership ends.
  const had = new Set(listIn(made.before?.attributes[name]))
  const users = listIn(made.step.values[name]).filter(
    (user) => !had.has(user) || lineOf(place).some((one) => planned.has(keyOf(one, user))),
  )
  if (users.length === 0) return []
  const seen = await allMembers(sight, projectMembers, place)
  if (seen.is !== 'read') return []
  const now = new Set<JsonValue>(seen.items.map(({ record }) => Number(record.id)))
  const all: JsonValue[] = []
  for (const user of users)
    if (!(await isMember(sight, place, user, { planned, now }))) all.push(user)
  return all
}

/** Drafts without approvers who are no members, each of whom is told of. */
export const membersOnly = async (
  drafts: readonly Draft[],
  sight: ComparingSight,
  { about }: Pick<ComparingOptions, 'about'>,
): Promise<{ readonly drafts: readonly Draft[]; readonly findings: readonly PlanFinding[] }> => {
  const all = memberships(drafts)
  const planned = new Map(all.map((one) => [keyOf(one.draft.address, one.user), one]))
  const findings: PlanFinding[] = []
  const check = async (made: Draft): Promise<readonly Draft[]> => {
    const name = approversOf(made)
    const left = name === undefined ? [] : await strangersOf(made, name, sight, planned)
    if (name === undefined || left.length === 0) return [made]
    const { address, changes } = made
    const isShared = about?.(address.path)?.shared === true
    const said = changes.find(({ attribute }) => attribute === name) ?? made
    const called = left.map((id) => sight.names.name('user', Number(id), address) ?? id).join(', ')
    findings.push({
      is: isShared ? 'unknown' : 'impossible',
      address: { ...address, attribute: name },
      text: isShared
        ? `the project is shared with groups: whether ${called} may approve is not known`
        : `who approves has to be a member of the project: not ${called}`,
      origin: said.origin,
    })
    if (isShared) return [made]
    return [without(made, name, new Set(left)) ?? []].flat()
  }
  return { drafts: (await sideBySide(drafts, check)).flat(), findings }
}
