/** What the facts of kinds cannot say of their diff. */

import { X509Certificate } from 'node:crypto'
import type { JsonValue } from '../../../base/json/value.js'
import { type Fields, isObject, objects } from '../../../base/objects.js'
import { runners } from '../../../catalogue/areas/runners.js'
import { familyOfSlug, type IntegrationFamily } from '../../../catalogue/integration-families.js'
import type { Managed } from '../../../catalogue/managed/managed.js'
import { settingsRequirements } from '../../../catalogue/settings-attributes.js'
import { addressText } from '../../address.js'
import type { CurrentItem } from '../../state.js'
import {
  type DesiredItem,
  type DesiredValue,
  plainValueOf,
  type Said,
  withValue,
} from '../../state.js'
import { numberOf } from '../attributes.js'
import { atNumber, diffItem, draft, placeValues, propose, stepOf } from '../item.js'
import { itemAddress, paired } from '../matching.js'
import { members } from '../members.js'
import type { DiffContext, KindHooks } from '../types.js'
import { deployKeys } from './deploy-keys.js'

// Pages domains: a certificate and its key are one, and automatic ones are nobody's.

const soon = 30
const day = 24 * 60 * 60 * 1000

const automatic = (desired: DesiredItem, item: CurrentItem | undefined): boolean =>
  (plainValueOf(desired, 'auto_ssl_enabled') ?? item?.attributes.auto_ssl_enabled) === true

const without = (desired: DesiredItem, names: readonly string[]): DesiredItem => ({
  ...desired,
  attributes: new Map([...desired.attributes].filter(([name]) => !names.includes(name))),
})

/** A certificate that is taken away takes its key along. */
const cleared = (desired: DesiredItem): boolean => {
  const certificate = plainValueOf(desired, 'certificate')
  return certificate === null || certificate === ''
}

const endOf = (certificate: Fields): Date | undefined => {
  const { expiration, certificate: pem } = certificate
  if (typeof expiration === 'string') return new Date(expiration)
  if (typeof pem !== 'string' || pem === '') return undefined
  try {
    return new Date(new X509Certificate(pem).validTo)
  } catch {
    return undefined
  }
}

/** Warns of a certificate that ends within thirty days, or ended. */
const sayEnd = (c: DiffContext, item: CurrentItem): void => {
  const { certificate } = item.record
  if (!isObject(certificate) || item.attributes.auto_ssl_enabled === true) return
  const end = endOf(certificate)
  const address = itemAddress(c.desired, item.identity)
  const now = c.how.now?.() ?? new Date()
  if (certificate.expired === true || (end !== undefined && end <= now)) {
    const when = end === undefined ? '' : ` on ${end.toISOString().slice(0, 10)}`
    c.diff.say('warning', address, `its certificate expired${when}`)
    return
  }
  if (end === undefined || end.getTime() - now.getTime() > soon * day) return
  const days = Math.ceil((end.getTime() - now.getTime()) / day)
  const text = `its certificate expires on ${end.toISOString().slice(0, 10)}, in ${days} day${days === 1 ? '' : 's'}`
  c.diff.say('warning', address, text)
}

const changesCertificate = ({ changes }: { readonly changes: readonly { attribute: string }[] }) =>
  changes.some(({ attribute }) => attribute === 'certificate')

const pagesDomains: KindHooks = {
  understood: (_, desired, item) => {
    if (automatic(desired, item)) return without(desired, ['certificate', 'key'])
    return cleared(desired) ? withValue(desired, 'key', '') : desired
  },
  needs: (_, { attributes }) =>
    attributes.has('certificate') && attributes.has('key') ? ['certificate', 'key'] : [],
  impossible: async (_, made, desired) =>
    changesCertificate(made) && desired?.attributes.has('key') !== true
      ? 'a certificate requires its private key, which the files do not contain'
      : undefined,
  rest: (c) => {
    for (const item of c.items) sayEnd(c, item)
  },
}

// Error tracking: only what was configured before can be switched.

