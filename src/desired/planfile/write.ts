/**
 * A plan as a file has it: one object, in a stable order, without the value of any secret, and the text of
 * it.
 */
import { createHash } from 'node:crypto'
import type { JsonValue } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { buildRequest } from '../../http/request/request.js'
import {
  type ActionStep,
  type Change,
  type DesiredPlan,
  type PlanFinding,
  type PlannedAction,
  replacedIn,
  type Unread,
} from '../actions.js'
import { addressText } from '../address.js'
import { originText, type SecretSource } from '../state.js'
import {
  type PlanAction,
  type PlanChange,
  type PlanCounts,
  type PlanDocument,
  type PlanHead,
  type PlanRemark,
  type PlanUnread,
  planDigest,
  planVersion,
  type SecretReference,
} from './read.js'

/** What may be told of where a secret comes from. */
const referenceOf = (source: SecretSource): SecretReference => {
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
export const requestOf = ({
  endpoint,
  values,
  secrets,
}: ActionStep): Pick<PlanAction, 'endpoint' | 'path' | 'body'> => {
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
  secret: secret && referenceOf(secret),
  within,
  team: origin.team?.name,
  origin: originText(origin),
})

/** An action as its line of csv and ndjson, and as a part of the document. */
const actionOf = (action: PlannedAction): PlanAction => {
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
  origin: origin && originText(origin),
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
export const toPlanDocument = ({
  plan,
  head,
}: {
  readonly plan: DesiredPlan
  readonly head: PlanHead
}): PlanDocument => {
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

/** The text of a plan file: what `toPlanDocument` makes of it. */
export function* planText(plan: DesiredPlan, head: PlanHead): Generator<string> {
  const parts = partsOf(plan, head)
  const { created: _, ...lasting } = parts
  const digest = createHash('sha256')
  for (const piece of jsonOf(lasting, 'compact')) digest.update(piece)
  yield* jsonOf(parts, 'pretty')
  yield `,\n  "sha256": "${digest.update('}').digest('hex')}"\n}\n`
}
