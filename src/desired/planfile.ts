/** Writes and reads plan files: JSON in a stable order, without the values of secrets. Every file that is read is checked. */

import {
  Array as ArrayOf,
  Boolean as Bool,
  Integer,
  Literal,
  Object as Obj,
  Optional,
  String as Str,
  Union,
  Unsafe,
} from 'typebox'
import { Findings } from '../base/documents/findings.js'
import type { DocumentValue } from '../base/documents/index.js'
import { checkDocument } from '../base/documents/json.js'
import { parseJson } from '../base/documents/parse-json.js'
import { Digest, MapOf, OneOf, strict } from '../base/documents/schemas.js'
import { isObject, type JsonValue } from '../base/objects.js'
import { nullable } from '../catalogue/shapes/common.js'
import { usage } from '../errors.js'
import { buildRequest } from '../http/request/request.js'
import {
  type ActionStep,
  type DesiredPlan,
  findReplacedDeletes,
  type PlanFinding,
  type PlannedAction,
  type Verb,
} from './actions.js'
import { toAddressText } from './address.js'
import { formatPath } from './files/paths.js'
import { formatOrigin, type Origin, type SecretSource } from './state.js'
import { hashBytes } from './values.js'

/** The maximum number of values in a plan file: values take more memory than the bytes that they are parsed from. */
const maxValues = 20_000_000

/** The version of plan files that this tool writes, and the only one that it reads. */
const planVersion = 2

// The schema of plan files, from which the types are derived.

const text = Str()
const texts = ArrayOf(text)
const anything = Unsafe<JsonValue>({})

/** The source of a secret. A secret that is written out in a file is only marked as `literal`. */
const secret = Union([
  Obj({ env: text }, strict),
  Obj({ file: text, base: text }, strict),
  Obj({ command: texts }, strict),
  Obj({ literal: Literal(true, { writeOnly: true }) }, strict),
])
type SecretReference = DocumentValue<typeof secret>

/** A position in a declared file: the index of the file in `files`, the line and the column. */
const position = Unsafe<readonly [file: number, line: number, column: number]>(
  ArrayOf(Integer(), { minItems: 3, maxItems: 3 }),
)

/** The schema of a change. `team` is the team whose declaration has the value. */
const change = Obj(
  {
    attribute: text,
    origin: position,
    now: Optional(anything),
    wanted: Optional(anything),
    secret: Optional(secret),
    within: Optional(text),
    team: Optional(text),
  },
  { ...strict, title: 'a change' },
)

/** The schema of an action. Secrets in the body of its request are given by their source; the endpoint is an index into `endpoints`. */
const action = Obj(
  {
    id: text,
    verb: OneOf(['create', 'update', 'delete', 'enable']),
    address: text,
    endpoint: Integer(),
    path: text,
    changes: ArrayOf(change),
    digest: Digest,
    waits_for: texts,
    origin: position,
    body: Optional(MapOf(anything)),
    loses: Optional(text),
    replaces: Optional(text),
    team: Optional(text),
  },
  { ...strict, title: 'an action' },
)
export type PlanAction = DocumentValue<typeof action>

const remark = Obj(
  { is: text, address: text, text, origin: Optional(text) },
  { ...strict, title: 'a finding' },
)

const unread = Obj(
  { address: text, category: text, message: text, status: Optional(Integer()) },
  { ...strict, title: 'a kind that could not be read' },
)

type CountKey = 'create' | 'enable' | 'update' | 'replace' | 'delete' | 'unread' | 'same'
const counts = Unsafe<
  Readonly<
    Record<CountKey | 'impossible' | 'unknown' | 'unsupported' | 'leftover' | 'secret', number>
  >
>(MapOf(Integer()))
export type PlanCounts = DocumentValue<typeof counts>

/** The head of a plan: the tool and the user that made it, the instance, and the declared files. */
const head = {
  tool: text,
  instance: text,
  user: nullable(text),
  /** The time at which the plan was made: the only part that differs between two plans of the same state. */
  created: text,
  /** The files and folders that the command line named. */
  inputs: texts,
  /** The files that the plan was made from. */
  files: ArrayOf(Obj({ path: text, sha256: Digest }, { ...strict, title: 'a file' })),
  selection: Obj(
    {
      projects: Optional(texts),
      groups: Optional(texts),
      only: Optional(texts),
      except: Optional(texts),
      ignore: Optional(texts),
      withArchived: Optional(Bool()),
      missing: Optional(Literal('skip')),
    },
    strict,
  ),
}
const headSchema = Obj(head)
export type PlanHead = DocumentValue<typeof headSchema>

