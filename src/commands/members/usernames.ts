/** Users by name where an ID is meant: looked up among the members that the documents' lists have. */

import { ahead, mostAtOnce } from '../../base/ahead.js'
import type { JsonValues } from '../../base/json/value.js'
import { members } from '../../catalogue/areas/members.js'
import { pathIn } from '../../catalogue/path-in.js'
import type { RecordOf } from '../../client/typed.js'
import { Failure, usage } from '../../errors.js'
import type { InstanceService, Services } from '../services.js'
import type { Coming, Given, NamedObject, Plan, Unplanned } from '../types.js'

/** Which members a name is looked for among. */
export type Among = 'direct' | 'all' | 'billable'

const give = 'Give the ID instead: svcctl members list shows those of members.'

/** The members of the group or project that a command is about. */
const listOf = (
  instance: InstanceService,
  { endpoint, values }: Plan,
  among: Among,
  name: string,
  where: (member: Member) => boolean,
): Promise<readonly Member[]> => {
  if (among === 'billable') {
    const input = { ...pathIn(members.billableList, values), search: name }
    return instance.records(members.billableList, input, { where })
  }
  const input = { ...pathIn(members.listOfGroup, values), query: name }
  if (endpoint.path.id?.type === 'group')
    return instance.records(among === 'all' ? members.listAllOfGroup : members.listOfGroup, input, {
      where,
    })
  return instance.records(
    among === 'all' ? members.listAllOfProject : members.listOfProject,
    input,
    { where },
  )
}

/** A member as lists have them. */
export type Member = RecordOf<typeof members.listOfGroup>

const shownAs = ({ username, id }: Member): string => `${String(username)} (${String(id)})`

/** The members that the documents' list finds by a name, and whether each is called just so. */
const called = async (instance: InstanceService, plan: Plan, among: Among, name: string) => {
  const found: Member[] = []
  const where = (member: Member): boolean => {
    found.push(member)
    return String(member.username).toLowerCase() === name.toLowerCase()
  }
  const matches = await listOf(instance, plan, among, name, where)
  return { found, matches }
}

/**
 * The ID of a member by exact username.
 * @throws Failure `not_found` where no member is called so, `usage` where several are
 */
export const lookUp = async (
  { answer, instance }: Services,
  plan: Plan,
  among: Among,
  name: string,
): Promise<string> => {
  const { found, matches } = await called(instance, plan, among, name)
  const ids = [...new Set(matches.map(({ id }) => String(id)))]
  const [id, ...others] = ids
  if (id !== undefined && others.length === 0) return id
  const near = (id === undefined ? found : matches).slice(0, 5).map(shownAs).join(', ')
  const scope = `${plan.endpoint.path.id?.type ?? 'group'} ${String(plan.values.id)}`
  const { safe } = answer.text
  if (id !== undefined)
    throw usage(`several members of ${scope} are called "${safe(name)}": ${safe(near)}`, give)
  throw new Failure(
    'not_found',
    `${scope} has no ${among === 'billable' ? 'billable ' : ''}member called "${safe(name)}"${near === '' ? '' : `; there is ${safe(near)}`}`,
    { hint: `${give} Users who are no members cannot be looked up by name.` },
  )
}

export const isId = (user: string): boolean => /^-?\d+$/.test(user)

/** A username without its mark. */
export const bare = (user: string): string => user.replace(/^@/, '')

/**
 * A plan whose list of users has IDs where usernames were given, with or without `@`: of members, those
 * of groups above included.
 * @throws Failure as `lookUp`
 */
export const withListedUsers = async (
  services: Services,
  plan: Plan,
  attribute: string,
): Promise<Plan> => {
  const listed = plan.values[attribute]
  if (!Array.isArray(listed)) return plan
  const idOf = async (user: string): Promise<number | string> => {
    if (isId(user)) return Number(user)
    return asNumber(await lookUp(services, plan, 'all', bare(user)))
  }
  const ids = await Promise.all(listed.map((user) => idOf(String(user))))
  return { ...plan, values: { ...plan.values, [attribute]: ids } }
}

/** An ID as it travels; what stands for one stays. */
const asNumber = (id: string): number | string => (isId(id) ? Number(id) : id)

/** The parameter that names the users of a plan. */
const userOf = ({ endpoint }: Plan): string => endpoint.args?.[0] ?? 'user_id'

const usersIn = ({ args }: Pick<Given, 'args'>): readonly string[] =>
  args.flatMap((text) => text.split(',').map((part) => part.trim())).filter((user) => user !== '')

