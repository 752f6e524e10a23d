/** Replaces teams, named lists of users, by their members before levels are merged. */
import { dirname } from 'node:path'
import { addToGroup } from '../../base/collections.js'
import {
  getWrittenText,
  listEntries,
  listItems,
  type WrittenEntry,
} from '../../base/documents/written.js'
import { isJsonList, type JsonValue } from '../../base/objects.js'
import { suggestSimilar } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { foldName, type Reference } from '../address.js'
import { getAttributes } from '../attributes.js'
import {
  type DesiredItem,
  type DesiredValue,
  formatOrigin,
  getPlainValue,
  type Origin,
  type SourcedValue,
} from '../state.js'
import { toCanonical } from '../values.js'
import { createItem } from './item.js'
import type { DeclaredKind, DeclaredLevel } from './levels.js'
import { mergeItem } from './merge.js'
import { type Mistakes, textSchema } from './nodes.js'
import { type FolderClaim, isBelow } from './selectors.js'

interface TeamMember<T> {
  readonly value: T
  readonly origin: Origin
}

export interface DeclaredTeam {
  readonly name: string
  readonly origin: Origin
  readonly users: readonly TeamMember<Reference>[]
  readonly teams: readonly TeamMember<string>[]
}

const prefix = 'team:'

/** Returns the name of the team that a key of `members`, or a member of a list of users, refers to. */
export const getTeamName = (reference: JsonValue): string | undefined =>
  typeof reference === 'string' && reference.startsWith(prefix)
    ? reference.slice(prefix.length)
    : undefined

/** The schema of teams. */
export const teamsSchema: JsonSchema = {
  type: 'object',
  propertyNames: {
    pattern: '^[A-Za-z0-9_.-]+$',
    title: 'team name',
    description: 'letters, digits, _, . and -',
  },
  additionalProperties: {
    type: 'object',
    properties: {
      users: { type: 'array', items: { $ref: '#/$defs/name' } },
      teams: { type: 'array', items: { ...textSchema, minLength: 1 } },
    },
    additionalProperties: false,
  },
  description: "named lists of users; use one as 'team:name'",
}

/** Reads the definition of a team. */
export const readTeam = (
  { key, origin, value }: WrittenEntry,
  teams: Map<string, DeclaredTeam>,
  mistakes: Mistakes,
): void => {
  const known = teams.get(key)
  if (known !== undefined)
    mistakes.addDuplicate(origin, `the team ${key} is defined twice`, known.origin)
  const listMembers = <T>(word: string, read: (origin: Origin, text: string) => T | undefined) =>
    listEntries(value)
      .flatMap((entry) => (entry.key === word ? listItems(entry.value) : []))
      .flatMap((one): readonly TeamMember<T>[] => {
        const parsed = read(one.origin, getWrittenText(one))
        return parsed === undefined ? [] : [{ value: parsed, origin: one.origin }]
      })
  teams.set(key, {
    name: key,
    origin,
    users: listMembers('users', (at, user) => mistakes.reference(at, user)),
    teams: listMembers('teams', (_, team) => getTeamName(team) ?? team),
  })
}

/** Resolves teams to their members, including those of teams within teams. */
class Teams {
  readonly #members = new Map<string, readonly Reference[]>()

  constructor(
    readonly all: ReadonlyMap<string, DeclaredTeam>,
    readonly mistakes: Mistakes,
    readonly owns: readonly FolderClaim[],
  ) {}

  /** Returns a team by its name. @returns undefined for a team that is not defined, which is reported */
  named(name: string, origin: Origin): DeclaredTeam | undefined {
    const team = this.all.get(name)
    if (team === undefined)
      this.mistakes.add(
        origin,
        `unknown team ${quoteText(name)}`,
        suggestSimilar(name, [...this.all.keys()]) ??
          'Define teams under teams: in any of the files.',
      )
    const owner = team && this.owns.find(({ folder }) => isBelow(dirname(team.origin.file), folder))
    if (owner !== undefined && !isBelow(dirname(origin.file), owner.folder))
      this.mistakes.add(
        origin,
        `the team ${name} belongs to a folder with owns, declared at ${formatOrigin(owner.origin)}`,
        'Use it only in that folder.',
      )
    return team
  }

