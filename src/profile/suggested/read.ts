/**
 * What a `.svcctl.yaml` suggests. A repository says it, and whoever may write to the repository: it is never
 * believed where an answer comes from or what a token goes to, nothing of it ends a command, and what cannot
 * be used is ignored with a word.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { nonBlocking, otherThanFile } from '../../base/files/regular.js'
import { isModestYaml, untraced } from '../../base/json/yaml.js'
import { isObject } from '../../base/objects.js'
import { isSecretName } from '../../base/secrets/names.js'
import { reasonOf } from '../../errors.js'

export interface Suggested {
  readonly file: string
  readonly project?: string
  readonly group?: string
  readonly output?: string
  readonly fields?: readonly string[]
  /** What was ignored, and why. */
  readonly notes: readonly string[]
  /** The same of what would be dangerous. */
  readonly warnings: readonly string[]
}

const largest = 64 * 1024
/** A file of so many bytes that means something has fewer. */
const mostLexemes = 4096
const longestText = 255

/** Why a file is not read; undefined where it may be. */
const unreadable = (stats: Stats): string | undefined => {
  const other = otherThanFile(stats)
  if (other !== undefined) return other
  if (stats.size > largest) return `it is larger than ${largest / 1024} KiB`
  const user = process.geteuid?.()
  return user === undefined || stats.uid === user || stats.uid === 0
    ? undefined
    : 'it belongs to another user'
}

/** @throws Error in words for what is not to be read */
const textOf = (file: string): string => {
  if (lstatSync(file).isSymbolicLink()) throw new Error('it is a link')
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | nonBlocking)
  try {
    const why = unreadable(fstatSync(descriptor))
    if (why !== undefined) throw new Error(why)
    // What grows meanwhile is not followed.
    const bytes = Buffer.alloc(largest)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, largest, 0)).toString()
  } finally {
    closeSync(descriptor)
  }
}

/** The value of a YAML text. @throws Error in words */
const parsed = async (text: string): Promise<unknown> => {
  if (!(await isModestYaml(text, mostLexemes))) throw new Error('it is too intricate')
  const { parseDocument } = await import('yaml')
  const document = untraced(() => parseDocument(text, { logLevel: 'silent', prettyErrors: false }))
  if (document.errors.length > 0) throw new Error('it is no valid YAML')
  // Nothing here needs an alias of YAML.
  try {
    return document.toJS({ maxAliasCount: 0 })
  } catch {
    throw new Error('it refers to parts of itself')
  }
}

/** What would decide where a credential goes, or what is sent. */
const dangerous =
  /^(?:base-?url|url|address|host|instance|profile|token.*|sudo|proxy|vocabulary|insecure|.*-file|token-command)$/i

const isPlain = (text: string): boolean => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)

const wordOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || text === '' || text.length > longestText) return undefined
  return isPlain(text) && !text.startsWith('-') ? text : undefined
}

const wordsOf = (value: unknown): readonly string[] | undefined => {
  const list = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value
  if (!Array.isArray(list) || list.length === 0 || list.length > 100) return undefined
  const words = list.map(wordOf)
  return words.every((word) => word !== undefined) ? words : undefined
}

const readers = { project: wordOf, group: wordOf, output: wordOf, fields: wordsOf } as const
type Key = keyof typeof readers
const isKey = (name: string): name is Key => Object.hasOwn(readers, name)

const normal = (key: string): string => key.replaceAll('_', '-')

const taken = (file: string, value: unknown): Suggested => {
  const nothing = { file, notes: [], warnings: [] }
  if (value === null || value === undefined) return nothing
  if (!isObject(value)) return { ...nothing, notes: [`${file} is ignored: it holds no settings`] }
  const notes: string[] = []
  const warnings: string[] = []
  const found: Partial<Record<Key, string | readonly string[]>> = {}
  for (const [name, said] of Object.entries(value)) {
    if (isKey(name)) {
      const own = readers[name](said)
      if (own === undefined) notes.push(`${file}: ${name} is ignored: it is no usable value`)
      else found[name] = own
    } else if (dangerous.test(normal(name)) || isSecretName(name))
      warnings.push(`${file}: ${name} is ignored: a repository does not say where a token goes`)
    else notes.push(`${file}: ${name} is ignored: keys are ${Object.keys(readers).join(', ')}`)
  }
  return { ...(found as Partial<Suggested>), ...nothing, notes, warnings }
}

/** What a file suggests; what is wrong with it is told and never thrown. */
export const readSuggestions = async (file: string): Promise<Suggested> => {
  try {
    return taken(file, await parsed(textOf(file)))
  } catch (error) {
    const why = error instanceof Error && !('syscall' in error) ? error.message : reasonOf(error)
    return { file, notes: [`${file} is ignored: ${why}`], warnings: [] }
  }
}
