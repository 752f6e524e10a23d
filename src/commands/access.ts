/** Implements `svcctl access`, which shows who has access to a project or group, or where one user has access. */

import { type Fields, getFields, isObject, listObjects, toText } from '../base/objects.js'
import { formatCount, listPathsTo } from '../base/text.js'
import { approvals } from '../catalogue/areas/approvals.js'
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import { projects } from '../catalogue/areas/projects.js'
import { boolean } from '../catalogue/params.js'
import { getLevelName } from '../catalogue/shapes/common.js'
import { branchesOf, groupAt, usersNamed } from '../catalogue/undocumented.js'
import type { Context } from '../engine/command/context.js'
import {
  createNoteRow,
  type RecordView,
  type Rows,
  yieldRecord,
  yieldRecords,
} from '../engine/rows.js'
import { exitCodes, explainUnread, Failure, isUnoffered, recoverFrom, usage } from '../errors.js'
import { cleanPath, isAddress, parsePlace } from '../profile/index.js'
import type { AccessRow } from './access-row.js'
import { type Arguments, define } from './define.js'
import { createUserQuery, formatMemberPlace, type MemberPlace, Memberships } from './memberships.js'
import { type GroupMember, isId, memberLists, stripAt } from './usernames.js'

const unexplained = 'unexplained'
const columns = ['place', 'kind', 'name', 'access', 'via', 'expires_at'] as const
const view: RecordView = { columns, known: ['id'], stacks: 'cut', drawing: 'access' }

const formatLevel = (level: unknown): string => getLevelName('access_level', level) ?? String(level)

/** A list of members that grants access to a place. */
interface Source {
  readonly via: string
  /** The highest level that members can have because of a share. */
  readonly most?: number
  readonly members: readonly GroupMember[]
}

const findLevel = ({ members: all, most }: Source, id: unknown): number | undefined => {
  const level = Number(all.find((one) => one.id === id)?.access_level)
  return Number.isNaN(level) ? undefined : Math.min(level, most ?? level)
}

/** Returns the first list in which a member has the effective level. */
const explainLevel = (member: GroupMember, sources: readonly Source[]): string =>
  sources.find((one) => findLevel(one, member.id) === member.access_level)?.via ?? unexplained

const createMemberRow = (place: string, member: GroupMember, via: string): AccessRow => ({
  place,
  kind: 'member',
  name: String(member.username),
  id: Number(member.id),
  access: formatLevel(member.access_level),
  via,
  expires_at: toText(member.expires_at) ?? null,
})

// A project or group.

/** Returns the groups that a project or group is shared with, and the maximum levels. */
const getShares = (record: unknown) =>
  listObjects(getFields(record).shared_with_groups)
    .map(({ group_full_path: path, group_access_level: most }) => ({
      path: toText(path),
      most: Number(most),
    }))
    .flatMap(({ path, most }) => (path === undefined ? [] : [{ path, most }]))

/** Reads the access to one place. Parts that cannot be read are reported, and the others are still shown. */
class PlaceAccess {
  readonly #context: Context
  readonly #place: MemberPlace
  readonly #name: string

  constructor(context: Context, place: MemberPlace) {
    this.#context = context
    this.#place = place
    this.#name = formatMemberPlace(place)
  }

