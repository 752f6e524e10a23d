/** Prints requests as curl commands instead of sending them (`--curl`). */

import { isObject, type JsonValues, mapValues } from '../../base/objects.js'
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
import type { BulkRunner } from '../bulk/runner.js'
import type { ClientIdentity } from '../command/actions.js'
import type { ExternalClient, InstanceService, UiService } from '../command/context.js'
import type { Actions, Given, Plan, WriteOptions } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { ListReader } from '../instance/listing.js'
import type { RunPlanner } from '../instance/planning.js'
import { createTextRow, type Row, type Rows, yieldText } from '../rows.js'
import type { WorkRunner } from '../work/run.js'
import { mergeRequests } from './live.js'

// With `--curl` nothing is sent: each request is printed. A planned request or a write ends the processing of its
// object. A request that a command needs for itself returns placeholders, which then appear in the commands after it.

/**
 * Ends a command at a request whose answer it needs. It must not continue with an invented answer: `auth login` would
 * store it.
 */
class UnansweredError extends Error {}

// Placeholder answers: each field has its own name as value, `<name>`.

/** The maximum depth of placeholders. */
const maxDepth = 5

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'

const createStandIn = (schema: unknown, path: readonly string[]): unknown => {
  if (isObject(schema) && path.length < maxDepth) {
    const { anyOf, items, properties } = schema
    if (isObject(properties))
      return mapValues(properties, (field, name) => createStandIn(field, [...path, name]))
    if (schema.type === 'array') return [createStandIn(items, path)]
    if (Array.isArray(anyOf))
      return createStandIn(
        anyOf.find((one) => !isNull(one)),
        path,
      )
  }
  return `<${path.join('.')}>`
}

/** Creates a placeholder answer of an endpoint; for a list, one with a single record. */
const createPlaceholder = ({ returns: { kind, shape } }: Endpoint): unknown => {
  const one = createStandIn(shape, [])
  return kind === 'many' ? [one] : one
}

/** Returns a request with readable placeholders, which its path contains in percent-encoding. */
export const showPlaceholders = <R extends { readonly path: string }>(request: R): R => ({
  ...request,
  path: request.path.replace(/%3C([a-z_][\w.]*)%3E/g, '<$1>'),
})

type Exchange = Pick<InstanceExchange, 'build' | 'checkWrite' | 'formatCurl' | 'formatTransport'>

interface UnsentParts {
  readonly bulk: Pick<BulkRunner, 'carryOut'>
  readonly planning: RunPlanner
  readonly exchange: Exchange
  readonly lists: Pick<ListReader, 'buildWholeRequest'>
  /** Prints rows at once. */
  readonly print: (rows: Rows) => Promise<void>
  readonly ui: Pick<UiService, 'note'>
}

/** Prints the requests of a command instead of sending them. */
export class UnsentInstance implements InstanceService {
  readonly #parts: UnsentParts
  /** True if the note about placeholders was printed. */
  #explained = false

  constructor(parts: UnsentParts) {
    this.#parts = parts
  }

  createPlans(given: Given, override?: JsonValues): Promise<readonly Plan[]> {
    return this.#parts.planning.createPlans(given, override)
  }

  async call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TypedAnswer<E>> {
    const wire = await this.#build({ endpoint, values: { ...input } })
    if (writes(endpoint)) return this.#printAndStop(wire, endpoint)
    await this.#print(wire, endpoint)
    const data = this.#createPlaceholder(endpoint)
    return toTypedAnswer(endpoint, { status: 200, headers: {}, bytes: new Uint8Array(), data })
  }

