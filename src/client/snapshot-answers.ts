/** The reader of a snapshot, which answers in place of its instance: its lists, filtered and sorted as the instance does. */

import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { viewBytes } from '../base/bytes.js'
import { dayLength } from '../base/dates.js'
import { getCurrentIo, resolvePath } from '../base/io.js'
import { parseBytes } from '../base/json/records.js'
import { checkJson } from '../base/json/scan.js'
import { isObject, toText } from '../base/objects.js'
import { formatCount } from '../base/text.js'
import { type Endpoint, type EndpointTraits, getPath } from '../catalogue/endpoint.js'
import { createFilter, type FieldReader, type RecordTest } from '../catalogue/filters.js'
import { isListParam } from '../catalogue/params.js'
import { groupsAll } from '../catalogue/undocumented.js'
import { makeLegible, type Words } from '../catalogue/words.js'
import { Failure, usage } from '../errors.js'
import type { Batch, Client, ListEnd, ListOptions, WireRequest } from '../http/types.js'
import { readManifest } from './read-manifest.js'
import {
  checkKept,
  compareValues,
  getLineFrame,
  openKept,
  type SnapshotGap,
  type SnapshotKind,
  type SnapshotManifest,
  type SnapshotParent,
  toChanged,
} from './snapshot-manifest.js'

// Filters and order, as the instance has them.

/** A dotted field of the records of a list, as JSON has it; a list of what each element has where a list is on the way. */
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
    const inside = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
      if (name === undefined) return value
      if (Array.isArray(value)) return value.flatMap((one: unknown) => inside(one, [name, ...rest]))
      return isObject(value) ? inside(value[name], rest) : undefined
    }
    return (record) => inside(record, names)
  }

/** Parameters of pages and of order, which leave no record out. */
const shaping = new Set(['page', 'per_page', 'pagination', 'order_by', 'sort'])

