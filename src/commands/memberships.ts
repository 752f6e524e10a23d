/** Finds the memberships of a user in all visible projects and groups, and implements `members where`. */

import { mapConcurrent, maxConcurrent } from '../base/async.js'
import { isObject, listObjects, toText } from '../base/objects.js'
import { formatCount, listPathsTo } from '../base/text.js'
import { members } from '../catalogue/areas/members.js'
import { projects } from '../catalogue/areas/projects.js'
import { boolean } from '../catalogue/params.js'
import { groupsAll } from '../catalogue/undocumented.js'
import type { RecordOf } from '../client/types.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import { describeTolerated, isTolerated } from '../engine/command/outcomes.js'
import type { Argument } from '../engine/command/types.js'
import { type Rows, yieldRecords } from '../engine/rows.js'
import { exitCodes, Failure, isDenied, recoverFrom, usage } from '../errors.js'
import { type Arguments, define } from './define.js'
import { type GroupMember, isId, memberLists, readUsersNamed, stripAt } from './usernames.js'

/** A group or project. */
export interface MemberPlace {
  readonly kind: 'group' | 'project'
  readonly path: string
  /** The user whose own namespace contains the project. */
  readonly holder?: string
}

/** Formats a place as answers and journals write it. */
export const formatMemberPlace = ({ kind, path }: MemberPlace): string => `${kind}:${path}`

/** The number of projects that are held in memory at once. */
const chunk = 1000

interface SeenProject {
  readonly id: number
  readonly path: string
  readonly group?: string
  readonly holder?: string
}

const toSeenProject = (record: RecordOf<typeof projects.list>): SeenProject | undefined => {
  const { id, path_with_namespace, namespace } = record
  const path = toText(path_with_namespace)
  if (path === undefined || !Number.isInteger(id)) return undefined
  const full = toText(namespace?.full_path)
  const own = { id: Number(id), path }
  if (full === undefined) return own
  return namespace?.kind === 'user' ? { ...own, holder: full } : { ...own, group: full }
}

/** Iterates over all visible groups and projects, and counts them for a final note. */
export class MemberPlaces {
  readonly #instance: Pick<InstanceService, 'readRecords'>
  /** The paths of the groups that were yielded, in lower case. */
  readonly #groups = new Set<string>()
  #projects = 0
  #listsGroups = true

  constructor(instance: Pick<InstanceService, 'readRecords'>) {
    this.#instance = instance
  }

  /** Describes the groups and projects that were searched. */
  get coverage(): string {
    const [groups, own] = [this.#groups.size, this.#projects]
    const counted = `${formatCount(own, 'project')} and ${formatCount(groups, 'group')}`
    const listed = this.#listsGroups
      ? ", and the instance's list of groups"
      : '; the instance does not list groups, so groups without projects are not included'
    return `checked ${counted}: the projects that you can see, the groups of their namespaces${listed}`
  }

  /**
   * Yields each group and project once, including archived ones.
   * @throws Failure if projects cannot be listed
   */
  async *yieldPlaces(): AsyncGenerator<MemberPlace> {
    for (const path of await this.#readGroups()) yield* this.#group(path)
    for (let after = 0; ; ) {
      const found = await this.#readProjectsAfter(after)
      for (const { id, path, group, holder } of found) {
        if (group !== undefined) for (const one of listPathsTo(group)) yield* this.#group(one)
        this.#projects += 1
        yield { kind: 'project', path, holder }
        after = id
      }
      if (found.length < chunk) return
    }
  }

  *#group(path: string): Generator<MemberPlace> {
    const key = path.toLowerCase()
    if (this.#groups.has(key)) return
    this.#groups.add(key)
    yield { kind: 'group', path }
  }

  /** Reads the groups of the instance's list; none if the instance has no such list. */
  async #readGroups(): Promise<readonly string[]> {
    try {
      const found = listObjects(await this.#instance.readRecords(groupsAll, {}))
      return found.flatMap((group) => toText(group.full_path) ?? []).sort()
    } catch (error) {
      if (!isDenied(recoverFrom(error))) throw error
      this.#listsGroups = false
      return []
    }
  }

  /** Reads the next projects, ordered by ID. */
  async #readProjectsAfter(after: number): Promise<readonly SeenProject[]> {
    const found: SeenProject[] = []
    const order = { order_by: 'id', sort: 'asc' } as const
    await this.#instance.readRecords(
      projects.list,
      after === 0 ? order : { ...order, id_after: after },
      {
        limit: chunk,
        where: (record) => {
          const project = isObject(record) ? toSeenProject(record) : undefined
          if (project !== undefined) found.push(project)
          return false
        },
      },
    )
    // If the instance ignored `id_after`, the loop would never end.
    if (found.some(({ id }) => id <= after))
      throw new Failure('unreachable', 'the list of projects starts again instead of continuing', {
        request: projects.list.route,
      })
    return found
  }
}

