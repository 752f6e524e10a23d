/** Names the operations of a document by their paths and methods: an area, and a verb with at most one group before it. */
import { isPlural, toSingular } from '../base/text.js'
import { toPathPattern } from '../catalogue/endpoint.js'
import { toCommandWord } from './words.js'

/** The facts of an operation that its name is made from. */
export interface NamedOperation {
  readonly method: string
  readonly path: string
  /** True if the operation answers a list. */
  readonly many: boolean
}

/** An operation of the documents, with its command. */
export interface CatalogueOperation extends NamedOperation {
  readonly area: string
  readonly command: string
}

/** The methods of a path, and whether it answers a list. */
interface PathFacts {
  readonly methods: Set<string>
  many: boolean
}

/** The area and the groups that the beginning of a path means, and the number of its segments. */
interface Head {
  readonly area: string
  readonly groups: readonly string[]
  readonly taken: number
}

const crud = /(?:^| )(?:list|get|create|update|delete|add|remove)$/

/** Splits a path into its scope (`projects`, `groups` or empty) and the pattern of the rest. */
const splitScope = (path: string): { readonly scope: string; readonly rest: string } => {
  const [, scope = '', rest = path] = /^\/(projects|groups)\/:(?:\w*)(\/.*)$/.exec(path) ?? []
  return { scope, rest: toPathPattern(rest) }
}

/** Matches the first segments of paths that say nothing of what is below them: `api`, `rest`, `v1`, `3`. */
const version = /^(?:_?apis?|rest|v?\d+(?:[.-]\d+)*)$/

/** Returns a path without such segments at its beginning. */
const omitVersions = (path: string): string => {
  const segments = split(path)
  const start = segments.findIndex((one) => !version.test(one))
  return `/${segments.slice(Math.max(0, start)).join('/')}`
}

const split = (rest: string): readonly string[] => rest.split('/').slice(1)
const isPlace = (segment: string | undefined): boolean => segment === ':'

/** Names operations. The name of a path depends on all other paths of the document. */
export class PathNames {
  readonly #facts = new Map<string, PathFacts>()
  readonly #items = new Set<string>()
  /** The methods of each path, its scope included. */
  readonly #methods = new Map<string, Set<string>>()
  /** The area and groups that the reference uses for a collection, by its path. */
  readonly #words = new Map<string, { readonly area: string; readonly groups: readonly string[] }>()
  /** First segments that the commands of the reference leave out. */
  readonly #silent = new Set<string>()
  readonly #areas = new Set<string>()
  /** The paths of each path without its versions. There are several if the document has several versions. */
  readonly #versions = new Map<string, Set<string>>()

  constructor(operations: readonly NamedOperation[], documented: readonly CatalogueOperation[]) {
    for (const one of [...documented, ...operations]) this.#note(one)
    for (const one of documented) this.#learn(one)
  }

