/**
 * Learns a vocabulary from responses. If a response lacks a documented name that contains a neutral word (`neutralWords`), the instance has
 * another word for it: the one that explains all such names. Uncertain words are left to a person.
 */

import { formatYamlComment, formatYamlWord } from '../base/json/yaml-writer.js'
import { isObject } from '../base/objects.js'
import { integrationFamilies } from '../catalogue/areas/integrations.js'
import { neutralWords, sessionCookie } from '../catalogue/documented-names.js'
import { getProperties } from '../catalogue/fields.js'
import { Failure } from '../errors.js'

/** A response, and its documented shape. */
export interface AnswerSample {
  readonly shape: unknown
  readonly record: Readonly<Record<string, unknown>>
  /** The instance's name of the integration, for the properties of an integration. */
  readonly slug?: string
}

/** A learned word, with the documented names that showed it. */
interface LearnedWord {
  readonly word: string
  readonly own: string
  readonly names: readonly string[]
  /** The integrations whose properties have the word, by the instance's own slugs. */
  readonly slugs: readonly string[]
}

/** A word that the responses do not determine for certain. */
export interface OpenWord {
  readonly word: string
  /** The documented names that contain the word. */
  readonly names: readonly string[]
  /** The possible words of the instance, the likeliest first. */
  readonly candidates: readonly Candidate[]
}

/** A possible word of the instance for a neutral word. */
interface Candidate {
  readonly own: string
  /** The names of the instance that the word would explain. */
  readonly names: readonly string[]
}

/** The result of learning. */
export interface Lesson {
  readonly words: readonly LearnedWord[]
  /** Names that contain a renamed word, and are nevertheless unchanged on this instance. */
  readonly kept: readonly string[]
  readonly open: readonly OpenWord[]
  /** Documented names without a neutral word that the responses lack: the instance does not have them. */
  readonly absent: readonly string[]
}

type Kind = 'any' | 'array' | 'boolean' | 'null' | 'number' | 'object' | 'string'

const getKinds = (schema: unknown): readonly Kind[] => {
  if (!isObject(schema)) return ['any']
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(getKinds)
  if (schema.type === 'integer' || schema.type === 'number') return ['number']
  const known: readonly Kind[] = ['array', 'boolean', 'null', 'object', 'string']
  return [known.find((kind) => kind === schema.type) ?? 'any']
}

const getKind = (value: unknown): Kind => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  const kind = typeof value
  return kind === 'boolean' || kind === 'number' || kind === 'string' ? kind : 'object'
}

/** True if a value has one of the types. A value that is not set may be of any type. */
const matchesKind = (kinds: readonly Kind[], value: unknown): boolean => {
  const kind = getKind(value)
  return kind === 'null' || kinds.includes('any') || kinds.includes(kind)
}

/** A documented name that a response lacks. */
interface MissingName {
  readonly name: string
  /** Undocumented names of the same type in the response, each with the distance of its position. */
  readonly strange: ReadonlyMap<string, number>
}

const findMissing = ({ shape, record }: AnswerSample): readonly MissingName[] => {
  const documented = Object.entries(getProperties(shape) ?? {})
  const names = Object.keys(record)
  const strange = names.filter((name) => !documented.some(([known]) => known === name))
  const getPosition = (name: string): number => names.indexOf(name) / names.length
  return documented.flatMap(([name, schema], i) => {
    if (names.includes(name)) return []
    const kinds = getKinds(schema)
    const fitting = strange.filter((one) => matchesKind(kinds, record[one]))
    const getDistance = (one: string): number => Math.abs(getPosition(one) - i / documented.length)
    return [{ name, strange: new Map(fitting.map((one) => [one, getDistance(one)])) }]
  })
}

/** The parts of a name before and after a word. */
interface NameEnds {
  readonly before: string
  readonly after: string
}

const splitName = (name: string, word: string): NameEnds | undefined => {
  const at = `_${name}_`.replaceAll('-', '_').indexOf(`_${word}_`)
  return at < 0 ? undefined : { before: name.slice(0, at), after: name.slice(at + word.length) }
}

