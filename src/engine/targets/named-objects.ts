/** Replaces names by IDs: an argument that is no ID is looked up in the list of its kind, in each project by itself. */

import { parseRecord } from '../../base/json/values.js'
import { isObject } from '../../base/objects.js'
import { redactSecrets } from '../../base/secrets/redact.js'
import { insertFlags, quoteWord } from '../../base/shell-words.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { getKindWord, kinds, namedKinds, toPlural, withArticle } from '../../catalogue/kinds.js'
import { isNumeric } from '../../catalogue/params.js'
import { Failure, isObjectFailure, placeFailure, usage } from '../../errors.js'
import type { Context } from '../command/context.js'
import { getSelectList, hasScopeEndpoint } from '../command/derive.js'
import type { Command, Given } from '../command/types.js'
import type { JournalOptions } from '../journaling/runs.js'
import type { Raw } from '../plan/line.js'
import type { ParentTarget } from '../plan/parents.js'

type NamedKind = (typeof namedKinds)[number]

/** A line with names, and the run that looks them up. */
export interface NameQuery {
  readonly command: Command
  readonly kind: NamedKind
  /** The names among the arguments, each once. */
  readonly names: readonly string[]
  readonly context: Pick<Context, 'answer' | 'place' | 'ui'>
  /** Takes the names by the IDs that replace them. */
  readonly journaling: Pick<JournalOptions, 'names'>
  /** The places of the names in standard input. Failures do not quote such a name, because it may be a secret. */
  readonly places?: Given['places']
}

export type QueryOptions = Pick<NameQuery, 'context' | 'journaling' | 'places'>

/** The IDs of a list by the names of its objects. */
export type IdsByName = ReadonlyMap<string, readonly string[]>

/** Returns the kind of a command's first argument if its objects have names. */
const getKind = ({ args: [first] }: Pick<Command, 'args'>): NamedKind | undefined =>
  isNumeric(first?.param) ? namedKinds.find((kind) => kind === first.param?.completes) : undefined

const isId = (text: string): boolean => /^[+-]?\d+$/.test(text) || text === '-' || text === ''

/** Returns a function that is true for a text that is no ID; undefined if the objects of the command have no names. */
export const createNameTest = (command: Command): ((text: string) => boolean) | undefined =>
  getKind(command) === undefined ? undefined : (text) => !isId(text)

const countObjects = ({ args: [first] }: Command, args: readonly string[]): number =>
  first?.variadic === true ? args.length : 1

/** Opens the look-up of the names among the arguments of a line; undefined if there are none. */
export const openQuery = (
  command: Command,
  args: readonly string[],
  around: QueryOptions,
): NameQuery | undefined => {
  const kind = getKind(command)
  const given = args.slice(0, countObjects(command, args)).filter((text) => !isId(text))
  if (kind === undefined || given.length === 0) return undefined
  if (around.context.place.globals.curl)
    throw placeFailure(
      usage(`--curl requires the ID of the ${getKindWord(kind)}`, 'A name is looked up in a list.'),
      around.places?.get(given[0] ?? ''),
    )
  return { command, kind, names: [...new Set(given)], ...around }
}

/** Returns the arguments with IDs in place of names. */
const replaceNames = (
  { command }: NameQuery,
  args: readonly string[],
  ids: ReadonlyMap<string, string>,
): readonly string[] => {
  const most = countObjects(command, args)
  return args.map((text, i) => (i < most ? (ids.get(text) ?? text) : text))
}

/** Returns true if a command brings an object into a project that does not have it yet. */
const bringsObject = ({ endpoints, args: [first] }: Command): boolean =>
  Object.values(endpoints).some(
    ({ brings, params }) => brings === true || Object.hasOwn(params, first?.parameter ?? ''),
  )

const scopes = ['project', 'group'] as const

/** The list of a kind. */
interface NameList {
  readonly words: readonly string[]
  /** The scopes that the command and the list have in common. */
  readonly scopes: readonly (typeof scopes)[number][]
}

