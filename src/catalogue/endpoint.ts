/**
 * Declares the type of endpoints, from which commands, flags, help, validation, completions, the OpenAPI document and the embedded
 * instance are derived.
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
 * The value of a parameter after parsing. The detour through a property stops the compiler from using the type's name, so that
 * declarations show the value.
 */
export type Value<P> = { readonly is: Plain<P> | Word<P> | Null<P> }['is']

type Segment<S extends string> = S extends `:${infer N}` | `*${infer N}` ? N : never
/** The names of the placeholders in a route. */
type PlaceholderNames<R extends string> = R extends `${infer S}/${infer Rest}`
  ? Segment<S> | PlaceholderNames<Rest>
  : Segment<R>
type Given<Ps> = {
  [K in keyof Ps]: Ps[K] extends { required: true } ? K : never
}[keyof Ps]
type FlatObject<T> = { [K in keyof T]: T[K] } & {}

/** The input of an endpoint: the placeholders of its path and its parameters, by the API's names. */
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

/** The input after the instance has added the documented defaults. */
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
/** A column of a table: a field of the shape. Dots lead to inner fields. */
type Column<Ret> =
  | FieldOf<Ret>
  | `${FieldOf<Ret>}.${string}`
  | ('references' extends FieldOf<Ret> ? 'reference' : never)

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** A method and a path, written exactly as in the API documentation (`catalogue/README.md`). */
type Route = `${Method} ${string}`

