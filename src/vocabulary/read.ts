/** Reads a vocabulary file by its schema, and checks that its entries do not contradict each other. */
import {
  Array as ArrayOf,
  Literal,
  Object as Obj,
  Optional,
  String as Str,
  Union,
  Unsafe,
} from 'typebox'
import { Findings } from '../base/documents/findings.js'
import { type Document, type DocumentValue, readDocument } from '../base/documents/index.js'
import { formatOrigin, type Origin } from '../base/documents/written.js'
import { readRegular } from '../base/files/regular.js'
import { describeDistrust, findDistrust } from '../base/files/trust.js'
import { integrationFamilies } from '../catalogue/areas/integrations.js'
import { fixedNames, readHeaders, sessionCookie } from '../catalogue/documented-names.js'
import { getPath } from '../catalogue/endpoint.js'
import { implied } from '../catalogue/undocumented.js'
import { Failure, getReason, usage } from '../errors.js'

/** An entry that renames a name. */
export interface RenameEntry {
  readonly key: string
  readonly value: string
  readonly origin: Origin
}

/** An entry with several words for a name. */
interface WordList {
  readonly key: string
  readonly values: readonly string[]
  readonly origin: Origin
}

/** A parsed vocabulary, before it is checked against the catalogue. */
export interface Entries {
  readonly words: readonly RenameEntry[]
  readonly names: readonly RenameEntry[]
  readonly cookies: readonly RenameEntry[]
  readonly headers: readonly RenameEntry[]
  readonly paths: readonly RenameEntry[]
  readonly slugs: readonly WordList[]
  readonly values: readonly WordList[]
  readonly gone: readonly RenameEntry[]
  readonly secrets: readonly string[]
}

/** Adds a finding for entries that contradict each other: at the last of them, with the positions of the others. */
export const addConflict = (
  findings: Findings,
  origins: readonly (Origin | undefined)[],
  why: string,
): void => {
  const known = new Map(origins.flatMap((one) => (one ? [[formatOrigin(one), one] as const] : [])))
  const [last, ...others] = [...known.values()].toSorted(
    (a, b) => b.line - a.line || b.column - a.column,
  )
  const also = others.map(formatOrigin).join(', ')
  if (last !== undefined) findings.add(last, also === '' ? why : `${why} (see also ${also})`)
}

// The schema. A vocabulary can rename fields, but never declare a secret field harmless.

const name = Str({
  title: 'name',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'at most 64 letters, digits, _ and -',
})
const word = Str({
  title: 'word',
  pattern: '^[A-Za-z0-9]{1,64}$',
  description: 'one word of letters and digits, or put the whole name under "names"',
})
const token = Str({
  title: 'name of a header or cookie',
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$",
})
const path = Str({
  title: 'path',
  pattern: '^(?:/[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*)+$',
  description: 'a path of plain segments, such as /geo_nodes',
})
const parameter = Str({
  title: 'parameter of an area',
  pattern: '^[a-z-]+\\.[a-z0-9_]+$',
  description: 'an area and its parameter, such as runners.status',
})
const choice = Str({ title: 'enumeration value', pattern: '^[\\w.:-]{1,64}$' })
const route = Str({
  title: 'route',
  pattern: '^(?:GET|POST|PUT|PATCH|DELETE) /\\S+$',
  description: 'a method and a path, such as POST /ci/lint',
})
const replacement = Str({
  title: 'replacement',
  pattern: '^[^\\p{Cc}\\p{Cf}]{1,200}$',
  description: 'one line of text',
})

/** Returns the schema of a section, which may be empty. */
const createMapSchema = <V>(key: object, value: object) =>
  Optional(
    Unsafe<Readonly<Record<string, V>> | null>({
      type: ['object', 'null'],
      propertyNames: key,
      additionalProperties: value,
    }),
  )
const createRenameMap = (key: object, value = key) => createMapSchema<string>(key, value)
const createListMap = (key: object, value: object) =>
  createMapSchema<string | readonly string[]>(key, {
    anyOf: [value, { type: 'array', items: value }],
  })

/** The schema of a vocabulary. Every scalar is read as text, exactly as written. */
const vocabularySchema = Obj(
  {
    vocabulary: Literal('1'),
    words: createRenameMap(word, name),
    names: createRenameMap(name),
    cookies: Optional(
      Unsafe<Readonly<Record<string, string>> | null>({
        type: ['object', 'null'],
        properties: { [sessionCookie]: token },
        additionalProperties: false,
      }),
    ),
    headers: createRenameMap(token),
    paths: createRenameMap(path),
    gone: createRenameMap(route, replacement),
    slugs: createListMap(name, name),
    values: createListMap(parameter, choice),
    secrets: Optional(Union([name, ArrayOf(name), Unsafe<null>({ type: 'null' })])),
  },
  { title: 'a vocabulary', additionalProperties: false },
)

type Vocabulary = Document<DocumentValue<typeof vocabularySchema>>
type Section = 'words' | 'names' | 'cookies' | 'headers' | 'paths' | 'gone' | 'slugs' | 'values'

/** The headers that carry the credential, the destination or the framing of a body: they are never renamed. */
const unchangeable =
  /^(?:private-token|job-token|authorization|proxy-.*|sudo|host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|cookie2?|set-cookie2?|accept-encoding|location)$/i

