/** Provides an instance and files in memory for the tests of diffs, without requests and YAML. */

import { machineIo } from '../../../src/base/io.js'
import { type Fields, isObject, type JsonValue } from '../../../src/base/objects.js'
import { type Managed, managedKinds } from '../../../src/catalogue/managed.js'
import type { DesiredPlan } from '../../../src/desired/actions.js'
import {
  type ManagedPlace,
  parseNameReference,
  toAddressText,
  toPlaceText,
} from '../../../src/desired/address.js'
import type { DiffOptions, DiffView } from '../../../src/desired/diff/context.js'
import { isManaged, toCurrentItem as seenItem } from '../../../src/desired/reading/records.js'
import type {
  CurrentKind,
  DesiredItem,
  DesiredKind,
  DesiredValue,
  SourcedValue as SaidValue,
} from '../../../src/desired/state.js'
import { Failure } from '../../../src/errors.js'
import { makePlan } from '../planning.js'

interface Item {
  readonly $family?: string
  readonly $previously?: readonly string[]
  readonly $match?: Readonly<Record<string, JsonValue>>
  readonly [attribute: string]: unknown
}
/** A set as a file declares it: its items, and `$exact`. */
export type DeclaredSet = Readonly<Record<string, Item | null | boolean>>

const parsePlace = (text: string): ManagedPlace => {
  if (text === 'site') return { scope: 'site', path: '' }
  const cut = text.indexOf('/')
  const scope = text.slice(0, cut) === 'groups' ? 'group' : 'project'
  return { scope, path: text.slice(cut + 1) }
}

const findKind = (scope: Managed['scope'], name: string): Managed => {
  const kind = managedKinds.find((one) => one.scope === scope && one.name === name)
  if (kind === undefined) throw new Error(`no kind ${scope} ${name}`)
  return kind
}

let line = 0
const createOrigin = () => ({ file: 'svcctl.yml', line: ++line, column: 1 })

const toDesiredValue = (value: unknown): DesiredValue => {
  if (!isObject(value)) return { is: 'value', value: value as JsonValue }
  if ('$add' in value || '$remove' in value)
    return {
      is: 'change',
      add: (value.$add ?? []) as JsonValue[],
      remove: (value.$remove ?? []) as JsonValue[],
    }
  if ('env' in value) return { is: 'secret', source: { env: String(value.env) } }
  return { is: 'value', value: value as JsonValue }
}

const toSaidValue = (value: unknown): SaidValue<DesiredValue> => ({
  value: toDesiredValue(value),
  origin: createOrigin(),
})

const toDesiredItem = (kind: Managed, identity: string, said: Item | null): DesiredItem => {
  const entries = Object.entries(said ?? {}).filter(([name]) => !name.startsWith('$'))
  return {
    identity: kind.by === undefined ? identity : (parseNameReference(identity) ?? identity),
    origin: createOrigin(),
    gone: said === null ? createOrigin() : undefined,
    attributes: new Map(entries.map(([name, value]) => [name, toSaidValue(value)])),
    ...(said?.$previously === undefined
      ? {}
      : { previously: { value: said.$previously, origin: createOrigin() } }),
    ...(said?.$family === undefined
      ? {}
      : { family: { value: said.$family, origin: createOrigin() } }),
    ...(said?.$match === undefined ? {} : { match: said.$match }),
  }
}

/** Builds the declaration of a kind in its place: items by name, or the attributes of the one object. */
export const buildWish = (where: string, name: string, said: DeclaredSet | Item): DesiredKind => {
  const at = parsePlace(where)
  const kind = findKind(at.scope, name)
  const exact = said.$exact as boolean | undefined
  const items = Object.entries(said).filter(([key]) => key !== '$exact')
  return {
    place: at,
    kind,
    origin: createOrigin(),
    exact: exact === undefined ? undefined : { value: exact, origin: createOrigin() },
    items:
      kind.holds === 'one'
        ? [toDesiredItem(kind, '', said as Item)]
        : items.map(([key, item]) => toDesiredItem(kind, key, item as Item | null)),
  }
}

/** The records by `place:kind`, or the reason why they cannot be read. */
export type World = Readonly<Record<string, readonly Fields[] | Failure | 'unsupported'>>

const users: Readonly<Record<string, number>> = { ana: 1, ben: 2, chi: 3, dee: 4 }
const groups: Readonly<Record<string, number>> = { 'platform/core': 21, platform: 20 }

export const forbidden = new Failure('auth', 'GET: 403 Forbidden', { status: 403 })

/** Returns the descriptions of the runners by ID. */
const getRunnerNames = (world: World): ReadonlyMap<unknown, string> =>
  new Map(
    Object.entries(world).flatMap(([key, records]) =>
      key.endsWith(':runners') && Array.isArray(records)
        ? records.map(({ id, description }: Fields) => [id, String(description)] as const)
        : [],
    ),
  )

/** Creates a view of the world. A kind that the world does not have is empty. */
const createView = (world: World): DiffView & { readonly asked: string[] } => {
  const asked: string[] = []
  return {
    asked,
    readKind: async (where, kind): Promise<CurrentKind> => {
      const key = `${toPlaceText(where)}:${kind.name}`
      asked.push(key)
      const records = world[key] ?? []
      if (records === 'unsupported') return { place: where, kind, is: 'unsupported' }
      if (records instanceof Failure)
        return { place: where, kind, is: 'unreadable', failure: records }
      return {
        place: where,
        kind,
        is: 'read',
        items: records.filter((one) => isManaged(kind, one)).map((one) => seenItem(kind, one)),
      }
    },
    names: {
      number: async (of, name) => (of === 'user' ? users : groups)[name.toLowerCase()],
      name: (of, number) =>
        of === 'runner'
          ? getRunnerNames(world).get(number)
          : Object.entries(of === 'user' ? users : groups).find(([, id]) => id === number)?.[0],
    },
    forget: () => {},
    self: async () => ({ id: 9, username: 'root' }),
  }
}

/** Plans the changes from a world to the files. */
export const planWorld = (
  world: World,
  wishes: readonly DesiredKind[],
  how: Partial<DiffOptions> = {},
): Promise<DesiredPlan> =>
  makePlan(wishes, createView(world), {
    each: async (items, work) => {
      await Promise.all(items.map(work))
    },
    projects: 100,
    now: machineIo.now,
    ...how,
  })

/** Formats a plan as lines: verb and address with the changes, and the messages. */
export const formatPlan = ({
  actions,
  findings,
  unread,
  refused,
}: DesiredPlan): readonly string[] => [
  ...actions.map(
    ({ id, changes }) =>
      `${id}${changes
        .map(({ attribute, now, wanted, secret }) =>
          secret === undefined
            ? ` ${attribute}: ${JSON.stringify(now)} → ${JSON.stringify(wanted)}`
            : ` ${attribute}: ${JSON.stringify(secret)}`,
        )
        .join(';')}`,
  ),
  ...findings.map(({ is, address, text }) => `${is} ${toAddressText(address)}: ${text}`),
  ...unread.map(
    ({ place: at, kind, failure }) => `unread ${toPlaceText(at)}:${kind}: ${failure.message}`,
  ),
  ...refused.map(({ text, flag }) => `refused ${text} (${flag})`),
]

/** Lists the requests of a plan: route, values and secrets. */
export const listRequests = ({ actions }: DesiredPlan) =>
  actions.map(({ step: { endpoint, values, secrets } }) => ({
    route: endpoint.route,
    values,
    ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
  }))

export const getMessage = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    if (error instanceof Failure) return `${error.category}: ${error.message}`
    throw error
  }
  return 'nothing was wrong'
}
