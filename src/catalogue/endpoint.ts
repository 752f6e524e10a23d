/**
 * The vocabulary of the catalogue: an endpoint is a value, and the types of its input and result
 * are inferred from that value. Commands, flags, help, validation, completions, `explain`, the
 * OpenAPI document and the routes of the embedded instance all derive from these values.
 */
import type { Static, TSchema } from 'typebox'
import type { JsonValues } from '../base/objects.js'
import type { KindName, MadeField } from './kinds.js'
import type { Edition, Param, Params } from './params.js'

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
/**
 * The value that a parameter holds once parsed. By way of a property it has no name of its own, so that
 * declarations made of the catalogue show what it is.
 */
export type Value<P> = { readonly is: Plain<P> | Word<P> | Null<P> }['is']

type Segment<S extends string> = S extends `:${infer N}` | `*${infer N}` ? N : never
/** The placeholders of a route. */
type PlaceholderNames<R extends string> = R extends `${infer S}/${infer Rest}`
  ? Segment<S> | PlaceholderNames<Rest>
  : Segment<R>
type Given<Ps> = {
  [K in keyof Ps]: Ps[K] extends { required: true } ? K : never
}[keyof Ps]
type FlatObject<T> = { [K in keyof T]: T[K] } & {}

/** The input of an endpoint: path placeholders and parameters, by the API's own names. */
export type InputOf<E> = E extends { path: infer Pa; params: infer Ps }
  ? FlatObject<
      { readonly [K in keyof Pa]: Value<Pa[K]> } & {
        readonly [K in Given<Ps>]: Value<Ps[K & keyof Ps]>
      } & { readonly [K in Exclude<keyof Ps, Given<Ps>>]?: Value<Ps[K]> }
    >
  : never

type DefaultedNames<Ps> = {
  [K in keyof Ps]: Ps[K] extends { default: string | number | boolean } ? K : never
}[keyof Ps]

/** The input once the instance has put the defaults of the documents where nothing was sent. */
export type CheckedOf<E> = E extends { changes: true }
  ? InputOf<E>
  : E extends { params: infer Ps }
    ? FlatObject<InputOf<E> & { readonly [K in DefaultedNames<Ps>]: Value<Ps[K]> }>
    : never

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
/** Columns of a table: fields of the shape, dotted to reach inside. */
type Column<Ret> =
  | FieldOf<Ret>
  | `${FieldOf<Ret>}.${string}`
  | ('references' extends FieldOf<Ret> ? 'reference' : never)

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Method and path, written exactly as the API is documented (`catalogue/README.md`). */
type Route = `${Method} ${string}`

/** The type of an endpoint's answer. `many` is a paginated list; `file` a stream of bytes. */
export interface AnswerType<S extends TSchema | null = TSchema | null> {
  readonly kind: 'one' | 'many' | 'empty' | 'file'
  readonly shape: S
  /** The media type of a file; bytes of any kind where it is absent. */
  readonly media?: string
  /** Of `one`: nobody says what the answer is, so that it may as well be a list, or nothing. */
  readonly open?: true
}
export const one = <S extends TSchema>(shape: S): AnswerType<S> & { kind: 'one' } => ({
  kind: 'one',
  shape,
})
export const many = <S extends TSchema>(shape: S): AnswerType<S> & { kind: 'many' } => ({
  kind: 'many',
  shape,
})
export const empty: AnswerType<null> & { kind: 'empty' } = { kind: 'empty', shape: null }
export const file: AnswerType<null> & { kind: 'file' } = { kind: 'file', shape: null }

/** The credential that a request carries. */
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

interface Spec<R extends Route, Ps extends Params, Ret extends AnswerType> {
  /** The summary of the endpoint: one line, imperative. */
  readonly summary: string
  /** The verb words that reach it within its area: `list`, `rules get`, `billable list`. */
  readonly command: string
  /** The boolean flag that picks this endpoint among those of the same command. */
  readonly when?: Selector
  /** Path and body parameters given by position, in order. */
  readonly args?: readonly (PlaceholderNames<R> | (keyof Ps & string))[]
  /** One parameter for each placeholder of the path. */
  readonly path: Readonly<Record<PlaceholderNames<R>, Param>>
  readonly params: Ps
  /** Parameters that may not stand together. */
  readonly exclusive?: readonly (readonly (keyof Ps & string)[])[]
  /** Columns of the table; fields of the shape, dotted to reach inside. */
  readonly columns?: readonly (Column<Ret> | MadeField)[]
  /** The columns that the command makes of a record: no fields of the shape. */
  readonly made?: readonly MadeField[]
  /** Its table shows all columns, in several lines a record where they have no room in one. */
  readonly stacks?: 'hidden'
  /** The kind of the listed objects, for verbs that read them from standard input. */
  readonly lists?: KindName
  /** For a write: the command whose list `--select` takes its objects from, and the flags of that list that go along. */
  readonly selects?: {
    readonly list: string
    readonly by?: readonly 'instance'[]
    /** True for objects that belong to no project, where the list has a form for one: objects of several projects may be meant. */
    readonly spread?: true
  }
  /** The people who may call it, as a noun phrase (`administrators`, `at least Maintainer of the project`). */
  readonly access?: string
  readonly edition?: Edition
  readonly credential?: CredentialNeed
  /** The loss that it causes, for the confirmation's question. Present on everything that destroys. */
  readonly destructive?: string
  /** The status of success where it is not the method's (`getStatus`). */
  readonly status?: number
  /** The help text on the secret in its answer, which is shown even without --show-secrets. */
  readonly reveals?: string
  /** Changes nothing, whatever its method (CI lint). */
  readonly safe?: true
  /** Past tense of what was done, where the answer has nothing to show. */
  readonly done?: string
  /** The meaning of a 304 here. */
  readonly unchanged?: string
  /** The advice for an instance that no longer has the endpoint. */
  readonly successor?: string
  /** Not shown by the documents but implied by them. */
  readonly implied?: true
  /** The field of a write's answer under which it shows parameters, besides those that are fields. */
  readonly echo?: string
  /** The values of attributes that its answer leaves out. */
  readonly absent?: JsonValues
  /** Instances have more of these than the documents: an attribute that no document names goes along as it is. */
  readonly open?: 'settings'
  /** True for a write that changes attributes of an existing object: without any attribute there is nothing to do. */
  readonly changes?: true
  /** Fields of its object that a write sets by itself, without a parameter of that name. */
  readonly leaves?: JsonValues
  /** Lists that are emptied where they are not given. */
  readonly empties?: readonly string[]
  /** True if its object need not exist before: a read that does not find it is no error. */
  readonly brings?: true
  /** The endpoint of its area, by its key, that undoes this one; of a change, where the change made its object. */
  readonly inverse?: string
  /** The reason that it cannot be undone. */
  readonly irreversible?: string
  /** The API itself tries it out, by its parameter `dry_run`: --dry-run sends the request with it. */
  readonly rehearses?: true
  /** The list continues in the order of IDs, by its parameters `id_after` and `id_before`, where pages by number end with 405. */
  readonly keyset?: true
  /** Parameters of a sibling that the documents say this endpoint does not offer. */
  readonly refuses?: readonly string[]
  /** Further words for help: rules that the documents state. */
  readonly notes?: readonly string[]
  /** The extension that declares it; of the documents where it is absent. Its names are sent as they are written. */
  readonly from?: string
  /** Values that every request sends in addition to the parameters. */
  readonly sends?: JsonValues
  /** Its file grows while the object runs: `--follow` goes on reading it. */
  readonly grows?: true
  /** Command lines that an extension gives as examples. */
  readonly examples?: readonly string[]
}

