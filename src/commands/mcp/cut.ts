/** A record that is larger than an answer may be, without what makes it so. */
import { isObject } from '../../base/objects.js'

/** So long may a text be, and so long a list, round after round. */
const textLimits = [8192, 2048, 512, 128]
const listLimits = [50, 10, 1]
/** Names of what was cut: so many, and so long, that they have room (`answers.ts`). */
const mostNames = 20
const longestName = 60

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

type Cutter = (value: unknown, path: string) => unknown

const joined = (path: string, name: string | number): string =>
  path === '' ? String(name) : `${path}.${name}`

/** The value with each text, list and object in it seen by the cutter first. */
const walked = (value: unknown, path: string, cutter: Cutter): unknown => {
  const own = cutter(value, path)
  if (Array.isArray(own)) return own.map((item, i) => walked(item, joined(path, i), cutter))
  if (!isObject(own)) return own
  return Object.fromEntries(
    Object.entries(own).map(([name, inner]) => [name, walked(inner, joined(path, name), cutter)]),
  )
}

/** A text up to a limit that breaks no character. */
const shortened = (text: string, limit: number): string =>
  `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…`

class Cutting {
  readonly #names = new Set<string>()

  texts(limit: number): Cutter {
    return (value, path) => {
      if (typeof value !== 'string' || value.length <= limit + 1) return value
      this.#names.add(path)
      return shortened(value, limit)
    }
  }

  lists(limit: number): Cutter {
    return (value, path) => {
      if (!Array.isArray(value) || value.length <= limit) return value
      this.#names.add(path)
      return value.slice(0, limit)
    }
  }

  /** Without the largest fields, as far as the rest fits. */
  fields(value: unknown, most: number): unknown {
    if (!isObject(value)) return null
    const sizes = Object.entries(value).map(
      ([name, inner]) => [name, bytesOf(name) + bytesOf(inner) + 2] as const,
    )
    const kept = new Set<string>()
    let left = most - 2
    for (const [name, size] of sizes.toSorted(([, a], [, b]) => a - b)) {
      left -= size
      if (left < 0) this.#names.add(name)
      else kept.add(name)
    }
    return Object.fromEntries(Object.entries(value).filter(([name]) => kept.has(name)))
  }

  get names(): readonly string[] {
    const all = [...this.#names].map((name) =>
      name.length > longestName ? shortened(name, longestName) : name || '(all of it)',
    )
    const more = all.length - mostNames
    return more <= 0 ? all : [...all.slice(0, mostNames), `and ${more} more`]
  }
}

/** A record of at most so many bytes, and the names of its fields that were cut. */
export const cutTo = (
  record: unknown,
  most: number,
): { readonly record: unknown; readonly cut: readonly string[] } => {
  const cutting = new Cutting()
  let value = record
  const rounds = [
    ...textLimits.map((limit) => cutting.texts(limit)),
    ...listLimits.map((limit) => cutting.lists(limit)),
  ]
  for (const round of rounds) {
    if (bytesOf(value) <= most) break
    value = walked(value, '', round)
  }
  if (bytesOf(value) > most) value = cutting.fields(value, most)
  return { record: value, cut: cutting.names }
}
