/** Who approves is a member once the plan is done: an instance leaves the others out without a word. */
import type { JsonValue } from '../../base/json/value.js'
import type { Change, PlanFinding } from '../actions.js'
import { sideBySide } from '../reading/once.js'
import { sameValue } from '../values.js'
import { allMembers } from './kinds/members.js'
import { LevelsAfter, memberships } from './memberships.js'
import type { ComparingOptions, ComparingSight, Draft } from './types.js'

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
  { address: { scope, path }, before, step }: Draft,
  name: string,
  sight: ComparingSight,
  levels: LevelsAfter,
): Promise<readonly JsonValue[]> => {
  const place = { scope, path }
  // Whom the rule has already, the instance takes, for as long as no membership ends.
  const had = new Set(listIn(before?.attributes[name]))
  const users = listIn(step.values[name]).filter(
    (user) => !had.has(user) || levels.changes(place, Number(user)),
  )
  if (users.length === 0 || (await allMembers(sight, place)).is !== 'read') return []
  const all: JsonValue[] = []
  for (const user of users) if ((await levels.of(place, Number(user))) === 0) all.push(user)
  return all
}

/** Drafts without approvers who are no members, each of whom is told of. */
export const membersOnly = async (
  drafts: readonly Draft[],
  sight: ComparingSight,
  { about }: Pick<ComparingOptions, 'about'>,
): Promise<{ readonly drafts: readonly Draft[]; readonly findings: readonly PlanFinding[] }> => {
  const levels = new LevelsAfter(sight, memberships(drafts))
  const findings: PlanFinding[] = []
  const check = async (made: Draft): Promise<readonly Draft[]> => {
    const name = approversOf(made)
    const left = name === undefined ? [] : await strangersOf(made, name, sight, levels)
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
