/** An operation of an instance, as a file of commands or an OpenAPI document declares it. Endpoints are compiled from operations. */
import type { Origin } from '../base/documents/written.js'
import type { JsonValues } from '../base/objects.js'
import type { Method } from '../catalogue/endpoint.js'
import type { Param } from '../catalogue/params.js'

/** The kinds of answers. `any` is not declared: one record, a list, or nothing. */
export const answerKinds = ['one', 'many', 'empty', 'file', 'any'] as const
type OperationAnswer = (typeof answerKinds)[number]

/** The ways in which the embedded instance serves an operation: a stored list, an action that sets fields, or a log. */
export const sandboxKinds = ['resource', 'state', 'log'] as const
type SandboxKind = (typeof sandboxKinds)[number]

export interface Operation {
  readonly method: Method
  /** The path below the root of the API, with placeholders as in the catalogue: `/projects/:id/jobs`. */
  readonly path: string
  /** The end of the path that names nothing, with which it is sent: a slash, or `.json`. */
  readonly ending?: string | undefined
  /** The words of the command, the area first. */
  readonly command: string
  readonly summary?: string | undefined
  readonly notes?: readonly string[] | undefined
  /** The parameters besides the placeholders. */
  readonly params: Readonly<Record<string, Param>>
  readonly placeholders?: Readonly<Record<string, Param>> | undefined
  /** Values that every request sends. */
  readonly sends?: JsonValues | undefined
  readonly returns?: OperationAnswer | undefined
  /** The JSON Schema of one record of the answer. */
  readonly shape?: JsonValues | undefined
  readonly columns?: readonly string[] | undefined
  /** The fields that the operation sets, with the values that the object has afterwards. */
  readonly sets?: JsonValues | undefined
  /** The reason why the operation cannot be undone. */
  readonly undo?: string | undefined
  readonly confirm?: string | undefined
  readonly done?: string | undefined
  readonly examples?: readonly string[] | undefined
  readonly follow?: true | undefined
  readonly sandbox?: SandboxKind | undefined
  /** The position of the operation in its file. */
  readonly at?: Origin | undefined
}

/** An operation that becomes no command, and the reason. */
export interface SkippedOperation {
  readonly request: string
  readonly command: string | null
  readonly reason: string
}

export const getRequest = ({
  method,
  path,
  ending = '',
}: Pick<Operation, 'method' | 'path' | 'ending'>): string => `${method} ${path}${ending}`

/** The root of the API, with which paths of a file may begin. */
const root = /^\/api\/v\d+(?=\/)/
const methods = /^(?:GET|POST|PUT|PATCH|DELETE)$/

/** The parts of a request line. */
export type ParsedRequest = Pick<Operation, 'method' | 'path' | 'ending' | 'sends'>

/** Returns the name of a placeholder as the catalogue writes it. */
export const toPlaceholderName = (name: string): string => name.replace(/\W/g, '_')

/** Returns a path with placeholders as in the catalogue, or the reason why it is not valid. */
const parsePath = (
  text: string,
): Pick<Operation, 'path' | 'ending'> | { readonly reason: string } => {
  const whole = text
    .replace(root, '')
    .replace(/\{([\w.$-]+)\}/g, (_, name: string) => `:${toPlaceholderName(name)}`)
  const [ending = ''] = /(?<=.)(?:\.json)?\/?$/.exec(whole) ?? []
  const path = whole.slice(0, whole.length - ending.length)
  if (path === '/') return { reason: 'its path has no words for a command' }
  if (!/^(?:\/[\w:{}.@()*~-]+)+$/.test(path))
    return { reason: 'its path has other characters than words and placeholders' }
  const segments = path.slice(1).split('/')
  if (segments.some((one) => /^\.{1,2}$/.test(one))) return { reason: 'its path has a dot segment' }
  if (segments.some((one) => /[:{}*]/.test(one) && !/^:\w+$/.test(one)))
    return { reason: 'a placeholder is only a part of a segment of its path' }
  const names = segments.filter((one) => one.startsWith(':'))
  if (new Set(names).size < names.length)
    return { reason: 'two placeholders of its path have one name' }
  return { path, ...(ending !== '' && { ending }) }
}

/** Parses a request line such as `POST /projects/:id/runners`. Every request sends the values of its query. */
export const parseRequest = (text: string): ParsedRequest | { reason: string } => {
  const [, method = '', target = ''] = /^(\S+)\s+(\S+)$/.exec(text.trim()) ?? []
  if (!methods.test(method))
    return { reason: 'a request is a method and a path, such as GET /users' }
  const [before = '', query] = target.split('?')
  const found = parsePath(before)
  if ('reason' in found) return found
  const sends = query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query))
  return { method: method as Method, ...found, sends }
}

/** Lists the placeholders of a path in their order. */
export const listPlaceholders = (path: string): readonly string[] =>
  [...path.matchAll(/\/:(\w+)/g)].map(([, name = '']) => name)

/** Makes a text of a file safe for help: one line of at most `most` characters, without control characters. */
export const toPlainText = (text: string, most = 200): string => {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return plain.length <= most ? plain : `${plain.slice(0, most - 1).trimEnd()}…`
}
