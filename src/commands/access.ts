/** `svcctl access`: who can do what in a project or group, or where one user can, and by which list. */

import { type Fields, isObject, objects, toText } from '../base/objects.js'
import { formatCount } from '../base/text.js'
import { approvals } from '../catalogue/areas/approvals.js'
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import { members } from '../catalogue/areas/members.js'
import { projects } from '../catalogue/areas/projects.js'
import { getLevelName } from '../catalogue/levels.js'
import { boolean } from '../catalogue/params.js'
import { branchesOf, groupAt, usersNamed } from '../catalogue/undocumented.js'
import type { Services } from '../engine/command/services.js'
import { createNoteRow, type Rows, yieldRecord, yieldRecords } from '../engine/rows.js'
import { exitCodes, Failure, isUnoffered, survived, usage, whyUnread } from '../errors.js'
import { isAddress, readPlace } from '../profile/index.js'
import { type Arguments, define } from './define.js'
import { type MemberPlace, Memberships, soughtBy, textOfPlace, withAbove } from './memberships.js'
import { bare, type GroupMember, isId } from './usernames.js'

/** What one may do there, and what gives it. */
export interface AccessRow {
  readonly place: string
  readonly kind: 'member' | 'approver' | 'deploy key' | 'branch'
  readonly name: string
  readonly id: number | null
  readonly access: string
  /** The list that explains it; `unexplained` where none does. */
  readonly via: string
  readonly expires_at: string | null
}

const unexplained = 'unexplained'
const columns = ['place', 'kind', 'name', 'access', 'via', 'expires_at'] as const

const levelText = (level: unknown): string => getLevelName('access_level', level) ?? String(level)

/** A list of members, and how it gives access to a place. */
interface Source {
  readonly via: string
  /** Of those that come by a share: no more than this. */
  readonly most?: number
  readonly members: readonly GroupMember[]
}

const levelIn = ({ members: all, most }: Source, id: unknown): number | undefined => {
  const level = Number(all.find((one) => one.id === id)?.access_level)
  return Number.isNaN(level) ? undefined : Math.min(level, most ?? level)
}

/** The first list by which a member has the level that the place itself names. */
const explainLevel = (
  { id, access_level: level }: GroupMember,
  sources: readonly Source[],
): string => sources.find((source) => levelIn(source, id) === level)?.via ?? unexplained

const memberRow = (place: string, member: GroupMember, via: string): AccessRow => ({
  place,
  kind: 'member',
  name: String(member.username),
  id: Number(member.id),
  access: levelText(member.access_level),
  via,
  expires_at: toText(member.expires_at) ?? null,
})

// A project or group.

/** With which groups a project or group is shared, and up to which level. */
const getShares = (record: unknown) =>
  objects(
    isObject(record) && Array.isArray(record.shared_with_groups) ? record.shared_with_groups : [],
  )
    .map(({ group_full_path: path, group_access_level: most }) => ({
      path: toText(path),
      most: Number(most),
    }))
    .flatMap(({ path, most }) => (path === undefined ? [] : [{ path, most }]))

/** What is asked of one place. Parts that cannot be read are told, and end nothing. */
class PlaceAccess {
  readonly #services: Services
  readonly #place: MemberPlace
  readonly #name: string

  constructor(services: Services, place: MemberPlace) {
    this.#services = services
    this.#place = place
    this.#name = textOfPlace(place)
  }

