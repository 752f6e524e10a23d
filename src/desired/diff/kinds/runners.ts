/** Runners: of a project which of them it has, of the instance by rules. */

import type { JsonValue } from '../../../base/json/value.js'
import { objects } from '../../../base/objects.js'
import { runners } from '../../../catalogue/areas/runners.js'
import type { Managed } from '../../../catalogue/managed/managed.js'
import type { CurrentItem } from '../../instance.js'
import type { DesiredItem, DesiredValue, Said } from '../../state.js'
import { numberOf } from '../attributes.js'
import { atNumber, diffItem, draft, placeValues, propose, stepOf } from '../item.js'
import { itemAddress } from '../matching.js'
import type { DiffContext, KindHooks } from '../types.js'

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

export const projectRunners: KindHooks = {
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

export const siteRunners: KindHooks = {
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
