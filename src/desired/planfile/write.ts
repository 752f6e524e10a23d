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
  type Verb,
} from '../actions.js'
import { addressText } from '../address.js'
import { shownPath } from '../files/parse.js'
import { type Origin, originText, type SecretSource } from '../state.js'
import {
  type PlanAction,
  type PlanCounts,
  type PlanDocument,
  type PlanHead,
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
export const requestOf = ({ endpoint, values, secrets }: ActionStep) => {
  const { path, body } = buildRequest({ endpoint, values })
  const references = Object.entries(secrets).map(
    ([name, source]) => [name, referenceOf(source)] as const,
  )
  const whole = { ...bodyOf(body), ...Object.fromEntries(references) }
  return { endpoint: endpoint.route, path, body: isEmpty(whole) ? undefined : whole }
}

const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0

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

/** How much of what a plan holds. */
export const countsOf = ({ actions, findings, unread, same }: DesiredPlan): PlanCounts => {
  const replace = replacedIn(actions).size
  const all = [...actions.map(({ verb }) => verb), ...findings.map(({ is }) => is)]
  const count = (what: Verb | PlanFinding['is']): number => all.filter((is) => is === what).length
  return {
    create: count('create') - replace,
    enable: count('enable'),
    update: count('update'),
    replace,
    delete: count('delete') - replace,
    impossible: count('impossible'),
    unknown: count('unknown'),
    unsupported: count('unsupported'),
    leftover: count('leftover'),
    secret: count('secret'),
    unread: unread.length,
    same,
  }
}

/** The parts of a plan file in their order, but for its actions, which are written one by one. */
const partsOf = ({ findings, unread, refused, sets, ...plan }: DesiredPlan, head: PlanHead) => ({
  plan: planVersion,
  tool: head.tool,
  instance: head.instance,
  user: head.user,
  created: head.created,
  inputs: head.inputs,
  files: head.files,
  selection: head.selection,
  endpoints: [...new Set(plan.actions.map(({ step }) => step.endpoint.route))],
  actions: undefined,
  findings: findings.map(({ is, address, text, origin }) => {
    return { is, address: addressText(address), text, origin: origin && originText(origin) }
  }),
  unread: unread.map(({ place, kind, failure: { category, message, details } }) => {
    return { address: addressText({ ...place, kind }), category, message, status: details.status }
  }),
  refused,
  sets,
  counts: countsOf({ findings, unread, refused, sets, ...plan }),
})

/** The text of a plan's actions: what many of them say alike stands in the tables of the file. */
function* actionTexts(
  actions: readonly PlannedAction[],
  { endpoints, files }: Pick<PlanDocument, 'endpoints' | 'files'>,
): Generator<string> {
  const indexes = new Map(files.map(({ path }, i) => [shownPath(path), i]))
  const at = ({ file, line, column }: Origin): PlanAction['origin'] => {
    const index = indexes.get(file)
    if (index === undefined) throw new RangeError(`${file} is no file of the plan`)
    return [index, line, column]
  }
  for (const [i, action] of actions.entries()) {
    const { endpoint, ...rest } = fieldsOf(action, at)
    const written: PlanAction = { ...rest, endpoint: endpoints.indexOf(endpoint) }
    yield `${i === 0 ? '[' : ','}\n${JSON.stringify(written)}`
  }
  yield actions.length === 0 ? '[]' : '\n]'
}

/** The text of a plan file, a part and an action a line: the same state gives the same, but for `created`. */
export function* planText(plan: DesiredPlan, head: PlanHead): Generator<string> {
  const digest = createHash('sha256')
  const parts = partsOf(plan, head)
  let before = '{'
  for (const [name, value] of Object.entries(parts)) {
    const texts = name === 'actions' ? actionTexts(plan.actions, parts) : [JSON.stringify(value)]
    before += `\n${JSON.stringify(name)}:`
    for (const text of texts) {
      if (name !== 'created') digest.update(`${before}${text}`.replaceAll('\n', ''))
      yield `${before}${text}`
      before = ''
    }
    before = ','
  }
  yield `,\n"sha256":"${digest.update('}').digest('hex')}"\n}\n`
}

/** A plan as one object: what its file says. */
export const toPlanDocument = ({
  plan,
  head,
}: {
  readonly plan: DesiredPlan
  readonly head: PlanHead
}): PlanDocument => JSON.parse([...planText(plan, head)].join('')) as PlanDocument