const planSchema = Obj(
  {
    plan: Literal(planVersion),
    ...head,
    /** The routes of the actions, each once. Actions refer to them by index. */
    endpoints: texts,
    actions: ArrayOf(action),
    findings: ArrayOf(remark),
    unread: ArrayOf(unread),
    refused: ArrayOf(Obj({ text, flag: text }, { ...strict, title: 'a refusal' })),
    /** The digest of each exact set, by its address. */
    sets: MapOf(Digest),
    counts,
    /** The digest of all other fields except `created`, by which an edited plan is detected. */
    sha256: Digest,
  },
  { ...strict, title: 'a plan' },
)
export type PlanDocument = DocumentValue<typeof planSchema>

// The writer of plan files.

/** Returns the source of a secret without its value, so that a plan can show it. */
const toSecretReference = (source: SecretSource): SecretReference => {
  if ('literal' in source) return { literal: true }
  if ('file' in source) return { file: source.file, base: source.base }
  return 'env' in source ? { env: source.env } : { command: source.command }
}

/** Builds the request of a step as it would be sent, with references in the place of secrets. */
export const createStepRequest = ({ endpoint, values, secrets }: ActionStep) => {
  const { path, body } = buildRequest({ endpoint, values })
  // The body is JSON, since the values of a step are.
  const sent = typeof body === 'string' ? (JSON.parse(body) as JsonFields) : {}
  const references = Object.entries(secrets).map(([name, one]) => [name, toSecretReference(one)])
  const whole: JsonFields = { ...sent, ...Object.fromEntries(references) }
  const isEmpty = Object.keys(whole).length === 0
  return { endpoint: endpoint.route, path, body: isEmpty ? undefined : whole }
}
type JsonFields = Readonly<Record<string, JsonValue>>

/** Returns an action with all of its fields. @param at formats the position of a declaration */
const toActionFields = <P>(
  { id, verb, address, step, changes, digest, waitsFor, loses, replaces, origin }: PlannedAction,
  at: (origin: Origin) => P,
) => ({
  id,
  verb,
  address: toAddressText(address),
  ...createStepRequest(step),
  changes: changes.map(({ attribute, now, wanted, secret, within, origin: declared }) => ({
    attribute,
    now,
    wanted,
    secret: secret && toSecretReference(secret),
    within,
    team: declared.team?.name,
    origin: at(declared),
  })),
  digest,
  waits_for: waitsFor,
  loses,
  replaces,
  team: origin.team?.name,
  origin: at(origin),
})

/** Returns an action as a line of CSV or NDJSON. Its route and positions are written out, since a line cannot refer to tables. */
export const toActionRow = (action: PlannedAction) => {
  const { id, verb, address, ...rest } = toActionFields(action, formatOrigin)
  return { id, verb, address, kind: action.kind.name, scope: action.address.scope, ...rest }
}

