/** What the objects of an extension are: the placeholders of its paths become arguments, flags and kinds. */
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

/** How the placeholders of an operation are given. */
export interface PlacedOperation {
  /** The placeholder that names what the object belongs to. */
  readonly scope?: 'project' | 'group' | 'user' | undefined
  readonly args: readonly string[]
  readonly path: Params
  /** The kind of the argument. */
  readonly kind?: string | undefined
}

/** The area of a command, and its verb. */
export const splitCommand = (command: string): readonly [area: string, words: string] => {
  const [area = '', ...words] = command.split(' ')
  return [area, words.join(' ')]
}

/** Verbs that are about what belongs to a project, and never about the project itself. */
const ofMany = new Set(['list', 'create', 'add'])

/** The scope of a path for a command; undefined where its placeholder is the argument. */
const findScope = ({ path, command }: Pick<Operation, 'path' | 'command'>) => {
  const [, root = '', holder = '', ...rest] = path.split('/')
  const kind = Object.hasOwn(roots, root) && holder.startsWith(':') ? roots[root] : undefined
  if (kind === undefined) return undefined
  const [area, words] = splitCommand(command)
  const alone = !rest.some((segment) => segment.startsWith(':'))
  if (area === root && alone && !words.includes(' ') && !ofMany.has(words)) return undefined
  if (rest.length === 0) return undefined
  return kind as PlacedOperation['scope']
}

/** The field of a record that a placeholder is compared with. */
const getField = (placeholder: string): string => {
  if (/(?:^|_)iid$/.test(placeholder)) return 'iid'
  return /(?:^|_)id$/.test(placeholder) ? 'id' : placeholder
}

/** Objects are of one kind, whatever they belong to. */
const withoutScope = (prefix: string): string =>
  prefix.replace(/^\/(?:projects|groups)\/:(?=\/)/, '')

/** Finds the kinds that placeholders name, and makes those that nobody has yet. */
export class ObjectKinds {
  readonly made = new Map<string, Kind>()
  readonly #byPrefix = new Map<string, string>()

  constructor(
    private readonly places: PathIndex,
    private readonly isTaken: (kind: string) => boolean,
  ) {}

  /** The kind of what a path's beginning leads to. @param name its placeholder */
  at(prefix: string, name: string): string {
    const below = withoutScope(prefix)
    const known = this.places.param(prefix)?.completes ?? this.#byPrefix.get(below)
    const kind = known ?? this.#choose(prefix)
    this.#byPrefix.set(below, kind)
    if (!Object.hasOwn(kinds, kind) && !this.made.has(kind)) {
      const field = getField(name)
      const word = toSingular(toCommandWord(getNoun(prefix))).replaceAll('-', ' ')
      this.made.set(kind, { areas: [], names: [...new Set([field, 'id'])], word })
    }
    return kind
  }

  /** The kind of the items of a list, where a path leads to one of them. */
  of(collection: string): string | undefined {
    const prefix = `${toPathPattern(collection)}/:`
    return this.places.param(prefix)?.completes ?? this.#byPrefix.get(withoutScope(prefix))
  }

  /** A word of the path; with that before it where the word is another kind. */
  #choose(prefix: string): string {
    const nouns = prefix
      .split('/')
      .filter((segment) => segment !== ':' && segment !== '')
      .map((segment) => toSingular(toCommandWord(segment)))
    const [last = 'object', before] = nouns.toReversed()
    const names = [last, before === undefined ? `instance-${last}` : `${before}-${last}`]
    const isFree = (name: string): boolean =>
      !Object.hasOwn(kinds, name) &&
      !this.isTaken(name) &&
      ![...this.#byPrefix.values()].includes(name)
    return names.find(isFree) ?? nouns.join('-')
  }

  /** Notes that an area lists a kind, and by which field people know one. */
  addList(kind: string, area: string, title: string | undefined): void {
    const known = this.made.get(kind) ?? { areas: [], names: [] }
    const areas = known.areas.includes(area) ? known.areas : [...known.areas, area]
    this.made.set(kind, { ...known, areas, title: known.title ?? title })
  }
}

/** A placeholder as a parameter. @param isArgument it is given by position */
const toPlaceholder = (
  { name, prefix }: { readonly name: string; readonly prefix: string },
  kind: string,
  isArgument: boolean,
  places: PathIndex,
): Param => {
  const known = places.param(prefix)
  const field = getField(name)
  // The documents name users by their names only where they ask for what belongs to them.
  const isUser = prefix === toPathPattern(getPath(userAt)) && isArgument
  if (known !== undefined && !isUser) return isArgument ? known : { ...known, name: kind }
  const word = kind.replaceAll('-', ' ')
  return {
    type: field === 'id' || field === 'iid' ? 'integer' : 'string',
    help: `${word} ${field === 'id' || field === 'iid' ? field.toUpperCase() : field.replaceAll('_', ' ')}`,
    name: isArgument ? field.replaceAll('_', '-') : kind,
    completes: kind,
  }
}

/** Says how the placeholders of an operation are given: the last is its argument, those before it are flags. */
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
    const own = operation.placeholders?.[one.name]
    const isScope = !others.includes(one)
    if (/^\/(?:projects|groups)\/:$/.test(one.prefix) && (isScope || one === last))
      return [one.name, one.prefix.startsWith('/projects') ? project() : group()]
    if (isScope) return [one.name, { ...toPlaceholder(one, 'user', false, places), name: 'user' }]
    const kind = found.at(one.prefix, one.name)
    const param = toPlaceholder(one, kind, one === last, places)
    return [one.name, own === undefined ? param : ({ ...param, ...own } as Param)]
  })
  const param = last === undefined ? undefined : Object.fromEntries(path)[last.name]
  return {
    scope,
    args: last === undefined ? [] : [last.name],
    path: Object.fromEntries(path),
    kind: param?.completes,
  }
}
