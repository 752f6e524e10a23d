/** The approver check: approvers must be members once a plan is done, since an instance silently drops the others. */

import { isJsonList, type JsonValue } from '../../base/objects.js'
import type { Change, Draft, PlanFinding } from '../actions.js'
import type { Address, ManagedPlace } from '../address.js'
import { findApproversAttribute } from '../attributes.js'
import { mapSideBySide } from '../reading/records.js'
import type { Origin } from '../state.js'
import { isSameValue } from '../values.js'
import type { DiffOptions, DiffView, StandingApprovers } from './context.js'
import { listMemberships, PlannedLevels, readAllMembers } from './members.js'

const listIn = (value: JsonValue | undefined): readonly JsonValue[] =>
  isJsonList(value) ? value : []

/** Returns the attribute with the approvers that a draft sets; undefined if it sets none. */
const findApproversToSend = ({ kind, verb, step }: Draft): string | undefined => {
  const name = verb === 'delete' ? undefined : findApproversAttribute(kind)
  return name !== undefined && listIn(step.values[name]).length > 0 ? name : undefined
}

/** Returns the approvers that a draft sets; none if the draft names no approvers. */
export const listApproversIn = (draft: Draft): readonly JsonValue[] =>
  listIn(draft.step.values[findApproversToSend(draft) ?? ''])

/** Returns those of some users who are no members of a place after the plan. */
const listNonMembers = async (
  { scope, path }: ManagedPlace,
  users: readonly JsonValue[],
  view: DiffView,
  levels: PlannedLevels,
): Promise<readonly JsonValue[]> => {
  const place = { scope, path }
  if (users.length === 0 || (await readAllMembers(view, place)).is !== 'read') return []
  const all: JsonValue[] = []
  for (const user of users) if ((await levels.of(place, Number(user))) === 0) all.push(user)
  return all
}

/** Returns the draft without some approvers; no draft if nothing is left to change. */
const removeApprovers = (
  made: Draft,
  name: string,
  left: ReadonlySet<JsonValue>,
): readonly Draft[] => {
  const { id, verb, address, kind, digest, loses, origin, replaces, before, step } = made
  const ids = listIn(step.values[name])
  const value = ids.filter((one) => !left.has(one))
  const isSame = isSameValue({ param: undefined }, before?.attributes[name] ?? [], value)
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

/** True if an item names too few approvers to have an effect once some are left out: no groups, and fewer users than required. */
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
    this.#levels = new PlannedLevels(view, listMemberships(drafts))
  }

  /** Returns the draft without approvers who are no members; no draft if it would have no effect. */
  async draft(made: Draft): Promise<readonly Draft[]> {
    const name = findApproversToSend(made)
    if (name === undefined) return [made]
    const { address, before, changes, verb, step } = made
    // Whom the rule has already, the instance takes, for as long as no membership ends.
    const had = new Set(listIn(before?.attributes[name]))
    const users = listIn(step.values[name]).filter(
      (user) => !had.has(user) || this.#levels.changes(address, Number(user)),
    )
    const left = await listNonMembers(address, users, this.view, this.#levels)
    if (left.length === 0) return [made]
    const { origin } = changes.find(({ attribute }) => attribute === name) ?? made
    const out = new Set(left)
    const hollow = isHollow(made, name, out)
    const kept = verb === 'update' ? 'stays unchanged' : 'is not created'
    const more = hollow ? `; too few are left to approve, so the rule ${kept}` : ''
    if (!this.#tell({ ...address, attribute: name }, left, origin, more)) return [made]
    return hollow ? [] : removeApprovers(made, name, out)
  }

  /** Approvers of rules that stay as they are: whose membership the plan ends, or whom the instance does not take. */
  async standing({ address, users, ineligible, origin }: StandingApprovers): Promise<void> {
    const leaving = users.filter((user) => this.#levels.changes(address, user))
    const left = await listNonMembers(address, leaving, this.view, this.#levels)
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

/** Removes approvers who are no members from drafts, with a finding for each. */
export const dropNonMemberApprovers = async (
  drafts: readonly Draft[],
  standing: readonly StandingApprovers[],
  view: DiffView,
  { about }: Pick<DiffOptions, 'about'>,
) => {
  const check = new ApproverCheck(drafts, view, about)
  const left = (await mapSideBySide(drafts, (made) => check.draft(made))).flat()
  await mapSideBySide(standing, (one) => check.standing(one))
  return { drafts: left, findings: check.findings }
}
