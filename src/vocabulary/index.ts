/** An instance's own words for the neutral ones of the documents (`vocabulary/README.md`). */
import { isSecretName, lastWords } from '../base/secrets/names.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { integrationFamilies } from '../catalogue/integration-families.js'
import { fixedNames, sessionCookie, type Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import { checkOne, checkVocabulary } from './check.js'
import type { Entries, Renaming } from './entries.js'
import type { LearnedWord, Lesson, OpenWord } from './learn.js'
import { parseVocabulary, readVocabulary } from './read.js'

// The file of what was learned: what is certain as entries, the rest as comments.

/** What a lesson came from. */
interface LessonSource {
  readonly baseUrl: string
  readonly version: string | undefined
  readonly day: string
}

const section = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${name}:`, ...lines]

/** Lines of a comment from names that stand one behind the other. */
const folded = (names: readonly string[]): readonly string[] => {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length > 96) lines.push(`#   ${name}`)
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return lines
}

const unsure = ({ word, names, candidates }: OpenWord): string => {
  const choices = candidates.slice(0, maxChoices).map(({ own }) => own)
  return `#   ${word} (${names.join(', ')}): ${choices.join(' | ') || 'nothing like it'}`
}

/** As many candidates of a word are shown, the likeliest first. */
export const maxChoices = 10

const commented = ({ open, absent }: Lesson): readonly string[] => [
  ...(open.length === 0
    ? []
    : [
        '# Words that the responses do not tell, and what they may be: put what is right under words.',
        ...open.map(unsure),
      ]),
  ...(absent.length === 0
    ? []
    : ['# Documented names that the responses do not have:', ...folded(absent)]),
]

/** One word is an entry of its own; of several, each name is. */
const isWord = ({ word }: LearnedWord): boolean => !word.includes('_')

/** A name with a word of it replaced. */
const replaced = (name: string, { word, own }: LearnedWord): string =>
  name.replace(new RegExp(`(?<=^|[_-])${word}(?=[_-]|$)`), () => own)

/** The family of integrations that a word is in, by the instance's slugs. */
const slugsOf = ({ names, slugs }: LearnedWord): readonly string[] => {
  const family = integrationFamilies.find(({ params }) => names.some((name) => name in params))
  if (family === undefined || slugs.length === 0) return []
  return [`  ${family.name}: [${slugs.join(', ')}]`]
}

/** A vocabulary of what was learned. */
export const formatVocabulary = (
  lesson: Lesson,
  { baseUrl, version, day }: LessonSource,
): string => {
  const { words, kept } = lesson
  const called = (one: LearnedWord, cookie: boolean): readonly string[] =>
    one.names
      .filter((name) => (name === sessionCookie) === cookie)
      .map((name) => `  ${name}: ${replaced(name, one)}`)
  return [
    `# The words of ${baseUrl}${version === undefined ? '' : `, version ${version}`}, from its responses of ${day}.`,
    'vocabulary: 1',
    ...section(
      'words',
      words.filter(isWord).map(({ word, own, names }) => `  ${word}: ${own} # ${names.join(', ')}`),
    ),
    ...section('names', [
      ...words.filter((one) => !isWord(one)).flatMap((one) => called(one, false)),
      ...kept.map((name) => `  ${name}: ${name} # same name on this instance`),
    ]),
    ...section(
      'cookies',
      words.flatMap((one) => called(one, true)),
    ),
    ...section('slugs', words.flatMap(slugsOf)),
    ...commented(lesson),
    '',
  ].join('\n')
}

// Of what was learned, the words that go together with the whole catalogue; the others are left open.

/** @param check throws Failure `usage` for the text of a vocabulary that cannot stand */
export const soundIn = async (
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
  const kept = lesson.kept.filter((name) => words.some((one) => replaced(name, one) !== name))
  return { ...lesson, words, kept, open: [...open, ...lesson.open] }
}

// Entries → words: pure look-ups in both directions.

type Table = ReadonlyMap<string, string>

const tableOf = (entries: readonly Renaming[]): Table =>
  new Map(entries.map(({ key, value }) => [key, value]))

const inverted = (table: Table): Table => new Map([...table].map(([key, value]) => [value, key]))

const several = (entries: Entries['slugs']): ReadonlyMap<string, readonly string[]> =>
  new Map(entries.map(({ key, values }) => [key, values]))

/** Names that are asked for again and again; whoever sends names without end gets no memory for them. */
const maxNames = 10_000

const remembering = (work: (name: string) => string): ((name: string) => string) => {
  const known = new Map<string, string>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const made = work(name)
    if (known.size < maxNames) known.set(name, made)
    return made
  }
}

/** Each word of a name, split at `_` and `-`; case counts. */
const inWords = (name: string, table: Table): string =>
  name
    .split(/([_-])/)
    .map((token) => table.get(token) ?? token)
    .join('')

const out = (names: Table, words: Table) => {
  const plain = remembering((name) => {
    const whole = names.get(name)
    if (whole !== undefined || fixedNames.has(name)) return whole ?? name
    return words.size === 0 ? name : inWords(name, words)
  })
  return levelled(plain)
}