  /** @throws Failure if the members cannot be read */
  async readRows(record: unknown): Promise<readonly AccessRow[]> {
    const { instance } = this.#context
    const { kind, path } = this.#place
    const everybody = await instance.readRecords(memberLists[kind].all, { id: path })
    const sources = await this.#readSources(record)
    const found = everybody.map((member) =>
      createMemberRow(this.#name, member, explainLevel(member, sources)),
    )
    if (kind === 'group') return found
    const others = [this.#readRules(), this.#readKeys(), this.#readBranches()]
    return [...found, ...(await Promise.all(others)).flat()]
  }

  /**
   * Returns the lists of direct members, of members of ancestor groups from the nearest up, and of groups that the place is shared with.
   */
  async #readSources(record: unknown): Promise<readonly Source[]> {
    const { kind, path } = this.#place
    const direct = this.#readSource('direct members', 'direct', memberLists[kind].direct, path)
    const isGroup =
      !isObject(record) || !isObject(record.namespace) || record.namespace.kind !== 'user'
    const above = isGroup ? listPathsTo(path).slice(0, -1).reverse() : []
    const inherited = above.map((group) =>
      this.#readSource(`group ${group}`, `group ${group}`, memberLists.group.direct, group),
    )
    const shared = getShares(record).map(async ({ path: group, most }) => {
      const via = `shared with ${group} (${formatLevel(most)})`
      const found = await this.#readSource(`group ${group}`, via, memberLists.group.all, group)
      return found.map((source) => ({ ...source, most }))
    })
    return (await Promise.all([direct, ...inherited, ...shared])).flat()
  }

  /** Reads a list of members; none if it cannot be read, which is reported. */
  #readSource(
    what: string,
    via: string,
    list: (typeof memberLists)['group' | 'project']['all' | 'direct'],
    id: string,
  ): Promise<readonly Source[]> {
    return this.#readPart(what, async () => [
      { via, members: await this.#context.instance.readRecords(list, { id }) },
    ])
  }

  #readRules(): Promise<readonly AccessRow[]> {
    return this.#readPart('approval rules', async () => {
      const rules = await this.#context.instance.readRecords(approvals.rulesList, this.#id)
      return rules.flatMap(({ name, rule_type, eligible_approvers }) => {
        const row = { access: 'approve', via: `rule ${name}` }
        if (rule_type === 'any_approver')
          return { ...this.#createRow('approver', 'any eligible member'), ...row }
        return (eligible_approvers ?? []).map((user) => ({
          ...this.#createRow('approver', user.username, user.id),
          ...row,
        }))
      })
    })
  }

  #readKeys(): Promise<readonly AccessRow[]> {
    return this.#readPart('deploy keys', async () => {
      const keys = await this.#context.instance.readRecords(deployKeys.list, this.#id)
      return keys.map(({ id, title, can_push }) => ({
        ...this.#createRow('deploy key', title, id),
        access: can_push === true ? 'push' : 'read',
        via: 'key',
      }))
    })
  }

  #readBranches(): Promise<readonly AccessRow[]> {
    return this.#readPart('protected branches', async () => {
      const found = listObjects(await this.#context.instance.readRecords(branchesOf, this.#id))
      return found.flatMap((branch) =>
        (['push', 'merge'] as const).flatMap((access) => this.#createLevelRows(branch, access)),
      )
    })
  }

  /** Returns the levels or names that may push to a protected branch or merge into it. */
  #createLevelRows(branch: Fields, access: 'push' | 'merge'): readonly AccessRow[] {
    const levels = branch[`${access}_access_levels`]
    return listObjects(levels).map((level) => ({
      ...this.#createRow(
        'branch',
        toText(level.access_level_description) ?? formatLevel(level.access_level),
      ),
      access,
      via: `branch ${toText(branch.name) ?? ''}`,
    }))
  }

  get #id() {
    return { id: this.#place.path }
  }

  #createRow<K extends AccessRow['kind']>(kind: K, name: unknown, id?: unknown) {
    const number = Number(id ?? Number.NaN)
    const own = Number.isNaN(number) ? null : number
    return { place: this.#name, kind, name: String(name), id: own, expires_at: null }
  }

  /** Reads a part of the answer. A part that cannot be read is reported and counts as empty. */
  async #readPart<T>(what: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    try {
      return await read()
    } catch (error) {
      const failure = recoverFrom(error)
      const { answer, ui } = this.#context
      ui.warn(`${this.#name}: ${what}: ${explainUnread(failure)}`)
      if (!isUnoffered(failure)) answer.setExitCode(exitCodes.partial)
      return []
    }
  }
}

