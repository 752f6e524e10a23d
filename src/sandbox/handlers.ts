/**
 * Types the handlers of an area of the embedded instance.
 *
 * `areas/<area>.ts` exports the result of `serve`: the catalogue's area with a function for each of
 * its endpoints, under the same key; an endpoint without a handler does not compile. The area then
 * gets a row in `server/routes.ts`. For records that `resource()` declares, the handler of an endpoint
 * is one of its verbs.
 *
 *     export const served = serve(runners, {
 *       get: keys.get,
 *       list: (call, input) => createLazyList(select(call, input), summary),
 *       …
 *     })
 *
 * Before a handler runs, the server has done this:
 * - authenticated as the endpoint's `credential` says (absent or `user`: 401 without a user;
 *   `optional` and `user-or-job`: `call.user` may be undefined; `job`: `call.job` is set;
 *   `parameter`: no user), checked the token's scopes, and applied `sudo`;
 * - checked and converted the input by the catalogue's parameters (400), exclusive ones too. A
 *   project or group reference is a number or a full path: pass it to `call.requireProject(id, needs)`
 *   or `call.requireGroup(id, needs)`, which answer 404, 401 or 403. Parameters that the catalogue does not
 *   know are in `call.sent.params`.
 *
 * A handler returns what the endpoint returns: the object, or for a list all records as an array.
 * The server cuts the page and writes the headers. A list may also be `createLazyList(records, present)` if presenting
 * is expensive, or a `Keyset` page. A handler returns `undefined` for an empty answer, a `FileReply` for bytes, a
 * `Reply`
 * for a status of its own (`createUnchangedReply()` 304, `accepted(body)` 202). It refuses by throwing a refusal of
 * `reply.ts`: `notFound('Runner')`, `forbidden()`, `badRequest({name: ['is taken']})`,
 * `missing('name')`. All checks come before the first change: a refusal leaves no trace.
 *
 * Records are changed by their table alone (`call.state.runners.change(id, { … })`), added with `add` and
 * removed with `remove`; changes are saved. Times come from `call.clock` only. Actions of users leave an
 * event: `call.recordEvent({ action, project_id, target_type, … })`. Work that takes time stores its
 * start, and a source of `scheduler.ts` says when it is due and what happens then.
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
