/** What a configuration is made of: hashes, and references that stay where they stand. */
export type Hash = { [key: string]: unknown }

export const isHash = (value: unknown): value is Hash =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof KeywordReference) &&
  !(value instanceof Date)

/** `!reference [job, keyword, …]`: what stands there is put here. */
export class KeywordReference {
  constructor(readonly path: readonly string[]) {}
  toString(): string {
    return `!reference ${JSON.stringify(this.path)}`
  }
}