/** Finds the list of the objects that a command takes. An object that it brings into a project is in the list of the instance. */
export const findList = async ({ command, kind }: NameQuery): Promise<NameList> => {
  const [area = ''] = kinds[kind].areas
  const all = (await areas.find(({ name }) => name === area)?.load()) ?? {}
  const lists = Object.values<Endpoint>(all).filter((endpoint) => endpoint.lists === kind)
  const ofList = { endpoints: Object.fromEntries(lists.map((one, i) => [String(i), one])) }
  const words = [area, ...(lists[0]?.command.split(' ') ?? [])]
  if (!bringsObject(command))
    return {
      words,
      scopes: scopes.filter(
        (scope) => hasScopeEndpoint(command, scope) && hasScopeEndpoint(ofList, scope),
      ),
    }
  const whole = lists.filter(({ path }) => Object.keys(path).length === 0)
  const flag = whole.some(({ when }) => when === undefined) ? undefined : whole[0]?.when?.flag
  return { words: flag === undefined ? words : [...words, `--${flag}`], scopes: [] }
}

/** The result of reading a list: the IDs of its objects by their names, or the reason why it could not be read. */
type NamesRead = ReadonlyMap<string, readonly string[]> | Failure

/**
 * Reads the list of each of several parents of a kind, and returns what was read by the value of the parent. A list of a
 * single parent, or of none, is returned for ''.
 * @throws Failure for what is no failure of a single parent
 */
const readLists = async (
  { command: { naming }, kind, context: { place } }: NameQuery,
  words: readonly string[],
): Promise<ReadonlyMap<string, NamesRead>> => {
  const { title } = kinds[kind]
  const lists = new Map<string, Map<string, readonly string[]>>()
  const failures = new Map<string, Failure>()
  const finishParent = (name: string, failure: Failure | undefined): void => {
    if (failure !== undefined) failures.set(name, failure)
  }
  const answer = await place.runs.readLine({
    words,
    allowed: scopes,
    parents: { choose: (names) => names, finishParent },
    takeRecord: (bytes, parent) => {
      const record = naming.makeLegible(parseRecord(bytes))
      if (!isObject(record) || typeof record[title] !== 'string') return
      const name = parent?.name ?? ''
      const list = lists.get(name) ?? new Map<string, readonly string[]>()
      lists.set(
        name,
        list.set(record[title], [...(list.get(record[title]) ?? []), String(record.id)]),
      )
    },
  })
  if (answer.failure !== undefined && failures.size === 0) {
    if (!isObjectFailure(answer.failure)) throw answer.failure
    failures.set('', answer.failure)
  }
  return new Map<string, NamesRead>([...lists, ...failures])
}

/** The largest number of objects or parents that an error names. */
const mostShown = 10

const joinFirst = (texts: readonly string[]): string =>
  `${texts.slice(0, mostShown).join(', ')}${texts.length > mostShown ? ', …' : ''}`

/** Describes the objects of a list: `deploy (1), mirror (2)`. */
const describeCandidates = (
  ids: IdsByName,
  { answer: { text } }: Pick<Context, 'answer'>,
): string =>
  joinFirst([...ids].flatMap(([name, all]) => all.map((id) => `${text.safe(name)} (${id})`)))

/** Says that no object has a name. `where` follows the object. */
const describeMissing = (query: NameQuery, name: string, where: string): string => {
  const { command, kind, context, places } = query
  const word = getKindWord(kind)
  return places?.has(name) === true
    ? `<${command.args[0]?.name}> must be an integer or the name of ${withArticle(word)}${where}`
    : `no ${word} is called "${context.answer.text.safe(name)}"${where}`
}

const createMissingFailure = (query: NameQuery, name: string, ids: IdsByName): Failure => {
  const { kind, context } = query
  return usage(
    describeMissing(query, name, ''),
    ids.size === 0
      ? `The list has no ${toPlural(getKindWord(kind))}.`
      : `The list has ${describeCandidates(ids, context)}.`,
  )
}

