/** Answers requests from a snapshot in place of its instance, with the same filters and order. */

import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { viewBytes } from '../base/bytes.js'
import { dayLength, formatMinute } from '../base/dates.js'
import { resolvePath } from '../base/io.js'
import { parseBytes } from '../base/json/records.js'
import { isJson } from '../base/json/scan.js'
import { isObject, toText } from '../base/objects.js'
import { quoteWord } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { type Endpoint, type EndpointTraits, getPath } from '../catalogue/endpoint.js'
import { createFilter, type FieldReader, type RecordTest } from '../catalogue/filters.js'
import { isListParam } from '../catalogue/params.js'
import { groupsAll } from '../catalogue/undocumented.js'
import { Failure, usage } from '../errors.js'
import type {
  Batch,
  Client,
  ClientOptions,
  ListEnd,
  ListOptions,
  WireRequest,
} from '../http/types.js'
import { createNoSnapshotFailure, readManifest } from './manifest-schema.js'
import {
  checkSnapshotFile,
  compareValues,
  createChangedFailure,
  getLineFrame,
  openSnapshotFile,
  type SnapshotGap,
  type SnapshotKind,
  type SnapshotManifest,
  type SnapshotParent,
  splitLines,
} from './snapshot-manifest.js'

// Filters and order of lists.

/** Creates a reader of dotted fields. If a list is on the path, it returns a list of the values in each element. */
const createFieldReader =
  ({ returns }: Endpoint): FieldReader<unknown> =>
  (field) => {
    const names = field.split('.')
    const shape: unknown = returns.shape
    const isShown =
      isObject(shape) &&
      isObject(shape.properties) &&
      Object.hasOwn(shape.properties, names[0] ?? '')
    if (!isShown) return undefined
    const readInside = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
      if (name === undefined) return value
      if (Array.isArray(value))
        return value.flatMap((one: unknown) => readInside(one, [name, ...rest]))
      return isObject(value) ? readInside(value[name], rest) : undefined
    }
    return (record) => readInside(record, names)
  }

/** The parameters of paging and order, which do not filter records. */
const unfilteringParams = new Set(['page', 'per_page', 'pagination', 'order_by', 'sort'])

/** Parses the query of a request: parameter → texts. */
const parseQuery = ({ path }: WireRequest): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>()
  const at = path.indexOf('?')
  for (const [key, value] of new URLSearchParams(at < 0 ? '' : path.slice(at + 1))) {
    const name = key.replace(/\[\]$/, '')
    found.set(name, [...(found.get(name) ?? []), value])
  }
  return found
}

const createGapFailure = (what: string, { status, why }: SnapshotGap): Failure =>
  new Failure('partial', `the snapshot could not read the ${what}: ${why}`, {
    status,
  })

const createMissing = (what: string, hint: string): Failure =>
  new Failure('not_found', what, { hint, lacks: 'answer' })

const createInstanceOnlyFailure = (done: 'filtered' | 'sorted', by: string): Failure =>
  usage(
    `a snapshot cannot be ${done} by ${by}, which only the instance understands`,
    `Use ${done === 'sorted' ? '--sort' : '--where'} with a field of the records, or omit --from.`,
  )

/** True if the endpoint is a complete one of the catalogue. */
const isListed = (endpoint: EndpointTraits | undefined): endpoint is Endpoint =>
  endpoint !== undefined && 'returns' in endpoint

/** The position of a record in a file, and the value by which it is sorted. */
interface Place {
  readonly at: number
  readonly length: number
  readonly key?: unknown
}

type AnswerReader = NonNullable<ClientOptions['translate']>

/** The number of records in a batch. */
const batchSize = 500

/** Reads the folder of a snapshot, and answers requests from it. */
export class SnapshotReader {
  readonly manifest: SnapshotManifest
  readonly #folder: string
  readonly #now: () => Date
  readonly #checked = new Map<string, Promise<void>>()
  #paths: Promise<ReadonlyMap<string, string>> | undefined