/** IDs of users by how they were given: IDs are themselves, names are looked up where the plan is about. */
const idsOf = async (
  services: Services,
  plan: Plan,
  among: Among,
  users: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Map<string, string>()
  const names = [...new Set(users.filter((user) => !isId(user)))]
  if (names.length === 0) return ids
  await services.instance.each(names, async (name) => {
    ids.set(name, await lookUp(services, plan, among, bare(name)))
  })
  return ids
}

/**
 * The plans of users, who may be given by name, with or without `@`: one for each user, or one for all where
 * the endpoint takes them together. Each calls its user as that was given.
 * @param override stand-ins that planning needs, so that it asks nobody
 * @throws Failure `not_found` for a name of no member
 */
export const plansOfUsers = async (
  services: Services,
  given: Given,
  among: Among | ((plan: Plan) => Among),
  override: JsonValues = {},
): Promise<readonly Plan[]> => {
  const users = usersIn(given)
  // A stand-in for each name, so that the values of all are checked before anything is looked up.
  const args = users.map((user) => (isId(user) ? user : '0'))
  const plans = await services.instance.plans({ ...given, args }, override)
  const [first] = plans
  if (first === undefined || users.length === 0) return plans
  const where = typeof among === 'function' ? among(first) : among
  const ids = await idsOf(services, first, where, users)
  const known = (user: string): string => ids.get(user) ?? user
  if (plans.length === 1 && users.length > 1) {
    const all = [...new Set(users.map(known))].join(',')
    return [{ ...first, values: { ...first.values, [userOf(first)]: all } }]
  }
  return plans.map((plan, i) => {
    const user = users[i]
    if (user === undefined) return plan
    const id = isId(user) ? plan.values[userOf(plan)] : asNumber(known(user))
    return { ...plan, label: user, values: { ...plan.values, [userOf(plan)]: id } }
  })
}

/** What objects came with, as a flag says it. */
const flagOf = (
  below: Coming['below'],
  parent: string | undefined,
): Readonly<Record<string, string>> => {
  if (below === undefined || parent === undefined) return {}
  const [, kind, name] = /^(group|project):(.*)$/s.exec(parent) ?? []
  if (below === 'of') return kind === undefined || name === undefined ? {} : { [kind]: name }
  return { [below]: parent }
}

/** Users that come, by their IDs: names are looked up among the members of what they came with. */
class ComingUsers {
  readonly #services: Services
  readonly #given: Given
  readonly #coming: Coming
  readonly #among: (plan: Plan) => Among
  readonly #override: JsonValues
  /** The plan of anybody, of what came last. */
  #plan: { readonly parent: string | undefined; readonly plan: Promise<Plan> } | undefined

  constructor(
    services: Services,
    given: Given,
    coming: Coming,
    among: (plan: Plan) => Among,
    override: JsonValues,
  ) {
    this.#services = services
    this.#given = given
    this.#coming = coming
    this.#among = among
    this.#override = override
  }

  async idOf({ text, ...others }: NamedObject): Promise<NamedObject> {
    if (isId(text)) return { ...others, text }
    const plan = await this.#planFor(others.parent)
    const id = await lookUp(this.#services, plan, this.#among(plan), bare(text))
    return { ...others, text: id }
  }

  async *each(): AsyncGenerator<NamedObject> {
    for await (const { text, ...others } of this.#coming.objects)
      for (const user of usersIn({ args: [text] })) yield { ...others, text: user }
  }

  #planFor(parent: string | undefined): Promise<Plan> {
    if (this.#plan?.parent !== parent || this.#plan === undefined) {
      const { coming: _, ...given } = this.#given
      const flags = { ...given.flags, ...flagOf(this.#coming.below, parent) }
      const asked = { ...given, args: ['0'], flags }
      this.#plan = { parent, plan: this.#services.instance.plan(asked, this.#override) }
    }
    return this.#plan.plan
  }
}

/**
 * The same of users that may be taken as they come: they go by their IDs then, and are all known before the
 * first is worked on.
 * @throws Failure as `plansOfUsers`
 */
export const usersOf = async (
  services: Services,
  given: Given,
  among: Among | ((plan: Plan) => Among),
  override: JsonValues = {},
): Promise<readonly Plan[] | Unplanned> => {
  const { coming } = given
  if (coming === undefined) return plansOfUsers(services, given, among, override)
  const where = typeof among === 'function' ? among : () => among
  const users = new ComingUsers(services, given, coming, where, override)
  const objects = ahead(users.each(), mostAtOnce, (user) => users.idOf(user))
  return { given: { ...given, coming: { ...coming, objects } }, override, checked: true }
}
