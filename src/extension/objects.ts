/** Turns the placeholders of an extension's paths into arguments, flags and kinds of objects. */
import { toSingular } from '../base/text.js'
import { getPath, toPathPattern } from '../catalogue/endpoint.js'
import { type Kind, kinds } from '../catalogue/kinds.js'
import type { Param, Params } from '../catalogue/params.js'
import { group, project } from '../catalogue/params.js'
import { userAt } from '../catalogue/undocumented.js'
import type { Operation } from './operation.js'
import { getNoun, listPrefixes, type PathIndex } from './places.js'
import { toCommandWord } from './words.js'

const roots: Readonly<Record<string, string>> = {
  projects: 'project',
  groups: 'group',
  users: 'user',
}

/** The placeholders of an operation as arguments and flags. */
export interface PlacedOperation {
  /** The kind of object that the path begins with, which the object belongs to. */
  readonly scope?: 'project' | 'group' | 'user' | undefined
  readonly args: readonly string[]
  readonly path: Params
  /** The kind of the argument. */
  readonly kind?: string | undefined
}

/** Splits a command into its area and its verb. */
export const splitAreaAndWords = (command: string): readonly [area: string, words: string] => {
  const [area = '', ...words] = command.split(' ')
  return [area, words.join(' ')]
}

/** Returns the area and the group of a command of three words; undefined if it has no group. */
export const getGroup = (command: string): string | undefined =>
  /^\S+ \S+(?= \S)/.exec(command)?.[0]

/** Verbs for objects of a project, never for the project itself. */
const ofMany = new Set(['list', 'create', 'add'])

/** Finds the scope of a command; undefined if there is none, or if its placeholder is the argument. */
const findScope = ({ path, command }: Pick<Operation, 'path' | 'command'>) => {
  const [, root = '', holder = '', ...rest] = path.split('/')
  const kind = Object.hasOwn(roots, root) && holder.startsWith(':') ? roots[root] : undefined
  if (kind === undefined) return undefined
  const [area, words] = splitAreaAndWords(command)
  const alone = !rest.some((segment) => segment.startsWith(':'))
  if (area === root && alone && !words.includes(' ') && !ofMany.has(words)) return undefined
  if (rest.length === 0) return undefined
  return kind as PlacedOperation['scope']
}

/** Returns the field of a record that a placeholder is compared with. */
export const getField = (name: string): string => {
  const placeholder = name.replace(/(?<!_)_$/, '')
  if (/(?:^|_)iid$/.test(placeholder)) return 'iid'
  return /(?:^|_)id$|[a-z]Id$/.test(placeholder) ? 'id' : placeholder
}

/** Removes the project or group from a path, since objects have one kind in all scopes. */
const stripScope = (prefix: string): string => prefix.replace(/^\/(?:projects|groups)\/:(?=\/)/, '')

/** Finds the kinds that placeholders name, and creates the missing ones. */
export class ObjectKinds {
  readonly made = new Map<string, Kind>()
  readonly #byPrefix = new Map<string, string>()

  constructor(
    private readonly places: PathIndex,
    private readonly isTaken: (kind: string) => boolean,
  ) {}

  /** Returns the kind of the object at a path prefix; creates it if it is missing. @param name the placeholder at the end of the prefix @param own the word for the object if no word of the path is its own */
  at(prefix: string, name: string, own: string | undefined): string {
    const below = stripScope(prefix)
    const known = this.places.param(prefix)?.completes ?? this.#byPrefix.get(below)
    const kind = known ?? this.#choose(prefix, own)
    this.#byPrefix.set(below, kind)
    if (!Object.hasOwn(kinds, kind) && !this.made.has(kind)) {
      const field = getField(name)
      const word = (own ?? toSingular(toCommandWord(getNoun(prefix)))).replaceAll('-', ' ')
      this.made.set(kind, { areas: [], names: [...new Set([field, 'id'])], word })
    }
    return kind
  }

  /** Returns the kind of a list's items; undefined if no path leads to a single item. */
  of(collection: string): string | undefined {
    const prefix = `${toPathPattern(collection)}/:`
    return this.places.param(prefix)?.completes ?? this.#byPrefix.get(stripScope(prefix))
  }

