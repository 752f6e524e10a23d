/**
 * Reads an OpenAPI document (2.0, 3.x): its operations with their parameters and answers, and the reason for each that becomes no command.
 */

import { getFields, isObject, listObjects } from '../base/objects.js'
import { isPlural } from '../base/text.js'
import { type Param, takesJson } from '../catalogue/params.js'
import { usage } from '../errors.js'
import {
  type Operation,
  type ParsedRequest,
  parseRequest,
  type SkippedOperation,
  toPlaceholderName,
  toPlainText,
} from './operation.js'
import { createParam, type LooseSchema } from './parameters.js'
import { OpenApiReader, UnusableOperation } from './schema-reader.js'

/** An operation without a command. The document may name one under `x-svcctl`. */
export type OpenApiOperation = Omit<Operation, 'command'> & {
  /** The value of `x-svcctl`, which declares the command; not checked yet. */
  readonly declared?: unknown
}

export interface OpenApiOperations {
  readonly title: string | undefined
  readonly operations: readonly OpenApiOperation[]
  readonly skipped: readonly SkippedOperation[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'] as const
const sent: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** The largest number of operations that is read; no service has more. */
const mostOperations = 5000
/** The media types of bodies that can be sent as JSON; services that document forms take JSON as well. */
const sendable =
  /^(?:application\/json|application\/x-www-form-urlencoded|multipart\/form-data|\*\/\*)/
/** Headers that every request has anyway, so that a document has no say in them. */
const ownHeaders = /^(?:accept|authorization|content-type|private-token)$/i

/** True if a text is an OpenAPI document. */
export const isOpenApi = (text: string): boolean =>
  /^\s*\{/.test(text)
    ? /\b(?:openapi|swagger)["']?\s*:\s*["'\d]/.test(text)
    : /^["']?(?:openapi|swagger)["']?\s*:/m.test(text)

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
  readonly params: Map<string, Param>
  readonly placeholders: Map<string, Param>
}

/** Returns the place of a parameter in a request if its method does not say so. */
const getOtherPlace = (place: string, method: string): { readonly in?: 'query' | 'body' } => {
  const usual = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  const where = place === 'query' ? 'query' : 'body'
  return where === usual ? {} : { in: where }
}

/** True if a list is sent as one text, with another character than a comma between its items. It is given as it is sent. */
const isDelimited = ({ style, explode, collectionFormat }: LooseSchema): boolean =>
  /^(?:ssv|tsv|pipes)$/.test(String(collectionFormat)) ||
  (/^(?:space|pipe)Delimited$/.test(String(style)) && explode !== true)

/** Adds a parameter. @throws UnusableOperation if it takes a file */
const addParam = (
  { params, placeholders }: TakenParams,
  name: string,
  schema: LooseSchema,
  facts: LooseSchema & { readonly in: string },
  method: string,
): void => {
  if (isUpload(schema)) throw new UnusableOperation('it takes a file')
  if (facts.in === 'body' && method === 'GET') throw new UnusableOperation('its GET has a body')
  const { description } = facts.description === undefined ? schema : facts
  const { explode, collectionFormat } = facts
  // A list is sent with [] behind its name unless the document says otherwise.
  const isMarked = name.endsWith('[]')
  const isBare = isMarked && schema.type !== 'array'
  const listed = isBare ? { type: 'array', items: schema } : schema
  const param = createParam(name, isDelimited(facts) ? { type: 'string' } : listed, {
    description: typeof description === 'string' ? description : undefined,
    required: facts.required === true,
    deprecated: facts.deprecated === true,
    nests: facts.in === 'query' && facts.content === undefined,
    ...((explode === false || collectionFormat === 'csv') && { join: 'comma' }),
    ...(!isMarked && (explode === true || collectionFormat === 'multi') && { join: 'repeat' }),
    ...getOtherPlace(facts.in, method),
  })
  const known = params.get(name)
  if (known !== undefined && known.in !== param.in)
    throw new UnusableOperation('its query and its body have parameters of one name')
  if (facts.in === 'path')
    placeholders.set(
      toPlaceholderName(name),
      'of' in param || takesJson(param) ? { type: 'string', help: param.help } : param,
    )
  else params.set(name.replace(/\[\]$/, ''), param)
}

/** Adds the properties of a body as parameters. @throws UnusableOperation if the body is no object */
const addBody = (
  reader: OpenApiReader,
  taken: TakenParams,
  value: unknown,
  method: string,
): void => {
  const schema = reader.schema(value)
  const { properties = {}, required = [], type } = schema
  if (isUpload(schema)) throw new UnusableOperation('it takes a file')
  if (type === 'array') throw new UnusableOperation('its body is a list')
  if (typeof type === 'string' && type !== 'object')
    throw new UnusableOperation('its body is a single value')
  const needed = Array.isArray(required) ? required : []
  for (const [name, one] of Object.entries(getFields(properties))) {
    const property = reader.param(one)
    if (property.readOnly === true) continue
    addParam(taken, name, property, { in: 'body', required: needed.includes(name) }, method)
  }
}

/** Finds the body that JSON can say; undefined if there is none. @throws UnusableOperation if only another can be sent */
const findBody = (
  reader: OpenApiReader,
  { requestBody, consumes = reader.root.consumes }: LooseSchema,
  places: readonly unknown[],
): unknown => {
  const { content } = reader.resolve(requestBody)
  const bodies = Object.entries(getFields(content))
  const isOld = places.some((place) => place === 'body' || place === 'formData')
  const types = isOld ? [consumes ?? []].flat().map(String) : bodies.map(([type]) => type)
  if (types.length > 0 && !types.some((one) => sendable.test(one)))
    throw new UnusableOperation(`its body is ${toPlainText(types[0] ?? '', 40)}`)
  const usable = bodies.filter(([type]) => sendable.test(type))
  const [, body] = usable.find(([type]) => isJson(type)) ?? usable[0] ?? []
  return getFields(body).schema
}

const readParams = (
  reader: OpenApiReader,
  item: LooseSchema,
  operation: LooseSchema,
  method: string,
): TakenParams => {
  const taken: TakenParams = { params: new Map(), placeholders: new Map() }
  const all = [...listObjects(item.parameters), ...listObjects(operation.parameters)].map((one) =>
    reader.resolve(one),
  )
  for (const one of all) {
    const { name, in: place, required, schema, content } = one
    if (typeof name !== 'string' || typeof place !== 'string') continue
    const [media] = isObject(content) ? Object.values(content) : []
    const type = schema ?? (isObject(media) ? media.schema : one)
    const isHidden = place === 'cookie' || (place === 'header' && !ownHeaders.test(name))
    if (isHidden && required === true)
      throw new UnusableOperation(`it requires the ${place} ${toPlainText(name, 40)}`)
    if (place === 'body') addBody(reader, taken, schema, method)
    else if (['path', 'query', 'formData'].includes(place))
      addParam(taken, name, reader.param(type), { ...one, in: place }, method)
  }
  const body = findBody(
    reader,
    operation,
    all.map((one) => one.in),
  )
  if (body !== undefined) addBody(reader, taken, body, method)
  return taken
}

/** Reads the first successful response of an operation: its status, its schema, and whether it is a file. */
const readResponse = (
  reader: OpenApiReader,
  { responses, produces = reader.root.produces }: LooseSchema,
) => {
  const all = isObject(responses) ? Object.entries(responses) : []
  const [status, found] = all.find(([code]) => /^2/.test(code)) ?? []
  const response = reader.resolve(found)
  const contents = isObject(response.content) ? Object.entries(response.content) : []
  const types = contents.length > 0 ? contents.map(([type]) => type) : [produces ?? []].flat()
  const [, media] = contents.find(([type]) => isJson(type)) ?? contents[0] ?? []
  const declared = isObject(media) ? media.schema : response.schema
  const schema = declared === undefined ? undefined : reader.schema(declared)
  const isOther = types.length > 0 && !types.map(String).some(isJson)
  const isText = isOther && (contents.length > 0 || schema?.type === 'string')
  return { status, schema, isFile: isText || (schema !== undefined && isUpload(schema)) }
}

/** True if an answer is one page of a list with facts around it: an object without an ID that holds a list of objects. */
const isWrapped = (reader: OpenApiReader, properties: LooseSchema): boolean =>
  !('id' in properties) &&
  Object.values(properties).some((one) => {
    const { type, items } = reader.schema(one)
    return type === 'array' && isObject(reader.schema(items).properties)
  })

/** Reads what an operation answers according to its document, which may be wrong. */
const readAnswer = (
  reader: OpenApiReader,
  operation: LooseSchema,
  { method, path }: { readonly method: string; readonly path: string },
  { params }: TakenParams,
): Pick<OpenApiOperation, 'returns' | 'shape'> => {
  const reads = method === 'GET'
  const { status, schema, isFile } = readResponse(reader, operation)
  if (status === '204') return { returns: 'empty' }
  if (reads && isFile) return { returns: 'file' }
  if (schema === undefined) return { returns: reads ? 'any' : 'empty' }
  if (schema.type === 'array')
    return reads ? { returns: 'many', shape: reader.shape(schema.items) } : { returns: 'any' }
  const { properties } = schema
  if (!isObject(properties)) return { returns: 'any' }
  const isPage =
    (params.has('per_page') && !isWrapped(reader, properties)) ||
    (isPlural(path) && 'id' in properties)
  const isList = reads && isPage && !/:\w+$/.test(path)
  return { returns: isList ? 'many' : 'one', shape: reader.shape(schema) }
}

/** The longest summary in characters, so that it is one line of a terminal. */
const longestSummary = 79

/** Reads the first sentence of a summary, or of a description; undefined if there is neither. */
const readSummary = ({ summary, description }: LooseSchema): string | undefined => {
  const text = [summary, description].find((one) => typeof one === 'string' && one.trim() !== '')
  const plain = toPlainText(String(text ?? ''), longestSummary).replace(/(?<=\S)\.(?:\s.*)?$/, '')
  return plain === '' ? undefined : plain
}

/** Creates the test of `--only` and `--except`: `*` matches within a segment, `**` across segments, `/**` the path before it too. */
const createPathFilter = (patterns: readonly string[]): ((path: string) => boolean) => {
  const stars: Readonly<Record<string, string>> = { '*': '[^/]*', '**': '.*' }
  const rules = patterns
    .flatMap((text) => text.split(','))
    .map((text) => {
      const plain = `/${text.trim().replace(/^\//, '')}`.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      const source = plain.replace(/\/\*\*$|\*\*?/g, (found) => stars[found] ?? '(?:/.*)?')
      return new RegExp(`^${source}$`)
    })
  return (path) => rules.some((rule) => rule.test(path))
}

interface PathChoice {
  readonly only: readonly string[]
  readonly except: readonly string[]
}

/** True if a path or an operation names a server, and not the one of the document. */
const hasOtherServer = ({ root }: OpenApiReader, { servers }: LooseSchema): boolean => {
  const [own] = listObjects(servers)
  const [first] = listObjects(root.servers)
  return own !== undefined && own.url !== first?.url
}

/** Reads one operation. @throws UnusableOperation if it cannot become a command */
const readOperation = (
  reader: OpenApiReader,
  item: LooseSchema,
  request: ParsedRequest,
): OpenApiOperation => {
  const { method, path } = request
  const operation = reader.resolve(item[method.toLowerCase()])
  if ([item, operation].some((one) => hasOtherServer(reader, one)))
    throw new UnusableOperation('it is of another server')
  const taken = readParams(reader, item, operation, method)
  const { params } = taken
  const { returns, shape } = readAnswer(reader, operation, { method, path }, taken)
  // A placeholder and a parameter of one name have a value each.
  const toFree = (name: string): string => (params.has(name) ? `${name}_` : name)
  return {
    ...request,
    path: path.replace(/(?<=\/:)\w+/g, toFree),
    params: Object.fromEntries(params),
    placeholders: Object.fromEntries(
      [...taken.placeholders].map(([name, param]) => [toFree(name), param]),
    ),
    returns,
    ...(shape !== undefined && Object.keys(shape).length > 0 && { shape }),
    summary: readSummary(operation),
    declared: operation['x-svcctl'],
    ...(operation.deprecated === true && { notes: ['The document says that it is deprecated.'] }),
  }
}

/** Reads the operations of a document, and collects those that are skipped. */
class OperationReader {
  readonly operations: OpenApiOperation[] = []
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

  /** Reads all methods of a path. A path that refers to another document is skipped as a whole. */
  read(written: string, value: unknown): void {
    const isBelow = this.#base !== '' && written.startsWith(`${this.#base}/`)
    const path = isBelow ? written.slice(this.#base.length) : written
    this.#collect(path, () => {
      const item = this.#reader.resolve(value)
      for (const name of methods.filter((one) => isObject(item[one]))) {
        const method = name.toUpperCase()
        this.#collect(`${method} ${path}`, () => this.#readMethod(item, method, path))
      }
    })
  }

  /** Reads a part of the document, which is skipped with the reason if it cannot become a command. */
  #collect(request: string, read: () => void): void {
    try {
      read()
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error
      this.skipped.push({ request: toPlainText(request), command: null, reason: error.message })
    }
  }

  #readMethod(item: LooseSchema, method: string, path: string): void {
    if (!sent.includes(method)) throw new UnusableOperation(`svcctl sends no ${method}`)
    const parsed = parseRequest(`${method} ${path}`)
    if ('reason' in parsed) throw new UnusableOperation(parsed.reason)
    if (this.isWanted(parsed.path)) this.operations.push(readOperation(this.#reader, item, parsed))
  }
}

/** Reads the operations of a document. @throws Failure `usage` for a document that is no OpenAPI, or has too many operations */
export const readOpenApi = (root: unknown, { only, except }: PathChoice): OpenApiOperations => {
  if (!isObject(root) || !isObject(root.paths)) throw usage('the OpenAPI document has no paths')
  const version = toPlainText(String(root.openapi ?? root.swagger), 20)
  if (!/^(?:2|3)(?:\.|$)/.test(version))
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
