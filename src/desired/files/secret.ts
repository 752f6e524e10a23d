/** Where a secret comes from, as files say it; nothing is fetched here. */

import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { WrittenMap, WrittenValue } from '../../base/documents/written.js'
import { readRegular } from '../../base/files/regular.js'
import { isSecretName } from '../../base/secrets/names.js'
import { type HeldText, holdText, openHeld } from '../../base/secrets/scrub.js'
import { didYouMean } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import { decodeText } from '../../base/utf8.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { getErrorCode, getReason } from '../../errors.js'
import type { Origin, SecretSource } from '../state.js'
import type { Mistakes, SourceRules } from './nodes.js'

/** Where a file names the source of a value, and the rules for such sources. */
interface SourceContext {
  readonly name: string
  readonly origin: Origin
  readonly rules: SourceRules
  readonly mistakes: Mistakes
}

const forms = 'Write {env: NAME}, {file: path} or {command: [program, argument]}.'
const words = ['env', 'file', 'command'] as const

const sourceSchema = (name: string, value: JsonSchema, description: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: value },
  required: [name],
  additionalProperties: false,
  description,
})

/** A file in place of a value, for editors. */
const fileText = 'a file that contains it, relative to this file'
export const heldSchema = sourceSchema('file', { type: 'string', minLength: 1 }, fileText)

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/
const program: JsonSchema = { type: 'array', items: { type: 'string' }, minItems: 1 }

/** What may stand at a secret, for editors. */
export const secretSchema: JsonSchema = {
  anyOf: [
    sourceSchema(
      'env',
      { type: 'string', pattern: variable.source },
      'an environment variable that contains it',
    ),
    heldSchema,
    sourceSchema('command', program, 'a program that prints it, with --allow-commands'),
    { type: 'string', pattern: '^(?:env:|@|command:)' },
    { type: 'null' },
  ],
  description: 'the source of the secret; secrets are not written in files',
}

const ofEnvironment = (
  { origin, mistakes }: SourceContext,
  env: string,
): SecretSource | undefined => {
  if (!variable.test(env)) {
    const text = 'this is not the name of an environment variable'
    return mistakes.add(origin, text, 'Write {env: NAME}.')
  }
  // What says who asks is the tool's own, and nothing that a file may send.
  const isOwn = env === 'CI_JOB_TOKEN' || (env.startsWith('SVC_') && isSecretName(env))
  const text = `${env} is a credential of svcctl, which files cannot use`
  return isOwn ? mistakes.add(origin, text, 'Put the secret into another variable.') : { env }
}

const besideOf = ({ origin, rules }: SourceContext, file: string) => {
  const within = rules.within(origin.file)
  return { file, base: origin.file, within }
}

/** Whether a file may be named; it need not be there before it is sent. */
const ofFile = (said: SourceContext, file: string): SecretSource | undefined => {
  const beside = besideOf(said, file)
  try {
    if (file === '' || file.includes('\0')) throw new Error('this is not a path')
    besidePath(beside, said.rules.cwd)
    return beside
  } catch (error) {
    return refuse(said, file, error)
  }
}

const refuse = ({ origin, mistakes }: SourceContext, file: string, error: unknown): undefined => {
  const isOutside = error instanceof Error && error.message.includes('outside')
  const hint = isOutside ? 'To allow files outside the folder, pass --allow-outside.' : undefined
  return mistakes.add(origin, `${quoteText(file)}: ${quoteText(getReason(error))}`, hint)
}

const ofCommand = (
  { name, origin, rules, mistakes }: SourceContext,
  command: readonly unknown[],
): SecretSource | undefined => {
  const texts = command.filter((part): part is string => typeof part === 'string')
  if (texts.length !== command.length || !texts[0])
    return mistakes.add(origin, 'command must be a list: a program and its arguments')
  if (rules.allowCommands) return { command: texts }
  const text = `${name} comes from a command, and commands are not allowed`
  return mistakes.add(origin, text, 'To run commands, pass --allow-commands.')
}