  /** Chooses the name of a new kind: the last word of the path, with the word before it if the name is taken. */
  #choose(prefix: string, own: string | undefined): string {
    const words = prefix
      .split('/')
      .filter((segment) => segment !== ':' && segment !== '')
      .map((segment) => toSingular(toCommandWord(segment)))
    const nouns = [...words, own ?? []].flat()
    const [last = 'object', before] = nouns.toReversed()
    const names = [last, before === undefined ? `instance-${last}` : `${before}-${last}`]
    const isFree = (name: string): boolean =>
      !Object.hasOwn(kinds, name) &&
      !this.isTaken(name) &&
      ![...this.#byPrefix.values()].includes(name)
    return names.find(isFree) ?? nouns.join('-')
  }

  /** Records that an area lists a kind, and the field by which people know an object. */
  addList(kind: string, area: string, title: string | undefined): void {
    const known = this.made.get(kind) ?? { areas: [], names: [] }
    const areas = known.areas.includes(area) ? known.areas : [...known.areas, area]
    this.made.set(kind, { ...known, areas, title: known.title ?? title })
  }
}

/**
 * Returns the word for the object of a placeholder without a word of its own before it: the path begins with it, or it stands beside
 * another one (`/repos/:owner/:repo`); undefined for any other.
 */
const getOwnWord = (path: string, name: string): string | undefined => {
  const isBeside =
    path.includes(`/:${name}/:`) || /^\/$|\/:\w+\/$/.test(path.split(`:${name}`)[0] ?? '')
  const word = toCommandWord(name).replace(/(?<=.)-?i?id$/, '')
  return isBeside && word !== '' ? word : undefined
}

/** Creates the parameter of a placeholder. @param isArgument true if it is given by position */
const toPlaceholder = (
  { name, prefix }: { readonly name: string; readonly prefix: string },
  { kind, flagName }: { readonly kind: string; readonly flagName: string },
  isArgument: boolean,
  places: PathIndex,
): Param => {
  const known = places.param(prefix)
  const field = getField(name)
  // The documents name users by their names only where they ask for what belongs to them.
  const isUser = prefix === toPathPattern(getPath(userAt)) && isArgument
  const flag = Object.hasOwn(kinds, kind) ? kind : flagName
  if (known !== undefined && !isUser) return isArgument ? known : { ...known, name: flag }
  const word = flag.replaceAll('-', ' ')
  return {
    type: field === 'id' || field === 'iid' ? 'integer' : 'string',
    help: `${word} ${field === 'id' || field === 'iid' ? field.toUpperCase() : field.replaceAll('_', ' ')}`,
    name: isArgument ? toCommandWord(field) : flag,
    completes: kind,
  }
}

/** Places the placeholders of an operation: the last is its argument, the others are flags. */
export const placeOperation = (
  operation: Pick<Operation, 'path' | 'command' | 'placeholders'>,
  found: ObjectKinds,
  places: PathIndex,
): PlacedOperation => {
  const scope = findScope(operation)
  const prefixes = listPrefixes(operation.path)
  const others = scope === undefined ? prefixes : prefixes.slice(1)
  const last = others.at(-1)
  const path = prefixes.map((one): readonly [string, Param] => {
    const declared = operation.placeholders?.[one.name]
    const isScope = !others.includes(one)
    if (/^\/(?:projects|groups)\/:$/.test(one.prefix) && (isScope || one === last))
      return [one.name, one.prefix.startsWith('/projects') ? project() : group()]
    if (isScope)
      return [
        one.name,
        { ...toPlaceholder(one, { kind: 'user', flagName: 'user' }, false, places), name: 'user' },
      ]
    const own = getOwnWord(operation.path, one.name)
    const kind = found.at(one.prefix, one.name, own)
    const flagName = own ?? toSingular(toCommandWord(getNoun(one.prefix)))
    const param = toPlaceholder(one, { kind, flagName }, one === last, places)
    return [one.name, declared === undefined ? param : ({ ...param, ...declared } as Param)]
  })
  const param = last === undefined ? undefined : Object.fromEntries(path)[last.name]
  return {
    scope,
    args: last === undefined ? [] : [last.name],
    path: Object.fromEntries(path),
    kind: param?.completes,
  }
}
