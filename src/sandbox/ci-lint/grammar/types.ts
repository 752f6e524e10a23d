/**
 * Declares the values of a configuration, its findings, and the types of its values, as data. The table
 * of keywords consists of these types, and `findings.ts` checks values against them.
 */

/** A hash of a configuration; references in it stay where they are. */
export type Hash = { [key: string]: unknown }

export const isHash = (value: unknown): value is Hash =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof KeywordReference) &&
  !(value instanceof Date)

/** A `!reference [job, keyword, …]`, which is replaced by the value that it names. */
export class KeywordReference {
  /** @param valid whether it is a list of texts, as instances want it */
  constructor(
    readonly path: readonly string[],
    readonly valid = true,
  ) {}
  toString(): string {
    return `!reference ${JSON.stringify(this.path)}`
  }
}

/** A fault of a configuration. */
export interface Finding {
  readonly text: string
  /** A text that was not fetched could make it right: by what it adds, not by what it replaces. */
  readonly curable?: true
  /** Instances may take it all the same: a warning. */
  readonly advice?: true
}

/** An error in the text itself, with all its problems. */
export class UnreadableError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'Unreadable'
  }
}

/** The limit of a configuration's size, counted wherever something is built of it. */
export class Budget {
  #left: number
  constructor(most: number) {
    this.#left = most
  }

  get left(): number {
    return this.#left
  }

  /** @throws Unreadable when it is used up */
  spend(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new UnreadableError(['The parsed YAML is too big'])
  }
}

// What a keyword may have.

interface BaseType extends Span {
  /**
   * Instances say `<path> config …` of an entry of its own, and `<path of its owner> <keyword> …` of
   * a plain attribute.
   */
  readonly entry?: boolean
  /** The syntax that a limit keeps out and that newer versions know. */
  readonly forbids?: string
}

/** A value that passes a test. */
export interface LeafType extends BaseType {
  readonly kind: 'leaf'
  readonly holds: (value: unknown) => boolean
  readonly says: string | ((value: unknown) => string)
}

/** One of these words; where they are `many`, a list of them too. */
export interface WordsType extends BaseType {
  readonly kind: 'words'
  readonly many: boolean
  readonly words: ReadonlyMap<string, Span>
  readonly says: (allowed: string, value: unknown) => string
}

/** A condition between the keys of a hash. */
export interface Relation {
  readonly holds: (value: Values, path: string) => boolean
  /** The key that it is said of; the hash itself unless given. */
  readonly key?: string
  readonly says: string | ((value: Values) => string)
  /** True if an addition to the hash from another file may make the condition hold. */
  readonly curable?: true
}

/** A hash of a configuration. */
export type Values = Readonly<Record<string, unknown>>

export type Keys = Readonly<Record<string, Type>>

export interface HashType extends BaseType {
  readonly kind: 'hash'
  readonly keys: Keys
  readonly relations: readonly Relation[]
  /** The message for other keys. */
  readonly unknown: string
}

/** A hash whose keys are names; nothing counts as an empty hash there. */
export interface NamedType extends BaseType {
  readonly kind: 'named'
  readonly of: Type
  readonly says: string
}

/** A list; its items are called `item` in paths. */
export interface ItemsType extends BaseType {
  readonly kind: 'items'
  readonly of: Type
  readonly item: string
  readonly says: string
}

/** The kinds of values that YAML has. */
export type Form = 'string' | 'number' | 'boolean' | 'list' | 'hash'

export interface EitherType extends BaseType {
  readonly kind: 'either'
  readonly forms: Readonly<Partial<Record<Form, Type>>>
  readonly says: string
}

/** A type with several conditions; only the first that fails is reported. */
export interface AllType extends BaseType {
  readonly kind: 'all'
  readonly of: readonly Type[]
}

/** A type that depends on the value. */
interface ChosenType extends BaseType {
  readonly kind: 'chosen'
  readonly of: (value: unknown) => Type
}

/** A type that only the schema for editors demands: a violation is a warning. */
export interface AdvisedType extends BaseType {
  readonly kind: 'advised'
  readonly of: Type
}

export type Type =
  | LeafType
  | WordsType
  | HashType
  | NamedType
  | ItemsType
  | EitherType
  | AllType
  | ChosenType
  | AdvisedType

const isEntry = ({ entry }: Type): boolean => entry === true

export const must = (holds: LeafType['holds'], says: LeafType['says']): LeafType => ({
  kind: 'leaf',
  holds,
  says,
})

/** A word, or a word with the span in which it is known. */
type Word = string | readonly [string, Span]

export const wordsType = (
  words: readonly Word[],
  says: WordsType['says'] = (allowed) => `should be one of: ${allowed}`,
): WordsType => ({
  kind: 'words',
  many: false,
  words: new Map(words.map((word) => (typeof word === 'string' ? [word, {}] : word))),
  says,
})

