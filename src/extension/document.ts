/**
 * Reads an OpenAPI document (2.0, 3.x): its operations with their parameters and answers, and the reason for each that becomes no command.
 */

import { getOwn, isObject, type JsonValue, listObjects } from '../base/objects.js'
import { isPlural } from '../base/text.js'
import type { Method } from '../catalogue/endpoint.js'
import type { Param } from '../catalogue/params.js'
import { usage } from '../errors.js'
import { type Operation, parseRequest, type SkippedOperation, toPlainText } from './operation.js'
import { createParam, type LooseSchema } from './parameters.js'

/** An operation without a command. The document may name one under `x-svcctl`. */
export type DocumentOperation = Omit<Operation, 'command'> & {
  /** The value of `x-svcctl`, which declares the command; not checked yet. */
  readonly declared?: unknown
}

export interface OpenApiOperations {
  readonly title: string | undefined
  readonly operations: readonly DocumentOperation[]
  readonly skipped: readonly SkippedOperation[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'] as const
const sent: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** The largest number of operations that is read; no service has more. */
const mostOperations = 5000
/** The largest depth of nested references and unions. */
const deepest = 20

/** True if a text is an OpenAPI document. */
export const isOpenApi = (text: string): boolean =>
  /^\s*\{/.test(text)
    ? /"(?:openapi|swagger)"\s*:\s*"/.test(text)
    : /^["']?(?:openapi|swagger)["']?\s*:/m.test(text)

/** An operation that cannot become a command; its message is the reason. */
class UnusableOperation extends Error {}

/** Reads the parts of a document, and follows their references. */
class OpenApiReader {
  constructor(private readonly root: LooseSchema) {}

  /**
   * Follows the reference of a value within the document. @throws UnusableOperation for one to another document, to itself or to nothing
   */
  resolve(value: unknown, depth = 0): LooseSchema {
    if (!isObject(value)) return {}
    const { $ref } = value
    if (typeof $ref !== 'string') return value
    if (!$ref.startsWith('#/') || depth > deepest)
      throw new UnusableOperation('it refers to another document, or to itself')
    let inner: unknown = this.root
    for (const part of $ref.slice(2).split('/'))
      inner = isObject(inner)
        ? getOwn(inner, part.replaceAll('~1', '/').replaceAll('~0', '~'))
        : undefined
    if (!isObject(inner))
      throw new UnusableOperation('it refers to what the document does not have')
    return this.resolve(inner, depth + 1)
  }

  /** Merges the parts of a schema: all of `allOf`, the first of `oneOf` and of `anyOf`. */
  schema(value: unknown, depth = 0): LooseSchema {
    const { allOf, oneOf, anyOf, ...own } = this.resolve(value)
    if (depth > deepest) return own
    const parts = [
      ...listObjects(allOf),
      ...listObjects(oneOf).slice(0, 1),
      ...listObjects(anyOf).slice(0, 1),
    ]
    const merged = [own, ...parts.map((one) => this.schema(one, depth + 1))]
    const properties = Object.assign({}, ...merged.toReversed().map((one) => one.properties))
    const required = merged.flatMap((one) => (Array.isArray(one.required) ? one.required : []))
    return {
      ...Object.assign({}, ...merged.toReversed()),
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    }
  }

  /** Reduces a schema to the names and types of its fields, `levels` deep. */
  shape(value: unknown, levels = 2): Readonly<Record<string, JsonValue>> {
    const { type, format, properties, items } = this.schema(value)
    const fields = isObject(properties) ? Object.entries(properties) : []
    return {
      ...(typeof type === 'string' && { type }),
      ...(typeof format === 'string' && { format }),
      ...(fields.length > 0 &&
        levels > 0 && {
          properties: Object.fromEntries(
            fields.map(([name, one]) => [name, this.shape(one, levels - 1)]),
          ),
        }),
      ...(items !== undefined && levels > 1 && { items: this.shape(items, levels - 1) }),
    }
  }
}

/** Returns the path that the paths of a document are relative to: `basePath`, or the path of the first server. */
const getRoot = ({ basePath, servers }: LooseSchema): string => {
  const [server] = listObjects(servers)
  const address = typeof basePath === 'string' ? basePath : server?.url
  if (typeof address !== 'string') return ''
  return address
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/^\{\w+\}/, '')
    .replace(/\/$/, '')
}

const isUpload = ({ type, format }: LooseSchema): boolean => type === 'file' || format === 'binary'

const isJson = (type: string): boolean => /json|^\*\/\*$/.test(type)

/** The parameters of an operation, and the placeholders of its path. */
interface TakenParams {
  readonly params: Record<string, Param>
  readonly placeholders: Record<string, Param>
  readonly names: Set<string>
}

/** Adds a parameter. @throws UnusableOperation if it takes a file */
const addParam = (
  taken: TakenParams,
  name: string,
  schema: LooseSchema,
  place: string,
  facts: LooseSchema,
  method: string,
) => {
  if (isUpload(schema)) throw new UnusableOperation('it takes a file')
  const isQuery = place === 'query'
  const usual = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  const where = isQuery ? 'query' : 'body'
  const { description } = facts.description === undefined ? schema : facts
  const text = typeof description === 'string' ? description : undefined
  const param = createParam(name, schema, {
    description: text,
    required: facts.required === true,
    deprecated: facts.deprecated === true,
    ...(where !== usual && { in: where }),
  })
  taken.names.add(name)
  if (place === 'path') taken.placeholders[name] = param
  else taken.params[name.replace(/\[\]$/, '')] = param
}

/** Adds the properties of a body as parameters. @throws UnusableOperation if the body is a list */
const addBody = (
  reader: OpenApiReader,
  taken: TakenParams,
  schema: LooseSchema,
  method: string,
): void => {
  const { properties = {}, required = [], type } = reader.schema(schema)
  if (type === 'array') throw new UnusableOperation('its body is a list')
  const needed = Array.isArray(required) ? required : []
  for (const [name, one] of Object.entries(isObject(properties) ? properties : {}))
    addParam(taken, name, reader.schema(one), 'body', { required: needed.includes(name) }, method)
}

const readParams = (
  reader: OpenApiReader,
  item: LooseSchema,
  operation: LooseSchema,
  method: string,
): TakenParams => {
  const taken: TakenParams = { params: {}, placeholders: {}, names: new Set() }
  const all = [...listObjects(item.parameters), ...listObjects(operation.parameters)]
  for (const one of all.map((param) => reader.resolve(param))) {
    const { name, in: place, required, schema } = one
    if (typeof name !== 'string' || typeof place !== 'string') continue
    if (place === 'body') addBody(reader, taken, reader.resolve(schema), method)
    else if (place === 'header' && required === true)
      throw new UnusableOperation(`it requires the header ${toPlainText(name, 40)}`)
    else if (['path', 'query', 'formData'].includes(place))
      addParam(taken, name, schema === undefined ? one : reader.schema(schema), place, one, method)
  }
  const { content } = reader.resolve(operation.requestBody)
  const [, body] =
    Object.entries(isObject(content) ? content : {}).find(([type]) => isJson(type)) ??
    Object.entries(isObject(content) ? content : {})[0] ??
    []
  if (isObject(body)) addBody(reader, taken, reader.resolve(body.schema), method)
  return taken
}

/** Reads the first successful response of an operation: its status, its schema, and whether it is a file. */
const readResponse = (reader: OpenApiReader, { responses, produces }: LooseSchema) => {
  const all = isObject(responses) ? Object.entries(responses) : []
  const [status, found] = all.find(([code]) => /^2/.test(code)) ?? []
  const response = reader.resolve(found)
  const contents = isObject(response.content) ? Object.entries(response.content) : []
  const types = contents.length > 0 ? contents.map(([type]) => type) : [produces ?? []].flat()
  const [, media] = contents.find(([type]) => isJson(type)) ?? contents[0] ?? []
  const schema = isObject(media) ? media.schema : response.schema
  const isText = types.length > 0 && !types.map(String).some(isJson)
  return { status, declared: schema, isFile: isText && contents.length > 0 }
}

/** Reads what an operation answers according to its document, which may be wrong. */
const readAnswer = (
  reader: OpenApiReader,
  operation: LooseSchema,
  { method, path }: { readonly method: string; readonly path: string },
  { names }: TakenParams,
): Pick<DocumentOperation, 'returns' | 'shape'> => {
  const reads = method === 'GET'
  const { status, declared, isFile } = readResponse(reader, operation)
  if (status === '204') return { returns: 'empty' }
  const schema = declared === undefined ? undefined : reader.schema(declared)
  if (reads && (isFile || (schema !== undefined && isUpload(schema)))) return { returns: 'file' }
  if (schema === undefined) return { returns: reads ? 'any' : 'empty' }
  if (schema.type === 'array')
    return reads ? { returns: 'many', shape: reader.shape(schema.items) } : { returns: 'any' }
  if (!isObject(schema.properties)) return { returns: 'any' }
  const isPage = names.has('per_page') || (isPlural(path) && 'id' in schema.properties)
  const isList = reads && isPage && !/:\w+$/.test(path)
  return { returns: isList ? 'many' : 'one', shape: reader.shape(declared) }
}

/** Reads the first sentence of a summary, or of a description; undefined if there is neither. */
const readSummary = ({ summary, description }: LooseSchema): string | undefined => {
  const text = [summary, description].find((one) => typeof one === 'string' && one.trim() !== '')
  const plain = toPlainText(String(text ?? ''), 100).replace(/(?<=\S)\.(?:\s.*)?$/, '')
  return plain === '' ? undefined : plain
}

/** Creates the test of `--only` and `--except`: `*` matches within a segment, `**` across segments. */
const createPathFilter = (patterns: readonly string[]): ((path: string) => boolean) => {
  const rules = patterns
    .flatMap((text) => text.split(','))
    .map((text) => {
      const plain = text
        .trim()
        .replace(/^\//, '')
        .replace(/\/\*\*$/, '\u0000')
      const source = plain
        .split('\u0000')[0]
        ?.split('/')
        .map((part) =>
          part
            .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
            .replaceAll('**', '\u0001')
            .replaceAll('*', '[^/]*')
            .replaceAll('\u0001', '.*'),
        )
        .join('/')
      return new RegExp(`^/${source}${plain.endsWith('\u0000') ? '(?:/.*)?' : ''}$`)
    })
  return (path) => rules.some((rule) => rule.test(path))
}

interface PathChoice {
  readonly only: readonly string[]
  readonly except: readonly string[]
}

/** Reads one operation. @throws UnusableOperation if it cannot become a command */
const readOperation = (
  reader: OpenApiReader,
  item: LooseSchema,
  method: Method,
  path: string,
): DocumentOperation => {
  const operation = reader.resolve(item[method.toLowerCase()])
  const taken = readParams(reader, item, operation, method)
  const { returns, shape } = readAnswer(reader, operation, { method, path }, taken)
  return {
    method,
    path,
    params: taken.params,
    placeholders: taken.placeholders,
    returns,
    ...(shape !== undefined && Object.keys(shape).length > 0 && { shape }),
    summary: readSummary(operation),
    declared: operation['x-svcctl'],
    ...(operation.deprecated === true && { notes: ['The document says that it is deprecated.'] }),
  }
}

/** Reads the operations of a document, and collects those that are skipped. */
class OperationReader {
  readonly operations: DocumentOperation[] = []
  readonly skipped: SkippedOperation[] = []
  readonly #reader: OpenApiReader
  readonly #base: string

  constructor(
    root: LooseSchema,
    private readonly isWanted: (path: string) => boolean,
  ) {
    this.#reader = new OpenApiReader(root)
    this.#base = getRoot(root)
  }

  /** Reads all methods of a path. */
  read(written: string, value: unknown): void {
    const item = this.#reader.resolve(value)
    const isBelow = this.#base !== '' && written.startsWith(`${this.#base}/`)
    const path = isBelow ? written.slice(this.#base.length) : written
    for (const name of methods.filter((one) => isObject(item[one])))
      this.#readMethod(item, name.toUpperCase(), path)
  }

  #readMethod(item: LooseSchema, method: string, written: string): void {
    const parsed = sent.includes(method)
      ? parseRequest(`${method} ${written}`)
      : { reason: `svcctl sends no ${method}` }
    try {
      if ('reason' in parsed) throw new UnusableOperation(parsed.reason)
      if (!this.isWanted(parsed.path)) return
      this.operations.push(readOperation(this.#reader, item, parsed.method, parsed.path))
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error
      const request = `${method} ${toPlainText(written)}`
      this.skipped.push({ request, command: null, reason: error.message })
    }
  }
}

/** Reads the operations of a document. @throws Failure `usage` for a document that is no OpenAPI, or has too many operations */
export const readOpenApi = (root: unknown, { only, except }: PathChoice): OpenApiOperations => {
  if (!isObject(root) || !isObject(root.paths)) throw usage('the OpenAPI document has no paths')
  const version = toPlainText(String(root.openapi ?? root.swagger), 20)
  if (!/^(?:2\.0|3\.\d)/.test(version))
    throw usage(`OpenAPI ${version} is not supported`, 'Use OpenAPI 2.0 or 3.x.')
  const [isChosen, isExcluded] = [createPathFilter(only), createPathFilter(except)]
  const isWanted = (path: string): boolean =>
    (only.length === 0 || isChosen(path)) && !isExcluded(path)
  const reading = new OperationReader(root, isWanted)
  for (const [path, value] of Object.entries(root.paths)) reading.read(path, value)
  const { operations, skipped } = reading
  if (operations.length > mostOperations)
    throw usage(
      `the document has more than ${mostOperations} operations`,
      'Choose some with --only.',
    )
  const { title } = isObject(root.info) ? root.info : {}
  return {
    title: typeof title === 'string' ? toPlainText(title, 80) : undefined,
    operations,
    skipped,
  }
}