  /** @throws Failure where its members cannot be read */
  async rows(record: unknown): Promise<readonly AccessRow[]> {
    const { instance } = this.#services
    const { kind, path } = this.#place
    const all = kind === 'project' ? members.listAllOfProject : members.listAllOfGroup
    const everybody = await instance.records(all, { id: path })
    const sources = await this.#sources(record)
    const found = everybody.map((member) =>
      memberRow(this.#name, member, explainLevel(member, sources)),
    )
    if (kind === 'group') return found
    const others = [this.#rules(), this.#keys(), this.#branches()]
    return [...found, ...(await Promise.all(others)).flat()]
  }

  /** The direct members, those of the groups above, the nearest first, and those of groups that it is shared with. */
  async #sources(record: unknown): Promise<readonly Source[]> {
    const { instance } = this.#services
    const { kind, path } = this.#place
    const own = kind === 'project' ? members.listOfProject : members.listOfGroup
    const direct = this.#part('direct members', async () => [
      { via: 'direct', members: await instance.records(own, { id: path }) },
    ])
    const isGroup =
      !isObject(record) || !isObject(record.namespace) || record.namespace.kind !== 'user'
    const above = isGroup ? withAbove(path).slice(0, -1).reverse() : []
    const inherited = above.map((group) =>
      this.#part(`group ${group}`, async () => [
        {
          via: `group ${group}`,
          members: await instance.records(members.listOfGroup, { id: group }),
        },
      ]),
    )
    const shared = getShares(record).map(({ path: group, most }) =>
      this.#part(`group ${group}`, async () => [
        {
          via: `shared with ${group} (${levelText(most)})`,
          most,
          members: await instance.records(members.listAllOfGroup, { id: group }),
        },
      ]),
    )
    return (await Promise.all([direct, ...inherited, ...shared])).flat()
  }

  #rules(): Promise<readonly AccessRow[]> {
    return this.#part('approval rules', async () => {
      const rules = await this.#services.instance.records(approvals.rulesList, this.#id)
      return rules.flatMap(({ name, rule_type, eligible_approvers }) => {
        const row = { access: 'approve', via: `rule ${name}` }
        if (rule_type === 'any_approver')
          return { ...this.#row('approver', 'any eligible member'), ...row }
        return (eligible_approvers ?? []).map((user) => ({
          ...this.#row('approver', user.username, user.id),
          ...row,
        }))
      })
    })
  }

  #keys(): Promise<readonly AccessRow[]> {
    return this.#part('deploy keys', async () => {
      const keys = await this.#services.instance.records(deployKeys.list, this.#id)
      return keys.map(({ id, title, can_push }) => ({
        ...this.#row('deploy key', title, id),
        access: can_push === true ? 'push' : 'read',
        via: 'key',
      }))
    })
  }

  #branches(): Promise<readonly AccessRow[]> {
    return this.#part('protected branches', async () => {
      const found = objects(await this.#services.instance.records(branchesOf, this.#id))
      return found.flatMap((branch) =>
        (['push', 'merge'] as const).flatMap((access) => this.#levels(branch, access)),
      )
    })
  }

  /** Who may push to a protected branch, or merge into it: by level, or by name. */
  #levels(branch: Fields, access: 'push' | 'merge'): readonly AccessRow[] {
    const levels = branch[`${access}_access_levels`]
    return objects(Array.isArray(levels) ? levels : []).map((level) => ({
      ...this.#row(
        'branch',
        toText(level.access_level_description) ?? levelText(level.access_level),
      ),
      access,
      via: `branch ${toText(branch.name) ?? ''}`,
    }))
  }

  get #id() {
    return { id: this.#place.path }
  }

  #row<K extends AccessRow['kind']>(kind: K, name: unknown, id?: unknown) {
    const number = Number(id ?? Number.NaN)
    const own = Number.isNaN(number) ? null : number
    return { place: this.#name, kind, name: String(name), id: own, expires_at: null }
  }

  /** A part of the answer; nothing of it where it cannot be read, which is told. */
  async #part<T>(what: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    try {
      return await read()
    } catch (error) {
      const failure = survived(error)
      const { answer, ui } = this.#services
      ui.warn(`${this.#name}: ${what}: ${whyUnread(failure)}`)
      if (!isUnoffered(failure)) answer.exit(exitCodes.partial)
      return []
    }
  }
}

// What is meant: a user, a project or a group.

type Target = { readonly user: string } | { readonly place: MemberPlace; readonly record: unknown }

/** What is read, where it is there. @throws Failure for anything but its absence */
const found = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return await read
  } catch (error) {
    const failure = survived(error)
    if (failure.category === 'not_found') return undefined
    throw failure
  }
}

const placeNamed = async (
  { instance }: Services,
  kind: MemberPlace['kind'],
  path: string,
): Promise<Target | undefined> => {
  const answered = await found<{ readonly data: unknown }>(
    kind === 'project'
      ? instance.call(projects.get, { id: path })
      : instance.call(groupAt, { id: path, with_projects: 'false' }),
  )
  if (answered === undefined) return undefined
  const record = answered.data
  const full = isObject(record) && (toText(record.path_with_namespace) ?? toText(record.full_path))
  return { place: { kind, path: full || path }, record }
}

const missing = (text: string): Failure =>
  new Failure('not_found', `no user, project or group is named "${text}"`, {
    hint: 'Check the name, or whether your token can see it. Write @name for a user, group:path or project:path.',
  })

/** The path in the place of an address, with its kind where that tells. */
const withoutAddress = async ({ place }: Services, text: string): Promise<string> => {
  if (!isAddress(text)) return text
  const { kind, value } = readPlace(text, (await place.session()).baseUrl)
  return kind === undefined ? value : `${kind}:${value}`
}