/** Each level of a name with brackets; the keys of custom attributes are their users'. */
const levelled =
  (plain: (name: string) => string) =>
  (name: string): string => {
    const at = name.indexOf('[')
    if (at < 0) return plain(name)
    const root = plain(name.slice(0, at))
    const open = [name.slice(0, at), root].includes(customAttributes)
    return root + (open ? name.slice(at) : name.slice(at).replace(/[^[\]]+/g, (one) => plain(one)))
  }

const customAttributes = 'custom_attributes'

/** Families by their slugs, where they have one alone. */
const familiesOf = (slugs: Entries['slugs']): Table =>
  new Map(
    slugs.flatMap(({ key, values: [slug, ...more] }) =>
      slug === undefined || more.length > 0 ? [] : [[slug, key]],
    ),
  )

const literal = (text: string): string => text.replace(/[-]/g, '\\-')

/** Back again: what comes out of it is what was given, else it is nobody's other name. */
const back = (names: Table, words: Table, forth: (name: string) => string) => {
  const ofNames = inverted(names)
  const ofWords = inverted(words)
  const longest = [...ofWords.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<![^_-])(?:${longest.map(literal).join('|')})(?![^_-])`, 'g')
  const plain = remembering((own) => {
    const whole = ofNames.get(own)
    if (whole !== undefined || longest.length === 0) return whole ?? own
    const neutral = own.replace(pattern, (token) => ofWords.get(token) ?? token)
    return forth(neutral) === own ? neutral : own
  })
  return levelled(plain)
}

const isLiteral = (segment: string): boolean => !/^[:*<]/.test(segment) && segment !== ''

/** Literal segments of paths: what `paths` says of a run of them, the longest first, else word by word. */
const pathsIn = (entries: readonly Renaming[], words: Table) => {
  const runs = entries
    .map(({ key, value }) => [key.slice(1).split('/'), value.slice(1).split('/')] as const)
    .toSorted(([a], [b]) => b.length - a.length)
  const from = (segments: readonly string[], at: number) =>
    runs.find(([run]) => run.every((segment, i) => segments[at + i] === segment))
  return remembering((path) => {
    const segments = path.split('/')
    const made: string[] = []
    for (let at = 0; at < segments.length; ) {
      const [run, instead] = from(segments, at) ?? []
      const segment = segments[at] ?? ''
      if (run !== undefined && instead !== undefined) made.push(...instead)
      else made.push(isLiteral(segment) ? inWords(segment, words) : segment)
      at += run?.length ?? 1
    }
    return made.join('/')
  })
}

/** What the names of secrets end in, in the instance's words, and those that the file names. */
const secretEndings = ({ names, secrets }: Entries, words: Table): readonly string[] => [
  ...lastWords.flatMap((word) => words.get(word) ?? []),
  ...names.flatMap(({ key, value }) => (isSecretName(key) ? [value] : [])),
  ...secrets.map(({ key }) => key),
]

/**
 * The words that a vocabulary makes.
 * @param check whether an endpoint stays what it is under them
 */
const wordsOf = (entries: Entries, check: (endpoint: Endpoint) => Promise<void>): Words => {
  const names = tableOf(entries.names)
  const words = tableOf(entries.words)
  const headers = new Map(
    entries.headers.map(({ key, value }) => [key.toLowerCase(), value.toLowerCase()]),
  )
  const cookies = tableOf(entries.cookies)
  const gone = tableOf(entries.gone)
  const slugs = several(entries.slugs)
  const families = familiesOf(entries.slugs)
  const values = several(entries.values)
  const secrets = new Set(entries.secrets.map(({ key }) => key))
  const name = out(names, words)
  const neutral = back(names, words, name)
  const isNamed = (one: string): boolean =>
    secrets.has(one) || secrets.has(neutral(one)) || secrets.has(name(one))
  return {
    name,
    neutral,
    path: pathsIn(entries.paths, words),
    slugs: (family) => slugs.get(family) ?? [],
    family: (slug) => families.get(slug),
    header: (header) => headers.get(header) ?? header,
    cookie: (cookie) => cookies.get(cookie) ?? cookie,
    values: (of) => values.get(of) ?? [],
    gone: (route) => gone.get(route),
    named: isNamed,
    secretEndings: secretEndings(entries, words),
    check,
  }
}

export { checkVocabulary, everyEndpoint } from './check.js'
export type { Entries } from './entries.js'
export { learnFrom } from './learn.js'
export { parseVocabulary, readVocabulary } from './read.js'

/** The words of entries; each endpoint is held against them once, as it is met. */
export const wordsFrom = (entries: Entries): Words => {
  const checked = new WeakMap<Endpoint, Promise<void>>()
  const words: Words = wordsOf(entries, (endpoint) => {
    const known = checked.get(endpoint) ?? checkOne(entries, words, endpoint)
    checked.set(endpoint, known)
    return known
  })
  return words
}

/** The words of a file. @throws Failure `usage` */
export const loadWords = async (file: string): Promise<Words> =>
  wordsFrom(await readVocabulary(file))

const checked = async (entries: Entries): Promise<Words> => {
  const words = wordsFrom(entries)
  await checkVocabulary(entries, words)
  return words
}

/** The words of a file that is held against the whole catalogue. @throws Failure `usage` */
export const loadChecked = async (file: string): Promise<Words> =>
  checked(await readVocabulary(file))

/** The same of a text. @param name what the file is called in messages */
export const checkText = async (text: string, name: string): Promise<Words> =>
  checked(await parseVocabulary(text, name))