  /** Lists the members of a team. @param chain the teams that contain it, to detect a circle */
  members(team: DeclaredTeam, chain: readonly string[] = []): readonly Reference[] {
    const { name, origin, users, teams } = team
    const known = this.#members.get(name)
    if (known !== undefined) return known
    if (chain.includes(name)) {
      const circle = [...chain.slice(chain.indexOf(name)), name].join(' → ')
      this.mistakes.add(origin, `teams contain each other: ${quoteText(circle)}`)
      return []
    }
    const below = teams.flatMap(({ value, origin: at }) => {
      const found = this.named(value, at)
      return found === undefined ? [] : this.members(found, [...chain, name])
    })
    const all = [...users.map(({ value }) => value), ...below]
    const listMembers = [...new Map(all.map((one) => [getUserKey(one), one])).values()]
    this.#members.set(name, listMembers)
    return listMembers
  }

  /** Returns the members of a team that a file uses, and notes a team without members. */
  used(name: string, origin: Origin): UsedTeam {
    const team = this.named(name, origin)
    if (team === undefined) return { at: origin, members: [] }
    const members = this.members(team)
    if (members.length === 0) this.mistakes.note(origin, `the team ${name} has no users`)
    return { at: { ...origin, team: { name, at: team.origin } }, members }
  }
}

/** The members of a team at the place where it is named; `at` records the team in the position. */
interface UsedTeam {
  readonly at: Origin
  readonly members: readonly Reference[]
}

const getUserKey = (user: Reference): string =>
  typeof user === 'number' ? `#${user}` : `=${foldName('user', user)}`

// Lists of users, in which a team is replaced by all of its members.

const isTeam = (reference: JsonValue): boolean => getTeamName(reference) !== undefined

const expandList = (teams: Teams, members: readonly JsonValue[], origin: Origin) => {
  let at = origin
  const all = members.flatMap((member): readonly JsonValue[] => {
    const name = getTeamName(member)
    if (name === undefined) return [member]
    const useTeam = teams.used(name, origin)
    if (at === origin) at = useTeam.at
    return useTeam.members
  })
  const once = new Map(all.map((one) => [toCanonical(one).toLowerCase(), one]))
  return { members: members.some(isTeam) ? [...once.values()] : members, origin: at }
}

/** Expands the teams in a list; returns undefined if the list names none. */
const expandValue = (
  teams: Teams,
  name: string,
  { value, origin, ...rest }: SourcedValue<DesiredValue>,
): SourcedValue<DesiredValue> | undefined => {
  if (value.is === 'change') {
    if (![...value.add, ...value.remove].some(isTeam)) return undefined
    const add = expandList(teams, value.add, origin)
    const remove = expandList(teams, value.remove, add.origin)
    const both = { is: 'change', add: add.members, remove: remove.members } as const
    return { value: both, origin: remove.origin, ...rest }
  }
  const all = value.is === 'value' && isJsonList(value.value) ? value.value : []
  if (!all.some(isTeam)) return undefined
  const { members, origin: at } = expandList(teams, all, origin)
  const text = `${name} contains only teams without users`
  if (members.length === 0) teams.mistakes.add(origin, text, 'Write [] for an empty list.')
  return { value: { is: 'value', value: members }, origin: at, ...rest }
}

// Keys of members, in which the attributes of a team become those of each member.

const getDeclaredLevel = (item: DesiredItem): number =>
  Number(getPlainValue(item, 'access_level') ?? -1)

const hasRange = ({ attributes }: DesiredItem): boolean =>
  [...attributes.values()].some(({ value }) => value.is === 'range')

const getValueKey = (said: SourcedValue<DesiredValue> | undefined): string =>
  JSON.stringify(said?.value)

/** Returns the first declaration that contradicts the first one of the list. @param own the direct declaration of the user */
const findRival = (
  [first, ...others]: readonly DesiredItem[],
  own: DesiredItem | undefined,
): DesiredItem | undefined => {
  if (first === undefined || own?.gone !== undefined) return undefined
  const top = Math.max(getDeclaredLevel(first), ...others.map(getDeclaredLevel))
  return others.find((other) => {
    if ((other.gone === undefined) !== (first.gone === undefined)) return true
    // Attributes that the two declare differently, and that the user's direct declaration does not decide.
    const isOther = [...first.attributes.keys(), ...other.attributes.keys()].some(
      (name) =>
        own?.attributes.has(name) !== true &&
        getValueKey(first.attributes.get(name)) !== getValueKey(other.attributes.get(name)),
    )
    const isTied = getDeclaredLevel(first) === top && getDeclaredLevel(other) === top
    return isOther && (isTied || hasRange(first) || hasRange(other))
  })
}