// The targets of the command: users, projects and groups.

type Target = { readonly user: string } | { readonly place: MemberPlace; readonly record: unknown }

/**
 * Returns the result of a request; undefined if the object does not exist.
 * @throws Failure for any other error
 */
const readIfPresent = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return await read
  } catch (error) {
    const failure = recoverFrom(error)
    if (failure.category === 'not_found') return undefined
    throw failure
  }
}

const findPlace = async (
  { instance }: Context,
  kind: MemberPlace['kind'],
  path: string,
): Promise<Target | undefined> => {
  const answered = await readIfPresent<{ readonly data: unknown }>(
    kind === 'project'
      ? instance.call(projects.get, { id: path })
      : instance.call(groupAt, { id: path, with_projects: 'false' }),
  )
  if (answered === undefined) return undefined
  const record = answered.data
  const full = isObject(record) && (toText(record.path_with_namespace) ?? toText(record.full_path))
  return { place: { kind, path: full || path }, record }
}

const createNotFoundFailure = (text: string): Failure =>
  new Failure('not_found', `no user, project or group is named "${text}"`, {
    hint: 'Check the name, or whether your token can see it. Write @name for a user, group:path or project:path.',
  })

/** Replaces an address by its path, with the kind if it is known. */
const resolveAddress = async ({ place }: Context, text: string): Promise<string> => {
  if (!isAddress(text)) return cleanPath(text)
  const { kind, value } = parsePlace(text, (await place.session()).baseUrl)
  return kind === undefined ? value : `${kind}:${value}`
}

/**
 * Finds a user by name, or a place by path or address. A prefix determines the kind.
 * @throws Failure if the text names nothing, or both a user and a group
 */
const findTarget = async (context: Context, given: string): Promise<Target> => {
  const text = await resolveAddress(context, given)
  const [, kind, path = ''] = /^(project|group|user):(.+)$/.exec(text) ?? []
  if (text.startsWith('@') || isId(text)) return { user: stripAt(text) }
  if (kind === 'user') return { user: path }
  if (kind === 'project' || kind === 'group') {
    const place = await findPlace(context, kind, path)
    if (place === undefined) throw createNotFoundFailure(path)
    return place
  }
  const project = text.includes('/') ? await findPlace(context, 'project', text) : undefined
  const group = project ?? (await findPlace(context, 'group', text))
  if (text.includes('/')) {
    if (group === undefined) throw createNotFoundFailure(text)
    return group
  }
  const users = await readIfPresent(context.instance.readRecords(usersNamed, { username: text }))
  const isUser = (users ?? []).length > 0
  if (group !== undefined && isUser)
    throw usage(`"${text}" is both a user and a group`, `Write @${text} or group:${text}.`)
  if (group === undefined && !isUser) throw createNotFoundFailure(text)
  return group ?? { user: text }
}

// The access of one user to all places.

/** A row of the answer, or a request to print the rows before a note about them. */
type AccessEvent =
  | { readonly kind: 'value'; readonly value: AccessRow }
  | { readonly kind: 'flush' }

const toValueRow = (value: AccessRow): AccessEvent => ({ kind: 'value', value })

/** Yields the memberships of a user, each with the group that gives it. */
async function* yieldUserRows(context: Context, user: string): AsyncGenerator<AccessEvent> {
  const memberships = new Memberships(context, createUserQuery(user), false)
  const direct = new Map<string, number>()
  for await (const { place, membership, member } of memberships.yieldMemberships()) {
    const { kind, path } = place
    if (membership === 'direct') {
      if (kind === 'group') direct.set(path.toLowerCase(), Number(member.access_level))
      yield toValueRow(createMemberRow(formatMemberPlace(place), member, 'direct'))
      continue
    }
    const above = listPathsTo(path).slice(0, -1).reverse()
    const group = above.find((one) => direct.get(one.toLowerCase()) === member.access_level)
    const via = group === undefined ? unexplained : `group ${group}`
    yield toValueRow(createMemberRow(formatMemberPlace(place), member, via))
  }
  yield { kind: 'flush' }
  await memberships.tell()
}

