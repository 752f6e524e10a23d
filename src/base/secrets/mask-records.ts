/**
 * Masks records between the client and the output formats, so that no format sees a secret. A record is rewritten only if a name in it may
 * be that of a secret; all other bytes stay.
 */
import { type FieldMatch, PackedRecords, type Records } from '../json/records.js'
import { guardStack, type Pick } from '../json/values.js'
import {
  getSecrecies,
  getSecrecy,
  listOwnEndings,
  maskSecrets,
  type SecrecyFinder,
  variableNames,
} from './mask.js'
import { createByteMasker, createMentionTest, holdsInner, holdsSecretText } from './mask-bytes.js'
import { lastLetters, masked } from './names.js'

// The search in bytes: for the words that names of secrets end in, or contain.

/**
 * The declared names of fields to mask, in addition to names that look like secrets. It is `nothing` if secrets are requested
 * (--show-secrets) or are the answer itself.
 */
export type HiddenFields = ReadonlySet<string> | 'nothing'

/** Lists the endings of names of secrets in lower case, for a search that finds suspicious records. */
const listEndings = (declared: ReadonlySet<string>): readonly string[] => {
  const names = [...declared, ...variableNames]
  return [...lastLetters, ...names, ...listOwnEndings(names)]
}

/** True if a name is a reason to inspect its record. */
const isSuspect = (findSecrecy: SecrecyFinder, name: string): boolean =>
  ['value', 'holds'].includes(findSecrecy(name) ?? '') ||
  getSecrecy(findSecrecy, name) !== undefined

/** Returns the secrecy of a dotted path: that of the most secret name in it. */
const getPathSecrecy = (
  findSecrecy: SecrecyFinder,
  path: string,
): ReturnType<typeof getSecrecy> => {
  const found = [path, ...path.split('.')].map((name) => getSecrecy(findSecrecy, name))
  return found.find((one) => one === 'declared') ?? found.find((one) => one !== undefined)
}

/** Finds the records that may contain a secret, by the matches from cutting them, or else by a search. */
class SecretFinder {
  readonly match: FieldMatch
  readonly #mentioned: (bytes: Uint8Array) => boolean

  constructor(endings: readonly string[], findSecrecy: SecrecyFinder) {
    this.match = { endings, isName: (name) => isSuspect(findSecrecy, name) }
    this.#mentioned = createMentionTest(endings)
  }

  /** Finds the records of a batch that may contain a secret. @returns a test of their indexes; undefined if there is none */
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
  /** Masks records as bytes. Records without a secret keep the memory in which they arrived. */
  maskBatch(batch: Records): Records
  maskValue(value: unknown): unknown
}

const noMasker: RecordMasker = {
  watch: undefined,
  maskBatch: (batch) => batch,
  maskValue: (value) => value,
}

/**
 * Creates the masker of an answer's records.
 * @param hidden names of fields that are declared to hold credentials, besides those whose names look like secrets; `nothing` if secrets
 * were requested
 */
export const createRecordMasker = (hidden: HiddenFields): RecordMasker => {
  if (hidden === 'nothing') return noMasker
  const findSecrecy = getSecrecies(hidden)
  const endings = listEndings(hidden)
  const finder = new SecretFinder(endings, findSecrecy)
  let hide: ((bytes: Uint8Array) => Uint8Array) | undefined
  return {
    watch: finder.match,
    maskBatch: (batch) => {
      const isSuspicious = finder.find(batch)
      if (isSuspicious === undefined) return batch
      hide ??= createByteMasker(endings, findSecrecy)
      const mask = hide
      return batch.map((bytes, place) => (isSuspicious(place) ? mask(bytes) : bytes))
    },
    maskValue: (value) => guardStack(() => maskSecrets(value, findSecrecy)),
  }
}

/** True if a part of a path is masked, so that there is nothing below it. */
const isInsideMasked = (pickValue: Pick, record: unknown, path: string): boolean =>
  path
    .split('.')
    .some((_, i, names) => i > 0 && pickValue(record, names.slice(0, i).join('.')) === masked)

const createMaskedReader = (
  pick: Pick,
  path: string,
  findSecrecy: SecrecyFinder,
): ((record: unknown) => unknown) => {
  const secrecy = getPathSecrecy(findSecrecy, path)
  return (record) => {
    const value = pick(record, path)
    if (value === undefined && secrecy !== undefined && isInsideMasked(pick, record, path))
      return masked
    return guardStack(() => maskSecrets(value, findSecrecy, secrecy))
  }
}

/**
 * Creates a function that picks values from masked records. A value is as secret as the names on its path: `token.value` is secret because
 * of `token`.
 */
export const createMaskedPick = (pick: Pick, hidden: HiddenFields): Pick => {
  if (hidden === 'nothing') return pick
  const findSecrecy = getSecrecies(hidden)
  const known = new Map<string, (record: unknown) => unknown>()
  return (record, path) => {
    const readMasked = known.get(path) ?? createMaskedReader(pick, path, findSecrecy)
    known.set(path, readMasked)
    return readMasked(record)
  }
}
