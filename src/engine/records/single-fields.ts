/** Fields of `--fields` and `--sort` that only the single record has. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { dotted } from '../../catalogue/words.js'
import type { Globals } from '../command/globals.js'
import { kindIn } from '../where/shape.js'
import { type Answering, KnownFields } from './known-fields.js'

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
export const singleFieldsOf = async (
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
  const { singleOf } = await import('./single.js')
  const single = await singleOf(command, { endpoint, values: {} })
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