// The search for a user, in several places concurrently. The results are in the order of the places.

/** The user to search for, by ID or username. */
export interface UserQuery {
  readonly text: string
  readonly is: (member: GroupMember) => boolean
  /** The parameters that make the instance return fewer members. They may still return others. */
  readonly filter: { readonly user_ids: readonly number[] } | { readonly query: string }
}

export const createUserQuery = (given: string): UserQuery => {
  const text = stripAt(given)
  if (isId(text))
    return { text, is: ({ id }) => String(id) === text, filter: { user_ids: [Number(text)] } }
  const name = text.toLowerCase()
  const is = ({ username }: GroupMember): boolean => String(username).toLowerCase() === name
  return { text, is, filter: { query: text } }
}

/** A membership of a user. */
export interface FoundMembership {
  readonly place: MemberPlace
  readonly membership: 'direct' | 'inherited'
  readonly member: GroupMember
}

/** Finds the user in a list of members; undefined if the user is not a member. */
const findMember = async (
  instance: InstanceService,
  { kind, path }: MemberPlace,
  among: 'direct' | 'all',
  { filter, is }: UserQuery,
): Promise<GroupMember | undefined> => {
  // The instance may ignore the filter, so each record is checked as well.
  const input = { id: path, ...filter }
  return (await instance.readRecords(memberLists[kind][among], input, { where: is }))[0]
}

/** The numbers of consecutive failures that end the search: unreachable places, and rejections of the credential. */
const maxUnreachable = 20
const maxRefused = 10
/** The maximum number of failures that are reported one by one. */
const maxTold = 20

/** The memberships that were found in a place, or the failure to read it. */
interface MembershipResult {
  readonly found: readonly FoundMembership[]
  readonly failure?: Failure
}

/** A search for the memberships of a user. */
export class Memberships {
  readonly #context: Context
  readonly #sought: UserQuery
  readonly #places: MemberPlaces
  readonly #direct: boolean
  #read = 0
  #unread = 0
  #tolerated = 0
  #inRow = { unreachable: 0, refused: 0 }
  readonly #failures: { readonly place: MemberPlace; readonly failure: Failure }[] = []
  #found = 0

  /** @param direct true to ignore inherited memberships */
  constructor(context: Context, sought: UserQuery, direct: boolean) {
    this.#context = context
    this.#sought = sought
    this.#direct = direct
    this.#places = new MemberPlaces(context.instance)
  }

  /**
   * Yields the memberships in the order of the places.
   * @throws Failure if the instance can no longer be read
   */
  async *yieldMemberships(): AsyncGenerator<FoundMembership> {
    const counter = this.#context.ui.startCounter()
    try {
      const reads = mapConcurrent(this.#places.yieldPlaces(), maxConcurrent, (place) =>
        this.#searchPlace(place),
      )
      for await (const { found, place, failure } of reads) {
        counter.add(1, failure !== undefined)
        this.#note(place, failure)
        this.#found += found.length
        yield* found
      }
    } finally {
      counter.end()
    }
  }

