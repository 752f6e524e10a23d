/** `members remove-everywhere`: a leaver loses every direct membership that may be taken away. */
import { isObject, toText } from '../base/objects.js'
import { members } from '../catalogue/areas/members.js'
import { accessLevels } from '../catalogue/shapes/common.js'
import { account } from '../catalogue/undocumented.js'
import { toAnswer } from '../engine/command/running.js'
import type { InstanceService, Services } from '../engine/command/services.js'
import type { Given } from '../engine/command/types.js'
import {
  innerFirst,
  parseTreePlace,
  type TreePlace,
  TurnQueue,
} from '../engine/journaling/inverse.js'
import type { PlanAnswer } from '../engine/rows.js'
import { createExitRow, createNoteRow, type Rows, yieldRecords } from '../engine/rows.js'
import { exitCodes, Failure, isMissing, usage } from '../errors.js'
import { define } from './define.js'
import { type GivenObject, type Item, RemovalRun, type RunResult } from './journal/own-run.js'
import {
  type FoundMembership,
  Memberships,
  soughtBy,
  textOfPlace,
  type UserQuery,
  userArgument,
} from './memberships.js'
import type { GroupMember } from './usernames.js'

// What stays of a leaver's memberships whatever is asked for: the token's own user, the last owner of a group, one's own project.

/** Whose token it is. */
interface TokenUser {
  readonly id: number
  readonly username: string
}

/**
 * Whose token it is: nobody takes themselves away.
 * @throws Failure `usage` where that cannot be known
 */