  #build(ask: Ask): Promise<WireRequest> {
    return this.#parts.exchange.build(ask)
  }

  async send(plan: Plan): Promise<WholeAnswer> {
    return this.#printAndStop(await this.#build(plan), plan.endpoint)
  }

  async readRecords<const E extends ListEndpoint>(
    endpoint: E,
    input: Input<E>,
  ): Promise<readonly RecordOf<E>[]> {
    await this.#print(
      await this.#parts.lists.buildWholeRequest({ endpoint, values: { ...input } }),
      endpoint,
    )
    const found = this.#createPlaceholder(endpoint)
    return Array.isArray(found) ? found.filter((one) => isItem(endpoint, one)) : []
  }

  async collect(plan: Plan): Promise<never> {
    return this.#printAndStop(await this.#parts.lists.buildWholeRequest(plan), plan.endpoint)
  }

  readonly carryOut: WorkRunner = (work) => this.#parts.bulk.carryOut(work)

  /**
   * Runs `work` for each item up to its first write. After the last item it ends the command, since nothing was sent.
   */
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
    return this.#printAndStop(await this.#build(plan), plan.endpoint)
  }

  createClientFor(
    baseUrl: string,
    credential: Credential | undefined,
    party: ClientIdentity = {},
  ): ExternalClient {
    const { exchange } = this.#parts
    const transport = exchange.formatTransport(party)
    return {
      build: (ask) => exchange.build(ask, baseUrl),
      call: async (request) => {
        const shown = showPlaceholders(request)
        const kind = credential?.kind
        await this.#write(toCurl(baseUrl, shown, kind, undefined, undefined, transport))
        throw new UnansweredError()
      },
    }
  }

  async sendUndocumented(request: WireRequest): Promise<never> {
    await this.#parts.exchange.checkWrite(request)
    return this.#printAndStop(request)
  }

  #write(command: string): Promise<void> {
    return this.#parts.print(yieldText(`${command}\n`))
  }

  async #print(wire: WireRequest, endpoint?: Endpoint): Promise<void> {
    await this.#write(await this.#parts.exchange.formatCurl(showPlaceholders(wire), endpoint))
  }

  async #printAndStop(wire: WireRequest, endpoint?: Endpoint): Promise<never> {
    await this.#print(wire, endpoint)
    throw new UnansweredError()
  }

  #createPlaceholder(endpoint: Endpoint): unknown {
    if (!this.#explained)
      this.#parts.ui.note('nothing is sent; <name> stands for the output of the previous command')
    this.#explained = true
    return createPlaceholder(endpoint)
  }
}

interface Parts {
  readonly exchange: Exchange
  readonly lists: Pick<ListReader, 'buildFirstRequest' | 'buildWholeRequest' | 'checkNoListFlags'>
}

/** Creates the row of a command, with a line break. */
const toTextRow = (command: string): Row => createTextRow(`${command}\n`)

export class CurlPrinter {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Yields the rows of a command up to the first request whose answer it needs. That is no failure, because the request
   * was printed.
   */
  async *yieldUnanswered(rows: Rows): Rows {
    try {
      yield* rows
    } catch (error) {
      if (!(error instanceof UnansweredError)) throw error
    }
  }

  /** Yields the first request of a list, and comments with the conditions that are tested on this machine. */
  async *printList(plan: Plan, whole: boolean): Rows {
    const { exchange, lists } = this.#parts
    if (plan.request !== undefined) return yield* this.#printOne(plan, {})
    if (whole)
      return yield toTextRow(
        await exchange.formatCurl(await lists.buildWholeRequest(plan), plan.endpoint),
      )
    const { request, tested } = await lists.buildFirstRequest(plan)
    // A line break would end the comment.
    for (const line of tested) yield toTextRow(`# ${line.replaceAll(/\s+/g, ' ')}`)
    yield this.#toRow(request, plan.endpoint)
  }

  async #toRow(wire: WireRequest, endpoint: Endpoint | undefined): Promise<Row> {
    return toTextRow(await this.#parts.exchange.formatCurl(showPlaceholders(wire), endpoint))
  }

  /** Yields the requests of actions in their order; merged actions yield one request. */
  async *printActions(source: Actions, options: WriteOptions): Rows {
    for await (const request of mergeRequests(source, options.merge))
      yield* this.#printOne(request, options)
  }

  async *#printOne(plan: Plan, { to }: WriteOptions): Rows {
    const { exchange, lists } = this.#parts
    if (plan.refused !== undefined) throw plan.refused
    if (plan.request !== undefined) {
      lists.checkNoListFlags()
      await exchange.checkWrite(plan.request)
      return yield this.#toRow(plan.request, plan.called)
    }
    if (to === undefined) return yield this.#toRow(await exchange.build(plan), plan.endpoint)
    const { origin, credential, request = (one) => one } = to
    const wire = request(await exchange.build(plan, origin))
    yield toTextRow(toCurl(origin, showPlaceholders(wire), credential.kind))
  }
}
