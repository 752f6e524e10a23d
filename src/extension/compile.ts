/** Compiles the operations of an extension to endpoints, kinds of objects and served paths. Existing commands stay as they are. */

import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  toPathPattern,
} from '../catalogue/endpoint.js'
import { getRouteForm } from '../catalogue/index.js'
import { type Kind, kinds, toPlural, withArticle } from '../catalogue/kinds.js'
import { isScope, type Param, type Params } from '../catalogue/params.js'
import {
  chooseColumns,
  describeDone,
  describeLoss,
  describeOperation,
  findTitle,
  getObjectWord,
  toAnswer,
  toStoredShape,
} from './answers.js'
import { type CompiledEndpoint, getReversal, getSelection } from './links.js'
import {
  getGroup,
  ObjectKinds,
  type PlacedOperation,
  placeOperation,
  splitAreaAndWords,
} from './objects.js'
import { getRequest, type Operation, type SkippedOperation } from './operation.js'
import { type CatalogueArea, listEndpoints, PathIndex } from './places.js'
import { collectServedPaths, type ServedPath } from './served-paths.js'
import { areaName, toCommandWord, verbWords } from './words.js'

/** The commands that exist already. An extension changes none of them. */
export interface CompileContext {
  /** The areas of the documents. */
  readonly documented: readonly CatalogueArea[]
  /** The areas of other extensions. */
  readonly others: readonly CatalogueArea[]
  /** True for a word of the tool itself: `auth`, `help`. */
  readonly isToolWord: (area: string) => boolean
  /** The commands that are written by hand. */
  readonly specials: ReadonlySet<string>
  /** True for the name of a flag of all commands that a parameter cannot share. */
  readonly isSharedFlag: (flag: string, param: Param) => boolean
  /** Returns the name of the documented area that a word names, such as its singular; any other word as it is. */
  readonly toArea: (word: string) => string
}

/** An extension as it is stored. */
export interface CompiledExtension {
  readonly areas: Readonly<Record<string, Endpoints>>
  readonly kinds: Readonly<Record<string, Kind>>
  readonly served: readonly ServedPath[]
  readonly leftOut: readonly SkippedOperation[]
}

/** True for parameters that the paging flags send. */
const isPaging = (name: string): boolean => name === 'page' || name === 'per_page'

/** Gives the flags of an operation, those of its path first, names that are free on its command line. */
const nameFlags = (
  { params }: Operation,
  { path, args, scope }: PlacedOperation,
  isSharedFlag: CompileContext['isSharedFlag'],
): { readonly path: Params; readonly params: Params } => {
  const taken = new Set<string>([scope ?? []].flat())
  const rename = ([name, param]: readonly [string, Param]): readonly [string, Param] => {
    const word = param.name ?? (toCommandWord(name) || 'parameter')
    const isTaken = (flag: string): boolean =>
      [flag, `no-${flag}`, flag.replace(/^no-/, '')].some((one) => taken.has(one))
    // A flag that begins with no- is the opposite of another one.
    const isReserved = isSharedFlag(word, param) || word.startsWith('no-')
    let free = isReserved || isTaken(word) ? `api-${word}` : word
    for (let n = 2; isTaken(free); n++) free = `api-${word}-${n}`
    taken.add(free)
    return [name, free === name.replaceAll('_', '-') ? param : { ...param, name: free }]
  }
  const isFlag = (name: string, param: Param): boolean =>
    !args.includes(name) && param.name !== scope && !isScope(param)
  const named = Object.entries(path).map(([name, param]) =>
    isFlag(name, param) ? rename([name, param]) : ([name, param] as const),
  )
  const others = Object.entries(params).filter(
    ([name]) => !isPaging(name) && !Object.hasOwn(path, name),
  )
  return { path: Object.fromEntries(named), params: Object.fromEntries(others.map(rename)) }
}

/** Returns the reason why a command cannot have another form; undefined if it can. */
const findObjection = (
  first: Endpoint,
  one: Endpoint,
  scopes: readonly unknown[],
  scope: unknown,
) => {
  const getManner = ({ args: [argument] = [], returns, path, ...endpoint }: Endpoint): string =>
    [getMethod(endpoint), returns.kind === 'many', argument && path[argument]?.completes].join()
  if (getManner(first) !== getManner(one)) return 'the command of this name has another manner'
  return scopes.includes(scope) ? 'the command has this form' : undefined
}

/** Returns the endpoints that a command has in some areas. */
const findForms = (areas: readonly CatalogueArea[], command: string): readonly Endpoint[] =>
  listEndpoints(areas.filter(({ area }) => command.startsWith(`${area} `))).flatMap(
    ({ words, endpoint }) => (words === command ? endpoint : []),
  )

const getRoute = (operation: Pick<Operation, 'method' | 'path' | 'ending'>): Endpoint['route'] =>
  getRequest(operation) as Endpoint['route']

