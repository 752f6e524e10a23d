/** Indexes paths of known endpoints: the kinds that placeholders name, the endpoint that reads an object, and the list that has it. */
import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  toPathPattern,
} from '../catalogue/endpoint.js'
import type { Param } from '../catalogue/params.js'

/** An area with its endpoints. */
export interface CatalogueArea {
  readonly area: string
  readonly endpoints: Endpoints
}

/** Lists the endpoints of areas, each with the words of its command. */
export const listEndpoints = (
  all: readonly CatalogueArea[],
): readonly { readonly area: string; readonly words: string; readonly endpoint: Endpoint }[] =>
  all.flatMap(({ area, endpoints }) =>
    Object.values<Endpoint>(endpoints).map((endpoint) => ({
      area,
      words: `${area} ${endpoint.command}`,
      endpoint,
    })),
  )

/** Lists the pattern of a path up to each of its placeholders: `/projects/:`, `/projects/:/jobs/:`. */
export const listPrefixes = (
  path: string,
): readonly { readonly name: string; readonly prefix: string }[] =>
  [...path.matchAll(/\/:(\w+)/g)].map(({ 0: whole, 1: name = '', index }) => ({
    name,
    prefix: toPathPattern(path.slice(0, index + whole.length)),
  }))

/** Returns the word before the last placeholder of a prefix: `jobs` of `/projects/:/jobs/:`. */
export const getNoun = (prefix: string): string =>
  prefix
    .split('/')
    .filter((segment) => segment !== ':')
    .at(-1) ?? ''

const isKnownObject = ({ completes, type }: Param): boolean =>
  completes !== undefined || type === 'project' || type === 'group'

/** An index of endpoints by their paths, kinds and commands. */
export class PathIndex {
  readonly #params = new Map<string, { readonly param: Param; readonly rank: number }>()
  readonly #reads = new Map<string, Endpoint>()
  readonly #lists = new Map<string, string>()
  readonly #named = new Map<string, Endpoint>()

  constructor(all: readonly CatalogueArea[]) {
    for (const { area, endpoint } of listEndpoints(all)) this.add(area, endpoint)
  }

  #addParams(endpoint: Endpoint): void {
    const { path, args = [], returns } = endpoint
    for (const { name, prefix } of listPrefixes(getPath(endpoint))) {
      const param = path[name]
      if (param === undefined || !isKnownObject(param)) continue
      // The best name is that of the command that reads the object, then that of one with the object as its argument.
      const isArgument = args.length === 1 && args.includes(name)
      const rank = isArgument
        ? getMethod(endpoint) === 'GET' && returns.kind === 'one'
          ? 2
          : 1
        : 0
      const known = this.#params.get(prefix)
      if (known === undefined || known.rank < rank) this.#params.set(prefix, { param, rank })
    }
  }

  add(area: string, endpoint: Endpoint): void {
    const { args = [], returns, lists, command } = endpoint
    this.#addParams(endpoint)
    const words = `${area} ${command}`
    const pattern = toPathPattern(getPath(endpoint))
    if (!this.#named.has(words)) this.#named.set(words, endpoint)
    if (getMethod(endpoint) !== 'GET') return
    if (returns.kind === 'one' && !this.#reads.has(pattern)) this.#reads.set(pattern, endpoint)
    // A list that needs an object, such as the jobs of a runner, has no objects to select from.
    const isWhole = returns.kind === 'many' && lists !== undefined && args.length === 0
    if (isWhole && !this.#lists.has(lists)) this.#lists.set(lists, words)
  }

  /** Returns the parameter of the placeholder at the end of a prefix; undefined if no endpoint has it. */
  param(prefix: string): Param | undefined {
    return this.#params.get(prefix)?.param
  }

  /** Returns the endpoint that reads the object at a path; undefined if there is none. */
  read(path: string): Endpoint | undefined {
    return this.#reads.get(toPathPattern(path))
  }

  /** Returns the command that lists objects of a kind, that of an area first; undefined if there is none. */
  list(kind: string, area: string): string | undefined {
    const own = `${area} list`
    return this.#named.get(own)?.lists === kind ? own : this.#lists.get(kind)
  }

  /** Returns the first endpoint of a command; undefined if the command is unknown. */
  named(words: string): Endpoint | undefined {
    return this.#named.get(words)
  }
}