const createAmbiguity = (
  query: NameQuery,
  name: string,
  ids: readonly string[],
  parent?: string,
): Failure => {
  const { kind, context, places } = query
  const called = places?.has(name) === true ? 'so' : `"${context.answer.text.safe(name)}"`
  const [where, alone] =
    parent === undefined ? ['', ''] : [` of ${parent}`, `, and ${parent} in a line of its own`]
  return usage(
    `several ${toPlural(getKindWord(kind))}${where} are called ${called}`,
    `Pass one of the IDs ${ids.join(', ')}${alone}.`,
  )
}

/** Says which IDs names are replaced by, and keeps the names for the journal. */
export const reportIds = (
  { kind, context, journaling }: NameQuery,
  meant: ReadonlyMap<string, string>,
  parent?: string,
): void => {
  for (const [name, id] of meant) {
    const where = parent === undefined ? '' : ` in ${parent}`
    context.ui.note(`${context.answer.text.safe(name)} is ${getKindWord(kind)} ${id}${where}`)
    journaling.names[id] = redactSecrets(name)
  }
}

/** Finds the ID of each name in one list. @throws Failure `usage` for a name of no object, or of several */
export const findIds = (query: NameQuery, ids: IdsByName): ReadonlyMap<string, string> =>
  new Map(
    query.names.map((name) => {
      const [id, ...others] = ids.get(name) ?? []
      const place = query.places?.get(name)
      if (id === undefined) throw placeFailure(createMissingFailure(query, name, ids), place)
      if (others.length > 0)
        throw placeFailure(createAmbiguity(query, name, [id, ...others]), place)
      return [name, id] as const
    }),
  )

/** Reads the one list that all objects of a line are in. */
const readOneList = async (query: NameQuery, words: readonly string[]): Promise<IdsByName> => {
  const read = (await readLists(query, words)).get('') ?? new Map<string, readonly string[]>()
  if (read instanceof Failure) throw read
  return read
}

/** Reads the list in the project or group of a line. */
export const readListOfLine = async (query: NameQuery, { flags }: Raw): Promise<IdsByName> => {
  const { words, ...list } = await findList(query)
  const { place } = query.context
  let parent: string | undefined
  for (const scope of list.scopes) {
    const name = flags.get(scope)?.at(-1) ?? (await place.findScope(scope))
    if (name !== undefined) parent ??= `--${scope}=${name}`
  }
  return readOneList(query, parent === undefined ? words : [...words, parent])
}

/**
 * Returns a line with IDs in place of names.
 * @throws Failure `usage` for a name of no object, or of several
 */
export const withIds = async (command: Command, raw: Raw, around: QueryOptions): Promise<Raw> => {
  const query = openQuery(command, raw.args, around)
  if (query === undefined) return raw
  const idsOfNames = findIds(query, await readListOfLine(query, raw))
  reportIds(query, idsOfNames)
  return { ...raw, args: replaceNames(query, raw.args, idsOfNames) }
}

// Several projects or groups: each has an object of the name, with an ID of its own.

/** Reads the list of each parent, by its value. */
export const readListsOfParents = async (
  query: NameQuery,
  { words, ...list }: NameList,
  targets: readonly ParentTarget[],
): Promise<ReadonlyMap<string, NamesRead>> => {
  const all = new Map<string, NamesRead>()
  if (list.scopes.length === 0) {
    const ids = await readOneList(query, words)
    return new Map(targets.map(({ value }) => [value, ids]))
  }
  for (const scope of list.scopes) {
    const values = targets.filter(({ kind }) => kind === scope).map(({ value }) => value)
    if (values.length === 0) continue
    const read = await readLists(query, [...words, ...values.map((one) => `--${scope}=${one}`)])
    for (const value of values)
      all.set(value, read.get(values.length === 1 ? '' : value) ?? new Map())
  }
  return all
}

