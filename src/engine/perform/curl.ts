/** `--curl`: requests as curl commands. Nothing is sent. */

import { isObject, type JsonValues } from '../../base/objects.js'
import { type Endpoint, writes } from '../../catalogue/endpoint.js'
import {
  type Input,
  isItem,
  type ListEndpoint,
  type RecordOf,
  type TypedAnswer,
  toTypedAnswer,
} from '../../client/types.js'
import { toCurl } from '../../http/index.js'
import type {
  Ask,
  Credential,
  Answer as Download,
  WholeAnswer,
  WireRequest,
} from '../../http/types.js'
import type { ExternalClient, InstanceService, UiService } from '../command/context.js'
import type { Actions, Given, Plan, WriteOptions } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { ListReader } from '../instance/listing.js'
import type { RunPlanner } from '../instance/planning.js'
import { createTextRow, type Row, type Rows, yieldText } from '../rows.js'
import { mergeRequests } from './live.js'

// `--curl`: the instance of a run in which nothing is sent. What would be is printed as curl commands. A write,
// and whatever was planned, ends the object it was for; what a command only wants to know gives
// placeholders, which then stand in the commands that follow.

/**
 * Ends the rows of a command at a request whose answer it needs to go on. It must not go on with a made-up answer: `auth login`
 * would keep it.
 */
class UnansweredError extends Error {}

// What stands for an answer that nobody asked for: each field by its own name, `<name>`.

/** Deeper than this no field of an answer is looked at. */
const deepest = 5

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'

const createStandIn = (schema: unknown, path: readonly string[]): unknown => {
  if (isObject(schema) && path.length < deepest) {
    const { anyOf, items, properties } = schema
    if (isObject(properties))
      return Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          createStandIn(field, [...path, name]),
        ]),
      )
    if (schema.type === 'array') return [createStandIn(items, path)]
    if (Array.isArray(anyOf))
      return createStandIn(
        anyOf.find((one) => !isNull(one)),
        path,
      )
  }
  return `<${path.join('.')}>`
}

/** Creates the data that an endpoint would answer with; of a list, one record. */
const createPlaceholder = ({ returns: { kind, shape } }: Endpoint): unknown => {
  const one = createStandIn(shape, [])
  return kind === 'many' ? [one] : one
}

/** Returns a request with its placeholders as they are read, which an address writes in percents. */
export const showPlaceholders = <R extends { readonly path: string }>(request: R): R => ({
  ...request,
  path: request.path.replace(/%3C([a-z_][\w.]*)%3E/g, '<$1>'),
})

interface UnsentParts {
  readonly planning: RunPlanner
  readonly exchange: Pick<InstanceExchange, 'build' | 'formatCurl' | 'checkWrite'>
  readonly lists: Pick<ListReader, 'buildWholeRequest'>
  /** Prints rows at once. */
  readonly print: (rows: Rows) => Promise<void>
  readonly ui: Pick<UiService, 'note'>
}

/** The instance of a run that sends nothing. */
export class UnsentInstance implements InstanceService {
  readonly #parts: UnsentParts
  /** True if it was said what placeholders are. */
  #explained = false

  constructor(parts: UnsentParts) {
    this.#parts = parts
  }

  createPlans(given: Given, override?: JsonValues): Promise<readonly Plan[]> {
    return this.#parts.planning.createPlans(given, override)
  }

  async call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TypedAnswer<E>> {
    const wire = await this.#build({ endpoint, values: { ...input } })
    if (writes(endpoint)) return this.#end(wire, endpoint)
    await this.#print(wire, endpoint)
    const data = this.#placeholder(endpoint)
    return toTypedAnswer(endpoint, { status: 200, headers: {}, bytes: new Uint8Array(), data })
  }