const errorTracking: KindHooks = {
  absent: async (c, desired) => {
    const isOff = plainValueOf(desired, 'active') === false
    if (isOff) c.diff.same++
    return isOff
  },
  impossible: async (_, { verb }) =>
    verb === 'create'
      ? 'error tracking was never configured, and the API can only enable or disable it'
      : undefined,
}

// Resource groups: jobs make them.

const resourceGroups: KindHooks = {
  impossible: async (_, { verb }) =>
    verb === 'create'
      ? 'does not exist until a job uses it, so there is nothing to change yet'
      : undefined,
}

// Approval rules: the one for anybody, groups that cannot be seen, branches that a rule keeps.

const anybody = 'any_approver'

const isForAnybody = (desired: DesiredItem): boolean =>
  plainValueOf(desired, 'rule_type') === anybody

const ofAnybody = ({ record }: CurrentItem): boolean => record.rule_type === anybody

const hasBranches = (item: CurrentItem | undefined): boolean => {
  const branches = item?.attributes.protected_branch_ids
  return Array.isArray(branches) && branches.length > 0
}

const approvalRules: KindHooks = {
  // There is one such rule of a project, whatever it is called.
  pair: (c, desired) =>
    isForAnybody(desired) && desired.gone === undefined
      ? { item: c.items.find(ofAnybody) }
      : paired(c, desired),
  understood: (_, desired, item) =>
    item !== undefined && isForAnybody(desired) ? { ...desired, identity: item.identity } : desired,
  // A change without them takes them away.
  needs: (_, __, item) => (hasBranches(item) ? ['protected_branch_ids'] : []),
  spares: (_, item) => ofAnybody(item),
  rest: (c) => {
    const item = c.items.find(ofAnybody)
    for (const desired of item === undefined ? [] : c.desired.items.filter(isForAnybody)) {
      const { identity, origin } = desired
      const text = `is the rule for any approver, whose name is ${item?.identity} here`
      if (identity !== item?.identity)
        c.diff.say('note', itemAddress(c.desired, identity), text, origin)
    }
  },
  impossible: async (_, { verb, before }, desired) =>
    verb === 'update' &&
    before?.record.contains_hidden_groups === true &&
    desired?.attributes.has('group_ids') !== true
      ? 'the rule has groups that you cannot see, which a change would remove: declare group_ids'
      : undefined,
}

// Integrations: a change sends again what the family requires, secrets too.

const familyOf = (
  c: DiffContext,
  { identity, family }: DesiredItem,
): IntegrationFamily | undefined =>
  family === undefined
    ? familyOfSlug(String(identity))
    : c.kind.families?.find(({ name }) => name === family.value)

const required = (c: DiffContext, desired: DesiredItem): readonly string[] =>
  Object.entries(familyOf(c, desired)?.params ?? {}).flatMap(([name, param]) =>
    param.required === true ? [name] : [],
  )

/** Required parameters that neither the files nor the record give. */
const missing = (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): readonly string[] =>
  required(c, desired).filter(
    (name) => !desired.attributes.has(name) && (item?.attributes[name] ?? '') === '',
  )

const integrations: KindHooks = {
  needs: required,
  absent: async (c, desired) => {
    if (familyOf(c, desired) !== undefined) return false
    const address = addressText(itemAddress(c.desired, desired.identity))
    const known = c.kind.families?.map(({ name }) => name).join(', ')
    c.mistakes.add(
      desired.origin,
      `${address} has no known family; set family:`,
      `Families are ${known}.`,
    )
    return true
  },
  impossible: async (c, { verb, before }, desired) => {
    if (verb === 'delete' || desired === undefined) return undefined
    const lacks = missing(c, desired, before)
    if (lacks.length === 0) return undefined
    return `cannot be set without ${lacks.join(', ')}, which the files do not contain`
  },
}

// Settings: what is switched on goes with what it requires, where nobody can see whether that is set.