  /** @throws Failure `usage` if the folder contains no complete snapshot */
  constructor(folder: string, now: () => Date) {
    const manifest = readManifest(folder)
    if (manifest === undefined) throw createNoSnapshotFailure(folder)
    this.manifest = manifest
    this.#folder = folder
    this.#now = now
  }

  /** The time since it was read, in words. */
  get #age(): string {
    const { ended } = this.manifest
    const days = Math.floor((this.#now().getTime() - Date.parse(ended)) / dayLength)
    return days < 1 ? 'today' : `${formatCount(days, 'day')} ago`
  }

  /** The minute when all of it was read, and how long ago that was. */
  get minute(): string {
    return `${formatMinute(new Date(this.manifest.ended))} UTC (${this.#age})`
  }

  /** The description of the snapshot: its instance, its groups and its age. */
  get described(): string {
    const { instance, groups, began, ended } = this.manifest
    const of = groups.length === 0 ? '' : `, limited to ${groups.join(', ')}`
    return `from a snapshot of ${instance}${of}, read ${began} to ${ended} (${this.#age})`
  }

  /**
   * Returns a client that answers requests of an endpoint from the snapshot.
   * @param translate translates parsed records for their readers
   */
  client(endpoint: EndpointTraits | undefined, translate: AnswerReader): Client {
    const refuse = async (request: WireRequest): Promise<never> => {
      throw this.#createMissingFailure(`${request.method} ${request.path.split('?')[0]}`)
    }
    const route = endpoint?.route
    return {
      open: refuse,
      call: async (request) => {
        const kind = this.manifest.kinds.find((one) => one.route === route)
        if (kind === undefined || kind.column !== undefined) return refuse(request)
        for await (const bytes of this.#readLines(kind, undefined)) {
          const data = translate(parseBytes(bytes))
          return { status: 200, headers: {}, bytes, data }
        }
        return refuse(request)
      },
      list: (request, options) =>
        this.#listRecords(isListed(endpoint) ? endpoint : undefined, request, options, translate),
      close: async () => {},
    }
  }

  #createMissingFailure(what: string): Failure {
    const kinds = this.manifest.kinds.map(({ kind }) => kind).join(', ')
    return createMissing(`the snapshot has no answer to ${what}`, `It contains: ${kinds}.`)
  }