// Checks of the meaning of entries.

const checkFixedNames = ({ names }: Entries, findings: Findings): void => {
  for (const { key, value, origin } of names) {
    const fixed = key === value ? undefined : [key, value].find((one) => fixedNames.has(one))
    if (fixed !== undefined) findings.add(origin, `${fixed} has the same name on every instance`)
  }
}

const checkHeaders = ({ headers }: Entries, findings: Findings): void => {
  for (const { key, value, origin } of headers) {
    const held = [key, value].find((one) => unchangeable.test(one))
    if (held !== undefined)
      findings.add(origin, `the header ${held} cannot be renamed or used as a new name`)
    else if (key !== value && readHeaders.includes(value.toLowerCase()))
      findings.add(origin, `${key} would become ${value}, which is another header`)
  }
}

/** True if a path contains the segments, one after another. */
const containsPath = (outer: string, run: string): boolean => `${outer}/`.includes(`${run}/`)

/** Adds a finding if a path would become an undocumented one that the tool uses. */
const checkPaths = ({ paths }: Entries, findings: Findings): void => {
  for (const { key, value, origin } of paths) {
    const other = implied.find(
      (one) => containsPath(getPath(one), value) && !containsPath(getPath(one), key),
    )
    if (other !== undefined)
      findings.add(origin, `${key} would become ${value}, which is ${other.route}`)
  }
}

/** Adds a finding if a family gets the slug or the name of another one. */
const checkSlugs = ({ slugs }: Entries, findings: Findings): void => {
  for (const [i, { key, values, origin }] of slugs.entries())
    for (const slug of values) {
      const before = slugs.slice(0, i).find((one) => one.values.includes(slug))
      const other = integrationFamilies.find(
        (family) => family.name !== key && (family.name === slug || family.slugs.includes(slug)),
      )
      if (before !== undefined)
        addConflict(
          findings,
          [before.origin, origin],
          `${key} and ${before.key} would both be ${slug}`,
        )
      else if (other !== undefined)
        findings.add(origin, `${key} would be ${slug}, which is of the family ${other.name}`)
    }
}

/** Adds a finding if two words would become the same, or if one becomes another that is renamed itself. */
const checkUnique = (entries: readonly RenameEntry[], findings: Findings): void => {
  const taken = new Map<string, RenameEntry>()
  const keys = new Map(entries.map((entry) => [entry.key, entry] as const))
  for (const entry of entries) {
    const { key, value, origin } = entry
    const before = taken.get(value)
    const other = keys.get(value)
    if (before !== undefined)
      addConflict(
        findings,
        [before.origin, origin],
        `${before.key} and ${key} would both become ${value}`,
      )
    else if (other !== undefined && other !== entry && other.key !== other.value)
      addConflict(
        findings,
        [origin, other.origin],
        `${key} becomes ${value}, which is itself renamed`,
      )
    taken.set(value, entry)
  }
}

const checkEntries = (entries: Entries, findings: Findings): void => {
  const { words, names, cookies, headers, paths } = entries
  for (const single of [words, names, cookies, headers, paths]) checkUnique(single, findings)
  for (const check of [checkFixedNames, checkHeaders, checkPaths, checkSlugs])
    check(entries, findings)
}

const toEntries = ({ value, at }: Vocabulary): Entries => {
  const listSection = (section: Section) =>
    Object.entries(value[section] ?? {}).map(([key, to]) => {
      const values = [to].flat()
      return { key, value: values.join(), values, origin: at([section, key], true) }
    })
  return {
    words: listSection('words'),
    names: listSection('names'),
    cookies: listSection('cookies'),
    headers: listSection('headers'),
    paths: listSection('paths'),
    gone: listSection('gone'),
    slugs: listSection('slugs'),
    values: listSection('values'),
    secrets: [value.secrets ?? []].flat(),
  }
}

/**
 * Parses a vocabulary.
 * @throws Failure `usage` with all findings, each with its position
 */
export const parseVocabulary = async (
  text: string | Uint8Array,
  file: string,
): Promise<Entries> => {
  const findings = new Findings()
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const document = await readDocument(vocabularySchema, bytes, file, findings, { asText: true })
  const entries = document && toEntries(document)
  if (entries !== undefined) checkEntries(entries, findings)
  findings.refuse()
  if (entries === undefined) throw usage(`${file} is not a vocabulary`)
  return entries
}

/** The largest size of a vocabulary, in bytes: it is written by hand, or by `learn`. */
const maxBytes = 1 << 20

const readBytes = (file: string): Buffer => {
  try {
    return readRegular(file, maxBytes)
  } catch (cause) {
    throw new Failure('usage', `cannot read the vocabulary ${file}: ${getReason(cause)}`, {
      cause,
    })
  }
}

/**
 * Reads a vocabulary file. A person who can write the file decides under which names values are sent, so its path must be as trustworthy as
 * that of the configuration.
 * @throws Failure `usage` if it cannot be read or is invalid
 */
export const readVocabulary = async (file: string): Promise<Entries> => {
  const found = findDistrust(file)
  if (found !== undefined) {
    const { message, remedy } = describeDistrust(found)
    throw usage(`ignoring the vocabulary ${file}: ${message}`, `Correct it with: ${remedy}`)
  }
  return parseVocabulary(readBytes(file), file)
}
