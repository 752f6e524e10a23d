/** Plan files: a plan as one object, in a stable order and without the value of any secret; and read back, checked. */
import { createHash } from 'node:crypto'
import { MalformedJson } from '../base/json/json.js'
import { Scanner } from '../base/json/scan.js'
import { isObject, type JsonValue } from '../base/objects.js'
import { type Failure, usage } from '../errors.js'
import { buildRequest } from '../http/request/request.js'
import {
  type ActionStep,
  type DesiredPlan,
  type PlanFinding,
  type PlannedAction,
  replacedIn,
  type Verb,
} from './actions.js'
import { addressText } from './address.js'
import { shownPath } from './files/paths.js'
import { type Origin, originText, type SecretSource } from './state.js'

/** Values take more memory than the bytes that they are read from. */
const maxValues = 20_000_000

/** The version of plan files that this tool writes and takes. */
const planVersion = 2

// What a plan file has, part by part: the types follow from the checks.

type Check<T> = (value: unknown) => value is T
type Checked<C> = C extends Check<infer T> ? T : never
type Checks = Readonly<Record<string, Check<unknown>>>
type Fields<R extends Checks, O extends Checks> = {
  readonly [N in keyof R]: Checked<R[N]>
} & { readonly [N in keyof O]?: Checked<O[N]> }

const text: Check<string> = (value) => typeof value === 'string'
const whole: Check<number> = (value): value is number => Number.isInteger(value)
const digest: Check<string> = (value): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const anything: Check<JsonValue> = (_): _ is JsonValue => true
const list =
  <T>(item: Check<T>): Check<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(item)
const isOne =
  <const W>(...words: readonly W[]): Check<W> =>
  (value): value is W =>
    words.some((word) => word === value)
const either =
  <C extends readonly Check<unknown>[]>(...checks: C): Check<Checked<C[number]>> =>
  (value): value is Checked<C[number]> =>
    checks.some((check) => check(value))
const valuesAre =
  <T, N extends string = string>(check: Check<T>): Check<Readonly<Record<N, T>>> =>
  (value): value is Readonly<Record<N, T>> =>
    isObject(value) && Object.values(value).every(check)
/** These fields, perhaps those, and no others. */
const fields =
  <R extends Checks, O extends Checks = Readonly<Record<never, never>>>(
    required: R,
    optional?: O,
  ): Check<Fields<R, O>> =>
  (value): value is Fields<R, O> => {
    if (!isObject(value)) return false
    const known: Checks = { ...optional, ...required }
    const fits = ([name, inner]: [string, unknown]): boolean =>
      Object.hasOwn(known, name) && known[name]?.(inner) === true
    return (
      Object.keys(required).every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(fits)
    )
  }

/** Where a secret comes from; one that is written out in the file is only said to be there. */
const secret = either(
  fields({ env: text }),
  fields({ file: text, base: text }),
  fields({ command: list(text) }),
  fields({ literal: isOne(true) }),
)
type SecretReference = Checked<typeof secret>

/** The file, by its index in `files`, the line and the column. */
const position: Check<readonly [file: number, line: number, column: number]> = (
  value,
): value is readonly [number, number, number] => list(whole)(value) && value.length === 3

/** `team`: that the value is of. */
const change = fields(
  { attribute: text, origin: position },
  { now: anything, wanted: anything, secret, within: text, team: text },
)

/** Secrets stand in the body of its request as where they come from; its endpoint is one of `endpoints`, by index. */
const action = fields(
  {
    id: text,
    verb: isOne('create', 'update', 'delete', 'enable'),
    address: text,
    endpoint: whole,
    path: text,
    changes: list(change),
    digest,
    waits_for: list(text),
    origin: position,
  },
  { body: valuesAre(anything), loses: text, replaces: text, team: text },
)
export type PlanAction = Checked<typeof action>

const remark = fields({ is: text, address: text, text }, { origin: text })

const unread = fields({ address: text, category: text, message: text }, { status: whole })

type CountKey = 'create' | 'enable' | 'update' | 'replace' | 'delete' | 'unread' | 'same'
const counts = valuesAre<
  number,
  CountKey | 'impossible' | 'unknown' | 'unsupported' | 'leftover' | 'secret'
>(whole)
export type PlanCounts = Checked<typeof counts>

/** Who and what a plan was made by, and of. */
const head = {
  tool: text,
  instance: text,
  user: either(text, isOne(null)),
  /** The only part that differs between two plans of one state. */
  created: text,
  /** What was named on the line: files and folders. */
  inputs: list(text),
  /** Those that it was made of. */
  files: list(fields({ path: text, sha256: digest })),
  selection: fields(
    {},
    {
      projects: list(text),
      groups: list(text),
      only: list(text),
      except: list(text),
      ignore: list(text),
      withArchived: isOne(true, false),
      missing: isOne('skip'),
    },
  ),
}
export type PlanHead = Fields<typeof head, Readonly<Record<never, never>>>