/** A user, or a place by its path or address; a prefix says which. @throws Failure where it is none, or several */
const findTarget = async (services: Services, given: string): Promise<Target> => {
  const text = await withoutAddress(services, given)
  const [, kind, path = ''] = /^(project|group|user):(.+)$/.exec(text) ?? []
  if (text.startsWith('@') || isId(text)) return { user: bare(text) }
  if (kind === 'user') return { user: path }
  if (kind === 'project' || kind === 'group') {
    const place = await placeNamed(services, kind, path)
    if (place === undefined) throw missing(path)
    return place
  }
  const project = text.includes('/') ? await placeNamed(services, 'project', text) : undefined
  const group = project ?? (await placeNamed(services, 'group', text))
  if (text.includes('/')) {
    if (group === undefined) throw missing(text)
    return group
  }
  const users = await found(services.instance.records(usersNamed, { username: text }))
  const isUser = (users ?? []).length > 0
  if (group !== undefined && isUser)
    throw usage(`"${text}" is both a user and a group`, `Write @${text} or group:${text}.`)
  if (group === undefined && !isUser) throw missing(text)
  return group ?? { user: text }
}

// One user, everywhere.

/** A row of the answer, or that what came so far is shown before what is said of it. */
type AccessEvent =
  | { readonly kind: 'value'; readonly value: AccessRow }
  | { readonly kind: 'flush' }

const toValueRow = (value: AccessRow): AccessEvent => ({ kind: 'value', value })

/** The memberships of a user, each with the group that gives it. */
async function* userRows(services: Services, user: string): AsyncGenerator<AccessEvent> {
  const memberships = new Memberships(services, soughtBy(user), false)
  const direct = new Map<string, number>()
  for await (const { place, membership, member } of memberships.each()) {
    const { kind, path } = place
    if (membership === 'direct') {
      if (kind === 'group') direct.set(path.toLowerCase(), Number(member.access_level))
      yield toValueRow(memberRow(textOfPlace(place), member, 'direct'))
      continue
    }
    const above = withAbove(path).slice(0, -1).reverse()
    const group = above.find((one) => direct.get(one.toLowerCase()) === member.access_level)
    const via = group === undefined ? unexplained : `group ${group}`
    yield toValueRow(memberRow(textOfPlace(place), member, via))
  }
  yield { kind: 'flush' }
  await memberships.tell()
}

async function* accessRows(
  services: Services,
  targets: readonly Target[],
): AsyncGenerator<AccessEvent> {
  for (const target of targets) {
    if ('user' in target) yield* userRows(services, target.user)
    else
      for (const row of await new PlaceAccess(services, target.place).rows(target.record))
        yield toValueRow(row)
  }
}

// The command.

/** Names below each other, places beside each other: what each member may do where. */
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

/** How many requests a place takes. */
const countRequests = ({ place, record }: Extract<Target, { place: MemberPlace }>): number =>
  (place.kind === 'project' ? 5 : 2) + withAbove(place.path).length - 1 + getShares(record).length

async function* listAccess(services: Services, given: Arguments<typeof flags>): Rows {
  const { answer } = services
  const { matrix } = given.flags
  if (given.args.length === 0) throw usage('access requires a user, project or group')
  const targets: Target[] = []
  for (const text of given.args) targets.push(await findTarget(services, text))
  if (given.flags['dry-run'] === true) {
    const places = targets.flatMap((one) => ('place' in one ? [countRequests(one)] : []))
    const sum = places.reduce((all, one) => all + one, 0)
    const users = targets.length - places.length
    const walk =
      users === 0
        ? ''
        : `, and for ${formatCount(users, 'user')} one or two for each project and group`
    yield createNoteRow(`would send ${formatCount(sum, 'request')}${walk}`)
    if (answer.reader !== 'people') yield* yieldRecord({ requests: sum, users })
    return
  }
  if (matrix !== true) {
    yield {
      kind: 'open',
      many: true,
      view: { columns, known: ['id'], stacks: 'cut', drawing: 'access' },
    }
    yield* accessRows(services, targets)
    return yield { kind: 'end' }
  }
  const held: AccessRow[] = []
  for await (const event of accessRows(services, targets))
    if (event.kind === 'value' && event.value.kind === 'member') held.push(event.value)
  const { records, columns: named } = toMatrix(held)
  yield* yieldRecords(records, { columns: named, known: named, drawing: 'matrix' })
}

export const access = define({
  summary: 'Show who has access, and how',
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
  examples: [
    'access platform/app',
    'access group:platform -o csv',
    'access @ben',
    'access platform/app web/site --matrix -o csv',
  ],
  rows: listAccess,
})
