/** Objects by their names, for those who are to confirm what becomes of them. */
import type { JsonValues } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { type Endpoint, methodOf, pathOf } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { kindNamed, wordOfKind } from '../../catalogue/kinds.js'
import { Failure } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import { scopeOf } from '../command/derive/index.js'
import type { Described, Plan } from '../command/described.js'
import { isHidden } from '../plan/sources.js'
import { mostNamed } from '../work/items.js'

/** The parameter that names the object of a plan, and of what kind that is. */
const subjectOf = ({ args, path }: Endpoint): { name: string; kind: string } | undefined => {
  const name = args?.[0] ?? ''
  const kind = path[name]?.completes
  return kind === undefined ? undefined : { name, kind }
}

/** The placeholder at the end of a path: what a reading endpoint answers about. */
const lastOf = (endpoint: Endpoint): string => /:(\w+)$/.exec(pathOf(endpoint))?.[1] ?? ''

/** The values by which an endpoint reads a plan's object; undefined where it reads something else. */
const valuesFor = (
  reads: Endpoint,
  plan: Plan,
  { name, kind }: { name: string; kind: string },
): JsonValues | undefined => {
  const last = lastOf(reads)
  const one = methodOf(reads) === 'GET' && reads.returns.kind === 'one'
  if (!one || reads.path[last]?.completes !== kind) return undefined
  const [holder, own] = [scopeOf(reads), scopeOf(plan.endpoint)]
  if (Object.keys(reads.path).length > (holder === undefined ? 1 : 2)) return undefined
  const object = { [last]: plan.values[name] }
  if (holder === undefined) return object
  if (own === undefined || holder.kind !== own.kind) return undefined
  return { ...object, [holder.placeholder]: plan.values[own.placeholder] }
}

/** The reads of one object that might tell its name, of its area and of those that list its kind. */
const readsFor = async (command: Described, plan: Plan): Promise<readonly Ask[]> => {
  const subject = subjectOf(plan.endpoint)
  const kind = kindNamed(subject?.kind)
  if (subject === undefined || kind?.title === undefined) return []
  const near = areas.filter(({ name }) => name === command.area || kind.areas.includes(name))
  const endpoints = (await Promise.all(near.map((row) => row.load()))).flatMap((all) =>
    Object.values<Endpoint>(all),
  )
  return endpoints.flatMap((endpoint) => {
    const values = valuesFor(endpoint, plan, subject)
    return values === undefined || isHidden(kind.title ?? '', endpoint)
      ? []
      : [{ endpoint, values }]
  })
}

export type Glance = (ask: Ask) => Promise<unknown>

/** What the instance calls an object; undefined where it does not say, for whatever reason. */
const titleOf = async (
  command: Described,
  plan: Plan,
  glance: Glance,
): Promise<string | undefined> => {
  const field = kindNamed(subjectOf(plan.endpoint)?.kind)?.title ?? ''
  for (const ask of await readsFor(command, plan))
    try {
      const record = await glance(ask)
      const title = isObject(record) ? record[field] : undefined
      if (typeof title === 'string' && title !== '') return title
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
    }
  return undefined
}

/** What is done to what: `delete deploy key`, `delete artifacts of job`. */
const deedOf = (command: Described, { endpoint, label }: Plan): string => {
  const { area, words } = command
  const verb = words.split(' ').at(-1) ?? words
  const subject = subjectOf(endpoint)
  if (subject === undefined || label === undefined) return `${area} ${words}`
  const own = kindNamed(subject.kind)?.areas[0] ?? area
  // A command of the tool itself has no objects of its own.
  const part =
    own === area || subject.kind === 'user' || command.alters === true
      ? ''
      : `${area.replaceAll('-', ' ')} of `
  return `${verb} ${part}${wordOfKind(subject.kind)}`
}

const holderOf = ({ endpoint, values, label = '' }: Plan): string => {
  const scope = scopeOf(endpoint)
  // A full reference says where it belongs by itself.
  if (scope === undefined || /.[!#]\d+$/.test(label)) return ''
  const holder = String(values[scope.placeholder])
  return ` of ${scope.kind === 'project' && holder.includes('/') ? holder : `${scope.kind} ${holder}`}`
}

/**
 * The objects of plans, a line each: `delete deploy key 3 "ci" of platform/app`. The first are read
 * for their names; one that cannot be read goes by what it was given as.
 */
export const naming = (
  command: Described,
  plans: readonly Plan[],
  glance: Glance,
): Promise<readonly string[]> =>
  Promise.all(
    plans.map(async (plan, i) => {
      const title = i < mostNamed ? await titleOf(command, plan, glance) : undefined
      const called = title === undefined || title === plan.label ? '' : ` "${title}"`
      const label = plan.label === undefined ? '' : ` ${plan.label}`
      return `${deedOf(command, plan)}${label}${called}${holderOf(plan)}`
    }),
  )
