/** Checks that approvers are members of their project once a plan is done, since an instance silently drops the others. */

import { isJsonList, type JsonValue } from '../../base/objects.js'
import type { Change, Draft, PlanFinding } from '../actions.js'
import type { Address, ManagedPlace } from '../address.js'
import { findApproversAttribute } from '../attributes.js'
import { mapSideBySide } from '../reading/records.js'
import type { Origin } from '../state.js'
import { isSameValue } from '../values.js'
import type { DiffOptions, DiffView, UnchangedApprovers } from './context.js'
import { listMemberships, PlannedLevels, readAllMembers } from './member-levels.js'

const toList = (value: JsonValue | undefined): readonly JsonValue[] =>
  isJsonList(value) ? value : []

/** Returns the attribute with the approvers that a draft sets; undefined if it sets none. */
const findApproversToSend = ({ kind, verb, step }: Draft): string | undefined => {
  const name = verb === 'delete' ? undefined : findApproversAttribute(kind)
  return name !== undefined && toList(step.values[name]).length > 0 ? name : undefined
}

/** Returns the approvers that a draft sets. */
export const listApproversIn = (checkDraft: Draft): readonly JsonValue[] =>
  toList(checkDraft.step.values[findApproversToSend(checkDraft) ?? ''])

/** Returns the users of a list who are not members of a place after the plan. */
const listNonMembers = async (
  { scope, path }: ManagedPlace,
  users: readonly JsonValue[],
  view: DiffView,
  levels: PlannedLevels,
): Promise<readonly JsonValue[]> => {
  const place = { scope, path }
  if (users.length === 0 || (await readAllMembers(view, place)).is !== 'read') return []
  const all: JsonValue[] = []
  for (const user of users) if ((await levels.getLevel(place, Number(user))) === 0) all.push(user)
  return all
}

/** Returns the draft without some approvers; no draft if nothing is left to change. */
const removeApprovers = (
  made: Draft,
  name: string,
  left: ReadonlySet<JsonValue>,
): readonly Draft[] => {
  const { id, verb, address, kind, digest, loses, origin, replaces, before, step } = made
  const ids = toList(step.values[name])
  const value = ids.filter((one) => !left.has(one))
  const isSame = isSameValue({ param: undefined }, before?.attributes[name] ?? [], value)
  const changes = made.changes.flatMap((change): readonly Change[] => {
    if (change.attribute !== name) return [change]
    const wanted = toList(change.wanted).filter((_, i) => !left.has(ids[i] ?? null))
    return verb === 'update' && isSame ? [] : [{ ...change, wanted }]
  })
  if (verb === 'update' && changes.length === 0) return []
  const sent = { ...step, values: { ...step.values, [name]: value } }
  const rest = { digest, loses, origin, replaces, before, waitsFor: [] }
  return [{ id, verb, address, kind, changes, step: sent, ...rest }]
}

/** True if an item names too few approvers to have an effect once some are left out: no groups, and fewer users than required. */
const hasTooFewApprovers = (
  { kind, step: { values } }: Draft,
  name: string,
  left: ReadonlySet<JsonValue>,
): boolean => {
  const { refs = {}, quorum = '' } = kind
  const groups = Object.keys(refs).filter((one) => refs[one] === 'group')
  const users = toList(values[name]).filter((one) => !left.has(one)).length
  const isByGroup = groups.some((one) => toList(values[one]).length > 0)
  return !isByGroup && users < Math.max(1, Number(values[quorum] ?? 0))
}

/** Checks whether approvers are members after the plan, and reports those who are not. */
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
    // The instance keeps the approvers that the rule already has, unless their membership ends.
    const previousApprovers = new Set(toList(before?.attributes[name]))
    const users = toList(step.values[name]).filter(
      (user) => !previousApprovers.has(user) || this.#levels.hasChange(address, Number(user)),
    )
    const left = await listNonMembers(address, users, this.view, this.#levels)
    if (left.length === 0) return [made]
    const { origin } = changes.find(({ attribute }) => attribute === name) ?? made
    const out = new Set(left)
    const isTooFew = hasTooFewApprovers(made, name, out)
    const kept = verb === 'update' ? 'stays unchanged' : 'is not created'
    const more = isTooFew ? `; too few are left to approve, so the rule ${kept}` : ''
    if (!this.#reportNonMembers({ ...address, attribute: name }, left, origin, more)) return [made]
    return isTooFew ? [] : removeApprovers(made, name, out)
  }

  /** Reports approvers of an unchanged rule whose membership the plan ends, or whom the instance does not list as eligible. */
  async standing({ address, users, ineligible, origin }: UnchangedApprovers): Promise<void> {
    const leaving = users.filter((user) => this.#levels.hasChange(address, user))
    const left = await listNonMembers(address, leaving, this.view, this.#levels)
    if (left.length > 0) this.#reportNonMembers(address, left, origin, '')
    const others = ineligible.filter((user) => !leaving.includes(user))
    if (others.length === 0) return
    const text = `cannot approve, because the instance does not list them as eligible: ${this.#formatNames(address, others)}`
    this.findings.push({ is: 'impossible', address, text, origin })
  }

  #formatNames(address: Address, users: readonly JsonValue[]): string {
    const { names } = this.view
    return users.map((id) => names.name('user', Number(id), address) ?? id).join(', ')
  }

  /** Reports approvers who are not members. @returns false if the project is shared with groups, so that they may be members after all */
  #reportNonMembers(
    address: Address,
    left: readonly JsonValue[],
    origin: Origin,
    more: string,
  ): boolean {
    const isShared = this.about?.(address.path)?.shared === true
    const userNames = this.#formatNames(address, left)
    const whichAreNot = left.length === 1 ? 'this one is not' : 'these are not'
    const text = isShared
      ? `the project is shared with groups, so svcctl cannot tell whether ${userNames} may approve`
      : `approvers must be members of the project, and ${whichAreNot}: ${userNames}${more}`
    this.findings.push({ is: isShared ? 'unknown' : 'impossible', address, text, origin })
    return !isShared
  }
}

/** Removes approvers who are no members from drafts, with a finding for each. */
export const dropNonMemberApprovers = async (
  drafts: readonly Draft[],
  checkUnchangedRule: readonly UnchangedApprovers[],
  view: DiffView,
  { about }: Pick<DiffOptions, 'about'>,
) => {
  const check = new ApproverCheck(drafts, view, about)
  const left = (await mapSideBySide(drafts, (made) => check.draft(made))).flat()
  await mapSideBySide(checkUnchangedRule, (one) => check.standing(one))
  return { drafts: left, findings: check.findings }
}