/** The type of an endpoint's response. `many` is a list with pages, and `file` a stream of bytes. */
export interface AnswerType<S extends TSchema | null = TSchema | null> {
  readonly kind: 'one' | 'many' | 'empty' | 'file'
  readonly shape: S
  /** The media type of a file; any type if absent. */
  readonly media?: string
  /** True if the response to an endpoint of kind `one` is undocumented, so that it may also be a list or empty. */
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

/** The credential that a request needs. */
export type CredentialNeed =
  /** The user's token or session. This is the default. */
  | 'user'
  /** The user's credential if there is one. */
  | 'optional'
  /** A job token. */
  | 'job'
  /** The user's credential, or else a job token. */
  | 'user-or-job'
  /** No credential: a parameter of the request replaces it. */
  | 'parameter'

/** A flag that selects an endpoint, and its help text. */
interface Selector {
  readonly flag: string
  readonly help: string
}

interface Spec<R extends Route, Ps extends Params, Ret extends AnswerType> {
  /** The summary of the endpoint: one line in the imperative. */
  readonly summary: string
  /** The words of the command within its area: `list`, `rules get`, `billable list`. */
  readonly command: string
  /** The boolean flag that selects this endpoint among those with the same command. */
  readonly when?: Selector
  /** The names of path and body parameters that are positional arguments, in order. */
  readonly args?: readonly (PlaceholderNames<R> | (keyof Ps & string))[]
  /** The parameter of each placeholder in the path. */
  readonly path: Readonly<Record<PlaceholderNames<R>, Param>>
  readonly params: Ps
  /** Groups of parameters of which a request may have only one. */
  readonly exclusive?: readonly (readonly (keyof Ps & string)[])[]
  /** The columns of the table: fields of the shape. Dots lead to inner fields. */
  readonly columns?: readonly (Column<Ret> | MadeField)[]
  /** The columns of a line with a parameter that makes the records shorter, by the name of the parameter. */
  readonly brief?: { readonly [N in keyof Ps]?: readonly Column<Ret>[] }
  /** The columns that the command computes from a record, which are not fields of the shape. */
  readonly made?: readonly MadeField[]
  /** Set if the table always has all columns. Where they do not fit into a line, a record takes several lines. */
  readonly stacks?: 'hidden'
  /** The kind of the listed objects, for commands that read such objects from standard input. */
  readonly lists?: KindName
  /** For a write: the command whose list `--select` uses, and the flags that are passed on to that list. */
  readonly selects?: {
    readonly list: string
    readonly by?: readonly 'instance'[]
    /** True if the objects may belong to several projects, although the list has a form for a single one. */
    readonly spread?: true
  }
  /** The people who may call the endpoint, as a noun phrase (`administrators`, `at least Maintainer of the project`). */
  readonly access?: string
  readonly edition?: Edition
  readonly credential?: CredentialNeed
  /** The loss that the endpoint causes, for the confirmation. All endpoints that delete something have it. */
  readonly destructive?: string
  /** The status of success, if it is not the usual one of the method (`getStatus`). */
  readonly status?: number
  /** The help text about a secret in the response that is shown even without --show-secrets. */
  readonly reveals?: string
  /** True if the endpoint changes nothing in spite of its method (CI lint). */
  readonly safe?: true
  /** The past tense of the action, for a response that has nothing to show. */
  readonly done?: string
  /** The meaning of a 304. */
  readonly unchanged?: string
  /** The advice for users whose instance no longer has the endpoint. */
  readonly successor?: string
  /** True if the endpoint has no example in the documentation, but other parts of the documentation imply it. */
  readonly implied?: true
  /** The field of a write's response that contains parameters, besides those that are fields of the shape. */
  readonly echo?: string
  /** The values of attributes that the response omits. */
  readonly absent?: JsonValues
  /** Set if instances have more attributes than the documented ones. Unknown attributes are sent unchanged. */
  readonly open?: 'settings'
  /** True for a write that changes attributes of an existing object. It is an error if no attribute is given. */
  readonly changes?: true
  /** The fields of its object that a write sets, although it has no parameters with their names. */
  readonly leaves?: JsonValues
  /** The lists that become empty if they are not given. */
  readonly empties?: readonly string[]
  /** True if the write creates its object when needed, so that a 404 before it is not an error. */
  readonly brings?: true
  /** The key of the endpoint in the same area that undoes this one. For a change, it applies if the change created the object. */
  readonly inverse?: string
  /** The reason why the write cannot be undone. */
  readonly irreversible?: string
  /** True if the API has a parameter `dry_run`, with which --dry-run sends the request. */
  readonly ownDryRun?: true
  /** True if the list has the parameters `id_after` and `id_before`, by which it continues where numbered pages end with a 405. */
  readonly keyset?: true
  /** The parameters of a similar endpoint that this one does not have, according to the documentation. */
  readonly refuses?: readonly string[]
  /** Further texts for help: documented rules. */
  readonly notes?: readonly string[]
  /** The extension that declares the endpoint; absent for documented ones. Its names are sent without translation. */
  readonly from?: string
  /** The values that each request sends in addition to the parameters. */
  readonly sends?: JsonValues
  /** True if the file grows while its object runs, so that `--follow` can continue to read it. */
  readonly grows?: true
  /** The example command lines of an extension. */
  readonly examples?: readonly string[]
}

export interface Endpoint<
  R extends Route = Route,
  Ps extends Params = Params,
  Ret extends AnswerType = AnswerType,
> extends Omit<Spec<R, Ps, Ret>, 'columns' | 'brief' | 'args' | 'exclusive' | 'path'> {
  readonly route: R
  readonly returns: Ret
  readonly path: Params
  readonly args?: readonly string[]
  readonly exclusive?: readonly (readonly string[])[]
  readonly columns?: readonly string[]
  readonly brief?: Readonly<Record<string, readonly string[] | undefined>>
}

/** The declaration of how a write is undone: by itself, by another endpoint, or why it cannot be. */
type Reversal<R extends Route> = R extends `GET ${string}`
  ? unknown
  :
      | { readonly changes: true }
      | { readonly inverse: string }
      | { readonly leaves: JsonValues }
      | { readonly irreversible: string }
      | { readonly safe: true }

/**
 * Declares an endpoint. A missing path parameter, an unknown column, or a write without a declaration of how it is undone does not
 * compile.
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

/** The endpoints of an area, by a key that is unique within it. */
export type Endpoints = Readonly<Record<string, Endpoint>>

export const getMethod = (e: Pick<Endpoint, 'route'>): Method =>
  e.route.slice(0, e.route.indexOf(' ')) as Method
export const getPath = (e: Pick<Endpoint, 'route'>): string =>
  e.route.slice(e.route.indexOf(' ') + 1)
/** True if a path goes on after the argument, as in `DELETE /projects/:id/jobs/:job_id/artifacts`: the endpoint is about a part of the object. */
export const isAboutPart = ({ args = [], ...e }: Pick<Endpoint, 'route' | 'args'>): boolean =>
  args.length > 0 && !getPath(e).endsWith(`:${args.at(-1)}`)
/** Returns a path in which all placeholders have the same name. */
export const toPathPattern = (path: string): string =>
  path.replace(/[:*]\w+/g, ':').replace(/(?<=.)(?:\.json)?\/?$/, '')
/** Returns the part of the request that has a parameter. */
export const getPlace = (e: Pick<Endpoint, 'route'>, p: Param): 'query' | 'body' =>
  p.in ?? (getMethod(e) === 'GET' || getMethod(e) === 'DELETE' ? 'query' : 'body')
/** Returns the status of success: the endpoint's own, or else that of its method. */
export const getStatus = (e: Pick<Endpoint, 'route' | 'status'>): number =>
  e.status ?? { POST: 201, DELETE: 204, GET: 200, PUT: 200, PATCH: 200 }[getMethod(e)]
export const writes = (e: Pick<Endpoint, 'route' | 'safe'>): boolean =>
  getMethod(e) !== 'GET' && e.safe !== true
/** True if the response to a write contains the changed object, so that it can be compared with the request. */
export const hasEcho = (e: Pick<Endpoint, 'route' | 'safe' | 'returns'>): boolean =>
  writes(e) && e.returns.kind === 'one'

/** Returns the columns of a list, which depend on the parameters that make its records shorter. */
export const getListColumns = (
  { columns, brief = {} }: Pick<Endpoint, 'columns' | 'brief'>,
  values: JsonValues,
): readonly string[] | undefined => {
  const isGiven = (name: string): boolean => values[name] !== undefined && values[name] !== false
  return Object.entries(brief).find(([name]) => isGiven(name))?.[1] ?? columns
}

/** The values of the placeholders in an endpoint's path. */
type PathOf<E> = E extends { path: infer Pa } ? { readonly [K in keyof Pa]: Value<Pa[K]> } : never

/**
 * Selects the values for an endpoint's path from the values of another call about the same object. The path parameters of both have the
 * same names.
 */
export const pickPathValues = <E extends Pick<Endpoint, 'path'>>(
  endpoint: E,
  values: JsonValues,
): PathOf<E> =>
  Object.fromEntries(Object.keys(endpoint.path).map((name) => [name, values[name]])) as PathOf<E>

/** The traits of an endpoint that determine the credential of its requests. */
export type EndpointTraits = Pick<Endpoint, 'credential' | 'route' | 'safe' | 'successor'>
