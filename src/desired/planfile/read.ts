/** Plan files read back: data from others, so that every part is checked, and nothing else is in it. */
import { createHash } from 'node:crypto'
import { MalformedJson } from '../../base/json/malformed.js'
import { Scanner } from '../../base/json/scan.js'
import type { JsonValue } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { type Failure, usage } from '../../errors.js'

/** Values take more memory than the bytes that they are read from. */
const maxValues = 20_000_000

/** The version of plan files that this tool writes and takes. */
export const planVersion = 2

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
    return Object.keys(required).every((name) => name in value) && Object.entries(value).every(fits)
  }

/** Where a secret comes from; one that is written out in the file is only said to be there. */
const secret = either(
  fields({ env: text }),
  fields({ file: text, base: text }),
  fields({ command: list(text) }),
  fields({ literal: isOne(true) }),
)
export type SecretReference = Checked<typeof secret>

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

type Counted = 'create' | 'enable' | 'update' | 'replace' | 'delete' | 'unread' | 'same'
const counts = valuesAre<
  number,
  Counted | 'impossible' | 'unknown' | 'unsupported' | 'leftover' | 'secret'
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

/** A text without what is only there to be looked at. */
const packed = (json: string): string =>
  json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, kept: string = '') => kept)

const noPlan = (file: string, why: string): Failure => usage(`${file} is not a plan: ${why}`)

const looksLikePlan = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Number.isInteger(value.plan) && Array.isArray(value.actions)

/** Whether a text is a plan file of any version: only such a file is replaced by one. */
export const isPlan = (bytes: Uint8Array): boolean => looksLikePlan(parsed(bytes))

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
  const isWhole = packed(Buffer.from(bytes).toString()) === JSON.stringify(document)
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