  async *#listRecords(
    endpoint: Endpoint | undefined,
    request: WireRequest,
    options: ListOptions,
    translate: AnswerReader,
  ): AsyncGenerator<Batch, ListEnd> {
    const source =
      endpoint?.route === groupsAll.route
        ? this.#listGroups()
        : this.#selectRecords(endpoint, request, translate)
    // If exactly one page is requested, it has the requested size.
    const page = options.single === true ? /[?&]per_page=(\d+)/.exec(request.path)?.[1] : undefined
    const most = options.limit ?? Number(page ?? Number.POSITIVE_INFINITY)
    let [records, batch]: [number, Uint8Array[]] = [0, []]
    for await (const record of source) {
      if (records === most) {
        if (batch.length > 0) yield batch
        return { records, more: true }
      }
      batch.push(record)
      records += 1
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
    return { records, more: false, total: records }
  }

  /** Yields the groups whose lists were read. The documented API has no list of groups. */
  async *#listGroups(): AsyncGenerator<Uint8Array> {
    const of = this.manifest.kinds.filter(({ column }) => column === 'group')
    if (of.length === 0) throw this.#createMissingFailure(groupsAll.route)
    const names = new Set(of.flatMap(({ parents }) => parents.map(({ name }) => name)))
    const gap = of.find(({ refused }) => refused !== undefined)?.refused
    if (names.size === 0 && gap !== undefined) throw createGapFailure('groups', gap)
    for (const name of [...names].sort()) yield Buffer.from(JSON.stringify({ full_path: name }))
  }

  /**
   * Yields the records that match a request, in the requested order.
   * @throws Failure `usage` for an order by a field that no record has
   */
  async *#selectRecords(
    endpoint: Endpoint | undefined,
    request: WireRequest,
    translate: AnswerReader,
  ): AsyncGenerator<Uint8Array> {
    const kind = this.manifest.kinds.find(({ route }) => route === endpoint?.route)
    if (endpoint === undefined || kind === undefined)
      throw this.#createMissingFailure(`GET ${request.path.split('?')[0]}`)
    const parent =
      kind.column === undefined
        ? undefined
        : await this.#findParent(kind, endpoint, request, translate)
    const query = parseQuery(request)
    const tests = this.#createTests(kind, endpoint, query)
    const order = getOrder(endpoint, query)
    const lines = this.#readLines(kind, parent)
    if (tests.length === 0 && order === undefined) return yield* lines
    const frame = getLineFrame(kind, parent)
    const sorted: Place[] = []
    let at = frame.at + frame.head.length
    for await (const bytes of lines) {
      const place = { at, length: bytes.length }
      at += frame.head.length + bytes.length + frame.tail + 1
      const record = translate(parseBytes(bytes))
      if (!tests.every((test) => test(record))) continue
      if (order === undefined) yield bytes
      else sorted.push({ ...place, key: isObject(record) ? record[order.field] : undefined })
    }
    if (order === undefined) return
    const isRequested = query.has('order_by') && !Object.hasOwn(kind.filter, 'order_by')
    if (isRequested && sorted.length > 0 && sorted.every(({ key }) => key === undefined))
      throw createInstanceOnlyFailure('sorted', order.field)
    const sign = order.down ? -1 : 1
    yield* this.#readAt(
      kind,
      sorted.sort((a, b) => sign * compareValues(a.key, b.key)),
    )
  }

  /** Yields records at positions of a file, in any order, without holding them in memory. */
  *#readAt({ file }: SnapshotKind, places: readonly Place[]): Generator<Uint8Array> {
    const handle = openSync(resolvePath(join(this.#folder, file)), 'r')
    try {
      for (const { at, length } of places) {
        const bytes = Buffer.allocUnsafe(length)
        readSync(handle, bytes, 0, length, at)
        yield bytes
      }
    } finally {
      closeSync(handle)
    }
  }

  /**
   * Creates the tests of a query.
   * @throws Failure `usage` for a filter that only the instance can apply, and for one that the snapshot was taken with
   */
  #createTests(
    { filter, line }: SnapshotKind,
    endpoint: Endpoint,
    query: ReadonlyMap<string, readonly string[]>,
  ): readonly RecordTest<unknown>[] {
    for (const [name, text] of Object.entries(filter))
      if (query.get(name)?.join(',') !== text)
        throw usage(
          `the snapshot was taken with ${name}=${text}`,
          `It answers only lines with this filter: svcctl ${line} --from ${quoteWord(this.#folder)}`,
        )
    const isOrdered = getOrder(endpoint, query) !== undefined
    return [...query].flatMap(([name, texts]) => {
      const param = endpoint.params[name]
      const sorts = name === 'sort' && !isOrdered && texts[0] !== param?.default
      if ((unfilteringParams.has(name) && !sorts) || Object.hasOwn(filter, name)) return []
      const values =
        isListParam(param) && param.join === 'comma'
          ? texts.flatMap((text) => text.split(','))
          : texts
      const test = param && createFilter(name, param, values, createFieldReader(endpoint))
      if (test === undefined || sorts)
        throw createInstanceOnlyFailure(sorts ? 'sorted' : 'filtered', name)
      return [test]
    })
  }

  /**
   * Finds the parent that a request names.
   * @throws Failure `not_found` for a parent that was not read, `partial` for one that could not be read
   */
  async #findParent(
    { column, kind, parents, refused: gap }: SnapshotKind,
    endpoint: Endpoint,
    request: WireRequest,
    translate: AnswerReader,
  ): Promise<SnapshotParent> {
    const [path = ''] = request.path.split('?')
    const at = getPath(endpoint)
      .split('/')
      .findIndex((segment) => segment.startsWith(':'))
    // The API may be below a path of its own, so segments are counted from the end.
    const segments = path.split('/')
    const text = decodeURIComponent(
      segments[segments.length - getPath(endpoint).split('/').length + at] ?? '',
    )
    const isId = /^\d+$/.test(text)
    const paths = isId ? await this.#getPaths(translate) : undefined
    const name = paths?.get(`${column} ${text}`) ?? text
    const found = parents.find((one) => one.name.toLowerCase() === name.toLowerCase())
    if (found === undefined && gap !== undefined) throw createGapFailure(`${column}s`, gap)
    if (found === undefined)
      throw createMissing(
        `the snapshot has no ${kind} of ${name}`,
        isId
          ? `It does not tell the path of this ${column}: pass its full path.`
          : `It has those of ${parents.length} ${column}s.`,
      )
    const { refused } = found
    if (refused !== undefined) throw createGapFailure(`${kind} of ${name}`, refused)
    return found
  }

  #getPaths(translate: AnswerReader): Promise<ReadonlyMap<string, string>> {
    this.#paths ??= this.#readPaths(translate)
    return this.#paths
  }

  /** Reads the paths by kind and ID: of the listed projects, and of the groups that contain them. */
  async #readPaths(translate: AnswerReader): Promise<ReadonlyMap<string, string>> {
    const projects = this.manifest.kinds.find(({ route }) => route === 'GET /projects')
    const paths = new Map<string, string>()
    if (projects === undefined) return paths
    for await (const bytes of this.#readLines(projects, undefined)) {
      const record = translate(parseBytes(bytes))
      if (!isObject(record)) continue
      const path = toText(record.path_with_namespace)
      if (path !== undefined) paths.set(`project ${String(record.id)}`, path)
      const group = isObject(record.namespace) ? record.namespace : {}
      const full = group.kind === 'group' ? toText(group.full_path) : undefined
      if (full !== undefined) paths.set(`group ${String(group.id)}`, full)
    }
    return paths
  }

  /** Yields the records of a parent as bytes, without the text that names the parent. */
  async *#readLines(
    kind: SnapshotKind,
    parent: SnapshotParent | undefined,
  ): AsyncGenerator<Uint8Array> {
    const { at, bytes, refused, head, tail } = getLineFrame(kind, parent)
    if (refused !== undefined) throw createGapFailure(kind.kind, refused)
    await this.#checkFile(kind)
    if (bytes === 0) return
    const file = await openSnapshotFile(join(this.#folder, kind.file))
    try {
      const from = { start: at, end: at + bytes - 1, autoClose: false }
      for await (const line of splitLines(file.createReadStream(from))) {
        const record = line.subarray(head.length, line.length - tail)
        if (!viewBytes(line).subarray(0, head.length).equals(head) || !isJson(record))
          throw createChangedFailure(join(this.#folder, kind.file))
        yield record
      }
    } finally {
      await file.close()
    }
  }

  /** Checks a file once. @throws Failure `failed` if the file does not match its manifest */
  #checkFile(kind: SnapshotKind): Promise<void> {
    const known = this.#checked.get(kind.file)
    if (known !== undefined) return known
    const checked = checkSnapshotFile(join(this.#folder, kind.file), kind)
    this.#checked.set(kind.file, checked)
    return checked
  }
}

/** Returns the order that a list's parameters request; undefined if there is none. */
const getOrder = (
  { params }: Endpoint,
  query: ReadonlyMap<string, readonly string[]>,
): { readonly field: string; readonly down: boolean } | undefined => {
  const field = query.get('order_by')?.[0] ?? params.order_by?.default
  if (typeof field !== 'string') return undefined
  const way = query.get('sort')?.[0] ?? params.sort?.default ?? 'desc'
  return { field, down: way === 'desc' }
}
