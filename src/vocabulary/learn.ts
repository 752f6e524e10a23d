/**
 * What an instance calls things, as far as its answers tell. A documented name with a word for a product (`neutralWords`) that an
 * answer lacks stands there under another: the stem that explains every such name of the word. Nothing is guessed in silence.
 */
import { isObject } from '../base/objects.js'
import { getProperties } from '../catalogue/shapes/properties.js'
import { neutralWords } from '../catalogue/words.js'

/** One answer, and what the documents say of it. */
export interface AnswerSample {
  readonly shape: unknown
  readonly record: Readonly<Record<string, unknown>>
  /** Of the properties of an integration: what the instance calls it. */
  readonly slug?: string
}

/** A word that its names agree on, with the documented names that showed it. */
export interface LearnedWord {
  readonly word: string
  readonly own: string
  readonly names: readonly string[]
  /** The integrations that it is in, by the instance's own slugs. */
  readonly slugs: readonly string[]
}

/** A word that answers do not tell for certain. */
export interface OpenWord {
  readonly word: string
  /** The documented names that it is in. */
  readonly names: readonly string[]
  /** What it may be on the instance, the likeliest first. */
  readonly candidates: readonly Candidate[]
}

/** What a word may be on the instance. */
interface Candidate {
  readonly own: string
  /** Names of the instance that it would explain. */
  readonly names: readonly string[]
}

