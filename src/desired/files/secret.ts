/** Parses the sources of secrets in files, and resolves the files that they name. It does not fetch secrets. */

import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { WrittenMap, WrittenValue } from '../../base/documents/written.js'
import { readRegular } from '../../base/files/regular.js'
import { isSecretName } from '../../base/secrets/names.js'
import { type HeldText, holdText, openHeld } from '../../base/secrets/redact.js'
import { suggestSimilar } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import { decodeStrictly } from '../../base/utf8.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { getErrorCode, getReason } from '../../errors.js'
import type { Origin, SecretSource } from '../state.js'
import { type Mistakes, type SourceRules, textSchema } from './nodes.js'

/** The attribute and the position of a source, and the rules for sources. */
interface SourceContext {
  readonly name: string
  readonly origin: Origin
  readonly rules: SourceRules
  readonly mistakes: Mistakes
}

const forms = 'Write {env: NAME}, {file: path} or {command: [program, argument]}.'
const sourceKeys = ['env', 'file', 'command'] as const

const createSourceSchema = (name: string, value: JsonSchema, description: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: value },
  required: [name],
  additionalProperties: false,
  description,
})

/** The schema of a file in place of a value, for editors. */
const fileText = 'a file that contains it, relative to this file'
export const heldSchema = createSourceSchema('file', { ...textSchema, minLength: 1 }, fileText)

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/
const program: JsonSchema = { type: 'array', items: textSchema, minItems: 1 }

/** The schema of a secret's source, for editors. */
export const secretSchema: JsonSchema = {
  anyOf: [
    createSourceSchema(
      'env',
      { type: 'string', pattern: variable.source },
      'an environment variable that contains it',
    ),
    heldSchema,
    createSourceSchema('command', program, 'a program that prints it, with --allow-commands'),
    { type: 'string', pattern: '^(?:env:|@|command:)' },
    { type: 'null' },
  ],
  description: 'the source of the secret; secrets are not written in files',
}

const parseEnvironmentSource = (
  { origin, mistakes }: SourceContext,
  env: string,
): SecretSource | undefined => {
  if (!variable.test(env)) {
    const text = 'this is not the name of an environment variable'
    return mistakes.add(origin, text, 'Write {env: NAME}.')
  }
  // Credentials of the tool itself must not be sent as a value of the instance.
  const isCredential = env === 'CI_JOB_TOKEN' || (env.startsWith('SVC_') && isSecretName(env))
  const text = `${env} is a credential of svcctl, which files cannot use`
  return isCredential
    ? mistakes.add(origin, text, 'Put the secret into another variable.')
    : { env }
}

const toRelativePath = ({ origin, rules }: SourceContext, file: string) => {
  const within = rules.within(origin.file)
  return { file, base: origin.file, within }
}

/** Parses the path of a secret's file and checks that files may name it. The file need not exist before the secret is sent. */
const parseFileSource = (context: SourceContext, file: string): SecretSource | undefined => {
  const namedFile = toRelativePath(context, file)
  try {
    if (file === '' || file.includes('\0')) throw new Error('this is not a path')
    resolveBeside(namedFile, context.rules.cwd)
    return namedFile
  } catch (error) {
    return reportUnreadable(context, file, error)
  }
}

const reportUnreadable = (
  { origin, mistakes }: SourceContext,
  file: string,
  error: unknown,
): undefined => {
  const isOutside = error instanceof Error && error.message.includes('outside')
  const hint = isOutside ? 'To allow files outside the folder, pass --allow-outside.' : undefined
  return mistakes.add(origin, `${quoteText(file)}: ${quoteText(getReason(error))}`, hint)
}

