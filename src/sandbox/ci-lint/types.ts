/** Provides the values and versions that all checks of CI configurations share, and the findings of these checks. */

/** A hash of a configuration, whose references are not expanded. */
export type Hash = { [key: string]: unknown }

export const isHash = (value: unknown): value is Hash =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof KeywordReference) &&
  !(value instanceof Date)

/** True if a value, or any value in it, passes a test. */
export const hasNode = (value: unknown, test: (node: unknown) => boolean): boolean => {
  if (test(value)) return true
  if (Array.isArray(value)) return value.some((item) => hasNode(item, test))
  return isHash(value) && Object.values(value).some((item) => hasNode(item, test))
}

/** Returns the texts of a list, or a single text as a list. */
export const getTexts = (value: unknown): readonly string[] =>
  [value ?? []].flat().filter((item): item is string => typeof item === 'string')

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

// Versions.

export type CiVersion = `${number}.${number}`

/** The first version that has something, and the first one that no longer has it. Either is absent if no public page documents it. */
export interface Span {
  readonly since?: string
  readonly until?: string
}

/** The version by whose rules a configuration is checked. Undefined is the latest. */
export type JudgedVersion = CiVersion | undefined

export const isCiVersion = (text: string): text is CiVersion => /^\d{1,3}\.\d{1,3}$/.test(text)

/** Returns a number for a version, by which versions can be compared. */
const rank = (version: string): number => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1000 + minor
}

const isBefore = (one: string, other: string): boolean => rank(one) < rank(other)

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

// The schema of keywords (`keywords.json`).

export type Keys = Readonly<Record<string, AnySchema>>
export type Schemas = readonly AnySchema[]
/** A schema; true is the one that every value matches. */
export type AnySchema = boolean | KeywordSchema

/** A schema with the keywords that the checks of its structure read. Other keywords are assertions. */
export interface KeywordSchema extends Span {
  readonly $ref?: string
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly oneOf?: readonly (Span & { readonly const: unknown })[]
  readonly items?: AnySchema
  readonly properties?: Keys
  readonly patternProperties?: Keys
  readonly additionalProperties?: AnySchema
  readonly unevaluatedProperties?: boolean
  readonly required?: readonly string[]
  readonly anyOf?: Schemas
  readonly allOf?: Schemas
  readonly if?: AnySchema
  readonly then?: AnySchema
  readonly else?: AnySchema
  readonly forbids?: string
  readonly errorMessage?: string | Readonly<Record<string, string>>
  readonly advised?: boolean
  readonly entry?: boolean
  readonly format?: string
  readonly itemName?: string
  readonly about?: string
  readonly absent?: readonly unknown[]
  readonly curable?: boolean
}