export interface Lesson {
  readonly words: readonly LearnedWord[]
  /** Names that keep a word which others have another one for. */
  readonly kept: readonly string[]
  readonly open: readonly OpenWord[]
  /** Documented names without such a word that the answers lack: the instance does not have them. */
  readonly absent: readonly string[]
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

/** A documented name that an answer lacks. */
interface MissingName {
  readonly name: string
  /** Undocumented names of its type in the same answer, each with how far off its place is. */
  readonly strange: ReadonlyMap<string, number>
}

const missingIn = ({ shape, record }: AnswerSample): readonly MissingName[] => {
  const documented = Object.entries(getProperties(shape) ?? {})
  const names = Object.keys(record)
  const strange = names.filter((name) => !documented.some(([known]) => known === name))
  const place = (name: string): number => names.indexOf(name) / names.length
  return documented.flatMap(([name, schema], i) => {
    if (names.includes(name)) return []
    const kinds = kindsOf(schema)
    const fitting = strange.filter((one) => fits(kinds, record[one]))
    const off = (one: string): number => Math.abs(place(one) - i / documented.length)
    return [{ name, strange: new Map(fitting.map((one) => [one, off(one)])) }]
  })
}

/** What stands around a word in a name. */
interface Ends {
  readonly before: string
  readonly after: string
}

const endsOf = (name: string, word: string): Ends | undefined => {
  const at = `_${name}_`.replaceAll('-', '_').indexOf(`_${word}_`)
  return at < 0 ? undefined : { before: name.slice(0, at), after: name.slice(at + word.length) }
}

const stemForm = /^[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/

/** What stands in a name in the place of the word; undefined where the ends are others. */
const stemIn = (name: string, { before, after }: Ends): string | undefined => {
  const stem = name.slice(before.length, name.length - after.length)
  const same = name.startsWith(before) && name.endsWith(after)
  return same && before.length + after.length < name.length && stemForm.test(stem)
    ? stem
    : undefined
}

/** A word, and what each stem would explain of its names. */
interface WordCandidates {
  readonly word: string
  readonly names: readonly string[]
  /** Stem → documented name → the instance's, with how far off its place is. */
  readonly stems: ReadonlyMap<string, ReadonlyMap<string, readonly [own: string, off: number]>>
}

const findCandidates = (word: string, missing: readonly MissingName[]): WordCandidates => {
  const stems = new Map<string, Map<string, readonly [string, number]>>()
  const names = new Set<string>()
  for (const { name, strange } of missing) {
    const ends = endsOf(name, word)
    if (ends === undefined) continue
    names.add(name)
    for (const [own, off] of strange) {
      const stem = stemIn(own, ends)
      if (stem === undefined) continue
      stems.set(stem, (stems.get(stem) ?? new Map()).set(name, [own, off]))
    }
  }
  return { word, names: [...names], stems }
}

/** The stems that explain each name which any stem explains, without names that are another word's. */
const fullStems = ({ stems }: WordCandidates, taken: ReadonlySet<string>): readonly string[] => {
  const some = new Set([...stems.values()].flatMap((explained) => [...explained.keys()]))
  return [...stems]
    .filter(([, explained]) => explained.size === some.size)
    .filter(([, explained]) => ![...explained.values()].some(([own]) => taken.has(own)))
    .map(([stem]) => stem)
}

/** Whether names tell a stem by themselves: an ending of one word, such as `_enabled`, is many names' and proves nothing. */
const tells = (word: string, names: readonly string[]): boolean =>
  names.length > 1 || (names[0]?.split(/[_-]/).length ?? 0) > word.split('_').length + 1

/** The likeliest first: those that explain most, then those that stand where the name would. */
const ranked = ({ stems }: WordCandidates, taken: ReadonlySet<string>): readonly Candidate[] =>
  [...stems]
    .map(([own, explained]) => {
      const free = [...explained.values()].filter(([name]) => !taken.has(name))
      const off = free.reduce((sum, [, distance]) => sum + distance, 0)
      return { own, names: free.map(([name]) => name), off }
    })
    .filter(({ names }) => names.length > 0)
    .toSorted((a, b) => b.names.length - a.names.length || a.off - b.off)
    .map(({ own, names }) => ({ own, names }))

/**
 * Words whose stem is the only one left, and no other word's; each takes its names out of the others' lists.
 * @param given what a person said
 */
const solved = (
  wordCandidates: readonly WordCandidates[],
  given: ReadonlyMap<string, string>,
): { readonly found: ReadonlyMap<string, string>; readonly taken: ReadonlySet<string> } => {
  const found = new Map<string, string>()
  const taken = new Set<string>()
  const take = ({ word, stems }: WordCandidates, stem: string): void => {
    found.set(word, stem)
    for (const [own] of stems.get(stem)?.values() ?? []) taken.add(own)
  }
  for (const candidates of wordCandidates) {
    const stem = given.get(candidates.word)
    if (stem !== undefined) take(candidates, stem)
  }
  for (let before = -1; before < found.size; ) {
    before = found.size
    const only = wordCandidates
      .filter(({ word }) => !found.has(word))
      .map((candidates) => [candidates, fullStems(candidates, taken)] as const)
      .flatMap(([candidates, [stem, ...others]]) =>
        stem === undefined || others.length > 0 ? [] : [[candidates, stem] as const],
      )
    const ownNames = ({ stems }: WordCandidates, stem: string): readonly string[] =>
      [...(stems.get(stem)?.values() ?? [])].map(([own]) => own)
    for (const [candidates, stem] of only) {
      const own = new Set(ownNames(candidates, stem))
      const shared = only.some(
        ([one, other]) =>
          one !== candidates &&
          (other === stem || ownNames(one, other).some((name) => own.has(name))),
      )
      const names = [...(candidates.stems.get(stem)?.keys() ?? [])]
      if (!shared && tells(candidates.word, names)) take(candidates, stem)
    }
  }
  return { found, taken }
}

/**
 * What can be learned from answers.
 * @param given what a person said a word is called
 */
export const learnFrom = (
  heard: readonly AnswerSample[],
  given: ReadonlyMap<string, string> = new Map(),
): Lesson => {
  const present = new Set(
    heard.flatMap(({ shape, record }) =>
      Object.keys(getProperties(shape) ?? {}).filter((name) => Object.hasOwn(record, name)),
    ),
  )
  const missing = heard.flatMap(missingIn).filter(({ name }) => !present.has(name))
  const wordCandidates = neutralWords
    .map((word) => findCandidates(word, missing))
    .filter(({ names }) => names.length > 0)
  const { found, taken } = solved(wordCandidates, given)
  const words = wordCandidates.flatMap(({ word, stems }): readonly LearnedWord[] => {
    const own = found.get(word)
    if (own === undefined) return []
    const explained = stems.get(own) ?? new Map<string, readonly [string, number]>()
    const of = heard.filter(({ record }) =>
      [...explained.values()].some(([name]) => Object.hasOwn(record, name)),
    )
    const slugs = of.flatMap(({ slug }) => slug ?? [])
    return [{ word, own, names: [...explained.keys()], slugs }]
  })
  const open = wordCandidates
    .filter(({ word }) => !words.some((one) => one.word === word))
    .map((candidates): OpenWord => {
      const { word, names } = candidates
      return { word, names, candidates: ranked(candidates, taken) }
    })
    .toSorted((a, b) => b.names.length - a.names.length)
  const isNeutral = (name: string): boolean =>
    neutralWords.some((word) => endsOf(name, word) !== undefined)
  return {
    words,
    kept: [...present].filter((name) => words.some(({ word }) => endsOf(name, word) !== undefined)),
    open,
    absent: [...new Set(missing.map(({ name }) => name))].filter((name) => !isNeutral(name)),
  }
}
