/**
 * Implements `integrations list`, `get` and `update`, which check parameters by the integration's family and normalize booleans
 * (`catalogue/reference/integrations.md`).
 */

import { AsyncCache } from '../base/async.js'
import { isObject, mapValues } from '../base/objects.js'
import {
  eventFlags,
  findFamilyBySlug,
  type IntegrationFamily,
  integrationFamilies,
  integrationParameters,
} from '../catalogue/areas/integrations.js'
import { isSwitch, oneOf } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { Plan } from '../engine/command/types.js'
import type { RecordView } from '../engine/rows.js'
import { usage } from '../errors.js'
import { type Arguments, define } from './define.js'

const booleans: ReadonlySet<string> = new Set([
  'active',
  'comment_on_event_enabled',
  ...eventFlags,
  ...Object.entries(integrationParameters).flatMap(([name, param]) =>
    isSwitch(param) ? [name] : [],
  ),
])

const spellings = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
])

/** Converts the booleans of a record, which instances return as `true`, `"true"`, `"1"` or `1`. */
export const normalizeProperty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normalizeProperty)
  if (!isObject(value)) return value
  return mapValues(value, (v, name) =>
    booleans.has(name) ? (spellings.get(v) ?? v) : normalizeProperty(v),
  )
}

/** Tables and spreadsheets show normalized booleans. Programs get the API's own records. */
const normalizedRows: RecordView = {
  people: { rows: (records) => records.map(normalizeProperty), sheets: true },
}

const families = integrationFamilies.map((family) => family.name)

/** Finds a family of integrations by name. */
export const findFamily = (name: string): IntegrationFamily | undefined =>
  integrationFamilies.find((family) => family.name === name)

const toFlag = (name: string): string => `--${name.replaceAll('_', '-')}`

/** Returns the flags of parameters that do not belong to the family. */
export const getForeign = (family: IntegrationFamily, names: readonly string[]): string[] =>
  names
    .filter(
      (name) => Object.hasOwn(integrationParameters, name) && !Object.hasOwn(family.params, name),
    )
    .map(toFlag)

/** Returns the required parameters of the family that are missing. */
export const getLacking = (family: IntegrationFamily, given: ReadonlySet<string>): string[] =>
  Object.entries(family.params).flatMap(([name, param]) =>
    param.required === true && !given.has(name) ? [name] : [],
  )

const getExplainHint = (family: IntegrationFamily): string =>
  `svcctl explain integrations update --family ${family.name} lists its parameters.`

/** Prints notes and asks questions while plans are checked. Each is shown only once, because objects of a stream are planned twice. */
interface Dialogue {
  readonly note: (text: string) => void
  readonly askSecret: (slug: string, question: string, name: string) => Promise<string | undefined>
}

const createDialogue = ({ ui }: Context): Dialogue => {
  const noted = new Set<string>()
  const answers = new AsyncCache<string, string | undefined>()
  return {
    note: (text) => {
      if (!noted.has(text)) ui.note(text)
      noted.add(text)
    },
    askSecret: (slug, question, name) =>
      answers.of(`${slug} ${name}`, () => ui.askSecret(question, name)),
  }
}

/** Asks for missing secrets. */
const askSecrets = async (
  { askSecret }: Dialogue,
  slug: string,
  family: IntegrationFamily,
  missing: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const found: Record<string, string> = {}
  for (const name of missing) {
    const param = family.params[name]
    if (param?.secret !== true) continue
    const answer = await askSecret(slug, `${name}: ${param.help}`, name)
    if (answer !== undefined && answer !== '') found[name] = answer
  }
  return found
}

const noteDeprecated = (
  { note }: Dialogue,
  family: IntegrationFamily,
  names: readonly string[],
): void => {
  for (const name of names) {
    const successor = family.params[name]?.deprecated
    if (successor !== undefined)
      note(`${toFlag(name)} is deprecated in the family ${family.name}: use ${successor}`)
  }
}

/** Finds the family of a slug, which the instance's vocabulary may rename. */
const getFamilyOfSlug = (slug: string, { naming }: Context): IntegrationFamily | undefined => {
  const own = naming.family(slug)
  return own === undefined ? (findFamilyBySlug(slug) ?? findFamily(slug)) : findFamily(own)
}

/**
 * Checks the parameters of a plan by its family, and asks for missing secrets.
 * @throws Failure `usage` with the family and the parameters that are missing or do not belong to it
 */
const checkPlan = async (
  context: Context,
  once: Dialogue,
  plan: Plan,
  { flags: { family: named } }: Arguments<typeof flags>,
): Promise<Plan> => {
  const slug = String(plan.values.slug)
  const family = named === undefined ? getFamilyOfSlug(slug, context) : findFamily(named)
  if (family === undefined) return plan
  const names = Object.keys(plan.values).filter((name) => !Object.hasOwn(plan.endpoint.path, name))
  const strange = getForeign(family, names)
  if (strange.length > 0)
    throw usage(
      `${strange.join(', ')} is not a parameter of the family ${family.name} (${slug})`,
      `${getExplainHint(family)} Use --param to send it anyway.`,
    )
  noteDeprecated(once, family, names)
  const given = new Set([...names, ...Object.keys(plan.extra ?? {})])
  const secrets = await askSecrets(once, slug, family, getLacking(family, given))
  const missing = getLacking(family, new Set([...given, ...Object.keys(secrets)]))
  if (missing.length > 0)
    throw usage(
      `${slug} needs ${missing.map(toFlag).join(', ')} (family ${family.name})`,
      getExplainHint(family),
    )
  return { ...plan, values: { ...plan.values, ...secrets } }
}

const flags = {
  family: oneOf(families, 'family of the integration, to check its parameters'),
} as const

export const update = define({
  description: [
    `An integration accepts the parameters of its family: ${families.join(', ')}. If svcctl cannot tell the family from the slug, pass --family; otherwise parameters are not checked.`,
  ],
  flags,
  rows: async function* (context, given) {
    const once = createDialogue(context)
    const complete = (plan: Plan) => checkPlan(context, once, plan, given)
    const actions = await context.planActions(given, { complete, planFirst: true })
    yield* context.write(actions, { view: normalizedRows })
  },
})

export const get = define({
  rows: async function* (context, given) {
    yield* context.write(await context.planActions(given), { view: normalizedRows })
  },
})

export const list = define({
  rows: (context, given) => context.list(given, { view: normalizedRows }),
})