const parseCommandSource = (
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

const parseJsonList = (text: string): readonly unknown[] => {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/** Returns the text of a scalar as written; '' for null and for anything else. */
const getScalarText = (written: WrittenValue): string =>
  written.is === 'scalar' && written.value !== null ? written.text : ''

const isText = (written: WrittenValue): boolean =>
  written.is === 'scalar' && typeof written.value === 'string'

const parseSourceMap = (context: SourceContext, map: WrittenMap): SecretSource | undefined => {
  const [entry, ...more] = map.entries
  const word = sourceKeys.find((known) => known === entry?.key)
  if (entry === undefined || word === undefined || more.length > 0) {
    const hint = (entry && suggestSimilar(entry.key, sourceKeys)) ?? forms
    return context.mistakes.add(
      map.origin,
      `${context.name} must be one of env, file, command`,
      hint,
    )
  }
  const { value } = entry
  const at = { ...context, origin: value.origin }
  if (word === 'env') return parseEnvironmentSource(at, isText(value) ? getScalarText(value) : '')
  if (word === 'file') return parseFileSource(at, getScalarText(value))
  const items = value.is === 'list' ? value.items : []
  return parseCommandSource(
    at,
    items.map((one) => (one.is === 'scalar' && one.value !== null ? one.text : undefined)),
  )
}

const parseSourceText = (context: SourceContext, text: string): SecretSource | undefined => {
  if (text.startsWith('env:')) return parseEnvironmentSource(context, text.slice(4))
  if (text.startsWith('@')) return parseFileSource(context, text.slice(1))
  if (text.startsWith('command:'))
    return parseCommandSource(context, parseJsonList(text.slice('command:'.length)))
  // An empty text may come from a template with a missing value, so it does not unset the secret.
  if (text === '')
    return context.mistakes.add(
      context.origin,
      `${context.name} is empty`,
      `${forms} null unsets it.`,
    )
  if (context.rules.allowLiteralSecrets) return { literal: holdText(text) }
  return context.mistakes.add(
    context.origin,
    `${context.name} is a secret, and secrets cannot be written in files`,
    `${forms} To allow it anyway, pass --allow-literal-secrets.`,
  )
}

/**
 * Parses the source of a secret attribute.
 * @returns undefined if there is no valid source, which is reported, never with the text in its place
 */
export const parseSecretSource = (
  name: string,
  written: WrittenValue,
  rules: SourceRules,
  mistakes: Mistakes,
): SecretSource | undefined => {
  const context: SourceContext = { name, origin: written.origin, rules, mistakes }
  if (written.is === 'map') return parseSourceMap(context, written)
  if (written.is === 'scalar')
    return written.value === null
      ? { literal: holdText('') }
      : parseSourceText(context, written.text)
  return mistakes.add(written.origin, `${name} must be one of env, file, command`, forms)
}

/** Returns the path of the file that holds an attribute's value, if the attribute is a map with `file`. A text is the value itself. */
export const getNamedFile = (written: WrittenValue): string | undefined => {
  const [entry, ...more] = written.is === 'map' ? written.entries : []
  return entry?.key === 'file' && more.length === 0 ? getScalarText(entry.value) : undefined
}

/**
 * Reads the file that an attribute names in place of its value. It may be any file, so none of its text is quoted before it is checked.
 * @returns undefined if the file cannot be read, which is reported
 */
export const readNamedFile = (
  file: string,
  { name, origin }: Pick<SourceContext, 'name' | 'origin'>,
  rules: SourceRules,
  mistakes: Mistakes,
): HeldText | undefined => {
  const context: SourceContext = { name, origin, rules, mistakes }
  const namedFile = toRelativePath(context, file)
  try {
    const whole = readBeside(namedFile, rules.cwd, rules.open)
    rules.held(isAbsolute(file) ? file : join(dirname(namedFile.base), file), whole)
    return holdText(openHeld(whole).trimEnd())
  } catch (error) {
    return reportUnreadable(context, file, error)
  }
}

// Files that files name: relative to the naming file, and inside the given folder, with links resolved.

/** A path as written, the file that it is relative to, and the folder that it must not leave. */
export interface RelativePath {
  readonly file: string
  readonly base: string
  readonly within?: string
}

/** Resolves the links in a path. Parts that do not exist are kept. @throws any other error of the file system */
const resolveLinks = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    const above = dirname(path)
    if (getErrorCode(error) !== 'ENOENT' || above === path) throw error
    return join(resolveLinks(above), basename(path))
  }
}

/** True if a path is a folder or is inside it, with links resolved. */
export const isInFolder = (folder: string, path: string): boolean => {
  const relativePath = relative(resolveLinks(folder), resolveLinks(path))
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}

/**
 * Resolves the path of a file that another file names.
 * @throws an Error with a message for people if the file is outside the folder; the system's error
 */
export const resolveBeside = ({ file, base, within }: RelativePath, cwd: string): string => {
  const path = resolve(cwd, dirname(base), file)
  if (within !== undefined && !isInFolder(resolve(cwd, within), path))
    throw new Error('the file is outside the given folder')
  return path
}

/** The largest file that another file may name, in bytes. */
const maxBytes = 32e6

/** Reads a file that another file names. @throws as `resolveBeside`; the system's error; an Error in words if it is not a regular file */
export const readBeside = (
  beside: RelativePath,
  cwd: string,
  open: (path: string) => Buffer = (path) => readRegular(path, maxBytes),
): HeldText => holdText(decodeStrictly(open(resolveBeside(beside, cwd)), 'the file'))