const settings: KindHooks = {
  needs: (_, desired, item) =>
    Object.entries(settingsRequirements).flatMap(([name, required]) => {
      const on = plainValueOf(desired, name) === true && item?.attributes[name] !== true
      return on && desired.attributes.has(required) ? [required] : []
    }),
}

// Runners: of a project which of them it has, of the instance by rules.

/** Any runner, by its ID. */
const byItself = {
  name: 'runners/one',
  scope: 'site',
  read: runners.get,
  unlisted: '/runners/:id',
  only: {},
} as const

/** How many projects a runner has; undefined where it does not say it: the list never does. */
export const projectsOfRunner = async (
  view: DiffContext['view'],
  kind: Managed,
  id: number,
): Promise<number | undefined> => {
  const one = { ...kind, ...byItself }
  const current = await view.readKind({ scope: 'site', path: '' }, one, [String(id)])
  if (current.is !== 'read') return undefined
  const found = current.items.find(({ record }) => record.id === id)
  return found === undefined ? undefined : objects(found.record.projects).length
}

const projectRunners: KindHooks = {
  absent: async (c, desired) => {
    const { enable } = c.kind
    if (enable === undefined) return false
    const number = await numberOf(c, 'runner', desired.identity, desired.origin)
    if (number === undefined) return true
    const step = stepOf(enable, { ...atNumber(c, number), ...placeValues(c) })
    const address = itemAddress(c.desired, desired.identity)
    await propose(c, draft(c, 'enable', address, desired.origin, { step }), desired)
    return true
  },
}

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

const alike = (wanted: JsonValue, value: unknown): boolean => {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((one) => value.some((other) => alike(one, other)))
  if (typeof wanted !== 'string') return String(value) === String(wanted)
  const pattern = wanted.split('*').map(escaped).join('.*')
  return new RegExp(`^${pattern}$`, 'is').test(String(value ?? ''))
}

/** Whether a runner is one of those that a rule is for: all fields must be alike. */
const isFor = ({ match = {} }: DesiredItem, { record }: CurrentItem): boolean =>
  Object.entries(match).every(([field, wanted]) => alike(wanted, record[field]))

/** What the rules want of a runner: later ones win, attribute by attribute. */
const wantedOf = (c: DiffContext, item: CurrentItem): DesiredItem | undefined => {
  const rules = c.desired.items.filter((rule) => isFor(rule, item))
  const [first] = rules
  if (first === undefined) return undefined
  const attributes = new Map<string, Said<DesiredValue>>()
  for (const rule of rules)
    for (const [name, said] of rule.attributes) {
      const before = attributes.get(name)
      const over = before === undefined ? said.over : [...(said.over ?? []), before]
      attributes.set(name, { ...said, over })
    }
  const { match: _, ...rest } = first
  return { ...rest, identity: String(item.record.id ?? item.identity), attributes }
}

const siteRunners: KindHooks = {
  compare: async (c) => {
    for (const item of c.items) {
      const desired = wantedOf(c, item)
      if (desired !== undefined) await diffItem(c, desired)
    }
    for (const rule of c.desired.items) {
      const { identity, origin } = rule
      if (!c.items.some((item) => isFor(rule, item)))
        c.diff.say('note', itemAddress(c.desired, identity), 'no runner matches', origin)
    }
  },
  pair: (c, { identity }) => ({
    item: c.items.find(({ record, identity: own }) => String(record.id ?? own) === identity),
  }),
}

// By the names of kinds; a kind without a row needs nothing more.

const rows: Readonly<Record<string, KindHooks>> = {
  'group members': members,
  'project members': members,
  'site settings': settings,
  'site runners': siteRunners,
  'project runners': projectRunners,
  'project approval_rules': approvalRules,
  'project deploy_keys': deployKeys,
  'project pages_domains': pagesDomains,
  'project integrations': integrations,
  'project error_tracking': errorTracking,
  'project resource_groups': resourceGroups,
}

/** The hooks of a kind. */
export const hooksOf = ({ scope, name }: Pick<Managed, 'scope' | 'name'>): KindHooks =>
  rows[`${scope} ${name}`] ?? {}