/** Writes a condition for the objects with names. */
const formatNameCondition = ({ kind, names }: NameQuery): string => {
  const values = names.map((name) => (/^[\w./@-]+$/.test(name) ? name : JSON.stringify(name)))
  return `${kinds[kind].title}=${values.join('|')}`
}

/** Writes the line for the objects with these names, wherever there are any; undefined if the command selects none. */
const formatNameSelection = (query: NameQuery, { args, words = [] }: Raw): string | undefined => {
  const { command, names } = query
  const isUnique = (name: string): boolean => words.filter((word) => word === name).length === 1
  if (getSelectList(command) === undefined || args.some(isId) || !names.every(isUnique))
    return undefined
  const typed = words.filter((word) => !names.includes(word))
  const line = insertFlags(typed, ['--select', formatNameCondition(query)])
  return `svcctl ${line.map(quoteWord).join(' ')}`
}

/** Returns the failure for a name that some of the parents have no object of. */
const createMissingInParents = (
  query: NameQuery,
  raw: Raw,
  name: string,
  lists: readonly (readonly [string, IdsByName])[],
): Failure => {
  const { kind, context } = query
  const without = lists.filter(([, ids]) => !ids.has(name))
  const parents = joinFirst(without.map(([parent]) => parent))
  const line = without.length < lists.length ? formatNameSelection(query, raw) : undefined
  const known = without.filter(([, ids]) => ids.size > 0).slice(0, 3)
  const hints = [
    ...(line === undefined ? [] : [`For those that exist, run "${line}".`]),
    ...known.map(([parent, ids]) => `${parent} has ${describeCandidates(ids, context)}.`),
  ]
  return usage(
    describeMissing(query, name, ` in ${parents}`),
    hints.length === 0 ? `The lists have no ${toPlural(getKindWord(kind))}.` : hints.join(' '),
  )
}

/** @throws Failure `usage` for a name that does not have exactly one object in each of the lists */
const checkNamesInParents = (
  query: NameQuery,
  raw: Raw,
  lists: readonly (readonly [string, IdsByName])[],
): void => {
  for (const name of query.names) {
    const place = query.places?.get(name)
    for (const [parent, ids] of lists) {
      const found = ids.get(name) ?? []
      if (found.length > 1) throw placeFailure(createAmbiguity(query, name, found, parent), place)
    }
    if (lists.some(([, ids]) => !ids.has(name)))
      throw placeFailure(createMissingInParents(query, raw, name, lists), place)
  }
}

/**
 * Returns parents, each with the IDs of its own objects in place of names. A parent whose list cannot be read gets the reason.
 * @throws Failure `usage` for a name that does not have exactly one object in each parent
 */
export const findIdsInParents = async (
  {
    command,
    raw,
    given: { args, places },
    ...around
  }: Omit<QueryOptions, 'places'> & {
    readonly command: Command
    readonly raw: Raw
    readonly given: Pick<Given, 'args' | 'places'>
  },
  targets: readonly ParentTarget[],
): Promise<readonly ParentTarget[]> => {
  const open = targets.filter((one) => one.args === undefined && one.failure === undefined)
  const query = openQuery(command, args, { ...around, places })
  if (query === undefined || open.length === 0) return targets
  const lists = await readListsOfParents(query, await findList(query), open)
  const read = open.flatMap(({ parent, value }) => {
    const list = lists.get(value)
    return list === undefined || list instanceof Failure ? [] : [[parent.name, list] as const]
  })
  checkNamesInParents(query, raw, read)
  return targets.map((target) => {
    const list = open.includes(target) ? lists.get(target.value) : undefined
    if (list === undefined) return target
    if (list instanceof Failure) return { ...target, failure: list }
    const idsOfNames = findIds(query, list)
    reportIds(query, idsOfNames, target.parent.name)
    return { ...target, args: replaceNames(query, args, idsOfNames) }
  })
}
