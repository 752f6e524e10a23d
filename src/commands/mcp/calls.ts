/** Executes the tool calls of an agent: finding and describing commands, reading, and planning changes. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { createRandomBytes, type Io } from '../../base/io.js'
import { isObject, type JsonValues, toJsonFields } from '../../base/objects.js'
import { suggestSimilar } from '../../base/suggest.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { findAreaNamed } from '../../catalogue/index.js'
import { createParamExample, group, project } from '../../catalogue/params.js'
import type { InnerAnswer, InnerRuns, SubcommandCall } from '../../engine/command/context.js'
import { type Datum, getData } from '../../engine/command/flags.js'
import type { Given } from '../../engine/command/types.js'
import { Failure, usage } from '../../errors.js'
import { toRecordsResult, toToolResult } from './answers.js'
import { type Offer, toAgentFailure, toAgentText } from './offers.js'
import {
  formatCommandLine,
  type PlanningContext,
  planChange,
  selectionNames,
  toLine,
} from './planning.js'
import { parseNames, parseText, type ToolInput, toArgumentsSchema } from './tools.js'

/**
 * Returns the arguments of a command.
 * @throws Failure `usage` if they are not an object
 */
const parseArguments = ({ arguments: values = {} }: ToolInput): JsonValues => {
  if (isObject(values)) return toJsonFields(values)
  throw usage('arguments must be an object')
}

/**
 * Checks that a tool accepts all of these arguments.
 * @throws Failure `usage` that names the first unknown one
 */
const checkInput = (input: ToolInput, tool: string, takes: readonly string[]): void => {
  const strange = Object.keys(input).find((name) => !takes.includes(name))
  if (strange === undefined) return
  const all = takes.join(', ')
  throw usage(
    `${tool} has no argument "${strange}"; its arguments are ${all}`,
    suggestSimilar(strange, takes),
  )
}

// Finding commands by words, and describing one in full.

/** The maximum number of commands that are found, the most relevant first. */
const maxFound = 15

/** Returns the tool that executes an offer. */
const chooseTool = ({ reads }: Offer): 'read' | 'plan' => (reads ? 'read' : 'plan')

const describeArea = (area: string): string =>
  findAreaNamed(area)?.summary ?? 'the instance as a whole'

/** Returns the relevance of a word for a command. A word of the command's name is most relevant. */
const getRelevance = ({ name, command, data }: Offer, word: string): number => {
  if (name.split(/[ -]/).some((part) => part === word || part === `${word}s`)) return 6
  if (name.includes(word)) return 4
  if (command.summary.toLowerCase().includes(word)) return 3
  if (describeArea(command.area).includes(word)) return 2
  return data.some((datum) => datum.name.includes(word)) ? 1 : 0
}

const describeOffer = (offer: Offer) => ({
  command: offer.name,
  about: offer.command.summary,
  tool: chooseTool(offer),
})

/** The maximum number of optional arguments that are listed by name. */
const maxOptional = 12

const createExample = ({ param, name }: Datum): unknown => {
  if (name === 'project') return createParamExample(project())
  return createParamExample(name === 'group' ? group() : param)
}

/** Describes an offer with an example call, so that most commands need no further description. */
const describeOfferCall = (offer: Offer) => {
  const optional = offer.data.filter(({ required }) => !required).map(({ name }) => name)
  const example = offer.data
    .filter(({ required }) => required)
    .map((datum) => [datum.name, createExample(datum)])
  const more = optional.length - maxOptional
  return {
    ...describeOffer(offer),
    example: { command: offer.name, arguments: Object.fromEntries(example) },
    ...(optional.length === 0 ? {} : { optional: optional.slice(0, maxOptional) }),
    ...(more > 0 ? { more: `describe_command lists ${more} more` } : {}),
  }
}

/** Lists all commands by area, separated into those that read and those that write. */
const describeAreas = (offers: readonly Offer[]) =>
  [...new Set(offers.map(({ command }) => command.area))].map((area) => {
    const of = offers.filter(({ command }) => command.area === area)
    return {
      area,
      about: describeArea(area),
      read: of.filter(({ reads }) => reads).map(({ command }) => command.words),
      plan: of.filter(({ reads }) => !reads).map(({ command }) => command.words),
    }
  })