/** Part by part, so that it can be said which is wrong. */
const parts = {
  plan: isOne(planVersion),
  ...head,
  /** The routes that actions name. */
  endpoints: list(text),
  actions: list(action),
  findings: list(remark),
  unread: list(unread),
  refused: list(fields({ text, flag: text })),
  /** Digests of whole exact sets. */
  sets: valuesAre(digest),
  counts,
  /** Of all the rest but `created`: whoever changes what others read is found out. */
  sha256: digest,
}
export type PlanDocument = Fields<typeof parts, Readonly<Record<never, never>>>

// A plan as its file has it.

/** What may be told of where a secret comes from. */
const referenceOf = (source: SecretSource): SecretReference => {
  if ('literal' in source) return { literal: true }
  if ('file' in source) return { file: source.file, base: source.base }
  return 'env' in source ? { env: source.env } : { command: source.command }
}

/** A request as it would be sent, with references for secrets. */
export const requestOf = ({ endpoint, values, secrets }: ActionStep) => {
  const { path, body } = buildRequest({ endpoint, values })
  // It was made of the values of a step, which are JSON.
  const sent = typeof body === 'string' ? (JSON.parse(body) as JsonFields) : {}
  const references = Object.entries(secrets).map(([name, one]) => [name, referenceOf(one)])
  const whole: JsonFields = { ...sent, ...Object.fromEntries(references) }
  const isEmpty = Object.keys(whole).length === 0
  return { endpoint: endpoint.route, path, body: isEmpty ? undefined : whole }
}
type JsonFields = Readonly<Record<string, JsonValue>>

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
  ...head,
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
export const toPlanDocument = ({ plan, head }: PlanWithHead): PlanDocument =>
  JSON.parse([...planText(plan, head)].join('')) as PlanDocument

interface PlanWithHead {
  readonly plan: DesiredPlan
  readonly head: PlanHead
}

// A plan file, read back: data from others, so that every part is checked, and nothing else is in it.

/** A value whose text is not deeper or longer than one can look into; undefined for any other. */
const parsed = (bytes: Uint8Array): unknown => {
  try {
    new Scanner(undefined, maxValues).scan(bytes, 0)
    return JSON.parse(Buffer.from(bytes).toString())
  } catch (error) {
    if (error instanceof MalformedJson || error instanceof SyntaxError) return undefined
    throw error
  }
}

const noPlan = (file: string, why: string): Failure => usage(`${file} is not a plan: ${why}`)

const looksLikePlan = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Number.isInteger(value.plan) && Array.isArray(value.actions)

/** Whether a text is a plan file of any version: only such a file is replaced by one. */
export const isPlan = (bytes: Uint8Array): boolean => looksLikePlan(parsed(bytes))

/** Returns true if a JSON text is another one with blanks between its tokens, which are only there to be looked at. */
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
 * A plan file, checked.
 * @param file how it is called in what is said of it
 * @returns undefined for what is none
 * @throws Failure `usage` for one of another version, and for one that is not as it was written
 */
export const readPlan = (bytes: Uint8Array, file: string): PlanDocument | undefined => {
  const value = parsed(bytes)
  if (!looksLikePlan(value)) return undefined
  if (value.plan !== planVersion)
    throw usage(
      `${file} is a plan of version ${JSON.stringify(value.plan)}, and this svcctl supports ${planVersion}`,
      'Run svcctl plan --out again with this version.',
    )
  const document = value as unknown as PlanDocument
  const { sha256, created: _, ...lasting } = document
  // A key that stands twice is read as one of the two: all that people read of it has to be what was written.
  const isWhole = hasSameTokens(Buffer.from(bytes).toString(), JSON.stringify(document))
  if (!isWhole || sha256 !== createHash('sha256').update(JSON.stringify(lasting)).digest('hex'))
    throw usage(
      `cannot apply ${file}: it was edited after it was written`,
      'Run svcctl plan --out again.',
    )
  for (const [name, check] of Object.entries(parts))
    if (!check(value[name])) throw noPlan(file, `its "${name}" was not written by svcctl plan`)
  const stray = Object.keys(value).find((name) => !Object.hasOwn(parts, name))
  if (stray !== undefined) throw noPlan(file, `svcctl plan writes no ${JSON.stringify(stray)}`)
  const ids = new Set<string>()
  const again = document.actions.find(({ id }) => ids.size === ids.add(id).size)
  if (again !== undefined) throw noPlan(file, `it contains the action ${again.id} twice`)
  return document
}

/**
 * A plan that was kept beside a journal, checked.
 * @throws Failure `usage` as `readPlan`, and for what is none
 */
export const readKept = (plan: unknown, file: string): PlanDocument => {
  const document = readPlan(Buffer.from(JSON.stringify(plan)), file)
  if (document === undefined) throw noPlan(file, 'it was not written by svcctl apply')
  return document
}
