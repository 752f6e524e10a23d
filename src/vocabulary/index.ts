/** Translates between the names of the documentation and an instance's own (`vocabulary/README.md`). */
import { recordSecretWords } from '../base/secrets/mask.js'
import { isSecretName, lastWords } from '../base/secrets/names.js'
import { fixedNames } from '../catalogue/documented-names.js'
import { type Endpoint, getMethod, getPath } from '../catalogue/endpoint.js'
import { type Params, withParamsIn } from '../catalogue/params.js'
import { createNaming, type Words } from '../catalogue/words.js'
import { checkEndpoint, checkVocabulary } from './check.js'
import type { Entries, RenameEntry } from './read.js'
import { parseVocabulary, readVocabulary } from './read.js'

// Look-ups in both directions, created from the entries.

type Table = ReadonlyMap<string, string>

const toTable = (entries: readonly RenameEntry[]): Table =>
  new Map(entries.map(({ key, value }) => [key, value]))

const invert = (table: Table): Table => new Map([...table].map(([key, value]) => [value, key]))

const toLists = (entries: Entries['slugs']): ReadonlyMap<string, readonly string[]> =>
  new Map(entries.map(({ key, values }) => [key, values]))

/** The maximum number of names that are remembered, so that endless new names do not fill the memory. */
const maxNames = 10_000

const memoize = (work: (name: string) => string): ((name: string) => string) => {
  const known = new Map<string, string>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const translated = work(name)
    if (known.size < maxNames) known.set(name, translated)
    return translated
  }
}

/** Replaces each word of a name, split at `_` and `-`. The match is case-sensitive. */
const replaceWords = (name: string, table: Table): string =>
  name
    .split(/([_-])/)
    .map((token) => table.get(token) ?? token)
    .join('')

const createForward = (names: Table, words: Table) => {
  const mapName = memoize((name) => {
    const whole = names.get(name)
    if (whole !== undefined || fixedNames.has(name)) return whole ?? name
    return words.size === 0 ? name : replaceWords(name, words)
  })
  return mapLevels(mapName)
}

