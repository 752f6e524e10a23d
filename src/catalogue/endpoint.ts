/**
 * The vocabulary of the catalogue: an endpoint is a value, and the types of its input and result
 * are inferred from that value. Commands, flags, help, validation, completions, `explain`, the
 * OpenAPI document and the routes of the embedded instance all derive from these values.
 */
import type { Static, TSchema } from 'typebox'
import type { KindName, MadeField } from './kinds.js'

type Edition = 'FREE' | 'PREMIUM' | 'ULTIMATE'

interface Common {
  /** One line, in the imperative or as a noun phrase, without a closing full stop. */
  readonly help: string
  readonly required?: true
  /** The server's default; shown in help, never sent. */
  readonly default?: string | number | boolean
  /** Editions below this one ignore the parameter. */
  readonly edition?: Edition
  /** What to use instead. A given deprecated parameter is sent, with a note. */
  readonly deprecated?: string
  /** Flag or placeholder name where it is not the parameter's own name with dashes. */
  readonly name?: string
  /** An empty value sends null. */
  readonly nullable?: true
  /** Values come from `env:NAME`, `@file` or a hidden prompt; masked wherever they are shown. */
  readonly secret?: true
  /** Where it travels when that is not what the method says (GET, DELETE: query; else body). */
  readonly in?: 'query' | 'body'
  /** Bare words that stand in for a value (`None`, `Any`): sent as scalars, without brackets. */
  readonly words?: readonly string[]
  /** The environment variable that fills it where a command cannot do without. */
  readonly env?: string
  /** False where a write's answer does not show it, though it has a field of that name. */
  readonly echo?: false
  /** The word that stands for a value in help, where the type does not say it. */
  readonly placeholder?: string
  /** What live values complete this parameter (`runner`, `project`, `storage` …). */
  readonly completes?: string
}

export interface StringParam extends Common {
  readonly type: 'string'
  /** `csv` and `spaced`: a string by the documents that holds several items, joined by commas or spaces. */
  readonly format?:
    | 'date'
    | 'datetime'
    | 'duration'
    | 'csv'
    | 'spaced'
    | 'url'
    | 'pem'
    | 'text'
    | 'public-key'
  /** Of a date: an empty one removes what is set. Elsewhere an empty date is none. */
  readonly clears?: true
}
export interface IntegerParam extends Common {
  readonly type: 'integer'
  readonly min?: number
  readonly max?: number
  /** Whole numbers by name (`--access-level maintainer`). */
  readonly names?: Readonly<Record<string, number>>
  /** The names that a question offers, where instances take fewer than there are. */
  readonly offers?: readonly string[]
}
export interface BooleanParam extends Common {
  readonly type: 'boolean'
}
export interface EnumParam<V extends string = string> extends Common {
  readonly type: 'enum'
  readonly values: readonly V[]
  /** Values that still work, each with its successor. */
  readonly deprecatedValues?: Readonly<Record<string, string>>
}
export interface ListParam extends Common {
  readonly type: 'list'
  readonly of: 'string' | 'integer' | 'enum'
  readonly values?: readonly string[]
  readonly max?: number
  /** In a query: repeated with brackets (default) or one comma-joined value. */
  readonly join?: 'comma'
  /** "String or array" by the documents: one value goes as a string. */
  readonly single?: true
  readonly names?: Readonly<Record<string, number>>
  /** Values that still work, each with its successor. */
  readonly deprecatedValues?: Readonly<Record<string, string>>
}
export interface HashParam extends Common {
  readonly type: 'hash'
  /** The keys and their types; absent when any key goes. */
  readonly keys?: Readonly<Record<string, Param>>
}
export interface JsonParam extends Common {
  readonly type: 'json'
  /** It is a list of objects with these keys. */
  readonly items?: Readonly<Record<string, Param>>
}
/** An integer id, or a full path that travels as one encoded segment. */
export interface ScopeParam extends Common {
  readonly type: 'project' | 'group'
}
export type Param =
  | StringParam
  | IntegerParam
  | BooleanParam
  | EnumParam
  | ListParam
  | HashParam
  | JsonParam
  | ScopeParam
export type Params = Readonly<Record<string, Param>>

type Options<P> = Partial<Omit<P, 'type' | 'help'>>

export const string = <const O extends Options<StringParam>>(help: string, options?: O) =>
  ({ type: 'string', help, ...(options as O) }) as const
export const integer = <const O extends Options<IntegerParam>>(help: string, options?: O) =>
  ({ type: 'integer', help, ...(options as O) }) as const
export const boolean = <const O extends Options<BooleanParam>>(help: string, options?: O) =>
  ({ type: 'boolean', help, ...(options as O) }) as const
export const datetime = <const O extends Options<StringParam>>(help: string, options?: O) =>
  ({ type: 'string', format: 'datetime', help, ...(options as O) }) as const
export const date = <const O extends Options<StringParam>>(help: string, options?: O) =>
  ({ type: 'string', format: 'date', help, ...(options as O) }) as const