  #note({ method, path, many }: NamedOperation): void {
    const { scope, rest } = splitScope(path)
    const whole = toPathPattern(path)
    const plain = omitVersions(whole)
    this.#versions.set(plain, (this.#versions.get(plain) ?? new Set()).add(whole))
    this.#methods.set(whole, (this.#methods.get(whole) ?? new Set()).add(method))
    const facts = this.#facts.get(rest) ?? { methods: new Set(), many: false }
    facts.methods.add(method)
    if (method === 'GET' && many) facts.many = true
    this.#facts.set(rest, facts)
    const segments = split(rest)
    for (const [i, segment] of segments.entries())
      if (isPlace(segment)) this.#items.add(`/${segments.slice(0, i).join('/')}`)
    const [top = ''] = segments
    if (scope === '' && many && segments.length === 1) this.#areas.add(top)
  }

  #learn({ area, command, path }: CatalogueOperation): void {
    this.#areas.add(area.replaceAll('-', '_'))
    if (!crud.test(command)) return
    const { rest } = splitScope(path)
    const collection = rest.replace(/\/:$/, '')
    const groups = command.split(' ').slice(0, -1)
    if (collection !== '' && !this.#words.has(collection))
      this.#words.set(collection, { area, groups })
    const [first = '', second] = split(rest)
    if (second !== undefined && !isPlace(second) && toCommandWord(second) === area)
      this.#silent.add(first)
  }

  #has(pattern: string, method: string): boolean {
    return this.#facts.get(pattern)?.methods.has(method) === true
  }

  /** True if a path has neither methods nor items: it only groups the paths below it. */
  #isHolder(pattern: string): boolean {
    return !this.#facts.has(pattern) && !this.#items.has(pattern)
  }

  /** True if a path has items, or is a list that objects are created in. */
  #isCollection(pattern: string): boolean {
    if (this.#items.has(pattern)) return true
    return this.#facts.get(pattern)?.many === true && this.#has(pattern, 'POST')
  }

  /** Finds the area and groups of the longest beginning of a path that the reference names; undefined if they name none. */
  #findWords(segments: readonly string[]): Head | undefined {
    for (let taken = segments.length; taken > 0; taken--) {
      const known = this.#words.get(`/${segments.slice(0, taken).join('/')}`)
      if (known !== undefined) return { ...known, taken }
    }
    return undefined
  }

  /** True for a segment that only groups what is below it, if commands of the reference leave it out, or if it is a version. */
  #isSilent(segments: readonly string[], i: number): boolean {
    const [segment = ''] = segments.slice(i)
    if (i >= segments.length - 1 || !this.#isHolder(`/${segments.slice(0, i + 1).join('/')}`))
      return false
    const same = this.#versions.get(omitVersions(`/${segments.join('/')}`))
    return this.#silent.has(segment) || (version.test(segment) && same?.size === 1)
  }

  /** Chooses the area of a path by its first segments, else by its scope. */
  #findArea(segments: readonly string[], scope: string): Head {
    const start = Math.max(
      0,
      segments.findIndex((one, i) => !isPlace(one) && !this.#isSilent(segments, i)),
    )
    const word = segments[start] ?? ''
    const pattern = `/${segments.slice(0, start + 1).join('/')}`
    const isArea = scope === '' || (isPlural(word) && this.#isCollection(pattern))
    const isElsewhere = this.#has(pattern, 'GET') && this.#areas.has(word)
    if (isArea || isElsewhere) return { area: toCommandWord(word), groups: [], taken: start + 1 }
    const several = [`/${word}s`, `/${word.replace(/y$/, 'ie')}s`].find(
      (one) => this.#isCollection(one) && !this.#has(one, 'POST'),
    )
    if (several !== undefined && segments.length === start + 1 && this.#has(pattern, 'POST')) {
      // A singular that is only created is an object of that list.
      const isObject = this.#facts.get(pattern)?.methods.size === 1
      return { area: toCommandWord(several), groups: [], taken: isObject ? start + 1 : start }
    }
    return { area: scope, groups: [], taken: start }
  }

  /** Returns the verb of a path that ends with an item. */
  #nameItem(method: string, collection: string): string {
    if (method === 'POST') return this.#has(collection, 'POST') ? 'add' : 'create'
    return { GET: 'get', DELETE: 'delete' }[method] ?? 'update'
  }

  /** Returns the verb of a path that ends with a list. A write on all of it ends in `-all` if items have the same verb. */
  #nameList(method: string, pattern: string): string {
    const item = `${pattern}/:`
    if (method === 'GET') {
      // A list inside an object is read as an object, but the items below it need the name `get`.
      const isList = this.#facts.get(pattern)?.many === true || this.#has(item, 'GET')
      return isList ? 'list' : 'get'
    }
    if (method === 'POST') return 'create'
    const verb = method === 'DELETE' ? 'delete' : 'update'
    const isShared =
      method === 'DELETE'
        ? this.#has(item, 'DELETE')
        : this.#has(item, 'PUT') || this.#has(item, 'PATCH')
    return isShared ? `${verb}-all` : verb
  }

  /** Reads the last word of a path as a list, a single object, or a verb. */
  #nameWord(
    { method, path }: NamedOperation,
    pattern: string,
    word: string,
  ): { readonly group?: string; readonly verb: string } {
    if (this.#isCollection(pattern)) return { group: word, verb: this.#nameList(method, pattern) }
    const methods = this.#methods.get(toPathPattern(path)) ?? new Set()
    const isNoun = isPlural(word) && word.split('_').length <= 3
    if (methods.size === 1 && method === 'POST' && isNoun) return { group: word, verb: 'create' }
    if (methods.size > 1)
      return {
        group: word,
        verb: { GET: 'get', DELETE: 'delete', POST: 'create' }[method] ?? 'update',
      }
    return { verb: toCommandWord(word) }
  }

  /** Returns the words of a command, the area first. */
  name(operation: NamedOperation): string {
    const { method, path } = operation
    const user = /^\/users\/:\w+\/(\w+)$/.exec(path)?.[1]
    if (
      user !== undefined &&
      method === 'GET' &&
      this.#areas.has(user) &&
      this.#facts.get(toPathPattern(path))?.methods.size === 1
    )
      return `${this.#findWords([user])?.area ?? toCommandWord(user)} list`
    if (/^\/(?:projects|groups)\/:\w+$/.test(path))
      return `${path.split('/')[1]} ${this.#nameItem(method, `/${path.split('/')[1]}`)}`
    const { scope, rest } = splitScope(path)
    const segments = split(rest)
    const head = this.#findWords(segments) ?? this.#findArea(segments, scope)
    return [head.area, ...this.#nameRest(operation, segments, head)].join(' ')
  }

  /** Returns the group and the verb for what follows the area. */
  #nameRest(
    operation: NamedOperation,
    segments: readonly string[],
    { taken, groups: known }: Head,
  ): readonly string[] {
    const { method } = operation
    const pattern = `/${segments.join('/')}`
    const words = segments.slice(taken).filter((one) => toCommandWord(one) !== '')
    const isItem = isPlace(segments.at(-1))
    const last = words.at(-1)
    if (isItem || last === undefined) {
      const collection = pattern.replace(/\/:$/, '')
      const verb = isItem ? this.#nameItem(method, collection) : this.#nameList(method, pattern)
      return [...joinGroups([...known, ...words]), verb]
    }
    const { group, verb } = this.#nameWord(operation, pattern, last)
    const before = [...known, ...words.slice(0, -1), ...(group === undefined ? [] : [group])]
    return [...joinGroups(before), verb]
  }
}

/** Joins groups into one word with dashes; all but the last become singular. */
const joinGroups = (groups: readonly string[]): readonly string[] => {
  if (groups.length === 0) return []
  const words = groups.map(toCommandWord)
  return [words.map((word, i) => (i === words.length - 1 ? word : toSingular(word))).join('-')]
}