/** Compiles the operations of one extension. */
class CompileRun {
  readonly #places: PathIndex
  readonly #kinds: ObjectKinds
  readonly #leftOut: SkippedOperation[] = []
  readonly #compiled: CompiledEndpoint[] = []
  readonly #forms = new Map<string, { readonly endpoint: Endpoint; readonly scope: unknown }[]>()
  readonly #known: ReadonlyMap<string, string>
  /** All commands so far, and their groups. A word cannot be both. */
  readonly #leaves: Set<string>
  readonly #groups: Set<string>

  constructor(
    private readonly name: string,
    private readonly around: CompileContext,
  ) {
    const { documented, others } = around
    this.#places = new PathIndex([...documented, ...others])
    const taken = new Set(
      listEndpoints(others).flatMap(({ endpoint }) =>
        Object.values(endpoint.path).flatMap(({ completes }) => completes ?? []),
      ),
    )
    this.#kinds = new ObjectKinds(this.#places, (kind) => taken.has(kind))
    const existing = listEndpoints([...documented, ...others])
    this.#leaves = new Set([...existing.map(({ words }) => words), ...around.specials])
    this.#groups = new Set([...this.#leaves].flatMap((one) => getGroup(one) ?? []))
    this.#known = new Map(
      listEndpoints(documented).map(({ words, endpoint }) => [getRouteForm(endpoint), words]),
    )
  }

  /** Returns the reason why an operation cannot become a command; undefined if it can. */
  #refuse({ command, ...operation }: Operation): string | undefined {
    const [area, words] = splitAreaAndWords(command)
    const { documented, others, isToolWord, specials } = this.around
    if (!areaName.test(area) || !verbWords.test(words)) return 'its path has no words for a command'
    if (isToolWord(area)) return `${area} is a word of svcctl itself`
    const route = this.#known.get(getRouteForm({ route: getRoute(operation) }))
    if (route !== undefined) return `the API documents have it: ${route}`
    if (specials.has(command)) return `${command} is a command of svcctl`
    if (findForms(others, command).length > 0)
      return `${command} is of another extension; rename it with --with`
    const group = getGroup(command)
    if (this.#groups.has(command)) return `${command} is a group of commands`
    if (group !== undefined && this.#leaves.has(group)) return `${group} is a command`
    const own = findForms(documented, command)
    const isList = own.every((e) => getMethod(e) === 'GET' && e.returns.kind === 'many')
    return own.length > 0 && !(isList && operation.method === 'GET')
      ? `${command} is a documented command`
      : undefined
  }

  #leave(operation: Operation, reason: string): void {
    this.#leftOut.push({ request: getRequest(operation), command: operation.command, reason })
  }

  /** Records the kinds that the placeholders of an operation name. Returns false, and records the reason, if it cannot be a command. */
  accept(operation: Operation): boolean {
    const reason = this.#refuse(operation)
    if (reason !== undefined) this.#leave(operation, reason)
    else {
      placeOperation(operation, this.#kinds, this.#places)
      this.#leaves.add(operation.command)
      const group = getGroup(operation.command)
      if (group !== undefined) this.#groups.add(group)
    }
    return reason === undefined
  }

  /** Adds the endpoint of an operation, unless its command has forms that it does not fit. */
  add(operation: Operation): void {
    const [area, words] = splitAreaAndWords(operation.command)
    const placed = placeOperation(operation, this.#kinds, this.#places)
    const endpoint = this.#toEndpoint(operation, placed)
    const objection = this.#checkForm(operation.command, endpoint, placed.scope)
    if (objection !== undefined) {
      this.#leave(operation, objection)
      return
    }
    const key = this.#nameKey(area, words, placed.scope)
    this.#compiled.push({ area, key, operation, endpoint, kind: placed.kind })
    this.#places.add(area, endpoint)
    if (endpoint.lists === undefined) return
    this.#kinds.addList(endpoint.lists, area, findTitle(endpoint.returns.shape))
  }

  #nameKey(area: string, words: string, scope: string | undefined): string {
    const key = `${this.name} ${words}${scope === undefined ? '' : ` of ${scope}`}`
    const same = this.#compiled.filter((one) => one.area === area && one.key.startsWith(key))
    return same.length === 0 ? key : `${key} ${same.length + 1}`
  }

  /** Returns the reason why a command cannot have this form; undefined if it can. A documented list only gets forms with a scope. */
  #checkForm(command: string, endpoint: Endpoint, scope: string | undefined): string | undefined {
    const documented = findForms(this.around.documented, command)
    const before = [
      ...documented.map((one) => ({
        endpoint: one,
        scope: placeOperation({ path: getPath(one), command }, this.#kinds, this.#places).scope,
      })),
      ...(this.#forms.get(command) ?? []),
    ]
    const [first] = before
    const form = { endpoint, scope }
    this.#forms.set(command, [...(this.#forms.get(command) ?? []), form])
    if (first === undefined) return undefined
    if (documented.length > 0 && scope === undefined) return `${command} is a documented command`
    const others = before.map((one) => `${one.scope} ${Object.keys(one.endpoint.path).length}`)
    return findObjection(
      first.endpoint,
      endpoint,
      others,
      `${scope} ${Object.keys(endpoint.path).length}`,
    )
  }

  #toEndpoint(operation: Operation, placed: PlacedOperation): Endpoint {
    const { method, path, examples, follow, notes, sends } = operation
    const [, command] = splitAreaAndWords(operation.command)
    const listed =
      method === 'GET' ? (this.#kinds.of(path) ?? this.#listedBefore(operation)) : undefined
    const returns = toAnswer(operation, placed, this.#places)
    const columns =
      returns.kind === 'many'
        ? (operation.columns ??
          this.#places.named(operation.command)?.columns ??
          chooseColumns(returns.shape))
        : operation.columns
    const word = getObjectWord(operation, placed, placed.kind ?? listed ?? this.#kinds.of(path))
    const loss = describeLoss(operation, placed, word)
    const done = describeDone(operation, placed)
    const summary = describeOperation(operation, word, toPlural(word), withArticle(word))
    return {
      route: getRoute(operation),
      returns,
      summary,
      command,
      args: placed.args,
      ...nameFlags(operation, placed, this.around.isSharedFlag),
      from: this.name,
      ...(columns !== undefined && { columns }),
      ...(returns.kind === 'many' &&
        listed !== undefined && { lists: listed as Endpoint['lists'] }),
      ...(loss !== undefined && { destructive: loss }),
      ...(done !== undefined && { done }),
      ...(sends !== undefined && { sends }),
      ...(follow === true && { grows: true }),
      ...(examples !== undefined && { examples }),
      ...(notes !== undefined && { notes }),
    } as Endpoint
  }

  /** Returns the kind that another form of the same command lists; undefined if there is none. */
  #listedBefore({ command }: Operation): string | undefined {
    return this.#forms.get(command)?.[0]?.endpoint.lists ?? this.#places.named(command)?.lists
  }

  /** Returns the flag that selects the form for the whole instance. None is needed if the scoped forms list a part of its objects. */
  #getSelector({ area, endpoint, operation }: CompiledEndpoint, all: readonly CompiledEndpoint[]) {
    const forms = all.filter((one) => one.operation.command === operation.command)
    const scoped = forms.filter(({ endpoint: one }) =>
      /^\/(?:projects|groups)\/:/.test(getPath(one)),
    )
    const isScoped = /^\/(?:projects|groups|users)\/:\w+\/./.test(getPath(endpoint))
    if (isScoped || scoped.length === 0 || scoped.length === forms.length) return {}
    const own = new Set(scoped.map((one) => toPathPattern(getPath(one.endpoint))))
    const hasObjects = all.some(
      (one) =>
        one.area === area &&
        own.has(toPathPattern(getPath(one.endpoint)).replace(/\/:$/, '')) &&
        /:$/.test(toPathPattern(getPath(one.endpoint))),
    )
    if (endpoint.returns.kind === 'many' && !hasObjects) return {}
    return { when: { flag: 'instance', help: 'of the whole instance' } }
  }

  /** Returns the compiled extension, its endpoints in the order of the operations. */
  finish(operations: readonly Operation[]): CompiledExtension {
    const rank = new Map(operations.map((one, index) => [one, index]))
    const sorted = this.#compiled.toSorted(
      (a, b) => (rank.get(a.operation) ?? 0) - (rank.get(b.operation) ?? 0),
    )
    const areas: Record<string, Record<string, Endpoint>> = {}
    for (const one of sorted) {
      const linked = {
        ...one.endpoint,
        ...this.#getSelector(one, sorted),
        ...getReversal(one, this.#compiled, this.#places),
        ...getSelection(one, this.#compiled, this.#places),
      }
      const returns = {
        ...linked.returns,
        shape: toStoredShape(linked.returns.shape) as Endpoint['returns']['shape'],
      }
      areas[one.area] = { ...areas[one.area], [one.key]: { ...linked, returns } }
    }
    const made = [...this.#kinds.made].filter(
      ([name, kind]) => !Object.hasOwn(kinds, name) || kind.areas.length > 0,
    )
    return {
      areas,
      kinds: Object.fromEntries(made),
      served: collectServedPaths(this.#compiled),
      leftOut: this.#leftOut,
    }
  }
}

/**
 * Compiles the operations of an extension.
 * @param name the name of the extension
 */
export const compileExtension = (
  name: string,
  all: readonly Operation[],
  around: CompileContext,
): CompiledExtension => {
  const compiler = new CompileRun(name, around)
  const operations = all.map((one): Operation => {
    const command = one.command.replace(/^\S+/, around.toArea)
    return command === one.command ? one : { ...one, command }
  })
  const accepted = operations.filter((one) => compiler.accept(one))
  // Reads first: what a write is answered with, and whether it can be taken back, depends on them.
  for (const one of accepted.filter(({ method }) => method === 'GET')) compiler.add(one)
  for (const one of accepted.filter(({ method }) => method !== 'GET')) compiler.add(one)
  return compiler.finish(operations)
}