/** Applies a function to each level of a name with dots or brackets, but not to the keys of custom attributes, which users choose. */
const mapLevels =
  (plain: (name: string) => string) =>
  (name: string): string => {
    const at = name.search(/[.[]/)
    if (at < 0) return plain(name)
    const root = plain(name.slice(0, at))
    const open = [name.slice(0, at), root].includes(customAttributes)
    return root + (open ? name.slice(at) : name.slice(at).replace(/[^.[\]]+/g, (one) => plain(one)))
  }

const customAttributes = 'custom_attributes'

/** Returns the families that have exactly one slug, by that slug. */
const getFamilies = (slugs: Entries['slugs']): Table =>
  new Map(
    slugs.flatMap(({ key, values: [slug, ...more] }) =>
      slug === undefined || more.length > 0 ? [] : [[slug, key]],
    ),
  )

const escapeDash = (text: string): string => text.replace(/[-]/g, '\\-')

/** Creates the look-up from the instance's names to the neutral ones. A name that does not map back to itself stays as it is. */
const createBackward = (names: Table, words: Table, forth: (name: string) => string) => {
  const neutralNames = invert(names)
  const neutralWords = invert(words)
  const longest = [...neutralWords.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<![^_-])(?:${longest.map(escapeDash).join('|')})(?![^_-])`, 'g')
  const plain = memoize((own) => {
    const whole = neutralNames.get(own)
    if (whole !== undefined || longest.length === 0) return whole ?? own
    const neutral = own.replace(pattern, (token) => neutralWords.get(token) ?? token)
    return forth(neutral) === own ? neutral : own
  })
  return mapLevels(plain)
}

const isLiteral = (segment: string): boolean => !/^[:*<]/.test(segment) && segment !== ''

/** Creates the function that translates paths. The longest run of segments in `paths` takes precedence; otherwise each word is replaced. */
const createPathMapper = (entries: readonly RenameEntry[], words: Table) => {
  const runs = entries
    .map(({ key, value }) => [key.slice(1).split('/'), value.slice(1).split('/')] as const)
    .toSorted(([a], [b]) => b.length - a.length)
  const findRun = (segments: readonly string[], at: number) =>
    runs.find(([run]) => run.every((segment, i) => segments[at + i] === segment))
  return memoize((path) => {
    const segments = path.split('/')
    const made: string[] = []
    for (let at = 0; at < segments.length; ) {
      const [run, instead] = findRun(segments, at) ?? []
      const segment = segments[at] ?? ''
      if (run !== undefined && instead !== undefined) made.push(...instead)
      else made.push(isLiteral(segment) ? replaceWords(segment, words) : segment)
      at += run?.length ?? 1
    }
    return made.join('/')
  })
}

/** Lists the endings of the names of secrets, in the instance's words, and the names that the file declares secret. */
const listSecretEndings = ({ names, secrets }: Entries, words: Table): readonly string[] => [
  ...lastWords.flatMap((word) => words.get(word) ?? []),
  ...names.flatMap(({ key, value }) => (isSecretName(key) ? [value] : [])),
  ...secrets,
]

const renameParams = (params: Params, name: Words['name']): Params =>
  Object.fromEntries(
    Object.entries(params).map(([documented, param]) => [
      name(documented),
      withParamsIn(param, (inside) => renameParams(inside, name)),
    ]),
  )

/** Returns an endpoint with the instance's path and names of parameters. */
const renameEndpoint = (endpoint: Endpoint, { name, path }: Words): Endpoint => ({
  ...endpoint,
  route: `${getMethod(endpoint)} ${path(getPath(endpoint))}`,
  params: renameParams(endpoint.params, name),
})

/** Creates the look-ups of a vocabulary. @param rename checks and renames an endpoint */
const createWords = (entries: Entries, rename: Words['rename']): Words => {
  const names = toTable(entries.names)
  const words = toTable(entries.words)
  const headers = new Map(
    entries.headers.map(({ key, value }) => [key.toLowerCase(), value.toLowerCase()]),
  )
  const cookies = toTable(entries.cookies)
  const gone = toTable(entries.gone)
  const slugs = toLists(entries.slugs)
  const families = getFamilies(entries.slugs)
  const values = toLists(entries.values)
  const secrets = new Set(entries.secrets)
  const name = createForward(names, words)
  const neutral = createBackward(names, words, name)
  const isNamed = (one: string): boolean =>
    secrets.has(one) || secrets.has(neutral(one)) || secrets.has(name(one))
  const family = (slug: string): string | undefined => families.get(slug)
  return {
    ...createNaming({ name, neutral, family }),
    path: createPathMapper(entries.paths, words),
    slugs: (family) => slugs.get(family) ?? [],
    family,
    header: (header) => headers.get(header) ?? header,
    cookie: (cookie) => cookies.get(cookie) ?? cookie,
    values: (of) => values.get(of) ?? [],
    gone: (route) => gone.get(route),
    named: isNamed,
    secretEndings: listSecretEndings(entries, words),
    rename,
  }
}

export { checkVocabulary, loadEndpoints } from './check.js'
export { formatVocabulary, keepSoundWords, learnFrom, maxChoices } from './learn.js'
export type { Entries } from './read.js'
export { parseVocabulary, readVocabulary } from './read.js'
export { combineWords, mergeWords } from './several.js'

/** Creates the look-ups of a vocabulary; each endpoint is checked against it and renamed once, when it is used. */
export const createLookups = (entries: Entries): Words => {
  const renamed = new WeakMap<Endpoint, Promise<Endpoint>>()
  const words: Words = createWords(entries, (endpoint) => {
    const known =
      renamed.get(endpoint) ??
      checkEndpoint(entries, words, endpoint).then(() => renameEndpoint(endpoint, words))
    renamed.set(endpoint, known)
    return known
  })
  return words
}

/**
 * Loads the vocabulary file of an instance. What it names as secret is masked from then on.
 * @throws Failure `usage`
 */
export const loadWords = async (file: string): Promise<Words> => {
  const words = createLookups(await readVocabulary(file))
  recordSecretWords(words)
  return words
}

const checkEntries = async (entries: Entries): Promise<Words> => {
  const words = createLookups(entries)
  await checkVocabulary(entries, words)
  return words
}

/**
 * Loads a vocabulary file and checks it against the whole catalogue.
 * @throws Failure `usage`
 */
export const loadChecked = async (file: string): Promise<Words> =>
  checkEntries(await readVocabulary(file))

/** Checks the text of a vocabulary against the whole catalogue. @param name the name of the file in messages @throws Failure `usage` */
export const loadCheckedText = async (text: string, name: string): Promise<Words> =>
  checkEntries(await parseVocabulary(text, name))