export const oneOf = <const V extends string, const O extends Options<EnumParam<V>>>(
  values: readonly V[],
  help: string,
  options?: O,
) => ({ type: 'enum', values, help, ...(options as O) }) as const
export const list = <
  const I extends 'string' | 'integer' | 'enum',
  const O extends Options<ListParam>,
>(
  of: I,
  help: string,
  options?: O,
) => ({ type: 'list', of, help, ...(options as O) }) as const
export const hash = <const O extends Options<HashParam>>(help: string, options?: O) =>
  ({ type: 'hash', help, ...(options as O) }) as const
export const json = <const O extends Options<JsonParam>>(help: string, options?: O) =>
  ({ type: 'json', help, ...(options as O) }) as const
export const project = <const O extends Options<ScopeParam>>(
  help = 'project: ID or full path',
  options?: O,
) => ({ type: 'project', help, completes: 'project', ...(options as O) }) as const
export const group = <const O extends Options<ScopeParam>>(
  help = 'group: ID or full path',
  options?: O,
) => ({ type: 'group', help, completes: 'group', ...(options as O) }) as const

type Word<P> = P extends { words: readonly (infer W)[] } ? W : never
type Null<P> = P extends { nullable: true } ? null : never
type Item<P> = P extends { of: 'integer' } ? number : string
type Plain<P> = P extends { type: 'integer' }
  ? number
  : P extends { type: 'boolean' }
    ? boolean
    : P extends { type: 'enum'; values: readonly (infer V)[] }
      ? V
      : P extends { type: 'list' }
        ? readonly Item<P>[] | (P extends { single: true } ? Item<P> : never)
        : P extends { type: 'hash'; keys: infer K extends Params }
          ? { readonly [N in keyof K]?: Value<K[N]> }
          : P extends { type: 'hash' }
            ? Readonly<Record<string, string>>
            : P extends { type: 'json' }
              ? unknown
              : P extends { type: 'project' | 'group' }
                ? string | number
                : string
/** The value that a parameter holds once parsed. */
export type Value<P> = Plain<P> | Word<P> | Null<P>

type Segment<S extends string> = S extends `:${infer N}` | `*${infer N}` ? N : never
type Names<R extends string> = R extends `${infer S}/${infer Rest}`
  ? Segment<S> | Names<Rest>
  : Segment<R>
type Given<Ps> = {
  [K in keyof Ps]: Ps[K] extends { required: true } ? K : never
}[keyof Ps]
type Flat<T> = { [K in keyof T]: T[K] } & {}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Method and path, written exactly as the API is documented (`catalogue/README.md`). */
export type Route = `${Method} ${string}`

/** What an endpoint answers with. `many` is a paginated list; `file` a stream of bytes. */
export interface Returns<S extends TSchema | null = TSchema | null> {
  readonly kind: 'one' | 'many' | 'empty' | 'file'
  readonly shape: S
  /** The media type of a file; bytes of any kind where it is absent. */
  readonly media?: string
}
export const one = <S extends TSchema>(shape: S): Returns<S> & { kind: 'one' } => ({
  kind: 'one',
  shape,
})
export const many = <S extends TSchema>(shape: S): Returns<S> & { kind: 'many' } => ({
  kind: 'many',
  shape,
})
export const empty: Returns<null> & { kind: 'empty' } = { kind: 'empty', shape: null }
export const file: Returns<null> & { kind: 'file' } = { kind: 'file', shape: null }
export const archive: Returns<null> & { kind: 'file' } = { ...file, media: 'application/zip' }

export type ResultOf<E> = E extends { returns: infer R }
  ? R extends { kind: 'many'; shape: infer S extends TSchema }
    ? readonly Static<S>[]
    : R extends { shape: infer S extends TSchema }
      ? Static<S>
      : undefined
  : never

type FieldOf<Ret> = Ret extends { shape: infer S extends TSchema }
  ? Extract<keyof Static<S>, string>
  : never
type Column<Ret> =
  | FieldOf<Ret>
  | `${FieldOf<Ret>}.${string}`
  | ('references' extends FieldOf<Ret> ? 'reference' : never)

/** Which credential a request carries. */
export type CredentialNeed =
  /** the user's (personal, OAuth, session); the default */
  | 'user'
  /** the user's when there is one, else none */
  | 'optional'
  /** only a job token */
  | 'job'
  /** the user's, else a job token */
  | 'user-or-job'
  /** none: the request's own parameter is the credential */
  | 'parameter'

/** A flag that picks an endpoint: its name, and what it gives, as help says it. */
interface Selector {
  readonly flag: string
  readonly help: string
}

