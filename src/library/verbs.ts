/** The endpoints of the catalogue as functions: what each takes and gives is inferred from its value. */
import type { JsonValues } from '../base/json/value.js'
import { type Endpoint, getMethod } from '../catalogue/endpoint.js'
import type { InputOf } from '../catalogue/inferred.js'
import type { InstanceClient } from '../client/instance.js'
import type { Paging } from '../client/paging.js'
import { answered, type Data, type Listing, type RecordOf } from '../client/typed.js'
import { Failure, usage } from '../errors.js'
import { throwing, throwingFrom } from './failing.js'

/** What else goes along with a call. */
export interface How {
  /** Parameters that the catalogue does not know, as they are. */
  readonly params?: JsonValues
}

/** How much of a list is asked for: all of it, unless this says otherwise. */
export interface ListHow extends How, Paging {}

/** The records of a list, page by page as they are asked for; each loop asks anew. */
export interface RecordList<T> extends AsyncIterable<T> {
  /** All of them. */
  all(): Promise<readonly T[]>
}

/** A file on its way: its bytes are read by whoever asked for it. */
export interface Download {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Decompressed; ends with a Failure where it was cut short. */
  readonly body: AsyncIterable<Uint8Array>
  /** Reads no further, or not at all. */
  readonly cancel: () => void
}

type Gives<E, Kind> = E extends { readonly returns: { readonly kind: Kind } } ? true : false
type Reads<E> = E extends { readonly route: `GET ${string}` } ? true : false

/** One record; undefined where a write is answered without one (304: it was so already). */
type Gift<E> = Reads<E> extends true ? Promise<Data<E>> : Promise<Data<E> | undefined>
type Answering<E> =
  Gives<E, 'many'> extends true
    ? RecordList<RecordOf<E>>
    : Gives<E, 'file'> extends true
      ? Promise<Download>
      : Gives<E, 'empty'> extends true
        ? Promise<void>
        : Gift<E>
type Manner<E> = Gives<E, 'many'> extends true ? ListHow : How

/** An endpoint as a function. */
export type EndpointFunction<E> =
  Record<never, never> extends InputOf<E>
    ? (input?: InputOf<E>, how?: Manner<E>) => Answering<E>
    : (input: InputOf<E>, how?: Manner<E>) => Answering<E>

/** Asked for the instance with each call, since it is made with the first. */
export interface Reaching {
  readonly instance: () => Promise<InstanceClient>
  /** Refuses what destroys where it must be confirmed and was not. */
  readonly guard: (endpoint: Endpoint) => void
}

/**
 * What is sent: checked for whoever has no compiler.
 * @throws Failure `usage` for a name that the endpoint does not have, and for one that lacks
 */
const checked = (endpoint: Endpoint, input: JsonValues, { params }: How): JsonValues => {
  const known = { ...endpoint.path, ...endpoint.params }
  const strange = Object.keys(input).find((name) => !Object.hasOwn(known, name))
  if (strange !== undefined) throw usage(`${endpoint.route} does not accept ${strange}`)
  const required = Object.entries(known).find(
    ([name, { required }]) =>
      input[name] === undefined && (required === true || Object.hasOwn(endpoint.path, name)),
  )
  if (required !== undefined) throw usage(`${endpoint.route} needs ${required[0]}`)
  return { ...params, ...input }
}

const isListing = (endpoint: Endpoint): endpoint is Listing => endpoint.returns.kind === 'many'

const listing =
  (endpoint: Listing, { instance }: Reaching) =>
  (input: JsonValues = {}, how: ListHow = {}): RecordList<unknown> => {
    const records = async function* (): AsyncGenerator<unknown> {
      const { params: _, ...paging } = how
      const values = checked(endpoint, input, how)
      yield* (await instance()).list(
        endpoint,
        values,
        Object.keys(paging).length === 0 ? undefined : paging,
      )
    }
    const begin = (): AsyncGenerator<unknown, void> => throwingFrom(records())
    return {
      [Symbol.asyncIterator]: begin,
      all: async () => {
        const found: unknown[] = []
        for await (const record of begin()) found.push(record)
        return found
      },
    }
  }

const calling =
  (endpoint: Endpoint, { instance, guard }: Reaching) =>
  (input: JsonValues = {}, how: How = {}): Promise<unknown> =>
    throwing(async () => {
      const values = checked(endpoint, input, how)
      guard(endpoint)
      const client = await instance()
      const { kind } = endpoint.returns
      if (kind === 'file') return client.open({ endpoint, values })
      const answer = answered(endpoint, await client.send({ endpoint, values }))
      if (kind === 'empty') return undefined
      if (answer.data !== undefined || getMethod(endpoint) !== 'GET') return answer.data
      throw new Failure('unreachable', `the response to ${endpoint.route} has an unexpected form`, {
        status: answer.status,
      })
    })

/** An endpoint as a function over an instance. */
export const createVerb = (endpoint: Endpoint, reaching: Reaching): unknown =>
  isListing(endpoint) ? listing(endpoint, reaching) : calling(endpoint, reaching)
