/** Plan files read back: data from others, so that every part is checked that anybody goes by. */
import { type Fields, isObject } from '../../base/objects.js'
import { type Failure, usage } from '../../errors.js'
import { type PlanDocument, planVersion } from './document.js'

const verbs: readonly unknown[] = ['create', 'update', 'delete', 'replace', 'enable']
const sha256 = /^[0-9a-f]{64}$/

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const digest: Check = (value) => typeof value === 'string' && sha256.test(value)
const list =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(item)
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]))
const object: Check = isObject
const valuesAre =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check)

const change = fields({ attribute: text, origin: text })
const action = fields({
  id: text,
  verb: (value) => verbs.includes(value),
  address: text,
  kind: text,
  scope: text,
  endpoint: text,
  path: text,
  changes: list(change),
  digest,
  waits_for: list(text),
  origin: text,
})

/** What a plan file has to have, part by part, so that it can be said which is wrong. */
const parts: Readonly<Record<string, Check>> = {
  tool: text,
  instance: text,
  user: (value) => value === null || text(value),
  created: text,
  inputs: list(text),
  files: list(fields({ path: text, sha256: digest })),
  selection: object,
  actions: list(action),
  findings: list(fields({ is: text, address: text, text })),
  unread: list(fields({ address: text, category: text, message: text })),
  refused: list(fields({ text, flag: text })),
  sets: valuesAre(digest),
  counts: valuesAre((value) => Number.isInteger(value)),
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const noPlan = (file: string, why: string): Failure => usage(`${file} is no plan: ${why}`)

const twice = (actions: PlanDocument['actions']): string | undefined => {
  const ids = new Set<string>()
  for (const { id } of actions) {
    if (ids.has(id)) return id
    ids.add(id)
  }
  return undefined
}

/** Whether a text is a plan file of any version: only such a file is replaced by one. */
export const isPlan = (json: string): boolean => {
  const value = parsed(json)
  return isObject(value) && Number.isInteger(value.plan) && Array.isArray(value.actions)
}

const checkParts = (file: string, value: Fields): void => {
  for (const [name, check] of Object.entries(parts))
    if (!check(value[name])) throw noPlan(file, `its "${name}" is not what svcctl plan writes`)
}

/**
 * A plan file, checked.
 * @param file how it is called in what is said of it
 * @throws Failure `usage` for what is no plan, or one of another version
 */
export const readPlan = (json: string, file: string): PlanDocument => {
  const value = parsed(json)
  if (!isObject(value) || value.plan === undefined)
    throw noPlan(file, 'it is not what svcctl plan --out writes')
  if (value.plan !== planVersion)
    throw usage(
      `${file} is a plan of version ${JSON.stringify(value.plan)}, and this tool takes ${planVersion}`,
      'Make it again with this version of the tool.',
    )
  checkParts(file, value)
  const document = value as unknown as PlanDocument
  const again = twice(document.actions)
  if (again !== undefined) throw noPlan(file, `it has the action ${again} twice`)
  return document
}
