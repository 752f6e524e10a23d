/** The single record behind a record of a list, which may show more of it. */
import type { JsonValues } from '../../base/json/value.js'
import { type Endpoint, getMethod } from '../../catalogue/endpoint.js'
import { kindNamed } from '../../catalogue/kinds.js'
import { dotted } from '../../catalogue/words.js'
import type { Ask } from '../../http/types.js'
import { getScope, singleNamed } from '../command/derive/index.js'
import type { Globals } from '../command/globals.js'
import type { Command, Given } from '../command/types.js'
import { readObjects } from '../plan/objects.js'
import { getPipedObject } from '../plan/stdin/rows.js'
import { kindIn } from '../where/shape.js'
import { type Answering, KnownFields } from './known-fields.js'

// Fields of `--fields` and `--sort` that only the single record has.

type Asking = Pick<Globals, 'fields' | 'sort'>

/** What is asked for of single records, and where it is read. */
export interface SingleFields {
  readonly endpoint: Endpoint
  /** Of `--fields`, as they were given. */
  readonly shown: readonly string[]
  /** Of `--sort`, without their direction. */
  readonly sorted: readonly string[]
}

/** Undefined where the records of the list have all that is asked for, or the area reads no single ones. */
export const getSingleFields = async (
  { command, emit, words }: Answering,
  { fields = [], sort = [] }: Asking,
): Promise<SingleFields | undefined> => {
  const { endpoint } = emit
  if (endpoint === undefined) return undefined
  const known = new KnownFields({ command, emit, words })
  const strange = (names: readonly string[]) => names.filter((name) => !known.has(name))
  const asked = {
    shown: strange(fields),
    sorted: strange(sort.map((text) => text.replace(/^-/, ''))),
  }
  if (asked.shown.length + asked.sorted.length === 0) return undefined
  const single = await createSingleReader(command, { endpoint, values: {} })
  if (single === undefined) return undefined
  const has = (field: string): boolean =>
    [field, words === undefined ? field : dotted(field, words.neutral)].some(
      (name) => kindIn(single.endpoint.returns.shape, name) !== undefined,
    )
  const found = { shown: asked.shown.filter(has), sorted: asked.sorted.filter(has) }
  return found.shown.length + found.sorted.length === 0
    ? undefined
    : { endpoint: single.endpoint, ...found }
}

export interface SingleRecord {
  readonly command: Command
  readonly endpoint: Endpoint
  /** What a record of the list is called. */
  readonly textOf: (record: unknown) => string
  /** What is asked for to read it. */
  readonly given: (record: unknown) => Given
}

/** Whether an endpoint reads the objects of a list, wherever they belong. */
const reads = (endpoint: Endpoint, { endpoint: list }: Ask): boolean => {
  if (getMethod(endpoint) !== 'GET' || endpoint.returns.kind !== 'one') return false
  const holder = getScope(endpoint)
  const carried = kindNamed(list.lists)?.mark !== undefined
  return holder === undefined || carried || holder.kind === getScope(list)?.kind
}

/** What a list belongs to, as flags say it. */
const scopeFlagsOf = ({ endpoint, values }: Ask): JsonValues => {
  const scope = getScope(endpoint)
  const value = scope === undefined ? undefined : values[scope.placeholder]
  return scope === undefined || value === undefined ? {} : { [scope.kind]: value }
}

/** How the records of a list are read one by one; undefined where the area cannot. */
export const createSingleReader = async (
  { registry, area, words, naming }: Pick<Command, 'registry' | 'area' | 'words' | 'naming'>,
  list: Ask,
): Promise<SingleRecord | undefined> => {
  if (!/(^| )list$/.test(words) || list.endpoint.lists === undefined) return undefined
  const command = await singleNamed({ registry, area, words })
  const endpoint = Object.values(command?.endpoints ?? {}).find((one) => reads(one, list))
  const argument = command?.args[0]
  if (command === undefined || endpoint === undefined) return undefined
  if (argument?.param?.completes !== list.endpoint.lists) return undefined
  const objects = await readObjects(argument, naming)
  // What belongs to no project is found by its ID alone.
  const scope = getScope(endpoint)?.kind === getScope(list.endpoint)?.kind ? scopeFlagsOf(list) : {}
  const project = scope.project === undefined ? undefined : String(scope.project)
  const textOf = (record: unknown): string => getPipedObject(record, objects, project)
  return {
    command,
    endpoint,
    textOf,
    given: (record) => ({ args: [textOf(record)], flags: scope, extra: {} }),
  }
}
