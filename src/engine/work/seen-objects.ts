/**
 * Which objects were given before: numbers exactly, other text (and whatever has a parent) by 96
 * bits of SHA-256, so that a million of them stay small.
 */
import { createHash } from 'node:crypto'
import { type GivenObject, normalizeId } from './report.js'

/** Words of 32 bits that tell a text from all others. */
const words = 3
const first = 1 << 10
/** A table fuller than this becomes slow. */
const fullest = 0.7

/** Puts a print where it belongs; false where it is there already. */
const put = (table: Uint32Array, a: number, b: number, c: number): boolean => {
  const places = table.length / words
  for (let i = b % places; ; i = (i + 1) % places) {
    const at = i * words
    if (table[at] === a && table[at + 1] === b && table[at + 2] === c) return false
    if (table[at] !== 0) continue
    table[at] = a
    table[at + 1] = b
    table[at + 2] = c
    return true
  }
}

/** Fingerprints of texts, in one block of memory; a fingerprint of zeros is replaced by another. */
class Fingerprints {
  #table = new Uint32Array(first * words)
  #count = 0

  /** False where it is there already. */
  add([first = 0, b = 0, c = 0]: Uint32Array): boolean {
    if (!put(this.#table, first === 0 ? 1 : first, b, c)) return false
    this.#count += 1
    if (this.#count > (this.#table.length / words) * fullest) this.#grow()
    return true
  }

  #grow(): void {
    const larger = new Uint32Array(this.#table.length * 2)
    for (let at = 0; at < this.#table.length; at += words) {
      const [a, b, c] = [this.#table[at] ?? 0, this.#table[at + 1] ?? 0, this.#table[at + 2] ?? 0]
      if (a !== 0) put(larger, a, b, c)
    }
    this.#table = larger
  }
}

/** Numbers that lie near each other, so many to a group. */
const groupSize = 1 << 16
/** A group of more than this many is a bit each. */
const maxListed = 512
const bits = 8

/** Some of the numbers of a group: listed while they are few. */
class Group {
  #list = new Uint16Array(4)
  #count = 0
  #map: Uint8Array | undefined

  /** False where it is there already. */
  add(low: number): boolean {
    if (this.#map !== undefined) return this.#mark(this.#map, low)
    const at = this.#list.indexOf(low)
    if (at >= 0 && at < this.#count) return false
    if (this.#count === maxListed) {
      const map = new Uint8Array(groupSize / bits)
      for (const one of this.#list.subarray(0, this.#count)) this.#mark(map, one)
      this.#map = map
      this.#list = new Uint16Array(0)
      return this.#mark(map, low)
    }
    if (this.#count === this.#list.length) {
      const longer = new Uint16Array(this.#list.length * 2)
      longer.set(this.#list)
      this.#list = longer
    }
    this.#list[this.#count++] = low
    return true
  }

  #mark(map: Uint8Array, low: number): boolean {
    const at = Math.floor(low / bits)
    const bit = 1 << (low % bits)
    const byte = map[at] ?? 0
    map[at] = byte | bit
    return (byte & bit) === 0
  }
}

const printOf = (text: string): Uint32Array => {
  const bytes = createHash('sha256').update(text).digest()
  return Uint32Array.from({ length: words }, (_, i) => bytes.readUInt32BE(i * 4))
}

export class SeenObjects {
  readonly #groups = new Map<number, Group>()
  readonly #prints = new Fingerprints()

  /** Takes an object in; false where it was given before. */
  add({ object, parent }: GivenObject): boolean {
    const identity = normalizeId(object)
    const number = /^\d{1,15}$/.test(identity) ? Number(identity) : undefined
    if (parent === undefined && number !== undefined) {
      const high = Math.floor(number / groupSize)
      const group = this.#groups.get(high) ?? new Group()
      this.#groups.set(high, group)
      return group.add(number % groupSize)
    }
    return this.#prints.add(printOf(`${normalizeId(parent ?? '')}\0${identity}`))
  }
}
