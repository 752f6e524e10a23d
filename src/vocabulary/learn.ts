/**
 * What an instance calls things, as far as its answers tell: documented names that an answer lacks, matched
 * with the names in it that nobody knows. Nothing is guessed in silence.
 */
import { isObject } from '../base/objects.js'
import { getProperties } from '../catalogue/shapes/properties.js'

/** One answer, and what the documents say of it. */
export interface Heard {
  readonly shape: unknown
  readonly record: Readonly<Record<string, unknown>>
}

/** A documented name that an answer lacks, with what it may be called there. */
export interface Unsure {
  readonly name: string
  /** Names of the same type and ending; else all strange ones of its type. */
  readonly candidates: readonly string[]
  /** Whether they end alike. */
  readonly alike: boolean
}

/** A word that its names agree on. */
export interface Learnt {
  readonly word: string
  readonly own: string
  readonly names: readonly string[]
}

export interface Lesson {
  readonly words: readonly Learnt[]
  /** Names that keep a word which others have another one for. */
  readonly kept: readonly string[]
  readonly open: readonly Unsure[]
}

type Kind = 'any' | 'array' | 'boolean' | 'null' | 'number' | 'object' | 'string'

const kindsOf = (schema: unknown): readonly Kind[] => {
  if (!isObject(schema)) return ['any']
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(kindsOf)
  if (schema.type === 'integer' || schema.type === 'number') return ['number']
  const known: readonly Kind[] = ['array', 'boolean', 'null', 'object', 'string']
  return [known.find((kind) => kind === schema.type) ?? 'any']
}

const kindOf = (value: unknown): Kind => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  const kind = typeof value
  return kind === 'boolean' || kind === 'number' || kind === 'string' ? kind : 'object'
}

/** What is not set may be of any type. */
const fits = (kinds: readonly Kind[], value: unknown): boolean => {
  const kind = kindOf(value)
  return kind === 'null' || kinds.includes('any') || kinds.includes(kind)
}

const tokens = (name: string): readonly string[] => name.split(/[_-]/)

interface Pair {
  readonly name: string
  readonly strange: string
  readonly word: string
  readonly own: string
}

/** Two names that differ in one word, and end alike; undefined where they do not. */
const pairOf = (name: string, strange: string): Pair | undefined => {
  const [a, b] = [tokens(name), tokens(strange)]
  const at = a.findIndex((token, i) => token !== b[i])
  const [word, own] = [a[at], b[at]]
  if (a.length < 2 || a.length !== b.length || word === undefined || own === undefined)
    return undefined
  return a.slice(at + 1).join() === b.slice(at + 1).join()
    ? { name, strange, word, own }
    : undefined
}

interface Missing {
  readonly name: string
  /** Strange names of its type, in the same answer. */
  readonly strange: readonly string[]
}

const missingIn = ({ shape, record }: Heard): readonly Missing[] => {
  const documented = getProperties(shape) ?? {}
  const strange = Object.keys(record).filter((name) => !Object.hasOwn(documented, name))
  return Object.entries(documented)
    .filter(([name]) => !Object.keys(record).includes(name))
    .map(([name, schema]) => {
      const kinds = kindsOf(schema)
      return { name, strange: strange.filter((one) => fits(kinds, record[one])) }
    })
}

const distinct = <T>(items: Iterable<T>): readonly T[] => [...new Set(items)]

/** The words whose pairs all agree, of two names or more, and whose names nothing else explains. */
const agreed = (pairs: readonly Pair[]): readonly Learnt[] => {
  const all = distinct(pairs.map(({ word }) => word)).flatMap((word): readonly Learnt[] => {
    const of = pairs.filter((pair) => pair.word === word)
    const names = distinct(of.map(({ name }) => name))
    const [own, ...others] = distinct(of.map((pair) => pair.own))
    const elsewhere = pairs.some((pair) => pair.word !== word && names.includes(pair.name))
    if (own === undefined || others.length > 0 || names.length < 2 || elsewhere) return []
    return [{ word, own, names }]
  })
  return all.filter(({ own }) => all.filter((one) => one.own === own).length === 1)
}

/** What can be learnt from answers. */
export const learnFrom = (heard: readonly Heard[]): Lesson => {
  const missing = new Map<string, Set<string>>()
  for (const { name, strange } of heard.flatMap(missingIn))
    missing.set(name, new Set([...(missing.get(name) ?? []), ...strange]))
  const present = distinct(
    heard.flatMap(({ shape, record }) =>
      Object.keys(getProperties(shape) ?? {}).filter((name) => Object.keys(record).includes(name)),
    ),
  )
  for (const name of present) missing.delete(name)
  const pairs = [...missing].flatMap(([name, strange]) =>
    [...strange].flatMap((one) => pairOf(name, one) ?? []),
  )
  const words = agreed(pairs)
  const explained = new Set(words.flatMap(({ names }) => names))
  const taken = new Set(
    pairs.filter(({ name }) => explained.has(name)).map(({ strange }) => strange),
  )
  const open = [...missing]
    .filter(([name]) => !explained.has(name))
    .map(([name, strange]): Unsure => {
      const alike = pairs.flatMap((pair) => (pair.name === name ? [pair.strange] : []))
      const others = [...strange].filter((one) => !taken.has(one))
      return { name, candidates: alike.length > 0 ? alike : others, alike: alike.length > 0 }
    })
  const known = new Set(words.map(({ word }) => word))
  const kept = present.filter((name) => tokens(name).some((token) => known.has(token)))
  return { words, kept, open }
}
