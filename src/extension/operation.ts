/** An operation of an instance, as a file of commands or an OpenAPI document declares it: what endpoints are compiled of. */
import type { Origin } from '../base/documents/origin.js'
import type { JsonValues } from '../base/objects.js'
import type { Method } from '../catalogue/endpoint.js'
import type { Param } from '../catalogue/params.js'

/** What an operation answers. `any` is what nobody says: one record, a list, or nothing. */
export const answerKinds = ['one', 'many', 'empty', 'file', 'any'] as const
type OperationAnswer = (typeof answerKinds)[number]

/** How the embedded instance answers an operation: as a stored list, as an action that sets fields, as a log. */
export const sandboxKinds = ['resource', 'state', 'log'] as const
type SandboxKind = (typeof sandboxKinds)[number]

export interface Operation {
  readonly method: Method
  /** Below the root of the API, with placeholders as the catalogue writes them: `/projects/:id/jobs`. */
  readonly path: string
  /** The words of its command, the area first. */
  readonly command: string
  readonly summary?: string | undefined
  readonly notes?: readonly string[] | undefined
  /** What it takes besides its placeholders, and what is known of these. */
  readonly params: Readonly<Record<string, Param>>
  readonly placeholders?: Readonly<Record<string, Param>> | undefined
  /** What every request sends. */
  readonly sends?: JsonValues | undefined
  readonly returns?: OperationAnswer | undefined
  /** The JSON Schema of one record of its answer. */
  readonly shape?: JsonValues | undefined
  readonly columns?: readonly string[] | undefined
  /** The fields that its object has afterwards. */
  readonly sets?: JsonValues | undefined
  /** Why it cannot be undone. */
  readonly undo?: string | undefined
  readonly confirm?: string | undefined
  readonly done?: string | undefined
  readonly examples?: readonly string[] | undefined
  readonly follow?: true | undefined
  readonly sandbox?: SandboxKind | undefined
  /** Where it stands in its file. */
  readonly at?: Origin | undefined
}

/** An operation that becomes no command, and why. */
export interface SkippedOperation {
  readonly request: string
  readonly command: string | null
  readonly reason: string
}

export const getRequest = ({ method, path }: Pick<Operation, 'method' | 'path'>): string =>
  `${method} ${path}`

/** The root of the API, which paths of a file may have. */
const root = /^\/api\/v\d+(?=\/)/
const methods = /^(?:GET|POST|PUT|PATCH|DELETE)$/

/** What a request line says. */
export type ParsedRequest = Pick<Operation, 'method' | 'path' | 'sends'>

/** Returns a path as the catalogue writes it, or says why it is none. */
const parsePath = (text: string): { path: string } | { reason: string } => {
  const path = text
    .replace(root, '')
    .replace(/\{(\w+)\}/g, ':$1')
    .replace(/(?<=.)\/$/, '')
  if (!/^(?:\/[\w:{}.@()*~-]+)+$/.test(path))
    return { reason: 'its path has other characters than words and placeholders' }
  const segments = path.slice(1).split('/')
  if (segments.some((one) => /^\.{1,2}$/.test(one))) return { reason: 'its path has a dot segment' }
  if (segments.some((one) => /[:{}*]/.test(one) && !/^:\w+$/.test(one)))
    return { reason: 'a placeholder is only a part of a segment of its path' }
  const names = segments.filter((one) => one.startsWith(':'))
  if (new Set(names).size < names.length)
    return { reason: 'two placeholders of its path have one name' }
  return { path }
}

/** Parses a method and a path: `POST /projects/:id/runners`; a query is what every request sends. */
export const parseRequest = (text: string): ParsedRequest | { reason: string } => {
  const [, method = '', target = ''] = /^(\S+)\s+(\S+)$/.exec(text.trim()) ?? []
  if (!methods.test(method))
    return { reason: 'a request is a method and a path, such as GET /users' }
  const [before = '', query] = target.split('?')
  const found = parsePath(before)
  if ('reason' in found) return found
  const sends = query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query))
  return { method: method as Method, path: found.path, sends }
}

/** The placeholders of a path, in their order. */
export const listPlaceholders = (path: string): readonly string[] =>
  [...path.matchAll(/\/:(\w+)/g)].map(([, name = '']) => name)

/** Texts that a file brings into help: one line, without what a terminal would obey. */
export const toPlainText = (text: string, most = 200): string => {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return plain.length <= most ? plain : `${plain.slice(0, most - 1).trimEnd()}…`
}
