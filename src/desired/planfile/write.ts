/**
 * A plan as a file has it: one object, in a stable order, without the value of any secret, and the text of
 * it.
 */
import { createHash } from 'node:crypto'
import type { JsonValue } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import type { HeldText } from '../../base/secrets/held.js'
import { buildRequest } from '../../http/request/request.js'
import {
  type ActionStep,
  type Change,
  type DesiredPlan,
  type PlanFinding,
  type PlannedAction,
  replacedIn,
  type Unread,
  type Verb,
} from '../actions.js'
import { addressText } from '../address.js'
import { originText, type SecretSource } from '../wishes.js'

/** The version of plan files that this tool writes and takes. */
export const planVersion = 2

/** A file that a plan was made of. */
interface PlanFile {
  readonly path: string
  readonly sha256: string
}

/** Where a secret comes from; one that is written out in the file is only said to be there. */
export type SecretReference =
  | Exclude<SecretSource, { literal: HeldText }>
  | { readonly literal: true }

/** A request of an action: secrets stand in its body as where they come from. */
export interface PlanRequest {
  readonly endpoint: string
  readonly path: string
  readonly body?: Readonly<Record<string, JsonValue>>
}

export interface PlanChange {
  readonly attribute: string
  readonly now?: JsonValue
  readonly wanted?: JsonValue
  readonly secret?: SecretReference
  readonly within?: string
  /** That the value is of. */
  readonly team?: string
  /** `file:line:column`. */
  readonly origin: string
}

export interface PlanAction extends PlanRequest {
  readonly id: string
  readonly verb: Verb
  readonly address: string
  readonly kind: string
  readonly scope: string
  readonly changes: readonly PlanChange[]
  readonly digest: string
  readonly waits_for: readonly string[]
  readonly loses?: string
  readonly replaces?: string
  readonly team?: string
  readonly origin: string
}

export interface PlanRemark {
  readonly is: string
  readonly address: string
  readonly text: string
  readonly origin?: string
}

export interface PlanUnread {
  readonly address: string
  readonly category: string
  readonly message: string
  readonly status?: number
}

export interface PlanCounts {
  readonly create: number
  readonly enable: number
  readonly update: number
  readonly replace: number
  readonly delete: number
  readonly impossible: number
  readonly unknown: number
  readonly unsupported: number
  readonly leftover: number
  readonly secret: number
  readonly unread: number
  readonly same: number
}

/** Who and what a plan was made by, and of. */
export interface PlanHead {
  readonly tool: string
  readonly instance: string
  readonly user: string | null
  /** The only part that differs between two plans of one state. */
  readonly created: string
  /** What was named on the line: files and folders. */
  readonly inputs: readonly string[]
  readonly files: readonly PlanFile[]
  readonly selection: Readonly<Record<string, JsonValue>>
}

export interface PlanDocument extends PlanHead {
  readonly plan: typeof planVersion
  readonly actions: readonly PlanAction[]
  readonly findings: readonly PlanRemark[]
  readonly unread: readonly PlanUnread[]
  readonly refused: readonly { readonly text: string; readonly flag: string }[]
  /** Digests of whole exact sets. */
  readonly sets: Readonly<Record<string, string>>
  readonly counts: PlanCounts
  /** Of all the rest but `created`: whoever changes what others read is found out. */
  readonly sha256: string
}

/** What a plan is told apart by: all that is read of it, in the order in which it is written. */
export const planDigest = (document: Omit<PlanDocument, 'sha256'>): string => {
  const text = JSON.stringify({ ...document, created: undefined, sha256: undefined })
  return createHash('sha256').update(text).digest('hex')
}

// A plan as its document.

/** What may be told of where a secret comes from. */
export const referenceOf = (source: SecretSource): SecretReference => {
  if ('literal' in source) return { literal: true }
  if ('file' in source) return { file: source.file, base: source.base }
  return 'env' in source ? { env: source.env } : { command: source.command }
}

const bodyOf = (body: unknown): Readonly<Record<string, JsonValue>> => {
  const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : {}
  // It was made of the values of a step, which are JSON.
  return isObject(parsed) ? (parsed as Readonly<Record<string, JsonValue>>) : {}
}

/** A request as it would be sent, with references for secrets. */
export const requestOf = ({ endpoint, values, secrets }: ActionStep): PlanRequest => {
  const { path, body } = buildRequest({ endpoint, values })
  const references = Object.entries(secrets).map(
    ([name, source]) => [name, referenceOf(source)] as const,
  )
  const whole = { ...bodyOf(body), ...Object.fromEntries(references) }
  return {
    endpoint: endpoint.route,
    path,
    ...(Object.keys(whole).length === 0 ? {} : { body: whole }),
  }
}

