/** Who approves is a member once a plan is done: an instance leaves the others out without a word. */

import { isJsonList, type JsonValue } from '../../base/objects.js'
import type { Change, Draft, PlanFinding } from '../actions.js'
import type { Address, ManagedPlace } from '../address.js'
import { approversOf } from '../attributes.js'
import { sideBySide } from '../reading/records.js'
import type { Origin } from '../state.js'
import { sameValue } from '../values.js'
import type { DiffOptions, DiffView, StandingApprovers } from './context.js'
import { allMembers, memberships, PlannedLevels } from './members.js'

const listIn = (value: JsonValue | undefined): readonly JsonValue[] =>
  isJsonList(value) ? value : []

/** The attribute that names who approves; undefined of a draft that names nobody. */
const approverName = ({ kind, verb, step }: Draft): string | undefined => {
  const name = verb === 'delete' ? undefined : approversOf(kind)
  return name !== undefined && listIn(step.values[name]).length > 0 ? name : undefined
}

/** Who approves once a draft is done; none of a draft that names nobody. */
export const approversIn = (draft: Draft): readonly JsonValue[] =>
  listIn(draft.step.values[approverName(draft) ?? ''])

/** Those of some users who are no members. */
const strangersOf = async (
  { scope, path }: ManagedPlace,
  users: readonly JsonValue[],
  view: DiffView,
  levels: PlannedLevels,
): Promise<readonly JsonValue[]> => {
  const place = { scope, path }
  if (users.length === 0 || (await allMembers(view, place)).is !== 'read') return []
  const all: JsonValue[] = []
  for (const user of users) if ((await levels.of(place, Number(user))) === 0) all.push(user)
  return all
}

/** A draft with fewer approvers; none where nothing is left to change. */
const without = (made: Draft, name: string, left: ReadonlySet<JsonValue>): readonly Draft[] => {
  const { id, verb, address, kind, digest, loses, origin, replaces, before, step } = made
  const ids = listIn(step.values[name])
  const value = ids.filter((one) => !left.has(one))
  const isSame = sameValue({ param: undefined }, before?.attributes[name] ?? [], value)
  const changes = made.changes.flatMap((change): readonly Change[] => {
    if (change.attribute !== name) return [change]
    const wanted = listIn(change.wanted).filter((_, i) => !left.has(ids[i] ?? null))
    return verb === 'update' && isSame ? [] : [{ ...change, wanted }]
  })
  if (verb === 'update' && changes.length === 0) return []
  const sent = { ...step, values: { ...step.values, [name]: value } }
  const rest = { digest, loses, origin, replaces, before, waitsFor: [] }
  return [{ id, verb, address, kind, changes, step: sent, ...rest }]
}

/** Whether an item names too few to do anything once some are left out: no groups, and fewer users than have to act. */
const isHollow = (
  { kind, step: { values } }: Draft,
  name: string,
  left: ReadonlySet<JsonValue>,
): boolean => {
  const { refs = {}, quorum = '' } = kind
  const groups = Object.keys(refs).filter((one) => refs[one] === 'group')
  const users = listIn(values[name]).filter((one) => !left.has(one)).length
  const isByGroup = groups.some((one) => listIn(values[one]).length > 0)
  return !isByGroup && users < Math.max(1, Number(values[quorum] ?? 0))
}

/** Looks whether approvers are members as a plan leaves those, and tells of those who are not. */
class ApproverCheck {
  readonly findings: PlanFinding[] = []
  readonly #levels: PlannedLevels

  constructor(
    drafts: readonly Draft[],
    private readonly view: DiffView,
    private readonly about: DiffOptions['about'],
  ) {
    this.#levels = new PlannedLevels(view, memberships(drafts))
  }

  /** The drafts that are left of one: without approvers who are no members, or none where it would do nothing. */
  async draft(made: Draft): Promise<readonly Draft[]> {
    const name = approverName(made)
    if (name === undefined) return [made]
    const { address, before, changes, verb, step } = made
    // Whom the rule has already, the instance takes, for as long as no membership ends.
    const had = new Set(listIn(before?.attributes[name]))
    const users = listIn(step.values[name]).filter(
      (user) => !had.has(user) || this.#levels.changes(address, Number(user)),
    )
    const left = await strangersOf(address, users, this.view, this.#levels)
    if (left.length === 0) return [made]
    const { origin } = changes.find(({ attribute }) => attribute === name) ?? made
    const out = new Set(left)
    const hollow = isHollow(made, name, out)
    const kept = verb === 'update' ? 'stays unchanged' : 'is not created'
    const more = hollow ? `; too few are left to approve, so the rule ${kept}` : ''
    if (!this.#tell({ ...address, attribute: name }, left, origin, more)) return [made]
    return hollow ? [] : without(made, name, out)
  }

  /** Approvers of rules that stay as they are: whose membership the plan ends, or whom the instance does not take. */
  async standing({ address, users, ineligible, origin }: StandingApprovers): Promise<void> {
    const leaving = users.filter((user) => this.#levels.changes(address, user))
    const left = await strangersOf(address, leaving, this.view, this.#levels)
    if (left.length > 0) this.#tell(address, left, origin, '')
    const others = ineligible.filter((user) => !leaving.includes(user))
    if (others.length === 0) return
    const text = `cannot approve, because the instance does not list them as eligible: ${this.#namesOf(address, others)}`
    this.findings.push({ is: 'impossible', address, text, origin })
  }

  #namesOf(address: Address, users: readonly JsonValue[]): string {
    const { names } = this.view
    return users.map((id) => names.name('user', Number(id), address) ?? id).join(', ')
  }

  /** @returns whether it is certain */
  #tell(address: Address, left: readonly JsonValue[], origin: Origin, more: string): boolean {
    const isShared = this.about?.(address.path)?.shared === true
    const called = this.#namesOf(address, left)
    const these = left.length === 1 ? 'this one is not' : 'these are not'
    const text = isShared
      ? `the project is shared with groups, so svcctl cannot tell whether ${called} may approve`
      : `approvers must be members of the project, and ${these}: ${called}${more}`
    this.findings.push({ is: isShared ? 'unknown' : 'impossible', address, text, origin })
    return !isShared
  }
}

/** Drafts without approvers who are no members, each of whom is told of. */
export const membersOnly = async (
  drafts: readonly Draft[],
  standing: readonly StandingApprovers[],
  view: DiffView,
  { about }: Pick<DiffOptions, 'about'>,
) => {
  const check = new ApproverCheck(drafts, view, about)
  const left = (await sideBySide(drafts, (made) => check.draft(made))).flat()
  await sideBySide(standing, (one) => check.standing(one))
  return { drafts: left, findings: check.findings }
}