const tokenUser = async ({ instance, place }: Services): Promise<TokenUser> => {
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

/** Whether somebody else owns a group who may act. */
const hasOtherOwner = async (
  instance: InstanceService,
  group: string,
  { id }: GroupMember,
): Promise<boolean> => {
  let found = false
  await instance.records(
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

/** Whether a group would be left without an owner. */
const isLastOwner = async (
  instance: InstanceService,
  { place, member }: Pick<FoundMembership, 'member' | 'place'>,
): Promise<boolean> =>
  place.kind === 'group' &&
  Number(member.access_level) >= accessLevels.owner &&
  !(await hasOtherOwner(instance, place.path, member))

const lastOwner = 'the last owner of the group'
/** Nobody can take it from them: it goes with the user. */
const ownProject = 'a project in their own namespace'

/** Why a membership stays; undefined where it goes. */
const reasonToStay = async (
  instance: InstanceService,
  self: TokenUser,
  found: FoundMembership,
): Promise<string | undefined> => {
  const { member, place } = found
  if (isSelf(self, member)) return "the token's own user"
  if (place.holder?.toLowerCase() === String(member.username).toLowerCase()) return ownProject
  return (await isLastOwner(instance, found)) ? lastOwner : undefined
}

// What a leaver loses, inner memberships first, and what stays.

/** A membership, and whether it is kept. */
interface DecidedMembership extends FoundMembership {
  /** Why it is kept; undefined where it is to be removed. */
  readonly stays?: string
}

interface LeavingPlan {
  /** In the order in which they are removed. */
  readonly goes: readonly DecidedMembership[]
  readonly stays: readonly DecidedMembership[]
}

/** Looks where a user is a direct member, and decides what goes. @throws Failure as `Memberships` */
const planLeaving = async (
  services: Services,
  sought: UserQuery,
  self: TokenUser,
): Promise<LeavingPlan> => {
  const memberships = new Memberships(services, sought, true)
  const all: DecidedMembership[] = []
  for await (const found of memberships.each()) {
    const stays = await reasonToStay(services.instance, self, found)
    all.push(stays === undefined ? found : { ...found, stays })
  }
  await memberships.tell()
  const sorted = all
    .map((one) => ({ one, parent: textOfPlace(one.place) }))
    .sort((a, b) => innerFirst(a, b) || (a.parent < b.parent ? -1 : 1))
    .map(({ one }) => one)
  return {
    goes: sorted.filter(({ stays }) => stays === undefined),
    stays: sorted.filter(({ stays }) => stays !== undefined),
  }
}

/** What undo needs of a membership: who, as what, until when. */
const objectOf = ({ place, member }: FoundMembership): GivenObject => ({
  object: String(member.id),
  parent: textOfPlace(place),
  before: {
    id: member.id,
    access_level: member.access_level,
    expires_at: member.expires_at ?? null,
  },
})

// What became of a leaver's memberships, as an answer: for a ticket, a sheet, a program.

/** One line of it. */
interface LeavingRow {
  readonly of: string
  readonly access_level: unknown
  readonly expires_at: unknown
  readonly outcome: 'failed' | 'gone' | 'left' | 'not attempted' | 'planned' | 'removed' | 'unknown'
  readonly reason: string | null
}

const rowOf = (
  { parent = '', before }: Pick<Item, 'before' | 'parent'>,
  outcome: LeavingRow['outcome'],
  reason: string | null = null,
): LeavingRow => {
  const { access_level = null, expires_at = null } = isObject(before) ? before : {}
  return { of: parent, access_level, expires_at, outcome, reason }
}

/** What became of an object that a run had. */
const rowAfter = (item: Item, { outcomes }: RunResult): LeavingRow => {
  const outcome = outcomes.get(item.n)
  if (outcome === undefined) return rowOf(item, 'not attempted')
  if ('failure' in outcome) return rowOf(item, outcome.state, outcome.failure.message)
  return rowOf(item, outcome.state === 'unchanged' ? 'gone' : 'removed')
}

const columns = ['of', 'access_level', 'expires_at', 'outcome', 'reason'] as const

async function* listLeaving(rows: readonly LeavingRow[]): Rows {
  yield* yieldRecords(rows, { endpoint: members.listOfGroup, columns })
  yield { kind: 'flush' }
}

const levels = new Map<unknown, string>(Object.entries(accessLevels).map(([name, n]) => [n, name]))

/** A membership where somebody is asked about it. */
const lineOf = ({ of, access_level, expires_at }: LeavingRow): string => {
  const until = typeof expires_at === 'string' ? `, until ${expires_at.slice(0, 10)}` : ''
  return `${of} (${levels.get(access_level) ?? String(access_level)}${until})`
}

const own = {
  command: 'members remove-everywhere',
  endpoint: members.removeFromGroup,
} as const

/** @throws Failure `usage` for a journal that this command did not write */
const placeIn = ({ parent }: Item): TreePlace => {
  const place = parseTreePlace(parent)
  if (place !== undefined) return place
  throw usage('the journal contains an object that is neither a group nor a project')
}

/** Removes one membership, unless it became the last owner's meanwhile. */
const remove = async ({ instance }: Services, item: Item): Promise<PlanAnswer> => {
  const place = placeIn(item)
  const id = Number(item.object)
  const member = { id, access_level: Number(item.before?.access_level ?? accessLevels.owner) }
  if (await isLastOwner(instance, { place, member })) throw new Failure('conflict', lastOwner)
  const endpoint = place.kind === 'group' ? members.removeFromGroup : members.removeFromProject
  try {
    return toAnswer(
      await instance.send({ key: '', endpoint, values: { id: place.path, user_id: id } }),
    )
  } catch (error) {
    // What was begun before may be done.
    if (item.how === 'again' && isMissing(error)) return { unchanged: true }
    throw error
  }
}

/** Shows what goes and what stays, and asks. */
const confirmed = async (
  { ui }: Services,
  user: string,
  objects: readonly Pick<Item, 'before' | 'parent'>[],
  left: readonly LeavingRow[],
): Promise<void> => {
  if (ui.interactive) {
    for (const object of objects) ui.note(`removes ${lineOf(rowOf(object, 'planned'))}`)
    for (const row of left) ui.note(`leaves  ${lineOf(row)}: ${row.reason ?? ''}`)
  }
  const [these, count] = [
    objects.length === 1 ? 'this membership' : 'these memberships',
    objects.length,
  ]
  const what = `${user} loses ${these} and everything inherited through ${count === 1 ? 'it' : 'them'}.`
  await ui.confirm(what, [], undefined, count)
}

/** Carries a run out, and yields what became of each. @throws Failure for what it came to as a whole */
async function* carryOut(services: Services, run: RemovalRun, stays: readonly LeavingRow[]): Rows {
  const turns = new TurnQueue()
  const result = await run.carry((item) => turns.take(placeIn(item), () => remove(services, item)))
  yield* listLeaving([...run.items.map((item) => rowAfter(item, result)), ...stays])
  if (result.failure !== undefined) throw result.failure
}

async function* resumeRemoval(services: Services, { args }: Given, name: string): Rows {
  if (args.length > 0)
    throw usage(`--resume takes no user; remove "${args[0]}"`, 'The journal contains the user.')
  const self = await tokenUser(services)
  const run = await RemovalRun.resume(services, own, name)
  if (run === undefined) return yield createNoteRow('nothing is left to do')
  try {
    const of = run.items.find(({ object }) => Number(object) === self.id)
    if (of !== undefined) throw usage("the journal names the token's own user, who is not removed")
    await confirmed(services, `user ${run.items[0]?.object ?? ''}`, run.items, [])
  } catch (error) {
    await run.close()
    throw error
  }
  yield* carryOut(services, run, [])
}

/** What stays is told by itself, and counts as not done where somebody could do it. */
const rowsOf = ({ goes, stays }: LeavingPlan) => ({
  objects: goes.map(objectOf),
  left: stays.map((one) => rowOf(objectOf(one), 'left', one.stays ?? null)),
  done: stays.every((one) => one.stays === ownProject),
})

async function* removeUser(services: Services, given: string): Rows {
  const { answer, ui, place } = services
  if (!place.globals.dryRun) await ui.confirmable('The user loses every direct membership.')
  const self = await tokenUser(services)
  const sought = soughtBy(given)
  const { objects, left, done } = rowsOf(await planLeaving(services, sought, self))
  if (!done) yield createExitRow(exitCodes.partial)
  if (objects.length === 0 || place.globals.dryRun) {
    const planned = objects.map((object) => rowOf(object, 'planned'))
    yield* listLeaving([...planned, ...left])
    if (objects.length === 0) yield createNoteRow('nothing to remove')
    return
  }
  await confirmed(services, answer.text.safe(sought.text), objects, left)
  const line = { args: [sought.text], flags: {}, parents: 'of' } as const
  const run = await RemovalRun.begin(services, own, line, objects)
  yield* carryOut(services, run, left)
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
  examples: [
    'members remove-everywhere gus --dry-run',
    'members remove-everywhere gus --yes -o markdown',
  ],
  rows: async function* (services, given) {
    const { resume } = services.place.globals
    if (resume !== undefined) return yield* resumeRemoval(services, given, resume)
    const [user] = given.args
    if (user === undefined || user === '')
      throw usage('members remove-everywhere requires a user', 'Pass an ID or a username.')
    yield* removeUser(services, user)
  },
})