/** Finds the commands that match the words of a query. Without words, it lists all commands by area. */
const findCommands = (offers: readonly Offer[], query: string) => {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return { areas: describeAreas(offers) }
  const ranked = offers
    .map((offer) => ({
      offer,
      rank: words.reduce((sum, word) => sum + getRelevance(offer, word), 0),
    }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
  return { commands: ranked.slice(0, maxFound).map(({ offer }) => describeOfferCall(offer)) }
}

const getFields = ({ returns: { shape } }: Endpoint): readonly string[] => {
  const properties: unknown = isObject(shape) ? shape.properties : undefined
  return isObject(properties) ? Object.keys(properties) : []
}

/** Describes a command: its arguments, the fields of its answer, and the required access. */
const describeCommand = (offer: Offer) => {
  const endpoints = Object.values<Endpoint>(offer.command.endpoints)
  const listDistinct = <T>(of: (endpoint: Endpoint) => T | readonly T[]): readonly T[] => [
    ...new Set(endpoints.flatMap(of)),
  ]
  return {
    ...describeOffer(offer),
    endpoints: listDistinct<string>(({ route }) => route),
    arguments: toArgumentsSchema(offer.data),
    exclusive: listDistinct<readonly string[]>((e) => e.exclusive ?? []),
    fields: listDistinct<string>(getFields),
    access: listDistinct<string>(({ access }) => access ?? []),
    editions: listDistinct<string>(({ edition }) => edition ?? []),
    destroys: listDistinct<string>(({ destructive }) => destructive ?? []),
    notes: listDistinct<string>(({ notes }) => notes ?? []),
  }
}

// Cursors are signed by this process, so that each can be used only with the query that returned it.

/** A position in a list. */
interface ListPosition {
  readonly page: number
  /** The number of records of that page that earlier answers had. */
  readonly skip: number
}

/** Returns the arguments of a command's own tool, without `fields` and `cursor`. */
const removePaging = ({ fields: _, cursor: __, ...values }: ToolInput): JsonValues =>
  toJsonFields(values)

/** Formats a value as JSON with sorted keys, so that equal queries have the same text. */
const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

const createCursors = (io: Pick<Io, 'randomBytes'>) => {
  const key = createRandomBytes(io, 32)
  const sign = (query: unknown, { page, skip }: ListPosition): string =>
    createHmac('sha256', key)
      .update(toCanonicalJson([query, page, skip]))
      .digest('base64url')
  return {
    /** Creates the cursor for a position in the answer to a query. It begins with the command, so that people can recognize it. */
    of: (name: string, query: unknown, at: ListPosition): string =>
      [name.replaceAll(' ', '-'), at.page, at.skip, sign([name, query], at)].join('.'),
    /**
     * Returns the position that a cursor refers to.
     * @throws Failure `usage` for an invalid cursor, or that of another query
     */
    open: (cursor: string, name: string, query: unknown): ListPosition => {
      const [, page = '', skip = '', mark = ''] =
        /^[a-z-]+\.(\d{1,9})\.(\d{1,9})\.([\w-]{43})$/.exec(cursor) ?? []
      const at = { page: Number(page), skip: Number(skip) }
      const right = sign([name, query], at)
      if (mark !== '' && timingSafeEqual(Buffer.from(mark), Buffer.from(right))) return at
      throw usage(
        'the cursor belongs to another query',
        'Pass the same command, arguments and fields as in the call that returned it.',
      )
    },
  }
}

type Cursors = ReturnType<typeof createCursors>

/** The maximum number of changes of a plan that are shown. */
const maxShown = 50

/** The number of records per page, about as many as fit into an answer. */
const perPage = 50

/** Rewords failures of a command for an agent. */
const withAgentWords = async <T>(offer: Offer, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Failure ? toAgentFailure(offer, error) : error
  }
}

/** Returns the command of an offer with the instance's vocabulary, and the arguments of the call. */
const resolveOffer = (
  offer: Offer,
  { asked }: InnerAnswer,
): { readonly meant: Offer; readonly given: Given } => {
  if (asked === undefined) throw new Failure('internal', 'a plan of nothing')
  const { command, given } = asked
  return { meant: { ...offer, command, data: getData(command) }, given }
}

/** The context in which calls are executed. */
export interface CallContext extends PlanningContext, Pick<Io, 'randomBytes'> {
  readonly runs: Pick<InnerRuns, 'runCommand' | 'readLine'>
  /** Returns all commands that agents may use. */
  readonly offers: () => Promise<readonly Offer[]>
  /** The separate tools of commands, by name. */
  readonly tools: ReadonlyMap<string, Offer>
}

/** Executes tool calls. */
export class Calls {
  readonly #around: CallContext
  readonly #cursors: Cursors

  constructor(around: CallContext) {
    this.#around = around
    this.#cursors = createCursors(around)
  }

  /** @throws Failure if the call is rejected or fails */
  async call(tool: string, input: ToolInput, signal: AbortSignal): Promise<CallToolResult> {
    const own = this.#around.tools.get(tool)
    if (own !== undefined)
      return withAgentWords(own, () =>
        own.reads
          ? this.#read(own, input, removePaging(input), signal)
          : this.#write(own, toJsonFields(input), signal),
      )
    switch (tool) {
      case 'find_commands':
        checkInput(input, tool, ['query'])
        return toToolResult(
          findCommands(await this.#around.offers(), parseText(input, 'query') ?? ''),
        )
      case 'describe_command':
        checkInput(input, tool, ['command'])
        return toToolResult(describeCommand(await this.#findOffer(input)))
      case 'read': {
        checkInput(input, tool, ['command', 'arguments', 'fields', 'cursor'])
        const offer = await this.#findOffer(input)
        return withAgentWords(offer, () => this.#read(offer, input, parseArguments(input), signal))
      }
      case 'plan': {
        checkInput(input, tool, ['command', 'arguments', ...selectionNames, 'reason'])
        const offer = await this.#findOffer(input)
        return withAgentWords(offer, () => this.#plan(offer, input, signal))
      }
      default:
        throw usage(`unknown tool "${tool}"`)
    }
  }

  async #findOffer(input: ToolInput): Promise<Offer> {
    const name = parseText(input, 'command') ?? ''
    const offers = await this.#around.offers()
    const offer = offers.find((one) => one.name === name)
    if (offer !== undefined) return offer
    const names = offers.map((one) => one.name)
    throw usage(
      `unknown command "${name}"`,
      suggestSimilar(name, names) ?? 'find_commands lists the available commands.',
    )
  }

  /** @throws Failure of the command */
  async #runCommand(
    offer: Offer,
    ask: Omit<SubcommandCall, 'command' | 'withoutSpecial'>,
  ): Promise<InnerAnswer> {
    const { command, plain: withoutSpecial, files: args } = offer
    const came = await this.#around.runs.runCommand({ ...ask, command, withoutSpecial, args })
    if (came.failure !== undefined) throw came.failure
    return { ...came, notes: came.notes.flatMap((note) => toAgentText(offer, note) || []) }
  }

  async #read(offer: Offer, input: ToolInput, values: JsonValues, signal: AbortSignal) {
    const { name, reads, lists } = offer
    const fields = parseNames(input, 'fields', 'names')
    const cursor = parseText(input, 'cursor')
    if (!reads) throw usage(`${name} is not read-only`, 'Use plan to preview its changes.')
    const query = { values, fields: fields ?? null }
    const at = cursor === undefined ? { page: 1, skip: 0 } : this.#cursors.open(cursor, name, query)
    const came = await this.#runCommand(offer, {
      mode: 'reads',
      values,
      signal,
      fields,
      ...(lists ? { page: at.page, perPage } : {}),
    })
    return this.#createPage(came, at, (next) => this.#cursors.of(name, query, next))
  }

  /** Returns the records from a position on, and the cursor for the next ones. */
  #createPage(
    { records, more, notes }: InnerAnswer,
    { page, skip }: ListPosition,
    cursorOf: (next: ListPosition) => string,
  ): CallToolResult {
    const left = records.slice(skip)
    const getNext = (count: number): ListPosition | undefined => {
      if (count < left.length) return { page, skip: skip + count }
      return more ? { page: page + 1, skip: 0 } : undefined
    }
    return toRecordsResult({
      name: 'records',
      records: left,
      notes,
      beside: { cursor: cursorOf({ page: page + 1, skip: skip + left.length }) },
      completeFields: (count) => {
        const next = getNext(count)
        return next === undefined ? {} : { cursor: cursorOf(next) }
      },
    })
  }

  async #plan(offer: Offer, input: ToolInput, signal: AbortSignal): Promise<CallToolResult> {
    if (offer.reads) throw usage(`${offer.name} is read-only`, 'Use read to run it.')
    const values = parseArguments(input)
    // A plan cannot express what this command's line does otherwise, so its endpoints are previewed and a person runs the line.
    if (offer.plain) return this.#preview(offer, input, signal)
    const came = await this.#runCommand(offer, { mode: 'checks', values, signal })
    const { meant, given } = resolveOffer(offer, came)
    const { planned, tried } = await planChange(this.#around, meant, given, input, signal)
    return toRecordsResult({
      name: 'changes',
      beside: { applied: false, ...planned },
      records: tried.changes.slice(0, maxShown).map((text) => Buffer.from(text)),
      notes: [...came.notes, ...tried.notes.flatMap((note) => toAgentText(offer, note) || [])],
    })
  }

  async #preview(offer: Offer, input: ToolInput, signal: AbortSignal): Promise<CallToolResult> {
    const several = selectionNames.find((name) => input[name] !== undefined)
    if (several !== undefined) throw usage(`${offer.name} does not take ${several}`)
    const values = parseArguments(input)
    const came = await this.#runCommand(offer, { mode: 'previews', values, signal })
    const { meant, given } = resolveOffer(offer, came)
    const { words } = toLine(meant, given)
    return toRecordsResult({
      name: 'changes',
      beside: { applied: false, command_line: formatCommandLine(words, this.#around.where) },
      ...came,
    })
  }

  async #write(offer: Offer, values: JsonValues, signal: AbortSignal): Promise<CallToolResult> {
    const came = await this.#runCommand(offer, { mode: 'writes', values, signal })
    return toRecordsResult({
      name: 'records',
      // Notes in the answer explain why a change was not applied.
      beside: { applied: came.code === 0 },
      ...came,
    })
  }
}