async function* yieldAccessRows(
  context: Context,
  targets: readonly Target[],
): AsyncGenerator<AccessEvent> {
  for (const target of targets) {
    if ('user' in target) yield* yieldUserRows(context, target.user)
    else
      for (const row of await new PlaceAccess(context, target.place).readRows(target.record))
        yield toValueRow(row)
  }
}

// The command.

/** Returns a matrix with members as rows, places as columns, and access levels as cells. */
const toMatrix = (rows: readonly AccessRow[]) => {
  const places = [...new Set(rows.map(({ place }) => place))]
  const names = [...new Set(rows.map(({ name }) => name))].sort()
  const access = new Map(rows.map((row) => [`${row.name}\n${row.place}`, row.access]))
  const records = names.map((name) => ({
    name,
    ...Object.fromEntries(places.map((place) => [place, access.get(`${name}\n${place}`) ?? ''])),
  }))
  return { records, columns: ['name', ...places] }
}

const flags = {
  matrix: boolean('print members as rows and places as columns'),
  'dry-run': boolean('print the number of requests'),
} as const

/** Returns the number of requests that reading a place requires. */
const countRequests = ({ place, record }: Extract<Target, { place: MemberPlace }>): number =>
  (place.kind === 'project' ? 5 : 2) + listPathsTo(place.path).length - 1 + getShares(record).length

async function* listAccess(context: Context, given: Arguments<typeof flags>): Rows {
  const { answer } = context
  const { matrix } = given.flags
  if (given.args.every((text) => text.trim() === ''))
    throw usage('access requires a user, project or group')
  const targets: Target[] = []
  for (const text of given.args) targets.push(await findTarget(context, text))
  const users = targets.flatMap((one) => ('user' in one ? [one.user] : []))
  if (given.flags['dry-run'] === true) {
    const sum = targets.reduce((all, one) => all + ('place' in one ? countRequests(one) : 0), 0)
    const walk =
      users.length === 0
        ? ''
        : `, and for ${formatCount(users.length, 'user')} one or two for each project and group`
    yield createNoteRow(`would send ${formatCount(sum, 'request')}${walk}`)
    if (answer.reader !== 'people') yield* yieldRecord({ requests: sum, users: users.length })
    return
  }
  if (matrix !== true) {
    const names = users.map((user) => (isId(user) ? `user ${user}` : `@${user}`)).join(', ')
    const title = users.length < targets.length ? undefined : `Access of ${names}`
    yield { kind: 'open', many: true, view: { ...view, title } }
    yield* yieldAccessRows(context, targets)
    return yield { kind: 'end' }
  }
  const held: AccessRow[] = []
  for await (const event of yieldAccessRows(context, targets))
    if (event.kind === 'value' && event.value.kind === 'member') held.push(event.value)
  const { records, columns: named } = toMatrix(held)
  yield* yieldRecords(records, { columns: named, known: named, drawing: 'matrix' })
}

export const access = define({
  description: [
    'For a project or group: its members with the list that gives each their access level, and for a project also approvers, deploy keys and protected branches. For a user: every membership. If no list explains an access level, the column "via" says "unexplained".',
    'Write @name for a user, project:path or group:path where a name could be several of them. Parts that cannot be read are reported; exit code 8.',
  ],
  args: [
    {
      name: 'target',
      required: true,
      variadic: true,
      help: 'user, project or group',
      param: { type: 'string', help: 'user, project or group', completes: 'project' },
    },
  ],
  flags,
  endpoints: [],
  readOnly: true,
  rows: listAccess,
})
