/**
 * Masks records between the client and the output formats, so that no format sees a secret. A record is rewritten only if a name in it may
 * be that of a secret; all other bytes stay.
 */
import { type FieldMatch, PackedRecords, type Records } from '../json/records.js'
import { guardStack, type ValueReader } from '../json/values.js'
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

// Records are searched as bytes for words that the names of secrets end in or contain.

/**
 * The declared names of fields to mask, in addition to names that look like secrets. It is `nothing` if secrets are requested
 * (--show-secrets) or are the answer itself.
 */
export type HiddenFields = ReadonlySet<string> | 'nothing'

/** Lists the texts that names of secrets end in, in lower case; a whole name is such a text, too. */
const listEndings = (declared: ReadonlySet<string>): readonly string[] => {
  const names = [...declared, ...variableNames]
  return [...lastLetters, ...names, ...listOwnEndings(names)]
}

/** True if a name is a reason to inspect its record. */
const mayNameSecret = (findSecrecy: SecrecyFinder, name: string): boolean =>
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
  readonly #mentionsSecret: (bytes: Uint8Array) => boolean

  constructor(endings: readonly string[], findSecrecy: SecrecyFinder) {
    this.match = { endings, isName: (name) => mayNameSecret(findSecrecy, name) }
    this.#mentionsSecret = createMentionTest(endings)
  }

  /** Returns a test of the indexes of a batch; undefined if no record may contain a secret. */
  find(batch: Records): ((index: number) => boolean) | undefined {
    const matched = batch instanceof PackedRecords ? batch.matched(this.match) : undefined
    const pieces = batch instanceof PackedRecords ? batch.pieces() : [...batch]
    const holdsName = matched === undefined ? this.#mentionsSecret : holdsInner
    if (pieces.some(holdsName) || pieces.some(holdsSecretText)) return () => true
    return matched === undefined || matched.length === 0
      ? undefined
      : (index) => matched.includes(index)
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
 */
export const createRecordMasker = (hidden: HiddenFields): RecordMasker => {
  if (hidden === 'nothing') return noMasker
  const findSecrecy = getSecrecies(hidden)
  const endings = listEndings(hidden)
  const finder = new SecretFinder(endings, findSecrecy)
  let maskBytes: ((bytes: Uint8Array) => Uint8Array) | undefined
  return {
    watch: finder.match,
    maskBatch: (batch) => {
      const mayHoldSecret = finder.find(batch)
      if (mayHoldSecret === undefined) return batch
      maskBytes ??= createByteMasker(endings, findSecrecy)
      const mask = maskBytes
      return batch.map((bytes, index) => (mayHoldSecret(index) ? mask(bytes) : bytes))
    },
    maskValue: (value) => guardStack(() => maskSecrets(value, findSecrecy)),
  }
}

/** True if a part of a path is masked, so that there is nothing below it. */
const isInsideMasked = (pickValue: ValueReader, record: unknown, path: string): boolean =>
  path
    .split('.')
    .some((_, i, names) => i > 0 && pickValue(record, names.slice(0, i).join('.')) === masked)

const createMaskedReader = (
  pick: ValueReader,
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
export const createMaskedPick = (pick: ValueReader, hidden: HiddenFields): ValueReader => {
  if (hidden === 'nothing') return pick
  const findSecrecy = getSecrecies(hidden)
  const known = new Map<string, (record: unknown) => unknown>()
  return (record, path) => {
    const readMasked = known.get(path) ?? createMaskedReader(pick, path, findSecrecy)
    known.set(path, readMasked)
    return readMasked(record)
  }
}