export interface Endpoint<
  R extends Route = Route,
  Ps extends Params = Params,
  Ret extends AnswerType = AnswerType,
> extends Omit<Spec<R, Ps, Ret>, 'columns' | 'args' | 'exclusive' | 'path'> {
  readonly route: R
  readonly returns: Ret
  readonly path: Params
  readonly args?: readonly string[]
  readonly exclusive?: readonly (readonly string[])[]
  readonly columns?: readonly string[]
}

/** The declaration of how a write is undone: by itself, by another endpoint, or why not at all. */
type Reversal<R extends Route> = R extends `GET ${string}`
  ? unknown
  :
      | { readonly changes: true }
      | { readonly inverse: string }
      | { readonly leaves: JsonValues }
      | { readonly irreversible: string }
      | { readonly safe: true }

/**
 * Declares an endpoint. A missing path parameter, a column that is no field, or a write that does not say how it is
 * undone does not compile.
 */
export const endpoint = <
  const R extends Route,
  const Ps extends Params,
  const Pa extends Readonly<Record<PlaceholderNames<R>, Param>>,
  Ret extends AnswerType,
>(
  route: R,
  returns: Ret,
  spec: Omit<Spec<R, Ps, NoInfer<Ret>>, 'path'> & Reversal<R> & { readonly path: Pa },
): Omit<Endpoint<R, Ps, Ret>, 'path'> & { readonly path: Pa } => ({ route, returns, ...spec })

/** An area: its endpoints by a name that is unique within it. */
export type Endpoints = Readonly<Record<string, Endpoint>>

export const getMethod = (e: Pick<Endpoint, 'route'>): Method =>
  e.route.slice(0, e.route.indexOf(' ')) as Method
export const getPath = (e: Pick<Endpoint, 'route'>): string =>
  e.route.slice(e.route.indexOf(' ') + 1)
/** Returns a path with all placeholders alike, whatever they are called. */
export const toPathPattern = (path: string): string => path.replace(/[:*]\w+/g, ':')
/** Returns the part of the request in which a parameter travels. */
export const getPlace = (e: Pick<Endpoint, 'route'>, p: Param): 'query' | 'body' =>
  p.in ?? (getMethod(e) === 'GET' || getMethod(e) === 'DELETE' ? 'query' : 'body')
/** Returns the status of success: the endpoint's own, else that of its method. */
export const getStatus = (e: Pick<Endpoint, 'route' | 'status'>): number =>
  e.status ?? { POST: 201, DELETE: 204, GET: 200, PUT: 200, PATCH: 200 }[getMethod(e)]
export const writes = (e: Pick<Endpoint, 'route' | 'safe'>): boolean =>
  getMethod(e) !== 'GET' && e.safe !== true
/** True if a write is answered with what it changed, which can be compared with what was sent. */
export const hasEcho = (e: Pick<Endpoint, 'route' | 'safe' | 'returns'>): boolean =>
  writes(e) && e.returns.kind === 'one'

/** The values of the placeholders of an endpoint's path. */
type PathOf<E> = E extends { path: infer Pa } ? { readonly [K in keyof Pa]: Value<Pa[K]> } : never

/**
 * Picks the values that fill an endpoint's path from those of a call about the same object: both were parsed
 * by parameters of the same names.
 */
export const pickPathValues = <E extends Pick<Endpoint, 'path'>>(
  endpoint: E,
  values: JsonValues,
): PathOf<E> =>
  Object.fromEntries(Object.keys(endpoint.path).map((name) => [name, values[name]])) as PathOf<E>

/** The traits of an endpoint that decide which credential a request to it carries. */
export type EndpointTraits = Pick<Endpoint, 'credential' | 'route' | 'safe' | 'successor'>
