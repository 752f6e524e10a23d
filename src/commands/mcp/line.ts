/** What was asked by data, as the line that a person would type: read by a shell, it asks the very same. */

import { isObject } from '../../base/objects.js'
import { isSecret } from '../../base/secrets/mask.js'
import { insertFlags, quoteWord } from '../../base/shell-words.js'
import {
  formatOf,
  fromFile,
  isSwitch,
  type Param,
  takesJson,
  takesPairs,
  takesSeveral,
} from '../../catalogue/params.js'
import type { Flag, Given } from '../../engine/command/types.js'
import { type Failure, usage } from '../../errors.js'
import { visible } from '../../terminal/text/escape.js'
import type { Offer } from './offers.js'

/** Longer ones nobody reads before running them. */
const longest = 8 * 1024

const cannot = (name: string, why: string): Failure =>
  usage(
    `--${name} cannot be written on a command line: ${why}`,
    'A person must write this command line by hand.',
  )

/**
 * A word of one line, whatever stands in it: control characters are written out.
 * @throws Failure `usage` for what no shell has in a word
 */
const word = (text: string): string => {
  if (/[\0\p{Cs}]/u.test(text))
    throw usage(
      'a value contains NUL or an incomplete character, which no command line can contain',
    )
  if (visible(text) === text) return quoteWord(text)
  const inner = text
    .replaceAll('\\', '\\\\')
    // Interactive shells look for these before they look at quotes.
    .replace(/['!]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`)
    .replace(/[^\\]/gu, (char) => (visible(char) === char ? char : written(char)))
  return `$'${inner}'`
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }
const written = (char: string): string => {
  const point = (char.codePointAt(0) ?? 0).toString(16)
  return (
    short[char] ??
    (point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`)
  )
}

const isPublic = (param: Param): boolean => formatOf(param) === 'public-key'

const holdsSecret = ({ param, parameter = '' }: Flag, value: unknown): boolean =>
  param.secret === true || isSecret(isPublic(param) ? '' : parameter, value)

/** A secret is never repeated: whoever runs the line has it in a variable. */
const variable = ({ name }: Flag): string => `env:${name.replaceAll('-', '_').toUpperCase()}`

const itemText = (name: string, value: unknown): string => {
  const text = String(value)
  if (text === '' || text.includes(',') || text.trim() !== text)
    throw cannot(name, `"${text}" is not a valid list item`)
  return text
}

const hashTexts = (name: string, value: object): readonly string[] =>
  Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (key.includes('=')) throw cannot(name, `"${key}" holds a =`)
    if (isSecret(key, inner)) throw cannot(name, `${key} is a secret`)
    const all = Array.isArray(inner) ? inner : [inner]
    if (all.length === 0 || all.some((one) => isObject(one) || one === null))
      throw cannot(name, `${key} is not a string, a number or a list of them`)
    return all.map((one: unknown) => `${key}=${String(one)}`)
  })

const plainText = ({ name, param }: Flag, value: unknown): string => {
  const text = takesJson(param) ? JSON.stringify(value) : String(value ?? '')
  if (fromFile(param) && /^(?:@|env:|-$)/.test(text))
    throw cannot(name, 'it would refer to a file, a variable or standard input')
  return text
}

/** The texts of a flag, each given once. */
const textsOf = (flag: Flag, value: unknown): readonly string[] => {
  const { name, param } = flag
  if (typeof value === 'string' && value !== '' && holdsSecret(flag, value)) {
    if (!fromFile(param)) throw cannot(name, 'it is a secret')
    return [variable(flag)]
  }
  if (takesSeveral(param) && value === null) throw cannot(name, 'null')
  if (Array.isArray(value) && takesSeveral(param))
    return [value.map((item) => itemText(name, item)).join(',')]
  if (takesPairs(param) && isObject(value)) return hashTexts(name, value)
  return [plainText(flag, value)]
}

const flagWords = (flag: Flag, value: unknown): readonly string[] => {
  const { name, param, selects } = flag
  if (isSwitch(param)) {
    if (value === true) return [`--${name}`]
    return selects === true ? [] : [`--no-${name}`]
  }
  return textsOf(flag, value).flatMap((text) =>
    text === '' || text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text],
  )
}

/** @throws Failure `usage` for what a line would take for several names, a file or standard input */
const checkName = (name: string, text: string): string => {
  if (text !== '' && text.trim() === text && !/^[-@]|,/.test(text)) return text
  throw usage(`${name} takes paths or IDs, one in each text`)
}

/** Which objects are meant, where that is not one. */
export interface ObjectChoice {
  /** In the place of the one that the arguments name. */
  readonly ids?: readonly string[]
  /** A condition on the records of their list. */
  readonly where?: string
  readonly projects?: readonly string[]
  /** All projects of a group. */
  readonly group?: string
}

const severalWords = ({ where, projects = [], group }: ObjectChoice): readonly string[] => [
  ...(where === undefined ? [] : [`--select=${where}`]),
  ...(projects.length === 0
    ? []
    : ['--project', projects.map((name) => checkName('project', name)).join(',')]),
  ...(group === undefined ? [] : ['--group', checkName('group', group)]),
]

/** @throws Failure `usage` for an object that is none */
const objectWords = (args: readonly string[]): readonly string[] => {
  if (args.includes('-'))
    throw usage('- would refer to standard input', 'Pass the name of the object.')
  return args
}

/** What was asked by data, as a line. */
export interface PlannedLine {
  /** Its words, without the program and the flags that name the instance. */
  readonly words: readonly string[]
  /** The values of secrets, by the variables that stand in their place. */
  readonly secrets: Readonly<Record<string, string>>
}

/** @throws Failure `usage` for what no line says */
export const toLine = (
  { command, data }: Offer,
  given: Given,
  several: ObjectChoice = {},
): PlannedLine => {
  const secrets: Record<string, string> = {}
  const flags = data.flatMap(({ flag }) => {
    const value = flag && given.flags[flag.name]
    if (flag === undefined || value === undefined) return []
    const words = flagWords(flag, value)
    if (words.includes(variable(flag))) secrets[variable(flag).slice('env:'.length)] = String(value)
    return words
  })
  const verb = command.words.split(' ').filter((one) => one !== '')
  const objects = objectWords(several.ids ?? given.args)
  const begin = [command.area, ...verb]
  const rest = [...flags, ...severalWords(several)]
  const words = objects.some((text) => text.startsWith('-'))
    ? [...begin, ...rest, '--', ...objects]
    : [...begin, ...objects, ...rest]
  return { words, secrets }
}

/**
 * A line as a person would type it.
 * @param flags that name the instance: `-p work`
 * @throws Failure `usage` for what no shell has in a word, and for a line that is too long to be read
 */
export const formatCommandLine = (words: readonly string[], flags: readonly string[]): string => {
  const line = ['svcctl', ...insertFlags(words, flags)].map(word).join(' ')
  if (Buffer.byteLength(line) > longest)
    throw usage('the command line is too long', 'Plan fewer changes at once.')
  return line
}
