/** What of JSON is refused: what is none, and more of it than is built. */

/** What may be built of one answer, or of one record of a list. */
export const bounds = {
  /** Bytes, after decompression. */
  bytes: 64 << 20,
  values: 1_000_000,
  depth: 200,
} as const

/** What may be built of one record where a format needs its fields: values take far more memory than bytes. */
export const maxBuilt = { bytes: 12 << 20, values: 250_000 } as const

/** What is wrong with a JSON text, in words that follow its name; no byte of it is repeated. */
export class MalformedJson extends Error {
  /** Where it is, in the chunk that was read; undefined for what is wrong with it all. */
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.at = at
  }

  /** The same with its place, counted from the beginning of the text. */
  placed(before: number): MalformedJson {
    if (this.at === undefined) return this
    return new MalformedJson(`${this.message}, at byte ${before + this.at + 1}`)
  }
}

export const wrong = (why: string, at: number): MalformedJson =>
  new MalformedJson(`is not valid JSON: ${why}`, at)

export const tooMany = (most: number): MalformedJson =>
  new MalformedJson(
    `was rejected because it has more than ${most < 1_000_000 ? most : `${most / 1_000_000} million`} values`,
  )

export const tooDeep = (): MalformedJson =>
  new MalformedJson(`was rejected because it is nested more than ${bounds.depth} levels deep`)

/** @param what which part of the answer it is */
export const tooLarge = (what = ''): MalformedJson =>
  new MalformedJson(
    `${what} was rejected because it is larger than ${bounds.bytes >> 20} MiB`.trim(),
  )
