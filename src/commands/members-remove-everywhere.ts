/** Implements `members remove-everywhere`, which removes all direct memberships of a user except those that must remain. */
import { getFields, isObject, toText } from '../base/objects.js'
import { members } from '../catalogue/areas/members.js'
import { accessLevels } from '../catalogue/shapes/common.js'
import { account } from '../catalogue/undocumented.js'
import { isSource } from '../engine/command/actions.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import type { Given, Plan } from '../engine/command/types.js'
import { createExitRow, createNoteRow, type Rows, yieldRecords } from '../engine/rows.js'
import type { Outcome } from '../engine/work/report.js'
import { compareInnerFirst, parseTreePlace, type TreePlace } from '../engine/work/turns.js'
import { exitCodes, Failure, isMissing, recoverFrom, usage } from '../errors.js'
import { define } from './define.js'
import {
  createUserQuery,
  type FoundMembership,
  formatMemberPlace,
  Memberships,
  type UserQuery,
  userArgument,
} from './memberships.js'
import type { GroupMember } from './usernames.js'

// Memberships that are never removed: those of the token's user, of the last owner of a group, and in the user's own namespace.

/** The user of the token. */
interface TokenUser {
  readonly id: number
  readonly username: string
}

/**
 * Reads the user of the token, who must not be removed.
 * @throws Failure `usage` if the user cannot be determined
 */
const readTokenUser = async ({ instance, place }: Context): Promise<TokenUser> => {
  const { sudo } = await place.session()
  if (sudo !== undefined)
    throw usage(
      `members remove-everywhere cannot be used with --sudo: svcctl could not tell the token’s user from ${sudo}`,
      'Omit --sudo.',
    )
  const { data } = await instance.call(account, {})
  const username = isObject(data) ? toText(data.username) : undefined
  if (!isObject(data) || username === undefined || !Number.isInteger(data.id))
    throw usage('the instance does not report the token’s user, who must not be removed')
  return { id: Number(data.id), username }
}

const isSelf = (self: TokenUser, { id, username }: GroupMember): boolean =>
  Number(id) === self.id || String(username).toLowerCase() === self.username.toLowerCase()

/** True if a group has another active owner. */
const hasOtherOwner = async (
  instance: InstanceService,
  group: string,
  { id }: GroupMember,
): Promise<boolean> => {
  let found = false
  await instance.readRecords(
    members.listOfGroup,
    { id: group },
    {
      where: (member) => {
        const acts = member.state === undefined || member.state === 'active'
        found ||= member.id !== id && acts && Number(member.access_level) >= accessLevels.owner
        return false
      },
    },
  )
  return found
}

/** True if a group would be left without an owner. */
const isLastOwner = async (
  instance: InstanceService,
  { place, member }: Pick<FoundMembership, 'member' | 'place'>,
): Promise<boolean> =>
  place.kind === 'group' &&
  Number(member.access_level) >= accessLevels.owner &&
  !(await hasOtherOwner(instance, place.path, member))

const lastOwner = 'the last owner of the group'
/** The reason for memberships that cannot be removed, because they belong to the user's namespace. */
const ownProject = 'a project in their own namespace'

/** Returns the reason why a membership remains; undefined if it is removed. */
const findReasonToStay = async (
  instance: InstanceService,
  self: TokenUser,
  found: FoundMembership,
): Promise<string | undefined> => {
  const { member, place } = found
  if (isSelf(self, member)) return "the token's own user"
  if (place.holder?.toLowerCase() === String(member.username).toLowerCase()) return ownProject
  return (await isLastOwner(instance, found)) ? lastOwner : undefined
}

// The plan: memberships to remove, inner ones first, and those that remain.

/** A membership, and the reason if it remains. */
interface DecidedMembership extends FoundMembership {
  /** The reason why the membership remains; undefined if it is removed. */
  readonly stays?: string
}

interface LeavingPlan {
  /** The memberships to remove, in order. */
  readonly goes: readonly DecidedMembership[]
  readonly stays: readonly DecidedMembership[]
}

/**
 * Finds the direct memberships of a user, and decides which are removed.
 * @throws Failure as `Memberships`
 */