  async #searchPlace(
    place: MemberPlace,
  ): Promise<MembershipResult & { readonly place: MemberPlace }> {
    try {
      return { place, found: await this.#findInPlace(place) }
    } catch (error) {
      return { place, found: [], failure: recoverFrom(error) }
    }
  }

  /** Finds a direct membership, and an inherited one with another level. */
  async #findInPlace(place: MemberPlace): Promise<readonly FoundMembership[]> {
    const { instance } = this.#context
    const of = (membership: FoundMembership['membership'], member: GroupMember) => ({
      place,
      membership,
      member,
    })
    if (this.#direct) {
      const own = await findMember(instance, place, 'direct', this.#sought)
      return own === undefined ? [] : [of('direct', own)]
    }
    const any = await findMember(instance, place, 'all', this.#sought)
    if (any === undefined) return []
    const own = await findMember(instance, place, 'direct', this.#sought)
    if (own === undefined) return [of('inherited', any)]
    // If there are two memberships, the list of all members has the higher level.
    const same = own.access_level === any.access_level
    return same ? [of('direct', own)] : [of('direct', own), of('inherited', any)]
  }

  #note(place: MemberPlace, failure: Failure | undefined): void {
    const { ui, place: run } = this.#context
    if (failure !== undefined && isTolerated(run.globals, failure)) {
      this.#tolerated += 1
      ui.note(describeTolerated(formatMemberPlace(place), failure))
      return
    }
    const reachable = failure?.category !== 'unreachable'
    const refused = failure?.details.status === 401
    this.#inRow = {
      unreachable: reachable ? 0 : this.#inRow.unreachable + 1,
      refused: refused ? this.#inRow.refused + 1 : 0,
    }
    if (failure === undefined) {
      this.#read += 1
      return
    }
    this.#unread += 1
    if (this.#failures.length < maxTold) this.#failures.push({ place, failure })
    const { unreachable, refused: refusals } = this.#inRow
    if (unreachable >= maxUnreachable || refusals >= maxRefused) throw failure
  }

  /** Reports failures and missing memberships, and finally the places that were searched. */
  async tell(): Promise<void> {
    const { answer, ui } = this.#context
    for (const { place, failure } of this.#failures) ui.report(failure, formatMemberPlace(place))
    const more = this.#unread - this.#failures.length
    if (more > 0) ui.note(`${more} more could not be read`)
    if (this.#unread > 0) answer.setExitCode(exitCodes.partial)
    const closed = this.#unread + this.#tolerated
    const unread = closed === 0 ? '' : `; ${closed} could not be read`
    const nobody = this.#found === 0 ? await this.#explainNoMembership(closed) : undefined
    ui.note(`${this.#places.coverage}${unread}`)
    if (this.#unread > 0 && this.#read === 0)
      throw this.#failures[0]?.failure ?? new Failure('partial', 'nothing could be read')
    if (nobody !== undefined) throw nobody
  }

  /** Returns a failure if the user does not exist. Otherwise it notes that the user has no membership. */
  async #explainNoMembership(closed: number): Promise<Failure | undefined> {
    const { answer, instance, ui } = this.#context
    const { text } = this.#sought
    const name = answer.text.safe(text)
    if (!isId(text) && closed === 0 && (await readUsersNamed(instance, text))?.length === 0)
      return new Failure('not_found', `unknown user "${name}"`)
    ui.note(`${name} has no membership in any project or group that could be read`)
    return undefined
  }
}

// The command `members where`.

/** The argument for a user. */
export const userArgument: Argument = {
  name: 'user',
  required: true,
  variadic: false,
  help: 'ID or username',
  param: { type: 'string', help: 'ID or username', completes: 'user', suggests: 'username' },
}

const flags = {
  direct: boolean('list only direct memberships'),
} as const

/** The username lets other commands read the table as objects. */
const columns = ['username', 'membership', 'access_level', 'expires_at'] as const

async function* listMemberships(context: Context, given: Arguments<typeof flags>): Rows {
  const [user = ''] = given.args
  if (user === '') throw usage('members where requires a user', 'Pass an ID or a username.')
  const sought = createUserQuery(user)
  const found = new Memberships(context, sought, given.flags.direct === true)
  const yieldFound = async function* () {
    for await (const { place, membership, member } of found.yieldMemberships())
      yield { of: formatMemberPlace(place), record: { ...member, membership } }
  }
  yield* yieldRecords(yieldFound(), { endpoint: members.listOfGroup, parent: 'of', columns })
  yield { kind: 'flush' }
  await found.tell()
}

export const where = define({
  summary: 'List all memberships of a user',
  description: [
    'Searches every project that you can see, including archived ones, and every group of their namespaces or of the instance’s list of groups. The last line shows what was searched. The exit code is 8 if a part could not be read.',
    'You can pipe the output into other commands: members where dov --direct | svcctl members update - --access-level reporter.',
  ],
  args: [userArgument],
  flags,
  endpoints: [],
  readOnly: true,
  ownNames: true,
  rows: listMemberships,
})
