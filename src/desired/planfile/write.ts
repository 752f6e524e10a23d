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
  type DesiredPlan,
  type PlanFinding,
  type PlannedAction,
  replacedIn,
  type Unread,
} from '../actions.js'
import { addressText } from '../address.js'
import { shownPath } from '../files/parse.js'
import { type Origin, originText, type SecretSource } from '../state.js'
import {
  type PlanAction,
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
}: ActionStep): Pick<PlanAction, 'path' | 'body'> & { readonly endpoint: string } => {
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

/** An action with all that is said of it. @param at how it says where something is declared */
const fieldsOf = <P>(
  { id, verb, address, step, changes, digest, waitsFor, loses, replaces, origin }: PlannedAction,
  at: (origin: Origin) => P,
) => ({
  id,
  verb,
  address: addressText(address),
  ...requestOf(step),
  changes: changes.map(({ attribute, now, wanted, secret, within, origin: said }) => ({
    attribute,
    now,
    wanted,
    secret: secret && referenceOf(secret),
    within,
    team: said.team?.name,
    origin: at(said),
  })),
  digest,
  waits_for: waitsFor,
  loses,
  replaces,
  team: origin.team?.name,
  origin: at(origin),
})

/** An action as its line of csv and ndjson, where no table stands beside it. */
export const rowOf = (action: PlannedAction) => {
  const { id, verb, address, ...rest } = fieldsOf(action, originText)
  return { id, verb, address, kind: action.kind.name, scope: action.address.scope, ...rest }
}

/** Actions as parts of a document: what many of them say alike stands in its tables. */
class ActionWriter {
  readonly endpoints: readonly string[]
  readonly #files: ReadonlyMap<string, number>

  constructor(actions: readonly PlannedAction[], { files }: PlanHead) {
    this.endpoints = [...new Set(actions.map(({ step }) => step.endpoint.route))]
    this.#files = new Map(files.map(({ path }, i) => [shownPath(path), i]))
  }

  write(action: PlannedAction): PlanAction {
    const { endpoint, ...rest } = fieldsOf(action, ({ file, line, column }) => {
      const index = this.#files.get(file)
      if (index === undefined) throw new RangeError(`${file} is no file of the plan`)
      return [index, line, column] as const
    })
    return { ...rest, endpoint: this.endpoints.indexOf(endpoint) }
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

const partsOf = (plan: DesiredPlan, head: PlanHead, { endpoints }: ActionWriter) => ({
  plan: planVersion as typeof planVersion,
  tool: head.tool,
  instance: head.instance,
  user: head.user,
  created: head.created,
  inputs: head.inputs,
  files: head.files,
  selection: head.selection,
  endpoints,
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
  const writer = new ActionWriter(plan.actions, head)
  const actions = plan.actions.map((action) => writer.write(action))
  const document = { ...partsOf(plan, head, writer), actions }
  return { ...document, sha256: planDigest(document) }
}

/** The text of a plan's parts, action by action: all of them together are too much to hold. */
function* jsonOf(parts: object, writer: ActionWriter, line = ''): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(parts)) {
    yield `${before}${line}${JSON.stringify(name)}:`
    before = ','
    if (name !== 'actions') yield JSON.stringify(value)
    else {
      for (const [i, action] of value.entries())
        yield `${i === 0 ? '[' : ','}${line}${JSON.stringify(writer.write(action))}`
      yield value.length === 0 ? '[]' : `${line}]`
    }
  }
}

/** The text of a plan file: what `toPlanDocument` makes of it, a part and an action a line. */
export function* planText(plan: DesiredPlan, head: PlanHead): Generator<string> {
  const writer = new ActionWriter(plan.actions, head)
  const parts = partsOf(plan, head, writer)
  const { created: _, ...lasting } = parts
  const digest = createHash('sha256')
  for (const piece of jsonOf(lasting, writer)) digest.update(piece)
  yield* jsonOf(parts, writer, '\n')
  yield `,\n"sha256":"${digest.update('}').digest('hex')}"\n}\n`
}