/** Counts the actions and findings of a plan by kind. */
export const countPlan = ({ actions, findings, unread, same }: DesiredPlan): PlanCounts => {
  const replace = findReplacedDeletes(actions).size
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

/** Returns actions as a plan file has them. Their routes and files are indexes into the tables `endpoints` and `files`. */
const toPlanActions = (
  actions: readonly PlannedAction[],
  endpoints: readonly string[],
  files: PlanHead['files'],
): readonly PlanAction[] => {
  const indexes = new Map(files.map(({ path }, i) => [formatPath(path), i]))
  const at = ({ file, line, column }: Origin): PlanAction['origin'] => {
    const index = indexes.get(file)
    if (index === undefined) throw new RangeError(`${file} is no file of the plan`)
    return [index, line, column]
  }
  return actions.map((action) => {
    const { endpoint, ...rest } = toActionFields(action, at)
    return { ...rest, endpoint: endpoints.indexOf(endpoint) }
  })
}

/** Returns the parts of a plan file in their order. */
const toPlanParts = (plan: DesiredPlan, head: PlanHead) => {
  const { actions, findings, unread, refused, sets } = plan
  const endpoints = [...new Set(actions.map(({ step }) => step.endpoint.route))]
  return {
    plan: planVersion,
    ...head,
    endpoints,
    actions: toPlanActions(actions, endpoints, head.files),
    findings: findings.map(({ is, address, text, origin }) => {
      return { is, address: toAddressText(address), text, origin: origin && formatOrigin(origin) }
    }),
    unread: unread.map(({ place, kind, failure: { category, message, details } }) => {
      const address = toAddressText({ ...place, kind })
      return { address, category, message, status: details.status }
    }),
    refused,
    sets,
    counts: countPlan(plan),
  }
}

/** Returns the digest of all parts of a plan but the time at which it was made. */
const computePlanDigest = ({ created: _, ...lasting }: Readonly<Record<string, unknown>>): string =>
  hashBytes(JSON.stringify(lasting))

/** Formats a list with a line for each item. */
const formatLines = (list: readonly unknown[]): string =>
  list.length === 0 ? '[]' : `[\n${list.map((one) => JSON.stringify(one)).join(',\n')}\n]`

/** Formats a plan file, one line for each part and each action. The same state always gives the same text, except for `created`. */
export const formatPlan = ({ plan, head }: PlanWithHead): string => {
  const parts = toPlanParts(plan, head)
  const all = Object.entries({ ...parts, sha256: computePlanDigest(parts) })
  const texts = all.map(([name, value]) => {
    const text = value === parts.actions ? formatLines(parts.actions) : JSON.stringify(value)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{\n${texts.join(',\n')}\n}\n`
}

/** Returns a plan as the object that its file contains. */
export const toPlanDocument = (made: PlanWithHead): PlanDocument =>
  JSON.parse(formatPlan(made)) as PlanDocument

interface PlanWithHead {
  readonly plan: DesiredPlan
  readonly head: PlanHead
}

// The reader of plan files. A file may come from anybody, so every part is checked, and an unknown field is a mistake.

const parsePlan = (bytes: Uint8Array, file: string) =>
  parseJson(bytes, file, new Findings(), { maxValues })

const isPlanLike = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Number.isInteger(value.plan) && Array.isArray(value.actions)

/** True if a text is a plan file of any version; only such a file may be overwritten by a plan. */
export const isPlan = (bytes: Uint8Array): boolean => isPlanLike(parsePlan(bytes, '')?.value)

/** True if a JSON text equals the compact text `bare`, apart from whitespace between tokens. */
const hasSameTokens = (text: string, bare: string): boolean => {
  let at = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (!inString && blank.test(char)) continue
    if (char !== bare.charAt(at++)) return false
    if (char === '"') inString = !inString
    else if (char === '\\' && text.charAt(++i) !== bare.charAt(at++)) return false
  }
  return at === bare.length
}

const blank = /\s/

/**
 * Reads and checks a plan file.
 * @param file the name of the file in messages
 * @returns undefined if the bytes are no plan file
 * @throws Failure `usage` for a plan of another version, and for a plan that was edited
 */
export const readPlan = (bytes: Uint8Array, file: string): PlanDocument | undefined => {
  const parsed = parsePlan(bytes, file)
  const value = parsed?.value
  if (parsed === undefined || !isPlanLike(value)) return undefined
  if (value.plan !== planVersion)
    throw usage(
      `${file} is a plan of version ${JSON.stringify(value.plan)}, and this svcctl supports ${planVersion}`,
      'Run svcctl plan --out again with this version.',
    )
  const { sha256, ...parts } = value
  // The parser keeps one of two equal keys. The comparison of texts makes sure that a reviewer did not see the other one.
  const isWhole = hasSameTokens(Buffer.from(bytes).toString(), JSON.stringify(value))
  if (!isWhole || sha256 !== computePlanDigest(parts))
    throw usage(`cannot apply ${file}: it was edited after it was written`, again)
  const findings = new Findings()
  const document = checkDocument(planSchema, parsed, findings)
  const ids = new Set<string>()
  for (const [i, { id }] of (document?.value.actions ?? []).entries())
    if (ids.size === ids.add(id).size)
      findings.add(parsed.at(['actions', i, 'id']), `the action ${id} appears twice`)
  findings.refuse(again)
  return document?.value
}

const again = 'Run svcctl plan --out again.'

/**
 * Checks a plan that was stored with a journal.
 * @throws Failure `usage` as `readPlan`, and for a value that is no plan
 */
export const readStoredPlan = (plan: unknown, file: string): PlanDocument => {
  const document = readPlan(Buffer.from(JSON.stringify(plan)), file)
  if (document === undefined) throw usage(`${file} was not written by svcctl apply`, again)
  return document
}
