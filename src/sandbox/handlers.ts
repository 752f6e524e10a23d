/**
 * Declares the types of handlers, which serve the endpoints of the embedded instance.
 *
 * `areas/<area>.ts` exports the result of `serve`: the catalogue's area with a function for each of
 * its endpoints, under the same key. An endpoint without a handler does not compile. `server/routes.ts`
 * has a row for each area. For records that `resource()` declares, the handlers are those that it returns.
 *
 *     export const served = serve(runners, {
 *       get: keys.get,
 *       list: (call, input) => createLazyList(select(call, input), summary),
 *       …
 *     })
 *
 * Before a handler runs, the server does the following:
 * - It identifies the user by the endpoint's `credential`. If that is absent or `user`, a request without a user gets a 401. With
 *   `optional` and `user-or-job`, `call.user` may be undefined. With `job`, `call.job` is set. With `parameter`, there is no user.
 * - It checks the scopes of the token and applies `sudo`.
 * - It checks and converts the input by the parameters of the catalogue (400). Parameters that are not in the catalogue are in
 *   `call.sent.params`. A reference to a project or group is a number or a full path: pass it to `call.requireProject(id, needs)` or
 *   `call.requireGroup(id, needs)`, which refuse with 404, 401 or 403.
 *
 * A handler returns the result of the endpoint: an object, or an array with all records of a list. The server selects the page and adds the
 * headers. If the presentation is expensive, a list is `createLazyList(records, present)` or a `Keyset` page. A handler returns `undefined`
 * for an empty response, a `FileReply` for bytes, and a `Reply` for another status. It refuses a request by throwing a refusal of
 * `reply.ts`, such as `notFound('Runner')`. All checks come before the first change, so that a refused request changes nothing.
 *
 * Only tables change records: `call.state.runners.change(id, { … })`, `add` and `remove`. Times come from `call.clock`. Actions of users
 * are recorded with `call.recordEvent({ action, project_id, target_type, … })`. For work that takes time, the handler stores the start,
 * and a source in `scheduler.ts` returns its end.
 */
import type { CheckedOf, Endpoints, ResultOf } from '../catalogue/endpoint.js'
import type { Call } from './call.js'
import type { FileReply, Keyset, LazyList, Reply } from './reply.js'

/** A value that is read-only at any depth. Handlers return stored records, which nobody may change. */
type ReadonlyValue<T> = T extends readonly (infer U)[]
  ? readonly ReadonlyValue<U>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyValue<T[K]> }
    : T

type Item<E> = ResultOf<E> extends readonly (infer T)[] ? ReadonlyValue<T> : never
type Kind<E> = E extends { returns: { kind: infer K } } ? K : never

/** The values that a handler of an endpoint may return. */
type Answer<E> =
  | Reply
  | (Kind<E> extends 'many'
      ? readonly Item<E>[] | LazyList<Item<E>> | Keyset<Item<E>>
      : Kind<E> extends 'file'
        ? FileReply
        : Kind<E> extends 'empty'
          ? undefined
          : ReadonlyValue<ResultOf<E>>)

type Handler<E> = (call: Call, input: CheckedOf<E>) => Answer<E> | Promise<Answer<E>>

/** A handler for each endpoint of an area. */
type Handlers<A extends Readonly<Record<string, unknown>>> = {
  readonly [K in keyof A]: Handler<A[K]>
}

/** Combines an area of the catalogue with its handlers, in the form that the server registers. */
export const serve = <A extends Endpoints>(endpoints: A, handlers: Handlers<A>) => ({
  endpoints: endpoints as Endpoints,
  handlers: handlers as AnyHandlers,
})

/** A handler of any endpoint, without the types of its input and its result. */
export type AnyHandler = (call: Call, input: never) => unknown
export type AnyHandlers = Readonly<Record<string, AnyHandler>>

/** The additions of an area to the routes of the catalogue. */
export interface AreaExtras {
  /** The scopes that open an endpoint in addition to `api` (and `read_api` for reading), by the key of the endpoint. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>
  /**
   * The paths of endpoints whose path the catalogue cannot know, such as alert endpoints. A pattern has to match the whole path. Its named
   * groups become parameters in `call.sent.params`. Such a request has no user: the handler checks the key in `call.sent.headers`.
   */
  readonly urls?: Readonly<Record<string, RegExp>>
}

/** Returns the project that an input names. @throws Refusal if the user is not at least a Maintainer */
export const getManagedProject = (call: Call, { id }: { readonly id: string | number }) =>
  call.requireProject(id, { role: 'maintainer' })
