import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  toPathPattern,
} from '../catalogue/endpoint.js'
import { getRouteForm } from '../catalogue/index.js'
import { type Kind, kinds, toPlural, withArticle } from '../catalogue/kinds.js'
import type { Param, Params } from '../catalogue/params.js'
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
import { ObjectKinds, type PlacedOperation, placeOperation, splitCommand } from './objects.js'
import { getRequest, type Operation, type SkippedOperation } from './operation.js'
import { type CatalogueArea, PathIndex } from './places.js'
import { collectServed, type ServedPath } from './sandbox.js'
import { toCommandWord } from './words.js'

/** The commands that exist already. An extension changes none of them. */
export interface CompileContext {
  /** The areas of the documents. */
  readonly documented: readonly CatalogueArea[]
  /** The areas of other extensions. */
  readonly others: readonly CatalogueArea[]
  /** True for a word of the tool itself: `auth`, `help`. */
  readonly isToolWord: (area: string) => boolean
  /** True for a command that is written by hand. */
  readonly isSpecial: (area: string, words: string) => boolean
  /** True for the name of a flag of all commands. */
  readonly isSharedFlag: (flag: string) => boolean
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

/** Returns the parameters of an operation, each with a flag name that is free on its command line. */
const toParams = (
  { params }: Operation,
  { path, scope }: PlacedOperation,
  { isSharedFlag }: CompileContext,
): Params => {
  const taken = new Set(Object.values(path).flatMap(({ name }) => name ?? []))
  if (scope !== undefined) taken.add(scope)
  const entries = Object.entries(params)
    .filter(([name]) => !isPaging(name))
    .map(([name, param]): readonly [string, Param] => {
      const flag = param.name ?? toCommandWord(name)
      const free = isSharedFlag(flag) || taken.has(flag) ? `api-${toCommandWord(name)}` : flag
      taken.add(free)
      return [name, free === name.replaceAll('_', '-') ? param : { ...param, name: free }]
    })
  return Object.fromEntries(entries)
}

/** Returns the reason why a command cannot have another form; undefined if it can. */
const findObjection = (
  first: Endpoint,
  one: Endpoint,
  scopes: readonly unknown[],
  scope: unknown,
) => {
  const manner = ({ args = [], returns, ...endpoint }: Endpoint): string =>
    [getMethod(endpoint), returns.kind === 'many', args.length > 0].join()
  if (manner(first) !== manner(one)) return 'the command of this name has another manner'
  return scopes.includes(scope) ? 'the command has this form' : undefined
}

/** Compiles the operations of one extension. */
class CompileRun {
  readonly #places: PathIndex
  readonly #kinds: ObjectKinds
  readonly #leftOut: SkippedOperation[] = []
  readonly #compiled: CompiledEndpoint[] = []
  readonly #forms = new Map<string, { readonly endpoint: Endpoint; readonly scope: unknown }[]>()
  readonly #known: ReadonlyMap<string, string>

  constructor(
    private readonly name: string,
    private readonly around: CompileContext,
  ) {
    const { documented, others } = around
    this.#places = new PathIndex([...documented, ...others])
    const taken = new Set(
      others.flatMap(({ endpoints }) =>
        Object.values<Endpoint>(endpoints).flatMap(({ path }) =>
          Object.values(path).flatMap(({ completes }) => completes ?? []),
        ),
      ),
    )
    this.#kinds = new ObjectKinds(this.#places, (kind) => taken.has(kind))
    this.#known = new Map(
      [...documented, ...others].flatMap(({ area, endpoints }) =>
        Object.values<Endpoint>(endpoints).map(
          (one) => [getRouteForm(one), `${area} ${one.command}`] as const,
        ),
      ),
    )
  }

  /** Returns the reason why an operation cannot become a command; undefined if it can. */
  #refuse({ command, ...operation }: Operation): string | undefined {
    const [area, words] = splitCommand(command)
    const { documented, others, isToolWord, isSpecial } = this.around
    if (isToolWord(area)) return `${area} is a word of svcctl itself`
    const form = getRouteForm({ route: getRequest(operation) as Endpoint['route'] })
    const route = this.#known.get(form)
    const hasOwn = documented.some(({ endpoints }) =>
      Object.values<Endpoint>(endpoints).some((one) => getRouteForm(one) === form),
    )
    if (route !== undefined && hasOwn) return `the API documents have it: ${route}`
    if (isSpecial(area, words)) return `${command} is a command of svcctl`
    const other = others.find(
      (one) =>
        one.area === area &&
        Object.values<Endpoint>(one.endpoints).some((e) => e.command === words),
    )
    if (other !== undefined) return `${command} is of another extension; rename it with --with`
    const same = documented.find((one) => one.area === area)
    const own = Object.values<Endpoint>(same?.endpoints ?? {}).filter((e) => e.command === words)
    const isList = own.every((e) => getMethod(e) === 'GET' && e.returns.kind === 'many')
    if (own.length > 0 && !(isList && operation.method === 'GET'))
      return `${command} is a documented command`
    return undefined
  }

  #leave(operation: Operation, reason: string): void {
    this.#leftOut.push({ request: getRequest(operation), command: operation.command, reason })
  }

  /** Records the kinds that the placeholders of an operation name. Returns false, and records the reason, if it cannot be a command. */
  accept(operation: Operation): boolean {
    const reason = this.#refuse(operation)
    if (reason === undefined) placeOperation(operation, this.#kinds, this.#places)
    else this.#leave(operation, reason)
    return reason === undefined
  }

  /** Adds the endpoint of an operation, unless its command has forms that it does not fit. */
  add(operation: Operation): void {
    const [area, words] = splitCommand(operation.command)
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
    const [area, words] = splitCommand(command)
    const documented = Object.values<Endpoint>(
      this.around.documented.find((one) => one.area === area)?.endpoints ?? {},
    ).filter((one) => one.command === words)
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
    const [, command] = splitCommand(operation.command)
    const listed =
      method === 'GET' ? (this.#kinds.of(path) ?? this.#listedBefore(operation)) : undefined
    const returns = toAnswer(operation, placed, this.#places)
    const columns =
      returns.kind === 'many'
        ? (operation.columns ??
          this.#places.named(operation.command)?.columns ??
          chooseColumns(returns.shape))
        : operation.columns
    const word = getObjectWord(operation, placed.kind ?? listed ?? this.#kinds.of(path))
    const loss = describeLoss(operation, word)
    const done = describeDone(operation)
    const summary = describeOperation(operation, word, toPlural(word), withArticle(word))
    return {
      route: `${method} ${path}`,
      returns,
      summary,
      command,
      args: placed.args,
      path: placed.path,
      params: toParams(operation, placed, this.around),
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
    const isScoped = scoped.some((one) => one.endpoint === endpoint)
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
      served: collectServed(this.#compiled),
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
  operations: readonly Operation[],
  around: CompileContext,
): CompiledExtension => {
  const compiler = new CompileRun(name, around)
  const accepted = operations.filter((one) => compiler.accept(one))
  // Reads first: what a write is answered with, and whether it can be taken back, depends on them.
  for (const one of accepted.filter(({ method }) => method === 'GET')) compiler.add(one)
  for (const one of accepted.filter(({ method }) => method !== 'GET')) compiler.add(one)
  return compiler.finish(operations)
}