const planLeaving = async (
  context: Context,
  sought: UserQuery,
  self: TokenUser,
): Promise<LeavingPlan> => {
  const memberships = new Memberships(context, sought, true)
  const all: DecidedMembership[] = []
  for await (const found of memberships.yieldMemberships()) {
    const stays = await findReasonToStay(context.instance, self, found)
    all.push(stays === undefined ? found : { ...found, stays })
  }
  await memberships.tell()
  const sorted = all
    .map((one) => ({ one, parent: formatMemberPlace(one.place) }))
    .sort((a, b) => compareInnerFirst(a, b) || (a.parent < b.parent ? -1 : 1))
    .map(({ one }) => one)
  return {
    goes: sorted.filter(({ stays }) => stays === undefined),
    stays: sorted.filter(({ stays }) => stays !== undefined),
  }
}

/**
 * Plans the removal of a membership.
 * @param record the membership, which undo restores; undefined if it no longer exists
 */
const planRemoval = (
  { kind, path }: TreePlace,
  user: number,
  record: GroupMember | undefined,
): Plan => ({
  endpoint: kind === 'group' ? members.removeFromGroup : members.removeFromProject,
  values: { id: path, user_id: user },
  object: String(user),
  record,
  parent: { column: 'of', name: `${kind}:${path}` },
})

// The results, as rows for tickets, spreadsheets and programs.

/** The result for one membership. */
interface LeavingRow {
  readonly of: string
  readonly access_level: unknown
  readonly expires_at: unknown
  readonly outcome: 'failed' | 'gone' | 'left' | 'not attempted' | 'planned' | 'removed' | 'unknown'
  readonly reason: string | null
}

const createRow = (
  { parent, record }: Pick<Plan, 'parent' | 'record'>,
  outcome: LeavingRow['outcome'],
  reason: string | null = null,
): LeavingRow => {
  const { access_level = null, expires_at = null } = getFields(record)
  return { of: parent?.name ?? '', access_level, expires_at, outcome, reason }
}

/** Returns the row of a membership after its removal was tried. */
const createResultRow = (plan: Plan, outcome: Outcome<unknown>): LeavingRow => {
  if ('failure' in outcome) return createRow(plan, outcome.state, outcome.failure.message)
  return createRow(plan, outcome.state === 'unchanged' ? 'gone' : 'removed')
}

const columns = ['of', 'access_level', 'expires_at', 'outcome', 'reason'] as const

const levels = new Map<unknown, string>(Object.entries(accessLevels).map(([name, n]) => [n, name]))

/** Formats a membership for the confirmation. */
const formatMembership = ({ of, access_level, expires_at }: LeavingRow): string => {
  const until = typeof expires_at === 'string' ? `, until ${expires_at.slice(0, 10)}` : ''
  return `${of} (${levels.get(access_level) ?? String(access_level)}${until})`
}

/** Shows the memberships to remove and those that remain to a person who confirms the removal. */
const showRemoval = (
  { ui }: Context,
  plans: readonly Plan[],
  left: readonly LeavingRow[],
): void => {
  if (!ui.interactive) return
  for (const plan of plans) ui.note(`removes ${formatMembership(createRow(plan, 'planned'))}`)
  for (const row of left) ui.note(`leaves  ${formatMembership(row)}: ${row.reason ?? ''}`)
}

/** Checks that the user has not become the last owner of a group meanwhile. @throws Failure `conflict` */
const checkOwner = async ({ instance }: Context, { parent, record }: Plan): Promise<boolean> => {
  const place = parseTreePlace(parent?.name)
  if (place === undefined || !isObject(record)) return true
  const member = { access_level: accessLevels.owner, ...record }
  if (await isLastOwner(instance, { place, member })) throw new Failure('conflict', lastOwner)
  return true
}