const stemForm = /^[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/

/** Returns the part of a name in the place of the word; undefined if the parts around it differ. */
const getStem = (name: string, { before, after }: NameEnds): string | undefined => {
  const stem = name.slice(before.length, name.length - after.length)
  const same = name.startsWith(before) && name.endsWith(after)
  return same && before.length + after.length < name.length && stemForm.test(stem)
    ? stem
    : undefined
}

/** A neutral word, and the names that each possible replacement would explain. */
interface WordCandidates {
  readonly word: string
  readonly names: readonly string[]
  /** For each stem and documented name: the name on the instance, with the distance of its position. */
  readonly stems: ReadonlyMap<string, ReadonlyMap<string, readonly [own: string, off: number]>>
}

const findCandidates = (word: string, missing: readonly MissingName[]): WordCandidates => {
  const stems = new Map<string, Map<string, readonly [string, number]>>()
  const names = new Set<string>()
  for (const { name, strange } of missing) {
    const ends = splitName(name, word)
    if (ends === undefined) continue
    names.add(name)
    for (const [own, off] of strange) {
      const stem = getStem(own, ends)
      if (stem === undefined) continue
      stems.set(stem, (stems.get(stem) ?? new Map()).set(name, [own, off]))
    }
  }
  return { word, names: [...names], stems }
}

/** Returns the stems that explain every name that any stem explains, without names that another word has taken. */
const getFullStems = ({ stems }: WordCandidates, taken: ReadonlySet<string>): readonly string[] => {
  const some = new Set([...stems.values()].flatMap((explained) => [...explained.keys()]))
  return [...stems]
    .filter(([, explained]) => explained.size === some.size)
    .filter(([, explained]) => ![...explained.values()].some(([own]) => taken.has(own)))
    .map(([stem]) => stem)
}

/** True if names prove a stem by themselves. An ending of one word, such as `_enabled`, belongs to many names and proves nothing. */
const isConclusive = (word: string, names: readonly string[]): boolean =>
  names.length > 1 || (names[0]?.split(/[_-]/).length ?? 0) > word.split('_').length + 1

/** Ranks candidates: first by the number of names they explain, then by how close they are to the name's place. */
const rankCandidates = (
  { stems }: WordCandidates,
  taken: ReadonlySet<string>,
): readonly Candidate[] =>
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
 * Resolves the words with exactly one possible stem that no other word shares. A resolved word removes its names from the possibilities of
 * the others.
 * @param given the words that a person has answered
 */
const resolveWords = (
  wordCandidates: readonly WordCandidates[],
  given: ReadonlyMap<string, string>,
): { readonly found: ReadonlyMap<string, string>; readonly taken: ReadonlySet<string> } => {
  const found = new Map<string, string>()
  const taken = new Set<string>()
  const resolve = ({ word, stems }: WordCandidates, stem: string): void => {
    found.set(word, stem)
    for (const [own] of stems.get(stem)?.values() ?? []) taken.add(own)
  }
  for (const candidates of wordCandidates) {
    const stem = given.get(candidates.word)
    if (stem !== undefined) resolve(candidates, stem)
  }
  for (let before = -1; before < found.size; ) {
    before = found.size
    const only = wordCandidates
      .filter(({ word }) => !found.has(word))
      .map((candidates) => [candidates, getFullStems(candidates, taken)] as const)
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
      if (!shared && isConclusive(candidates.word, names)) resolve(candidates, stem)
    }
  }
  return { found, taken }
}

/** Learns from responses. @param given the words that a person has answered */
export const learnFrom = (
  responses: readonly AnswerSample[],
  given: ReadonlyMap<string, string> = new Map(),
): Lesson => {
  const present = new Set(
    responses.flatMap(({ shape, record }) =>
      Object.keys(getProperties(shape) ?? {}).filter((name) => Object.hasOwn(record, name)),
    ),
  )
  const missing = responses.flatMap(findMissing).filter(({ name }) => !present.has(name))
  const wordCandidates = neutralWords
    .map((word) => findCandidates(word, missing))
    .filter(({ names }) => names.length > 0)
  const { found, taken } = resolveWords(wordCandidates, given)
  const words = wordCandidates.flatMap(({ word, stems }): readonly LearnedWord[] => {
    const own = found.get(word)
    if (own === undefined) return []
    const explained = stems.get(own) ?? new Map<string, readonly [string, number]>()
    const of = responses.filter(({ record }) =>
      [...explained.values()].some(([name]) => Object.hasOwn(record, name)),
    )
    const slugs = of.flatMap(({ slug }) => slug ?? [])
    return [{ word, own, names: [...explained.keys()], slugs }]
  })
  // The words that a person has to answer, those with the most names first.
  const open = wordCandidates
    .filter(({ word }) => !words.some((one) => one.word === word))
    .map((one) => ({ word: one.word, names: one.names, candidates: rankCandidates(one, taken) }))
    .toSorted((a, b) => b.names.length - a.names.length)
  const isNeutral = (name: string): boolean =>
    neutralWords.some((word) => splitName(name, word) !== undefined)
  return {
    words,
    kept: [...present].filter((name) =>
      words.some(({ word }) => splitName(name, word) !== undefined),
    ),
    open,
    absent: [...new Set(missing.map(({ name }) => name))].filter((name) => !isNeutral(name)),
  }
}