/** Parses the query of a request: parameter → texts. */
const queryOf = ({ path }: WireRequest): ReadonlyMap<string, readonly string[]> => {
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
  new Failure('not_found', what, { hint })

/** True if the endpoint is complete, as one of the catalogue is. */
const isListed = (endpoint: EndpointTraits | undefined): endpoint is Endpoint =>
  endpoint !== undefined && 'returns' in endpoint

/** A record in a file, and what it is sorted by. */
interface Place {
  readonly at: number
  readonly length: number
  readonly key?: unknown
}

/** The number of records in a batch. */
const batchSize = 500

/** The folder of a snapshot, and what answers from it. */
export class SnapshotReader {
  readonly manifest: SnapshotManifest
  readonly #folder: string
  readonly #whole = new Map<string, Promise<void>>()
  #paths: Promise<ReadonlyMap<string, string>> | undefined

  /** @throws Failure `usage` where the folder holds no whole snapshot */
  constructor(folder: string) {
    const manifest = readManifest(folder)
    if (manifest === undefined)
      throw usage(
        `${folder} holds no complete snapshot`,
        `Take one: svcctl snapshot --to ${folder}`,
      )
    this.manifest = manifest
    this.#folder = folder
  }

  /** How long ago it was read. */
  get #age(): string {
    const { ended } = this.manifest
    const days = Math.floor((getCurrentIo().now().getTime() - Date.parse(ended)) / dayLength)
    return days < 1 ? 'today' : `${formatCount(days, 'day')} ago`
  }

  /** The minute when all of it was read, and how long ago that was. */
  get minute(): string {
    return `${this.manifest.ended.slice(0, 16).replace('T', ' ')} UTC (${this.#age})`
  }

  /** In words: whose lists these are, and how old. */
  get described(): string {
    const { instance, groups, began, ended } = this.manifest
    const of = groups.length === 0 ? '' : `, limited to ${groups.join(', ')}`
    return `from a snapshot of ${instance}${of}, read ${began} to ${ended} (${this.#age})`
  }

  /** Returns a client that answers requests of an endpoint from the snapshot. */
  client(endpoint: EndpointTraits | undefined, words: Words | undefined): Client {
    const refuse = async (request: WireRequest): Promise<never> => {
      throw this.#missing(`${request.method} ${request.path.split('?')[0]}`)
    }
    const route = endpoint?.route
    return {
      open: refuse,
      call: async (request) => {
        const kind = this.manifest.kinds.find((one) => one.route === route)
        if (kind === undefined || kind.column !== undefined) return refuse(request)
        for await (const bytes of this.#lines(kind, undefined)) {
          const data = parseBytes(bytes)
          return {
            status: 200,
            headers: {},
            bytes,
            data: words === undefined ? data : makeLegible(data, words),
          }
        }
        return refuse(request)
      },
      list: (request, options) =>
        this.#list(isListed(endpoint) ? endpoint : undefined, request, options, words),
      close: async () => {},
    }
  }

  #missing(what: string): Failure {
    const kinds = this.manifest.kinds.map(({ kind }) => kind).join(', ')
    return createMissing(`the snapshot has no answer to ${what}`, `It contains: ${kinds}.`)
  }

  async *#list(
    endpoint: Endpoint | undefined,
    request: WireRequest,
    options: ListOptions,
    words: Words | undefined,
  ): AsyncGenerator<Batch, ListEnd> {
    const source =
      endpoint?.route === groupsAll.route ? this.#groups() : this.#chosen(endpoint, request, words)
    // One page alone is as long as the request wants pages to be.
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

  /** The groups that were asked for something: there is no list of them in the documents. */
  async *#groups(): AsyncGenerator<Uint8Array> {
    const of = this.manifest.kinds.filter(({ column }) => column === 'group')
    if (of.length === 0) throw this.#missing(groupsAll.route)
    const names = new Set(of.flatMap(({ parents }) => parents.map(({ name }) => name)))
    const gap = of.find(({ refused }) => refused !== undefined)?.refused
    if (names.size === 0 && gap !== undefined) throw createGapFailure('groups', gap)
    for (const name of [...names].sort()) yield Buffer.from(JSON.stringify({ full_path: name }))
  }

  /** The records of a list that its request leaves in, in the order that it asks for. */
  async *#chosen(
    endpoint: Endpoint | undefined,
    request: WireRequest,
    words: Words | undefined,
  ): AsyncGenerator<Uint8Array> {
    const kind = this.manifest.kinds.find(({ route }) => route === endpoint?.route)
    if (endpoint === undefined || kind === undefined)
      throw this.#missing(`GET ${request.path.split('?')[0]}`)
    const parent =
      kind.column === undefined ? undefined : await this.#parent(kind, endpoint, request)
    const query = queryOf(request)
    const tests = this.#tests(kind, endpoint, query)
    const order = orderOf(endpoint, query)
    const lines = this.#lines(kind, parent)
    if (tests.length === 0 && order === undefined) return yield* lines
    const frame = getLineFrame(kind, parent)
    const sorted: Place[] = []
    let at = frame.at + frame.head.length
    for await (const bytes of lines) {
      const place = { at, length: bytes.length }
      at += frame.head.length + bytes.length + frame.tail + 1
      const parsed = parseBytes(bytes)
      const record = words === undefined ? parsed : makeLegible(parsed, words)
      if (!tests.every((test) => test(record))) continue
      if (order === undefined) yield bytes
      else sorted.push({ ...place, key: isObject(record) ? record[order.field] : undefined })
    }
    if (order === undefined) return
    const sign = order.down ? -1 : 1
    yield* this.#at(
      kind,
      sorted.sort((a, b) => sign * compareValues(a.key, b.key)),
    )
  }

  /** Records at places of a file: in another order than they stand there, and none kept in memory. */
  *#at({ file }: SnapshotKind, places: readonly Place[]): Generator<Uint8Array> {
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

  /** @throws Failure `usage` for a filter that only the instance can apply, or that the snapshot was taken with */
  #tests(
    { filter, line }: SnapshotKind,
    endpoint: Endpoint,
    query: ReadonlyMap<string, readonly string[]>,
  ): readonly RecordTest<unknown>[] {
    for (const [name, text] of Object.entries(filter))
      if (query.get(name)?.join(',') !== text)
        throw usage(
          `the snapshot was taken with ${name}=${text}`,
          `It answers only lines with this filter: svcctl ${line}`,
        )
    return [...query].flatMap(([name, texts]) => {
      if (shaping.has(name) || Object.hasOwn(filter, name)) return []
      const param = endpoint.params[name]
      const values =
        isListParam(param) && param.join === 'comma'
          ? texts.flatMap((text) => text.split(','))
          : texts
      const test = param && createFilter(name, param, values, createFieldReader(endpoint))
      if (test === undefined)
        throw usage(
          `a snapshot cannot be filtered by ${name}, which only the instance understands`,
          'Use --where with a field of the records, or omit --from.',
        )
      return [test]
    })
  }

  /** @throws Failure `not_found` for a parent that was not asked, `partial` for one that could not be read */
  async #parent(
    { column, kind, parents, refused: gap }: SnapshotKind,
    endpoint: Endpoint,
    request: WireRequest,
  ): Promise<SnapshotParent> {
    const [path = ''] = request.path.split('?')
    const at = getPath(endpoint)
      .split('/')
      .findIndex((segment) => segment.startsWith(':'))
    // The address of the API may have a path of its own before that of the endpoint.
    const segments = path.split('/')
    const text = decodeURIComponent(
      segments[segments.length - getPath(endpoint).split('/').length + at] ?? '',
    )
    const isId = /^\d+$/.test(text)
    const name = (isId ? await this.#pathOf(column, text) : undefined) ?? text
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

  /** The path of a project or group by its ID; undefined where the snapshot does not tell. */
  async #pathOf(column: SnapshotKind['column'], id: string): Promise<string | undefined> {
    this.#paths ??= this.#readPaths()
    return (await this.#paths).get(`${column} ${id}`)
  }

  /** Paths by kind and ID: the projects that the snapshot lists, and the groups that these are in. */
  async #readPaths(): Promise<ReadonlyMap<string, string>> {
    const projects = this.manifest.kinds.find(({ route }) => route === 'GET /projects')
    const paths = new Map<string, string>()
    if (projects === undefined) return paths
    for await (const bytes of this.#lines(projects, undefined)) {
      const record = parseBytes(bytes)
      if (!isObject(record)) continue
      const path = toText(record.path_with_namespace)
      if (path !== undefined) paths.set(`project ${String(record.id)}`, path)
      const group = isObject(record.namespace) ? record.namespace : {}
      const full = group.kind === 'group' ? toText(group.full_path) : undefined
      if (full !== undefined) paths.set(`group ${String(group.id)}`, full)
    }
    return paths
  }

  /** The records of a parent, each as the bytes that came, without what names the parent. */
  async *#lines(
    kind: SnapshotKind,
    parent: SnapshotParent | undefined,
  ): AsyncGenerator<Uint8Array> {
    const { at, bytes, refused, head, tail } = getLineFrame(kind, parent)
    if (refused !== undefined) throw createGapFailure(kind.kind, refused)
    await this.#check(kind)
    if (bytes === 0) return
    const file = await openKept(join(this.#folder, kind.file))
    try {
      const from = { start: at, end: at + bytes - 1, autoClose: false }
      for await (const line of splitLines(file.createReadStream(from))) {
        const record = line.subarray(head.length, line.length - tail)
        if (!viewBytes(line).subarray(0, head.length).equals(head) || !isJson(record))
          throw toChanged(join(this.#folder, kind.file))
        yield record
      }
    } finally {
      await file.close()
    }
  }

  /** @throws Failure `failed` for a file that is not as it was written; looked at once */
  #check(kind: SnapshotKind): Promise<void> {
    const known = this.#whole.get(kind.file)
    if (known !== undefined) return known
    const checked = checkKept(join(this.#folder, kind.file), kind)
    this.#whole.set(kind.file, checked)
    return checked
  }
}

const isJson = (bytes: Uint8Array): boolean => {
  try {
    checkJson(bytes)
    return true
  } catch {
    return false
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      if (end > 0) yield rest.subarray(0, end)
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) yield rest
}

/** Returns the order that a list's parameters request; undefined if there is none. */
const orderOf = (
  { params }: Endpoint,
  query: ReadonlyMap<string, readonly string[]>,
): { readonly field: string; readonly down: boolean } | undefined => {
  const field = query.get('order_by')?.[0] ?? params.order_by?.default
  if (typeof field !== 'string') return undefined
  const way = query.get('sort')?.[0] ?? params.sort?.default ?? 'desc'
  return { field, down: way === 'desc' }
}
