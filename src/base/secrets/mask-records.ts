/**
 * The one stage between the client and every format: no format sees a record before its secrets are
 * masked. A record is written anew only where a name in it may be a secret's; every other byte stays.
 */
import { type FieldMatch, PackedRecords, type Records } from '../json/records.js'
import { guardStack, type Pick } from '../json/values.js'
import {
  getSecrecies,
  getSecrecy,
  maskSecrets,
  type OwnNames,
  type SecrecyOf,
  variableNames,
} from './mask.js'
import { createByteMasker, createMentionTest, holdsInner, holdsSecretText } from './mask-bytes.js'
import { lastLetters, masked } from './names.js'

// What to look for in bytes: the words that names of secrets end in, or have in them.

/** The part of an instance's words that says which fields are secret, under either name. */
type OwnSecrets = OwnNames & { readonly secretEndings: readonly string[] }

/**
 * The fields to hide: those declared to hold credentials, besides those whose names say so. It is `nothing` if secrets are requested
 * (--show-secrets) or are the answer.
 */
export type HiddenFields = ReadonlySet<string> | 'nothing'

/** Lists the endings of names of secrets, without case, for a search that only looks for suspects. */
const listEndings = (declared: ReadonlySet<string>, words?: OwnSecrets): readonly string[] => {
  const names = [...declared, ...variableNames]
  return [
    ...lastLetters,
    ...names,
    ...(words === undefined ? [] : [...words.secretEndings, ...names.map(words.name)]),
  ]
}

/** True if a name is a reason to look at its record. */
const isSuspect = (secrecyOf: SecrecyOf, name: string): boolean =>
  ['value', 'holds'].includes(secrecyOf(name) ?? '') || getSecrecy(secrecyOf, name) !== undefined

/** Returns the secrecy of the place under a dotted name: that of the most secret name on the way. */
const getPathSecrecy = (secrecyOf: SecrecyOf, path: string): ReturnType<typeof getSecrecy> => {
  const found = [path, ...path.split('.')].map((name) => getSecrecy(secrecyOf, name))
  return found.find((one) => one === 'declared') ?? found.find((one) => one !== undefined)
}

/** Finds the records that may hold a secret: where the names were looked for as they were cut, else by a search. */
class SecretFinder {
  readonly match: FieldMatch
  readonly #mentioned: (bytes: Uint8Array) => boolean

  constructor(endings: readonly string[], secrecyOf: SecrecyOf) {
    this.match = { endings, isName: (name) => isSuspect(secrecyOf, name) }
    this.#mentioned = createMentionTest(endings)
  }

  /** Finds the records of a batch that may hold a secret. Returns a test of their places; undefined if there is none. */
  find(batch: Records): ((place: number) => boolean) | undefined {
    const matched = batch instanceof PackedRecords ? batch.matched(this.match) : undefined
    const pieces = batch instanceof PackedRecords ? batch.pieces() : [...batch]
    const holdsName = matched === undefined ? this.#mentioned : holdsInner
    if (pieces.some(holdsName) || pieces.some(holdsSecretText)) return () => true
    return matched === undefined || matched.length === 0
      ? undefined
      : (place) => matched.includes(place)
  }
}

/** Masks the records of an answer. */
export interface RecordMasker {
  /** The names to look for while records are cut; undefined if nothing is masked. */
  readonly watch: FieldMatch | undefined
  /** Masks records as bytes; those without a secret keep the memory that they came in. */
  maskBatch(batch: Records): Records
  maskValue(value: unknown): unknown
}

const noMasker: RecordMasker = {
  watch: undefined,
  maskBatch: (batch) => batch,
  maskValue: (value) => value,
}

/**
 * Creates the mask of an answer's records.
 * @param hidden names of fields that are declared to hold credentials; those whose names say so are
 * masked as well. `nothing` where the secrets are what was asked for
 * @param words the instance's own: a secret is one under either name
 */
export const createRecordMasker = (hidden: HiddenFields, words?: OwnSecrets): RecordMasker => {
  if (hidden === 'nothing') return noMasker
  const secrecyOf = getSecrecies(hidden, words)
  const endings = listEndings(hidden, words)
  const finder = new SecretFinder(endings, secrecyOf)
  let hide: ((bytes: Uint8Array) => Uint8Array) | undefined
  return {
    watch: finder.match,
    maskBatch: (batch) => {
      const isSuspicious = finder.find(batch)
      if (isSuspicious === undefined) return batch
      hide ??= createByteMasker(endings, secrecyOf)
      const mask = hide
      return batch.map((bytes, place) => (isSuspicious(place) ? mask(bytes) : bytes))
    },
    maskValue: (value) => guardStack(() => maskSecrets(value, secrecyOf)),
  }
}

/** True if a place on the way to this one is masked, so that nothing of it is left to pick. */
const isInsideMasked = (pick: Pick, record: unknown, path: string): boolean =>
  path
    .split('.')
    .some((_, i, names) => i > 0 && pick(record, names.slice(0, i).join('.')) === masked)

const createMaskedReader = (
  pick: Pick,
  path: string,
  secrecyOf: SecrecyOf,
): ((record: unknown) => unknown) => {
  const secrecy = getPathSecrecy(secrecyOf, path)
  return (record) => {
    const value = pick(record, path)
    if (value === undefined && secrecy !== undefined && isInsideMasked(pick, record, path))
      return masked
    return guardStack(() => maskSecrets(value, secrecyOf, secrecy))
  }
}

/**
 * Picks from masked records what is as secret as the names that lead there: `token.value` is, though
 * `value` says nothing, and so is what is made under a secret's name.
 */
export const createMaskedPick = (pick: Pick, hidden: HiddenFields, words?: OwnSecrets): Pick => {
  if (hidden === 'nothing') return pick
  const secrecyOf = getSecrecies(hidden, words)
  const known = new Map<string, (record: unknown) => unknown>()
  return (record, path) => {
    const under = known.get(path) ?? createMaskedReader(pick, path, secrecyOf)
    known.set(path, under)
    return under(record)
  }
}