// The vocabulary file: certain words become entries, and the others comments.

/** The source of a lesson. */
interface LessonSource {
  readonly baseUrl: string
  readonly version: string | undefined
  readonly day: string
}

const formatSection = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${name}:`, ...lines]

/** Formats names as lines of a comment. */
const foldNames = (names: readonly string[]): readonly string[] => {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length > 96)
      lines.push(formatYamlComment(`  ${name}`))
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return lines
}

const formatOpenWord = ({ word, names, candidates }: OpenWord): string => {
  const choices = candidates.slice(0, maxChoices).map(({ own }) => own)
  return formatYamlComment(
    `  ${word} (${names.join(', ')}): ${choices.join(' | ') || 'nothing like it'}`,
  )
}

/** The number of candidates that are shown for a word, the likeliest first. */
export const maxChoices = 10

const formatComments = ({ open, absent }: Lesson): readonly string[] => [
  ...(open.length === 0
    ? []
    : [
        '# Words that the responses do not tell, and what they may be: put what is right under words.',
        ...open.map(formatOpenWord),
      ]),
  ...(absent.length === 0
    ? []
    : ['# Documented names that the responses do not have:', ...foldNames(absent)]),
]

/** True for a single word, which becomes one entry. With several words, each name becomes an entry. */
const isWord = ({ word }: LearnedWord): boolean => !word.includes('_')

/** Returns a name with one of its words replaced. */
const replaceWord = (name: string, { word, own }: LearnedWord): string =>
  name.replace(new RegExp(`(?<=^|[_-])${word}(?=[_-]|$)`), () => own)

/** Formats the family of integrations whose parameters have a word, with the instance's slugs. */
const formatSlugs = ({ names, slugs }: LearnedWord): readonly string[] => {
  const family = integrationFamilies.find(({ params }) =>
    names.some((name) => Object.hasOwn(params, name)),
  )
  if (family === undefined || slugs.length === 0) return []
  return [`  ${family.name}: [${slugs.map(formatYamlWord).join(', ')}]`]
}

/** Formats what was learned as a vocabulary file; what is uncertain becomes comments. */
export const formatVocabulary = (
  lesson: Lesson,
  { baseUrl, version, day }: LessonSource,
): string => {
  const { words, kept } = lesson
  const of = version === undefined ? '' : `, version ${version}`
  const formatNames = (one: LearnedWord, cookie: boolean): readonly string[] =>
    one.names
      .filter((name) => (name === sessionCookie) === cookie)
      .map((name) => `  ${name}: ${formatYamlWord(replaceWord(name, one))}`)
  return [
    formatYamlComment(`The words of ${baseUrl}${of}, from its responses of ${day}.`),
    'vocabulary: 1',
    ...formatSection(
      'words',
      words
        .filter(isWord)
        .map(
          ({ word, own, names }) =>
            `  ${word}: ${formatYamlWord(own)} ${formatYamlComment(names.join(', '))}`,
        ),
    ),
    ...formatSection('names', [
      ...words.filter((one) => !isWord(one)).flatMap((one) => formatNames(one, false)),
      ...kept.map((name) => `  ${name}: ${name} # same name on this instance`),
    ]),
    ...formatSection(
      'cookies',
      words.flatMap((one) => formatNames(one, true)),
    ),
    ...formatSection('slugs', words.flatMap(formatSlugs)),
    ...formatComments(lesson),
    '',
  ].join('\n')
}

// The check of learned words against the whole catalogue.

/**
 * Keeps the words that are valid with the whole catalogue; the others are left open.
 * @param check throws Failure `usage` for the text of an invalid vocabulary
 */
export const keepSoundWords = async (
  lesson: Lesson,
  check: (text: string) => Promise<unknown>,
): Promise<Lesson> => {
  const words: LearnedWord[] = []
  const open: OpenWord[] = []
  for (const one of lesson.words)
    try {
      const alone = { words: [one], kept: [], open: [], absent: [] }
      await check(formatVocabulary(alone, { baseUrl: 'the instance', version: undefined, day: '' }))
      words.push(one)
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage') throw error
      open.push({ word: one.word, names: one.names, candidates: [{ own: one.own, names: [] }] })
    }
  const kept = lesson.kept.filter((name) => words.some((one) => replaceWord(name, one) !== name))
  return { ...lesson, words, kept, open: [...open, ...lesson.open] }
}
