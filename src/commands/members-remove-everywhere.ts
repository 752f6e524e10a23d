/** Implements `members remove-everywhere`, which removes all direct memberships of a user except those that must remain. */
import { isObject, toText } from '../base/objects.js'
import { members } from '../catalogue/areas/members.js'
import { accessLevels } from '../catalogue/shapes/common.js'
import { account } from '../catalogue/undocumented.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import { toCallAnswer } from '../engine/command/outcomes.js'
import type { Given } from '../engine/command/types.js'
import type { PlanAnswer } from '../engine/rows.js'
import { createExitRow, createNoteRow, type Rows, yieldRecords } from '../engine/rows.js'
import {
  compareInnerFirst,
  parseTreePlace,
  type TreePlace,
  TurnQueue,
} from '../engine/work/turns.js'
import { exitCodes, Failure, isMissing, usage } from '../errors.js'
import { define } from './define.js'
import { type GivenObject, type Item, RemovalRun, type RunResult } from './journal/removal-run.js'
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

/** Returns the object of a membership, with the facts that undo requires. */
const toObject = ({ place, member }: FoundMembership): GivenObject => ({
  object: String(member.id),
  parent: formatMemberPlace(place),
  before: {
    id: member.id,
    access_level: member.access_level,
    expires_at: member.expires_at ?? null,
  },
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
  { parent = '', before }: Pick<Item, 'before' | 'parent'>,
  outcome: LeavingRow['outcome'],
  reason: string | null = null,
): LeavingRow => {
  const { access_level = null, expires_at = null } = isObject(before) ? before : {}
  return { of: parent, access_level, expires_at, outcome, reason }
}

/** Returns the row of an object after the run. */
const createResultRow = (item: Item, { outcomes }: RunResult): LeavingRow => {
  const outcome = outcomes.get(item.n)
  if (outcome === undefined) return createRow(item, 'not attempted')
  if ('failure' in outcome) return createRow(item, outcome.state, outcome.failure.message)
  return createRow(item, outcome.state === 'unchanged' ? 'gone' : 'removed')
}

const columns = ['of', 'access_level', 'expires_at', 'outcome', 'reason'] as const

async function* listLeaving(rows: readonly LeavingRow[]): Rows {
  yield* yieldRecords(rows, { endpoint: members.listOfGroup, columns })
  yield { kind: 'flush' }
}

const levels = new Map<unknown, string>(Object.entries(accessLevels).map(([name, n]) => [n, name]))

/** Formats a membership for the confirmation. */
const formatMembership = ({ of, access_level, expires_at }: LeavingRow): string => {
  const until = typeof expires_at === 'string' ? `, until ${expires_at.slice(0, 10)}` : ''
  return `${of} (${levels.get(access_level) ?? String(access_level)}${until})`
}

/**
 * Returns the group or project of an object.
 * @throws Failure `usage` for a journal of another command
 */
const parseItemPlace = ({ parent }: Item): TreePlace => {
  const place = parseTreePlace(parent)
  if (place !== undefined) return place
  throw usage('the journal contains an object that is neither a group nor a project')
}

/** Removes a membership, unless the user has meanwhile become the last owner. */
const removeMembership = async ({ instance }: Context, item: Item): Promise<PlanAnswer> => {
  const place = parseItemPlace(item)
  const id = Number(item.object)
  const member = { id, access_level: Number(item.before?.access_level ?? accessLevels.owner) }
  if (await isLastOwner(instance, { place, member })) throw new Failure('conflict', lastOwner)
  const endpoint = place.kind === 'group' ? members.removeFromGroup : members.removeFromProject
  try {
    return toCallAnswer(
      await instance.send({ key: '', endpoint, values: { id: place.path, user_id: id } }),
    )
  } catch (error) {
    // The interrupted run may have removed the membership already.
    if (item.resumeBy === 'repeating' && isMissing(error)) return { unchanged: true }
    throw error
  }
}

/** Shows the memberships to remove and those that remain, and asks for confirmation. */
const confirmRemoval = async (
  { ui }: Context,
  user: string,
  objects: readonly Pick<Item, 'before' | 'parent'>[],
  left: readonly LeavingRow[],
): Promise<void> => {
  if (ui.interactive) {
    for (const object of objects)
      ui.note(`removes ${formatMembership(createRow(object, 'planned'))}`)
    for (const row of left) ui.note(`leaves  ${formatMembership(row)}: ${row.reason ?? ''}`)
  }
  const [these, count] = [
    objects.length === 1 ? 'this membership' : 'these memberships',
    objects.length,
  ]
  const what = `${user} loses ${these} and everything inherited through ${count === 1 ? 'it' : 'them'}.`
  await ui.confirm(what, [], undefined, count)
}

/**
 * Removes the memberships of a run, and yields the results.
 * @throws Failure of the run as a whole
 */
async function* executeRemoval(
  context: Context,
  run: RemovalRun,
  stays: readonly LeavingRow[],
): Rows {
  const turns = new TurnQueue()
  const result = await run.removeAll((item) =>
    turns.runAfterInner(parseItemPlace(item), () => removeMembership(context, item)),
  )
  yield* listLeaving([...run.items.map((item) => createResultRow(item, result)), ...stays])
  if (result.failure !== undefined) throw result.failure
}

async function* resumeRemoval(context: Context, { args }: Given, name: string): Rows {
  if (args.length > 0)
    throw usage(`--resume takes no user; remove "${args[0]}"`, 'The journal contains the user.')
  const self = await readTokenUser(context)
  const run = await RemovalRun.resume(context, name)
  if (run === undefined) return yield createNoteRow('nothing is left to do')
  try {
    const of = run.items.find(({ object }) => Number(object) === self.id)
    if (of !== undefined) throw usage("the journal names the token's own user, who is not removed")
    await confirmRemoval(context, `user ${run.items[0]?.object ?? ''}`, run.items, [])
  } catch (error) {
    await run.close()
    throw error
  }
  yield* executeRemoval(context, run, [])
}

/**
 * Splits a plan into objects to remove and rows of memberships that remain. `done` is false if a membership remains that could have been
 * removed.
 */
const splitPlan = ({ goes, stays }: LeavingPlan) => ({
  objects: goes.map(toObject),
  left: stays.map((one) => createRow(toObject(one), 'left', one.stays ?? null)),
  done: stays.every((one) => one.stays === ownProject),
})

async function* removeUser(context: Context, given: string): Rows {
  const { answer, ui, place } = context
  if (!place.globals.dryRun) await ui.checkConfirmable('The user loses every direct membership.')
  const self = await readTokenUser(context)
  const sought = createUserQuery(given)
  const { objects, left, done } = splitPlan(await planLeaving(context, sought, self))
  if (!done) yield createExitRow(exitCodes.partial)
  if (objects.length === 0 || place.globals.dryRun) {
    const planned = objects.map((object) => createRow(object, 'planned'))
    yield* listLeaving([...planned, ...left])
    if (objects.length === 0) yield createNoteRow('nothing to remove')
    return
  }
  await confirmRemoval(context, answer.text.safe(sought.text), objects, left)
  const run = await RemovalRun.begin(context, sought.text, objects)
  yield* executeRemoval(context, run, left)
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
  ownResume: true,
  rows: async function* (context, given) {
    const { resume } = context.place.globals
    if (resume !== undefined) return yield* resumeRemoval(context, given, resume)
    const [user] = given.args
    if (user === undefined || user === '')
      throw usage('members remove-everywhere requires a user', 'Pass an ID or a username.')
    yield* removeUser(context, user)
  },
})