const changeOf = ({ attribute, now, wanted, secret, within, origin }: Change): PlanChange => ({
  attribute,
  now,
  wanted,
  ...(secret === undefined ? {} : { secret: referenceOf(secret) }),
  within,
  team: origin.team?.name,
  origin: originText(origin),
})

/** An action as its line of csv and ndjson, and as a part of the document. */
export const actionOf = (action: PlannedAction): PlanAction => {
  const { id, verb, address, kind, step, changes, digest, waitsFor, loses, replaces } = action
  return {
    id,
    verb,
    address: addressText(address),
    kind: kind.name,
    scope: address.scope,
    ...requestOf(step),
    changes: changes.map(changeOf),
    digest,
    waits_for: waitsFor,
    loses,
    replaces,
    team: action.origin.team?.name,
    origin: originText(action.origin),
  }
}

const remarkOf = ({ is, address, text, origin }: PlanFinding): PlanRemark => ({
  is,
  address: addressText(address),
  text,
  ...(origin === undefined ? {} : { origin: originText(origin) }),
})

const unreadOf = ({ place, kind, failure }: Unread): PlanUnread => ({
  address: addressText({ ...place, kind }),
  category: failure.category,
  message: failure.message,
  status: failure.details.status,
})

/** How much of what a plan holds. */
export const countsOf = ({ actions, findings, unread, same }: DesiredPlan): PlanCounts => {
  const verbs = (verb: string): number => actions.filter((one) => one.verb === verb).length
  const replace = replacedIn(actions).size
  const said = (is: string): number => findings.filter((one) => one.is === is).length
  return {
    create: verbs('create') - replace,
    enable: verbs('enable'),
    update: verbs('update'),
    replace,
    delete: verbs('delete') - replace,
    impossible: said('impossible'),
    unknown: said('unknown'),
    unsupported: said('unsupported'),
    leftover: said('leftover'),
    secret: said('secret'),
    unread: unread.length,
    same,
  }
}

const partsOf = (plan: DesiredPlan, head: PlanHead) => ({
  plan: planVersion as typeof planVersion,
  tool: head.tool,
  instance: head.instance,
  user: head.user,
  created: head.created,
  inputs: head.inputs,
  files: head.files,
  selection: head.selection,
  actions: plan.actions,
  findings: plan.findings.map(remarkOf),
  unread: plan.unread.map(unreadOf),
  refused: plan.refused,
  sets: plan.sets,
  counts: countsOf(plan),
})

/** A plan as one object: the same state gives the same, but for `created`. */
export const documentOf = (plan: DesiredPlan, head: PlanHead): PlanDocument => {
  const document = { ...partsOf(plan, head), actions: plan.actions.map(actionOf) }
  return { ...document, sha256: planDigest(document) }
}

/** How JSON is laid out: what stands before the parts of an object, before the items of a list of it, after a key. */
const layouts = { compact: ['', '', ''], pretty: ['\n  ', '\n    ', ' '] } as const

/** The text of a plan's parts, action by action: all of them together are too much to hold. */
function* jsonOf(parts: object, layout: keyof typeof layouts): Generator<string> {
  const [line, item, gap] = layouts[layout]
  const text = (value: unknown, at: string): string =>
    layout === 'compact'
      ? JSON.stringify(value)
      : JSON.stringify(value, null, 2).replaceAll('\n', at)
  let before = '{'
  for (const [name, value] of Object.entries(parts)) {
    yield `${before}${line}${JSON.stringify(name)}:${gap}`
    before = ','
    if (name !== 'actions' || value.length === 0) yield text(value, line)
    else {
      for (const [i, action] of value.entries())
        yield `${i === 0 ? '[' : ','}${item}${text(actionOf(action), item)}`
      yield `${line}]`
    }
  }
}

/** The text of a plan file: what `documentOf` makes of it. */
export function* planText(plan: DesiredPlan, head: PlanHead): Generator<string> {
  const parts = partsOf(plan, head)
  const { created: _, ...lasting } = parts
  const digest = createHash('sha256')
  for (const piece of jsonOf(lasting, 'compact')) digest.update(piece)
  yield* jsonOf(parts, 'pretty')
  yield `,\n  "sha256": "${digest.update('}').digest('hex')}"\n}\n`
}
