/**
 * Declares the types from which the table of CI keywords is built, and the findings of their checks. `findings.ts` checks values against
 * these types.
 */

/** A hash of a configuration, whose references are not expanded. */
export type Hash = { [key: string]: unknown }

export const isHash = (value: unknown): value is Hash =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof KeywordReference) &&
  !(value instanceof Date)

/** A `!reference [job, keyword, …]`, which the expansion replaces by the value that it names. */
export class KeywordReference {
  /** @param valid true if the reference is a list of texts */
  constructor(
    readonly path: readonly string[],
    readonly valid = true,
  ) {}
  toString(): string {
    return `!reference ${JSON.stringify(this.path)}`
  }
}

export interface Finding {
  readonly text: string
  /** True if a file that was not fetched could resolve the finding by an addition, rather than by a replacement. */
  readonly curable?: true
  /** True if instances may accept the value, so that the finding is a warning. */
  readonly advice?: true
}

/** The error for a text that cannot be read, with all its problems. */
export class UnreadableError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'Unreadable'
  }
}

/** Limits the size of a configuration. Each step that builds a part of it spends from the same budget. */
export class Budget {
  #left: number
  constructor(most: number) {
    this.#left = most
  }

  get left(): number {
    return this.#left
  }

  /** Spends a number of values. @throws UnreadableError if the budget is exceeded */
  spend(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new UnreadableError(['The parsed YAML is too big'])
  }
}

// The types of values.

interface BaseType extends Span {
  /**
   * True if messages have the form `<path> config …`, as for an entry of its own. Otherwise it is `<path of the owner> <keyword> …`, as
   * for a plain attribute.
   */
  readonly entry?: boolean
  /** The description of the syntax that a limit forbids, which newer versions accept. */
  readonly forbids?: string
}

/** The type of a value for which a predicate is true. */
export interface LeafType extends BaseType {
  readonly kind: 'leaf'
  readonly holds: (value: unknown) => boolean
  readonly says: string | ((value: unknown) => string)
}

/** The type of one of these words. If `many` is true, a list of these words is valid, too. */
export interface WordsType extends BaseType {
  readonly kind: 'words'
  readonly many: boolean
  readonly words: ReadonlyMap<string, Span>
  readonly says: (allowed: string, value: unknown) => string
}

/** A condition on the keys of a hash. */
export interface Relation {
  readonly holds: (value: Values, path: string) => boolean
  /** The key that the message names; the hash itself if absent. */
  readonly key?: string
  readonly says: string | ((value: Values) => string)
  /** True if an addition to the hash from another file may satisfy the condition. */
  readonly curable?: true
}

/** A hash that is only read. */
export type Values = Readonly<Record<string, unknown>>

export type Keys = Readonly<Record<string, Type>>

export interface HashType extends BaseType {
  readonly kind: 'hash'
  readonly keys: Keys
  readonly relations: readonly Relation[]
  /** The message for unknown keys. */
  readonly unknown: string
}

/** The type of a hash whose keys are names. Null is valid, too: it counts as an empty hash. */
export interface NamedType extends BaseType {
  readonly kind: 'named'
  readonly of: Type
  readonly says: string
}

/** The type of a list. In paths, its items have the name `item`. */
export interface ItemsType extends BaseType {
  readonly kind: 'items'
  readonly of: Type
  readonly item: string
  readonly says: string
}

/** The forms of values in YAML. */
export type Form = 'string' | 'number' | 'boolean' | 'list' | 'hash'

export interface EitherType extends BaseType {
  readonly kind: 'either'
  readonly forms: Readonly<Partial<Record<Form, Type>>>
  readonly says: string
}

/** A type with several conditions. Only the first one that fails is reported. */
export interface AllType extends BaseType {
  readonly kind: 'all'
  readonly of: readonly Type[]
}

/** A type that depends on the value. */
interface ChosenType extends BaseType {
  readonly kind: 'chosen'
  readonly of: (value: unknown) => Type
}

/** A type that only the schema for editors requires. A violation is a warning. */
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

/** A word, or a word with the span of versions that have it. */
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

/** Creates the type of one of these words, or of a list of them. */
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

/** Returns a type whose messages name the value as an entry of its own. */
export const entry = <T extends Type>(type: T): T => ({ ...type, entry: true })

/** Returns a type whose messages name the value as an attribute of its owner. */
export const attribute = <T extends Type>(type: T): T => ({ ...type, entry: false })

export const since = <T extends Type>(version: Span['since'] & string, type: T): T => ({
  ...type,
  since: version,
})

export const until = <T extends Type>(version: Span['until'] & string, type: T): T => ({
  ...type,
  until: version,
})

/** Returns a type that is only checked in the versions that lack some syntax. */
export const before = <T extends Type>(
  version: Span['until'] & string,
  forbids: string,
  type: T,
): T => ({ ...until(version, type), forbids })

/** Returns the same type for several keys. */
export const each = (names: string, type: Type): Keys =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

export const has = (value: Values, key: string): boolean => (value[key] ?? null) !== null

/** Creates the condition that a key is present. With `where`, it is only required if that other key is present. */
export const required = (key: string, where?: string): Relation => ({
  key,
  holds: (value) => has(value, key) || (where !== undefined && !has(value, where)),
  says: "can't be blank",
  curable: true,
})

/** Creates the condition that these keys are present. Its message names the hash. */
export const requiresKeys = (...keys: readonly string[]): Relation => ({
  holds: (value) => keys.every((key) => has(value, key)),
  says: `missing required keys: ${keys.join(', ')}`,
  curable: true,
})

/** Creates the condition that at most one of these keys is present. */
export const excludes = (...keys: readonly string[]): Relation => ({
  holds: (value) => keys.filter((key) => has(value, key)).length <= 1,
  says: `please use only one of the following keys: ${keys.join(', ')}`,
})

/** Creates the condition that exactly one of these keys is present. */
export const exactlyOne = (...keys: readonly string[]): Relation => ({
  holds: (value) => keys.filter((key) => has(value, key)).length === 1,
  says: `must use exactly one of these keys: ${keys.join(', ')}`,
  curable: true,
})

// Versions.

export type CiVersion = `${number}.${number}`

/** The first version that has something, and the first one that no longer has it. Either is absent if no public page documents it. */
export interface Span {
  readonly since?: CiVersion
  readonly until?: CiVersion
}

/** The version by whose rules a configuration is checked. Undefined is the latest. */
export type JudgedVersion = CiVersion | undefined

export const isCiVersion = (text: string): text is CiVersion => /^\d{1,3}\.\d{1,3}$/.test(text)

/** Returns a number for a version, by which versions can be compared. */
const rank = (version: CiVersion): number => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1000 + minor
}

const isBefore = (one: CiVersion, other: CiVersion): boolean => rank(one) < rank(other)

const isTooNew = ({ since }: Span, asOf: JudgedVersion): boolean =>
  since !== undefined && asOf !== undefined && isBefore(asOf, since)

/** True if a version is within a span. */
export const isKnown = (span: Span, asOf: JudgedVersion): boolean =>
  !isTooNew(span, asOf) &&
  (span.until === undefined || (asOf !== undefined && isBefore(asOf, span.until)))

/** Describes which version added or removed something that this version does not have; empty if this version has it. */
export const describeChange = (name: string, span: Span, asOf: JudgedVersion): string => {
  if (isTooNew(span, asOf)) return `${name} was added in ${span.since}`
  return isKnown(span, asOf) ? '' : `${name} was removed in ${span.until}`
}
