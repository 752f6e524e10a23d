/** Plan files read back: data from others, so that every part is checked, and nothing else is in it. */
import { Malformed } from '../../base/json/malformed.js'
import { Scanner } from '../../base/json/scan.js'
import { type Fields, isObject } from '../../base/objects.js'
import { type Failure, usage } from '../../errors.js'
import { type PlanDocument, planDigest, planVersion } from './write.js'

/** Values take more memory than the bytes that they are read from. */
const mostValues = 20_000_000

const verbs: readonly unknown[] = ['create', 'update', 'delete', 'enable']
const sha256 = /^[0-9a-f]{64}$/

type Check = (value: unknown) => boolean
type Checks = Readonly<Record<string, Check>>

const text: Check = (value) => typeof value === 'string'
const whole: Check = Number.isInteger
const digest: Check = (value) => typeof value === 'string' && sha256.test(value)
const anything: Check = () => true
const list =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(item)
const isOne =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)
const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))
/** These fields, perhaps those, and no others. */
const fields =
  (required: Checks, optional: Checks = {}): Check =>
  (value) => {
    if (!isObject(value)) return false
    const fits = ([name, inner]: [string, unknown]): boolean => {
      const checks = Object.hasOwn(required, name) ? required : optional
      return Object.hasOwn(checks, name) && checks[name]?.(inner) === true
    }
    return Object.keys(required).every((name) => name in value) && Object.entries(value).every(fits)
  }
const valuesAre =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check)

const secret = either(
  fields({ env: text }),
  fields({ file: text, base: text }),
  fields({ command: list(text) }),
  fields({ literal: isOne(true) }),
)
const change = fields(
  { attribute: text, origin: text },
  { now: anything, wanted: anything, secret, within: text, team: text },
)
const request = { endpoint: text, path: text }
const body = { body: valuesAre(anything) }
const action = fields(
  {
    id: text,
    verb: (value) => verbs.includes(value),
    address: text,
    kind: text,
    scope: text,
    ...request,
    changes: list(change),
    digest,
    waits_for: list(text),
    origin: text,
  },
  { ...body, loses: text, replaces: text, team: text },
)

/** What a plan file has, part by part, so that it can be said which is wrong. */
const parts: Checks = {
  plan: isOne(planVersion),
  tool: text,
  instance: text,
  user: either(text, isOne(null)),
  created: text,
  inputs: list(text),
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
  actions: list(action),
  findings: list(fields({ is: text, address: text, text }, { origin: text })),
  unread: list(fields({ address: text, category: text, message: text }, { status: whole })),
  refused: list(fields({ text, flag: text })),
  sets: valuesAre(digest),
  counts: valuesAre(whole),
  sha256: digest,
}

/** A value whose text is not deeper or longer than one can look into; undefined for any other. */
const parsed = (bytes: Uint8Array): unknown => {
  try {
    new Scanner(undefined, mostValues).scan(bytes, 0)
    return JSON.parse(Buffer.from(bytes).toString())
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A text without what is only there to be looked at. */
const packed = (json: string): string =>
  json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, kept: string = '') => kept)

const noPlan = (file: string, why: string): Failure => usage(`${file} is no plan: ${why}`)

const twice = (actions: PlanDocument['actions']): string | undefined => {
  const ids = new Set<string>()
  for (const { id } of actions) {
    if (ids.has(id)) return id
    ids.add(id)
  }
  return undefined
}

const looksLikePlan = (value: unknown): value is Fields =>
  isObject(value) && Number.isInteger(value.plan) && Array.isArray(value.actions)

/** Whether a text is a plan file of any version: only such a file is replaced by one. */
export const isPlan = (bytes: Uint8Array): boolean => looksLikePlan(parsed(bytes))

const checkParts = (file: string, value: Fields): void => {
  for (const [name, check] of Object.entries(parts))
    if (!check(value[name])) throw noPlan(file, `its "${name}" is not what svcctl plan writes`)
  const stray = Object.keys(value).find((name) => !Object.hasOwn(parts, name))
  if (stray !== undefined) throw noPlan(file, `svcctl plan writes no ${JSON.stringify(stray)}`)
}

/**
 * Whether all that people read of it is what was written: a key that stands twice is read as one of the two.
 * @throws Failure `usage`
 */
const checkDigest = (file: string, bytes: Uint8Array, document: PlanDocument): void => {
  const own = packed(Buffer.from(bytes).toString()) === JSON.stringify(document)
  if (!own || planDigest(document) !== document.sha256)
    throw usage(
      `cannot apply ${file}: it was edited after it was written`,
      'Make it again with svcctl plan --out.',
    )
}

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
      `${file} is a plan of version ${JSON.stringify(value.plan)}, and this tool takes ${planVersion}`,
      'Make it again with this version of the tool.',
    )
  const document = value as unknown as PlanDocument
  checkDigest(file, bytes, document)
  checkParts(file, value)
  const again = twice(document.actions)
  if (again !== undefined) throw noPlan(file, `it has the action ${again} twice`)
  return document
}

/**
 * A plan that was kept beside a journal, checked: that of earlier builds has no digest.
 * @throws Failure `usage` as `readPlan`, and for what is none
 */
export const readKept = (plan: unknown, file: string): PlanDocument => {
  const isBare = isObject(plan) && plan.sha256 === undefined
  const whole = isBare
    ? { ...plan, sha256: planDigest(plan as unknown as Omit<PlanDocument, 'sha256'>) }
    : plan
  const document = readPlan(Buffer.from(JSON.stringify(whole)), file)
  if (document === undefined) throw noPlan(file, 'it is not what svcctl apply keeps')
  return document
}