interface Spec<R extends Route, Ps extends Params, Ret extends Returns> {
  /** What it does, one line, imperative. */
  readonly summary: string
  /** The verb words that reach it within its area: `list`, `rules get`, `billable list`. */
  readonly command: string
  /** The boolean flag that picks this endpoint among those of the same command. */
  readonly when?: Selector
  /** Path and body parameters given by position, in order. */
  readonly args?: readonly (Names<R> | (keyof Ps & string))[]
  /** One parameter for each placeholder of the path. */
  readonly path: Readonly<Record<Names<R>, Param>>
  readonly params: Ps
  /** Parameters that may not stand together. */
  readonly exclusive?: readonly (readonly (keyof Ps & string)[])[]
  /** Columns of the table; fields of the shape, dotted to reach inside. */
  readonly columns?: readonly (Column<Ret> | MadeField)[]
  /** Columns that are no fields of the shape: what the command makes of a record. */
  readonly made?: readonly MadeField[]
  /** What kind of objects it lists: what a verb takes that reads them from standard input. */
  readonly lists?: KindName
  /** Who may call it, as a noun phrase (`administrators`, `at least Maintainer of the project`). */
  readonly access?: string
  readonly edition?: Edition
  readonly credential?: CredentialNeed
  /** What is lost; the confirmation's question. Present on everything that destroys. */
  readonly destructive?: string
  /** The status of success where it is not the method's (`statusOf`). */
  readonly status?: number
  /** Changes nothing, whatever its method (CI lint). */
  readonly safe?: true
  /** Past tense of what was done, where the answer has nothing to show. */
  readonly done?: string
  /** What a 304 means here. */
  readonly unchanged?: string
  /** Not shown by the documents but implied by them. */
  readonly implied?: true
  /** The field of a write's answer under which it shows parameters, besides those that are fields. */
  readonly echo?: string
  /** True when sending no attribute at all is meant (`mr rebase`). */
  readonly bodyless?: true
  /**
   * Where pages by number end with 405, the list goes on in the order of ids, by its parameters
   * `id_after` and `id_before`.
   */
  readonly keyset?: true
  /** Parameters of a sibling that the documents say this endpoint does not offer. */
  readonly refuses?: readonly string[]
  /** Further words for help: rules that the documents state. */
  readonly notes?: readonly string[]
}

export interface Endpoint<
  R extends Route = Route,
  Ps extends Params = Params,
  Ret extends Returns = Returns,
> extends Omit<Spec<R, Ps, Ret>, 'columns' | 'args' | 'exclusive' | 'path'> {
  readonly route: R
  readonly returns: Ret
  readonly path: Params
  readonly args?: readonly string[]
  readonly exclusive?: readonly (readonly string[])[]
  readonly columns?: readonly string[]
}

/** Declares an endpoint. A missing path parameter or a column that is no field does not compile. */
export const endpoint = <
  const R extends Route,
  const Ps extends Params,
  const Pa extends Readonly<Record<Names<R>, Param>>,
  Ret extends Returns,
>(
  route: R,
  returns: Ret,
  spec: Omit<Spec<R, Ps, NoInfer<Ret>>, 'path'> & { readonly path: Pa },
): Omit<Endpoint<R, Ps, Ret>, 'path'> & { readonly path: Pa } => ({ route, returns, ...spec })

/** The input of an endpoint: path placeholders and parameters, by the API's own names. */
export type InputOf<E> = E extends { path: infer Pa; params: infer Ps }
  ? Flat<
      { readonly [K in keyof Pa]: Value<Pa[K]> } & {
        readonly [K in Given<Ps>]: Value<Ps[K & keyof Ps]>
      } & { readonly [K in Exclude<keyof Ps, Given<Ps>>]?: Value<Ps[K]> }
    >
  : never

/** An area: its endpoints by a name that is unique within it. */
export type Endpoints = Readonly<Record<string, Endpoint>>

/** Command lines by the words of their command, without `svcctl`; they run against the sample data. */
export type Examples = Readonly<Record<string, readonly string[]>>

export const methodOf = (e: Pick<Endpoint, 'route'>): Method =>
  e.route.slice(0, e.route.indexOf(' ')) as Method
export const pathOf = (e: Pick<Endpoint, 'route'>): string =>
  e.route.slice(e.route.indexOf(' ') + 1)
/** Where a parameter travels. */
export const placeOf = (e: Pick<Endpoint, 'route'>, p: Param): 'query' | 'body' =>
  p.in ?? (methodOf(e) === 'GET' || methodOf(e) === 'DELETE' ? 'query' : 'body')
/** The status of its success: as it says, else as the method has it. */
export const statusOf = (e: Pick<Endpoint, 'route' | 'status'>): number =>
  e.status ?? { POST: 201, DELETE: 204, GET: 200, PUT: 200, PATCH: 200 }[methodOf(e)]
export const writes = (e: Pick<Endpoint, 'route' | 'safe'>): boolean =>
  methodOf(e) !== 'GET' && e.safe !== true
/** Whether a write is answered with what it changed, which can be held against what was sent. */
export const echoes = (e: Pick<Endpoint, 'route' | 'safe' | 'returns'>): boolean =>
  writes(e) && e.returns.kind === 'one'
