/** Parses the sources of secrets in files, and resolves the files that they name. It does not fetch secrets. */

import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import {
  getWrittenText,
  listItems,
  type WrittenMap,
  type WrittenValue,
} from '../../base/documents/written.js'
import { readRegular } from '../../base/files/regular.js'
import { tryParseJson } from '../../base/objects.js'
import { isSecretName } from '../../base/secrets/names.js'
import { type HeldText, holdText, openHeld } from '../../base/secrets/redact.js'
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

const fileText: JsonSchema = {
  ...textSchema,
  minLength: 1,
  description: 'a file that contains it, relative to this file',
}

/** The schema of a file in place of a value. */
export const heldSchema: JsonSchema = {
  type: 'object',
  properties: { file: fileText },
  required: ['file'],
  additionalProperties: false,
}

const variable = '[A-Za-z_][A-Za-z0-9_]*'

const forms = '{env: NAME}, {file: path} or {command: [program, argument]}'

/** The schema of the sources of a secret as a map. */
const sourceMap: JsonSchema = {
  type: 'object',
  properties: {
    env: {
      type: 'string',
      pattern: `^${variable}$`,
      title: 'name of an environment variable',
      description: 'the name of an environment variable that contains it',
    },
    file: fileText,
    command: {
      type: 'array',
      items: textSchema,
      minItems: 1,
      description: 'a program that prints it, with --allow-commands',
    },
  },
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  description: forms,
  hints: { empty: `Use ${forms}.` },
}

/** Builds the schema of a secret's source. @param allowsLiterals true if the secret itself may be written */
export const buildSecretSchema = (allowsLiterals: boolean): JsonSchema => {
  const text = {
    type: 'string',
    pattern: `^(?:env:${variable}$|@|command:)`,
    errorMessage: 'secrets cannot be written in files',
    title: 'source of a secret',
    description: `${forms}, or pass --allow-literal-secrets`,
  }
  return {
    anyOf: [sourceMap, allowsLiterals ? { ...textSchema, minLength: 1 } : text, { type: 'null' }],
    writeOnly: true,
    description: 'the source of the secret; secrets are not written in files',
  }
}

const parseEnvironmentSource = (
  { origin, mistakes }: SourceContext,
  env: string,
): SecretSource | undefined => {
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
  command: readonly string[],
): SecretSource | undefined => {
  if (!command[0])
    return mistakes.add(origin, 'command must be a list: a program and its arguments')
  if (rules.allowCommands) return { command }
  const text = `${name} comes from a command, and commands are not allowed`
  return mistakes.add(origin, text, 'To run commands, pass --allow-commands.')
}

/** Parses a list of texts in JSON; returns an empty list for anything else. */
const parseJsonTexts = (text: string): readonly string[] => {
  const parsed = tryParseJson(text)
  return Array.isArray(parsed) && parsed.every((one) => typeof one === 'string') ? parsed : []
}

const parseSourceMap = (context: SourceContext, map: WrittenMap): SecretSource | undefined => {
  const [entry] = map.entries
  if (entry === undefined) return undefined
  const { key, value } = entry
  const at = { ...context, origin: value.origin }
  if (key === 'env') return parseEnvironmentSource(at, getWrittenText(value))
  if (key === 'file') return parseFileSource(at, getWrittenText(value))
  return parseCommandSource(at, listItems(value).map(getWrittenText))
}

const parseSourceText = (context: SourceContext, text: string): SecretSource | undefined => {
  if (text.startsWith('env:')) return parseEnvironmentSource(context, text.slice(4))
  if (text.startsWith('@')) return parseFileSource(context, text.slice(1))
  if (text.startsWith('command:'))
    return parseCommandSource(context, parseJsonTexts(text.slice('command:'.length)))
  return { literal: holdText(text) }
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
  return written.is === 'map'
    ? parseSourceMap(context, written)
    : parseSourceText(context, getWrittenText(written))
}

/** Returns the path of the file that holds an attribute's value, if the attribute is a map with `file`. A text is the value itself. */
export const getNamedFile = (written: WrittenValue): string | undefined => {
  const [entry, ...more] = written.is === 'map' ? written.entries : []
  return entry?.key === 'file' && more.length === 0 ? getWrittenText(entry.value) : undefined
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
export const resolveLinks = (path: string): string => {
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