/** Merges the declarations of several teams for a person: the one with the highest level counts, and the others are recorded. */
const mergeTeamItems = ([first, ...others]: readonly DesiredItem[]): DesiredItem | undefined =>
  first && {
    ...first,
    attributes: new Map(
      [...first.attributes].map(([name, said]) => {
        const under = others.flatMap(({ attributes }) => attributes.get(name) ?? [])
        const { team } = said.origin
        const over = under.flatMap((one) =>
          getValueKey(one) === getValueKey(said) ? [] : (one.origin.team?.name ?? []),
        )
        const origin =
          over.length === 0 ? said.origin : { ...said.origin, team: team && { ...team, over } }
        return [name, { ...said, origin, over: under }]
      }),
    ),
  }

/** Creates the declaration of one member from the declaration of the team. */
const createMemberItem = (item: DesiredItem, user: Reference, at: Origin): DesiredItem => {
  const { team } = at
  return {
    ...createItem(user, at),
    gone: item.gone && { ...item.gone, team },
    body: item.body,
    inherit: item.inherit,
    attributes: new Map(
      [...item.attributes].map(([name, said]) => [
        name,
        { ...said, origin: { ...said.origin, team } },
      ]),
    ),
  }
}

/** Replaces keys that name teams by their members. @returns true if there was any */
const expandItems = (teams: Teams, { kind, items }: DeclaredKind): boolean => {
  const lines = [...items].filter(([, { identity }]) => getTeamName(identity) !== undefined)
  const people = new Map<string, DesiredItem[]>()
  for (const [key, item] of lines) {
    items.delete(key)
    const { at, members } = teams.used(getTeamName(item.identity) ?? '', item.origin)
    for (const user of members)
      addToGroup(people, getUserKey(user), createMemberItem(item, user, at))
  }
  for (const [key, said] of people) {
    const own = items.get(key)
    const sorted = said.toSorted((a, b) => getDeclaredLevel(b) - getDeclaredLevel(a))
    const [first] = sorted
    const rival = findRival(sorted, own)
    if (first !== undefined && rival !== undefined)
      teams.mistakes.add(
        rival.origin,
        `two teams have different attributes for ${quoteText(String(first.identity))}, the first at ${formatOrigin(first.origin)}`,
        'Declare this user directly.',
      )
    const person = mergeTeamItems(sorted)
    // A direct declaration of the user overrides the declarations of teams, attribute by attribute.
    if (person !== undefined)
      items.set(key, own === undefined ? person : mergeItem(kind, person, own))
  }
  return lines.length > 0
}

/** Replaces teams in lists of users by their members. @returns true if there was any */
const expandLists = (teams: Teams, { kind, items }: DeclaredKind): boolean => {
  const lists = [...getAttributes(kind).values()].filter(({ ref }) => ref === 'user')
  let any = false
  for (const { attributes } of lists.length === 0 ? [] : items.values())
    for (const { name } of lists) {
      const list = attributes.get(name)
      const expanded = list && expandValue(teams, name, list)
      if (expanded === undefined) continue
      attributes.set(name, expanded)
      any = true
    }
  return any
}

/** Replaces the teams that levels name by their users. */
export const expandTeams = (
  levels: Iterable<DeclaredLevel>,
  all: ReadonlyMap<string, DeclaredTeam>,
  { owns, mistakes }: { readonly owns: readonly FolderClaim[]; readonly mistakes: Mistakes },
): void => {
  const teams = new Teams(all, mistakes, owns)
  for (const team of all.values()) teams.members(team)
  for (const level of levels) {
    if (!level.mayNameTeams) continue
    const { kinds } = level
    const changed = [...kinds.values()].map((declared) => [
      declared.kind.by === 'user' && expandItems(teams, declared),
      expandLists(teams, declared),
    ])
    if (!changed.flat().includes(true)) continue
    level.kinds = kinds
    level.pack()
  }
}