  #build(ask: Ask): Promise<WireRequest> {
    return this.#parts.exchange.build(ask)
  }

  async send(plan: Plan): Promise<WholeAnswer> {
    return this.#end(await this.#build(plan), plan.endpoint)
  }

  async records<const E extends ListEndpoint>(
    endpoint: E,
    input: Input<E>,
  ): Promise<readonly RecordOf<E>[]> {
    await this.#print(
      await this.#parts.lists.buildWholeRequest({ endpoint, values: { ...input } }),
      endpoint,
    )
    const found = this.#placeholder(endpoint)
    return Array.isArray(found) ? found.filter((one) => isItem(endpoint, one)) : []
  }

  async collect(plan: Plan): Promise<never> {
    return this.#end(await this.#parts.lists.buildWholeRequest(plan), plan.endpoint)
  }

  /** Does the work for one item after the other, each up to its write; after the last the run ends, since nothing was done. */
  async each<T>(
    items: Iterable<T> | AsyncIterable<T>,
    work: (item: T, index: number) => Promise<void>,
  ): Promise<void> {
    let printed: UnansweredError | undefined
    let index = 0
    for await (const item of items)
      try {
        await work(item, index++)
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error
        printed = error
      }
    if (printed !== undefined) throw printed
  }

  async open(plan: Plan): Promise<Download> {
    return this.#end(await this.#build(plan), plan.endpoint)
  }

  createClientFor(baseUrl: string, credential: Credential | undefined): ExternalClient {
    return {
      build: (ask) => this.#parts.exchange.build(ask, baseUrl),
      call: async (request) => {
        await this.#write(toCurl(baseUrl, showPlaceholders(request), credential?.kind))
        throw new UnansweredError()
      },
    }
  }

  async sendUndocumented(request: WireRequest): Promise<never> {
    await this.#parts.exchange.checkWrite(request)
    return this.#end(request)
  }

  #write(command: string): Promise<void> {
    return this.#parts.print(yieldText(`${command}\n`))
  }

  async #print(wire: WireRequest, endpoint?: Endpoint): Promise<void> {
    await this.#write(await this.#parts.exchange.formatCurl(showPlaceholders(wire), endpoint))
  }

  async #end(wire: WireRequest, endpoint?: Endpoint): Promise<never> {
    await this.#print(wire, endpoint)
    throw new UnansweredError()
  }

  #placeholder(endpoint: Endpoint): unknown {
    if (!this.#explained)
      this.#parts.ui.note('nothing is sent; <name> stands for the output of the previous command')
    this.#explained = true
    return createPlaceholder(endpoint)
  }
}

interface Parts {
  readonly exchange: Pick<InstanceExchange, 'build' | 'formatCurl' | 'checkWrite'>
  readonly lists: Pick<ListReader, 'buildFirstRequest' | 'buildWholeRequest' | 'checkNoListFlags'>
}

/** Creates the row of a command, which ends its line. */
const toTextRow = (command: string): Row => createTextRow(`${command}\n`)

export class Curl {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Yields the rows of a command up to the first request that it needs an answer to. That is no failure: the request was printed. */
  async *yieldUnanswered(rows: Rows): Rows {
    try {
      yield* rows
    } catch (error) {
      if (!(error instanceof UnansweredError)) throw error
    }
  }

  /** The request of a list, and what of it would be tested here. */
  async *list(plan: Plan, whole: boolean): Rows {
    const { exchange, lists } = this.#parts
    if (plan.request !== undefined) return yield* this.#one(plan, {})
    if (whole)
      return yield toTextRow(
        await exchange.formatCurl(await lists.buildWholeRequest(plan), plan.endpoint),
      )
    const { request, tested } = await lists.buildFirstRequest(plan)
    // A comment ends with its line.
    for (const line of tested) yield toTextRow(`# ${line.replaceAll(/\s+/g, ' ')}`)
    yield toTextRow(await exchange.formatCurl(showPlaceholders(request), plan.endpoint))
  }

  /** A request each, in their order; one for all where they go as one. */
  async *print(source: Actions, how: WriteOptions): Rows {
    for await (const request of mergeRequests(source, how.merge)) yield* this.#one(request, how)
  }

  async *#one(plan: Plan, { to }: WriteOptions): Rows {
    const { exchange, lists } = this.#parts
    if (plan.refused !== undefined) throw plan.refused
    if (plan.request !== undefined) {
      lists.checkNoListFlags()
      await exchange.checkWrite(plan.request)
      return yield toTextRow(await exchange.formatCurl(showPlaceholders(plan.request), plan.called))
    }
    if (to === undefined)
      return yield toTextRow(
        await exchange.formatCurl(showPlaceholders(await exchange.build(plan)), plan.endpoint),
      )
    const { origin, credential, request = (one) => one } = to
    const wire = request(await exchange.build(plan, origin))
    yield toTextRow(toCurl(origin, showPlaceholders(wire), credential.kind))
  }
}