/** Confirms and removes memberships, and yields the results, followed by the memberships that remain. */
async function* removeMemberships(
  context: Context,
  user: string,
  plans: readonly Plan[],
  left: readonly LeavingRow[],
): Rows {
  showRemoval(context, plans, left)
  const [these, it] = plans.length === 1 ? ['this membership', 'it'] : ['these memberships', 'them']
  const what = `${user} loses ${these} and everything inherited through ${it}.`
  const open = new Set(plans)
  const rows = context.write(plans, {
    loses: { what, describePlan: () => [] },
    view: { endpoint: members.listOfGroup, columns },
    check: (plan) => checkOwner(context, plan),
    innerFirst: true,
    toRecord: (plan, outcome) => {
      open.delete(plan)
      return createResultRow(plan, outcome)
    },
  })
  for await (const row of rows) {
    if (row.kind === 'end')
      for (const value of [...[...open].map((plan) => createRow(plan, 'not attempted')), ...left])
        yield { kind: 'value', value }
    yield row
  }
}

/** Plans the removal of a membership of a resumed run. One that cannot be read is refused. */
const planRemaining = async (
  { instance }: Context,
  place: TreePlace,
  user: number,
): Promise<Plan> => {
  const endpoint = place.kind === 'group' ? members.getOfGroup : members.getOfProject
  try {
    const { data } = await instance.call(endpoint, { id: place.path, user_id: user })
    return planRemoval(place, user, data)
  } catch (error) {
    const failure = recoverFrom(error)
    const plan = planRemoval(place, user, undefined)
    return isMissing(failure) ? plan : { ...plan, refused: failure }
  }
}

async function* resumeRemoval(context: Context, given: Given): Rows {
  const self = await readTokenUser(context)
  const actions = await context.planActions(given, {
    createPlans: ({ args, flags: { group, project } }) => {
      const place: TreePlace =
        group === undefined
          ? { kind: 'project', path: String(project) }
          : { kind: 'group', path: String(group) }
      if (args.some((user) => Number(user) === self.id))
        throw usage("the journal names the token's own user, who is not removed")
      return Promise.all(args.map((user) => planRemaining(context, place, Number(user))))
    },
  })
  const plans = isSource(actions) ? [] : actions
  yield* removeMemberships(context, `user ${plans[0]?.object ?? ''}`, plans, [])
}

async function* removeUser(context: Context, given: string): Rows {
  const { answer, ui, place } = context
  if (!place.globals.dryRun) await ui.checkConfirmable('The user loses every direct membership.')
  const self = await readTokenUser(context)
  const sought = createUserQuery(given)
  const { goes, stays } = await planLeaving(context, sought, self)
  const toPlan = ({ place: one, member }: FoundMembership): Plan =>
    planRemoval(one, Number(member.id), member)
  const plans = goes.map(toPlan)
  const left = stays.map((one) => createRow(toPlan(one), 'left', one.stays ?? null))
  // A project of the user's own namespace cannot be left.
  if (stays.some((one) => one.stays !== ownProject)) yield createExitRow(exitCodes.partial)
  if (plans.length > 0 && !place.globals.dryRun)
    return yield* removeMemberships(context, answer.text.safe(sought.text), plans, left)
  const planned = plans.map((plan) => createRow(plan, 'planned'))
  yield* yieldRecords([...planned, ...left], { endpoint: members.listOfGroup, columns })
  yield { kind: 'flush' }
  if (plans.length === 0) yield createNoteRow('nothing to remove')
}

export const removeEverywhere = define({
  summary: 'Remove all direct memberships of a user',
  description: [
    'Searches every project and group that you can see, shows the memberships, asks for confirmation, and removes them. Remaining memberships are listed with the reason: the token’s own user, the last owner of a group, or a project in the user’s own namespace. The exit code is 8 if any membership other than such a project remains or cannot be read.',
    'The journal records each membership. "journal undo" adds the user again with the same levels and dates, and --resume last resumes an interrupted run. -o markdown writes a report for a ticket.',
  ],
  args: [{ ...userArgument, required: false }],
  endpoints: [],
  writes: true,
  ownJournal: true,
  rows: async function* (context, given) {
    const { resume } = context.place.globals
    if (resume !== undefined) return yield* resumeRemoval(context, given)
    const [user] = given.args
    if (user === undefined || user === '')
      throw usage('members remove-everywhere requires a user', 'Pass an ID or a username.')
    yield* removeUser(context, user)
  },
})