const listIn = (text: string): readonly unknown[] => {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

const textIn = (written: WrittenValue): string => (written.is === 'scalar' ? written.text : '')

const ofMap = (said: SourceContext, map: WrittenMap): SecretSource | undefined => {
  const [entry, ...more] = map.entries
  const word = words.find((known) => known === entry?.key)
  if (entry === undefined || word === undefined || more.length > 0) {
    const hint = (entry && didYouMean(entry.key, words)) ?? forms
    return said.mistakes.add(map.origin, `${said.name} must be one of env, file, command`, hint)
  }
  const { value } = entry
  const at = { ...said, origin: value.origin }
  if (word === 'env') return ofEnvironment(at, textIn(value))
  if (word === 'file') return ofFile(at, textIn(value))
  const items = value.is === 'list' ? value.items : []
  return ofCommand(
    at,
    items.map((one) => (one.is === 'scalar' && one.value !== null ? one.text : undefined)),
  )
}

const ofText = (said: SourceContext, text: string): SecretSource | undefined => {
  if (text.startsWith('env:')) return ofEnvironment(said, text.slice(4))
  if (text.startsWith('@')) return ofFile(said, text.slice(1))
  if (text.startsWith('command:')) return ofCommand(said, listIn(text.slice('command:'.length)))
  // What a template left out takes nothing away.
  if (text === '')
    return said.mistakes.add(said.origin, `${said.name} is empty`, `${forms} null unsets it.`)
  if (said.rules.allowLiteralSecrets) return { literal: holdText(text) }
  return said.mistakes.add(
    said.origin,
    `${said.name} is a secret, and secrets cannot be written in files`,
    `${forms} To allow it anyway, pass --allow-literal-secrets.`,
  )
}

/**
 * Where a secret attribute comes from.
 * @returns undefined where it says none, which is reported, never with what stands there
 */
export const secretSource = (
  name: string,
  written: WrittenValue,
  rules: SourceRules,
  mistakes: Mistakes,
): SecretSource | undefined => {
  const said: SourceContext = { name, origin: written.origin, rules, mistakes }
  if (written.is === 'map') return ofMap(said, written)
  if (written.is === 'scalar')
    return written.value === null ? { literal: holdText('') } : ofText(said, written.text)
  return mistakes.add(written.origin, `${name} must be one of env, file, command`, forms)
}

/**
 * The path of a file that holds the value of an attribute, where a map says so: a text is the value itself, as
 * an instance may have it.
 */
export const fileNamed = (written: WrittenValue): string | undefined => {
  const [entry, ...more] = written.is === 'map' ? written.entries : []
  return entry?.key === 'file' && more.length === 0 ? textIn(entry.value) : undefined
}

/**
 * What stands in the file that an attribute names in place of its value, read at once. It may be any file: until it
 * is checked, nothing of it is quoted.
 * @returns undefined where the file cannot be read, which is reported
 */
export const textInFile = (
  file: string,
  { name, origin }: Pick<SourceContext, 'name' | 'origin'>,
  rules: SourceRules,
  mistakes: Mistakes,
): HeldText | undefined => {
  const said: SourceContext = { name, origin, rules, mistakes }
  const beside = besideOf(said, file)
  try {
    const whole = besideText(beside, rules.cwd, rules.open)
    rules.held(isAbsolute(file) ? file : join(dirname(beside.base), file), whole)
    return holdText(openHeld(whole).trimEnd())
  } catch (error) {
    return refuse(said, file, error)
  }
}

// Files that files name: beside them, and inside the folder that was given, links resolved.

/** A path as written, the file that it is relative to, and the folder that it may not leave. */
export interface RelativePath {
  readonly file: string
  readonly base: string
  readonly within?: string
}

/** A path without links, as far as there is something. @throws the system's error but for what is not there */
const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    const above = dirname(path)
    if (getErrorCode(error) !== 'ENOENT' || above === path) throw error
    return join(real(above), basename(path))
  }
}

/** Whether a path is a folder or lies in it, links resolved. */
export const liesIn = (folder: string, path: string): boolean => {
  const way = relative(real(folder), real(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/**
 * Where a file that a file names is.
 * @throws an Error in words where it lies outside; the system's error
 */
export const besidePath = ({ file, base, within }: RelativePath, cwd: string): string => {
  const path = resolve(cwd, dirname(base), file)
  if (within !== undefined && !liesIn(resolve(cwd, within), path))
    throw new Error('the file is outside the given folder')
  return path
}

/** What it holds. @throws as `besidePath`; the system's error; an Error in words for what is no regular file */
export const besideText = (
  beside: RelativePath,
  cwd: string,
  open: (path: string) => Buffer = (path) => readRegular(path),
): HeldText => holdText(decodeText(open(besidePath(beside, cwd)), 'the file'))