/** One or several of these words. */
export const listOfWords = (words: readonly Word[]): WordsType => ({
  ...wordsType(words, () => 'is not included in the list'),
  many: true,
})

export const hashType = (keys: Keys, ...relations: readonly Relation[]): HashType => ({
  kind: 'hash',
  keys,
  relations,
  unknown: 'contains unknown keys',
  entry: true,
})

export const namedHash = (of: Type, says = 'config should be a hash'): NamedType => ({
  kind: 'named',
  of,
  says,
  entry: true,
})

export const items = (of: Type, item: string, what: string): ItemsType => ({
  kind: 'items',
  of,
  item,
  says: `config should be an array of ${what}`,
  entry: true,
})

export const either = (forms: EitherType['forms'], says: string): EitherType => ({
  kind: 'either',
  forms,
  says,
  entry: Object.values(forms).some(isEntry),
})

export const all = (...of: readonly Type[]): AllType => ({
  kind: 'all',
  of,
  entry: of.some(isEntry),
})

export const chosen = (of: ChosenType['of']): ChosenType => ({ kind: 'chosen', of, entry: true })

export const advised = (of: Type): AdvisedType => ({ kind: 'advised', of, entry: isEntry(of) })

/** Returns a type whose messages name it as an entry of its own. */
export const entry = <T extends Type>(type: T): T => ({ ...type, entry: true })

/** Returns a type whose messages name it as an attribute of its owner. */
export const attribute = <T extends Type>(type: T): T => ({ ...type, entry: false })

export const since = <T extends Type>(version: Span['since'] & string, type: T): T => ({
  ...type,
  since: version,
})

export const until = <T extends Type>(version: Span['until'] & string, type: T): T => ({
  ...type,
  until: version,
})

/** Returns a type that limits only the versions that lack something. */
export const before = <T extends Type>(
  version: Span['until'] & string,
  forbids: string,
  type: T,
): T => ({ ...until(version, type), forbids })

/** Returns the same type for several keys. */
export const each = (names: string, type: Type): Keys =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

export const has = (value: Values, key: string): boolean => (value[key] ?? null) !== null

/** Requires a key; with `where`, only if that other key is present. */
export const required = (key: string, where?: string): Relation => ({
  key,
  holds: (value) => has(value, key) || (where !== undefined && !has(value, where)),
  says: "can't be blank",
  curable: true,
})

/** Requires these keys; the message names the hash. */
export const requiresKeys = (...keys: readonly string[]): Relation => ({
  holds: (value) => keys.every((key) => has(value, key)),
  says: `missing required keys: ${keys.join(', ')}`,
  curable: true,
})

/** Allows at most one of these keys. */
export const excludes = (...keys: readonly string[]): Relation => ({
  holds: (value) => keys.filter((key) => has(value, key)).length <= 1,
  says: `please use only one of the following keys: ${keys.join(', ')}`,
})

/** Requires exactly one of these keys. */
export const exactlyOne = (...keys: readonly string[]): Relation => ({
  holds: (value) => keys.filter((key) => has(value, key)).length === 1,
  says: `must use exactly one of these keys: ${keys.join(', ')}`,
  curable: true,
})

// Versions of the service, and in which of them a keyword is known.

export type CiVersion = `${number}.${number}`

/** The version since which something is known, and the one since which it is gone; absent if no public page states it. */
export interface Span {
  readonly since?: CiVersion
  readonly until?: CiVersion
}

/** The version as of which a configuration is checked; undefined is the latest. */
export type JudgedVersion = CiVersion | undefined

export const isCiVersion = (text: string): text is CiVersion => /^\d{1,3}\.\d{1,3}$/.test(text)

/** Returns a number for a version; newer versions have larger ones. */
const rank = (version: CiVersion): number => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1000 + minor
}

const isBefore = (one: CiVersion, other: CiVersion): boolean => rank(one) < rank(other)

const isTooNew = ({ since }: Span, asOf: JudgedVersion): boolean =>
  since !== undefined && asOf !== undefined && isBefore(asOf, since)

/** True if something with this span is known as of a version. */
export const isKnown = (span: Span, asOf: JudgedVersion): boolean =>
  !isTooNew(span, asOf) &&
  (span.until === undefined || (asOf !== undefined && isBefore(asOf, span.until)))

/** Describes which version added or removed something unknown; empty if no version knows it. */
export const describeChange = (name: string, span: Span, asOf: JudgedVersion): string => {
  if (isTooNew(span, asOf)) return `${name} was added in ${span.since}`
  return isKnown(span, asOf) ? '' : `${name} was removed in ${span.until}`
}
