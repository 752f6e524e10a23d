/** Translates the values of flags of other tools: formats, fields, filters, orders and attributes. */

import { parseJsonOrText } from '../../base/json/nesting.js'
import { isObject } from '../../base/objects.js'
import { formatNames } from '../../catalogue/formats.js'
import { translate } from '../../engine/where/foreign.js'
import { getConditionFields, parseWhere, toSortSyntax } from '../../engine/where/index.js'

/** The facts of a command that rows depend on. */
export interface FlagPlace {
  /** The words of the command: `runners list`. */
  readonly name: string
  /** Returns true if the command takes a flag of that name. */
  readonly takes: (name: string) => boolean
  /** The field by which people know its records. */
  readonly title: string
  /** Returns true if its records have a field of that name, or their fields are not known. */
  readonly hasField: (name: string) => boolean
  /** Finds the field that a name of another tool means; undefined if the records have none. */
  readonly findChoice: (name: string) => string | undefined
  /** The arguments of the line. */
  readonly args: readonly string[]
  /** True if the command reads its objects from standard input (`-`). */
  readonly readsObjects: boolean
  /** Finds the tokens that replace a flag of that name with that value. */
  readonly replaceFlag: (name: string, value: string) => readonly string[] | undefined
}

/** The replacement of a flag and its value. */
export interface FlagReplacement {
  readonly tokens: readonly string[]
  /** Another command that replaces this one. */
  readonly command?: string
  /** True if the order of `--sort` is reversed. */
  readonly isReversed?: boolean
  /** The file that standard input is read from. */
  readonly input?: string
}

/** A flag of another tool, with its replacement. */
export interface ForeignFlag {
  readonly names: readonly string[]
  /** The form of the value; `true` for any value, absent for none. */
  readonly value?: RegExp | true
  /** True if the value can be omitted. */
  readonly mayLack?: true
  /** The commands that have the flag; absent for all. */
  readonly of?: RegExp
  /** True if the row wins over a flag of that name that the command takes. */
  readonly wins?: true
  /** The replacements, with `$1` for the value; the first that the command takes is used. A function computes one from the value. */
  readonly gives:
    | readonly string[]
    | ((value: string, place: FlagPlace) => FlagReplacement | undefined)
}

const formats: Readonly<Record<string, string>> = {
  text: 'table',
  plain: 'table',
  pretty: 'table',
  human: 'table',
  name: 'id',
  ids: 'id',
  yml: 'yaml',
  yamlc: 'yaml',
  jsonc: 'json',
  'json-compact': 'json',
  prettyjson: 'json',
  'json-pretty': 'json',
  long: 'wide',
  full: 'wide',
  raw: 'value',
  jsonlines: 'jsonl',
  'json-lines': 'jsonl',
}

/** The fields that gh calls otherwise. */
const otherFields: Readonly<Record<string, string>> = {
  number: 'iid',
  databaseId: 'id',
  creationTimestamp: 'created_at',
  url: 'web_url',
  body: 'description',
  author: 'author.username',
  headRefName: 'source_branch',
  baseRefName: 'target_branch',
  isDraft: 'draft',
}

/** Returns the name of a field of another tool, such as `createdAt`. */
export const translateFieldName = (name: string): string => {
  const plain = name.replace(/^(?:metadata|spec|status)\./, '')
  const other = Object.hasOwn(otherFields, plain) ? otherFields[plain] : undefined
  return other ?? plain.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns the flag for fields of another tool; undefined if the records lack one of them. */
export const chooseFields = (
  names: readonly string[],
  { findChoice }: FlagPlace,
): readonly string[] | undefined => {
  const found = names.map(findChoice)
  return found.includes(undefined) ? undefined : ['--fields', found.join(',')]
}

/** Returns the fields that a template or path of another tool selects: `{{.id}}`, `{.items[*].id}`. */
const toFields = (expression: string): readonly string[] => {
  const plain = expression.replaceAll(/\.\w+\[[^\]]*\]|\.items\b/g, '')
  return [...plain.matchAll(/\.([a-z_]\w*(?:\.\w+)*)/gi)].flatMap(([, name]) => name ?? [])
}

/** Returns the flags that print the fields of a template; undefined if it names none. */
export const pickFields = (expression: string): FlagReplacement | undefined => {
  const [first, ...others] = toFields(expression).map((name) => `.${name}`)
  if (first === undefined) return undefined
  const several = `[${[first, ...others].join(', ')}] | @tsv`
  return { tokens: ['-o', 'ndjson', '--jq', others.length === 0 ? first : several] }
}

/** Returns the flags for an output format of another tool; undefined for an unknown one. */
export const toFormat = (value: string, place: FlagPlace): FlagReplacement | undefined => {
  const [kind = '', expression = ''] = value.split(/=(.*)/s)
  if (/^(?:jsonpath|go-template|template)(?!-file|-as-file)/.test(kind))
    return pickFields(expression) ?? { tokens: ['-o', 'json'] }
  if (value.includes('{{')) return pickFields(value)
  if (kind === 'custom-columns') {
    const fields = toFields(expression.replaceAll(/(?:^|,)[^:,]*:/g, ' '))
    const tokens = chooseFields(fields, place)
    return fields.length === 0 || tokens === undefined ? undefined : { tokens }
  }
  // A pipe gets this format without a flag.
  if (kind === 'tsv') return { tokens: [] }
  const name = Object.hasOwn(formats, kind.toLowerCase())
    ? formats[kind.toLowerCase()]
    : kind.toLowerCase()
  return name !== undefined && formatNames.includes(name) ? { tokens: ['-o', name] } : undefined
}

/** Matches a text that is a condition in some language, or would be one behind `~`. */
const foreignSigns = /[=<>~[\],|"&;]/

/** Returns the conditions that a filter of another tool means, as one text per flag; undefined if the records lack their fields. */
const toConditions = (
  text: string,
  { title, hasField }: FlagPlace,
): readonly string[] | undefined => {
  // The filters of aws: `Name=status,Values=online,offline`.
  const [, name, values] = /^Name=([\w.-]+),Values?=(.+)$/i.exec(text) ?? []
  const filter = values === undefined ? text : `${name}=${values.replaceAll(',', '|')}`
  const conditions = translate(filter) ?? []
  // A name alone would test whether a field has a value.
  const found = conditions.filter((condition) => !/^[\w.-]+!?=null$/.test(condition))
  if (found.length > 0 && getConditionFields(parseWhere(conditions)).every(hasField))
    return conditions
  // A colon before a blank is prose: `fix: login`.
  const isCondition = foreignSigns.test(text) || (found.length > 0 && !/:\s/.test(text))
  return isCondition ? undefined : [`${title}~${text}`]
}

/** Returns the flags for a filter: conditions, or a flag of the name that the filter tests. */
export const toFilter = (value: string, place: FlagPlace): FlagReplacement | undefined => {
  const conditions = toConditions(value, place)
  const flag = place.takes('select') ? '--select' : '--where'
  if (conditions !== undefined) return { tokens: conditions.flatMap((one) => [flag, one]) }
  const [, name, only] = /^([a-z][\w-]*)={1,2}([^=<>~,|&]+)$/i.exec(value) ?? []
  const tokens = name === undefined ? undefined : place.replaceFlag(name, only ?? '')
  return tokens && { tokens }
}

/** The fields by which records are old or new; the first that they have counts. */
const ageFields = ['created_at', 'last_activity_at', 'contacted_at', 'updated_at']

/** Returns the flags for records of an age: `>30d`, `<12h`; undefined if the records have no such field. */
export const toAge = (age: string, { takes, hasField }: FlagPlace): FlagReplacement | undefined => {
  const field = ageFields.find(hasField)
  if (field === undefined) return undefined
  return { tokens: [takes('select') ? '--select' : '--where', `${field}${age}`] }
}

/** Returns the flags for a query of aws and az: `[].id`, `[?status=='online'].id`. */
export const toQuery = (value: string, place: FlagPlace): FlagReplacement | undefined => {
  if (/^length\(/.test(value)) return { tokens: ['--count'] }
  const [, condition, fields] = /^\[(?:\?([^\]]*)|\*?)\](.*)$/s.exec(value) ?? []
  if (fields === undefined) return toFilter(value, place)
  // `{id: id, title: name}` and `[id, name]` list fields.
  const listed = fields.replaceAll(/([{[,]) ?(?:\w+: ?)?(?=[a-z_])/gi, '$1.')
  // A name alone is a field that is true.
  const parts = condition?.split('&&').map((one) => one.trim())
  const whole = parts?.map((one) => (/^\w+$/.test(one) ? `${one}=true` : one)).join(' && ')
  const chosen = whole === undefined ? { tokens: [] } : toFilter(whole, place)
  const picked = fields === '' ? { tokens: [] } : pickFields(listed)
  return chosen && picked && { tokens: [...chosen.tokens, ...picked.tokens] }
}

/** Returns the flags for the order of another tool: `.id`, `{.id}`, `createdAt`, `id desc`; undefined for an unknown field. */
export const toOrder = (value: string, { findChoice }: FlagPlace): FlagReplacement | undefined => {
  const plain = value.replace(/^\{?\.?(.*?)\}?$/s, '$1')
  const field = toSortSyntax(plain) ?? plain
  const name = findChoice(field.replace(/^-/, ''))
  if (name === undefined) return undefined
  return field.startsWith('-') ? { tokens: [`--sort=-${name}`] } : { tokens: ['--sort', name] }
}

/** Returns the flags for attributes that are given as JSON; undefined if the command does not take each of them. */
export const toAttributes = (value: string, { takes }: FlagPlace): FlagReplacement | undefined => {
  const parsed = parseJsonOrText(value, 'the value')
  if (!isObject(parsed)) return undefined
  const attributes = Object.entries(parsed).map(
    ([name, one]) => [name.replaceAll('_', '-'), one] as const,
  )
  const isTaken = attributes.every(([name, one]) => takes(name) && typeof one !== 'object')
  return isTaken ? { tokens: attributes.map(([name, one]) => `--${name}=${one}`) } : undefined
}

/** Returns the flag for an attribute that is given as a pair; undefined if the command does not take it. */
export const toAttribute = (
  pair: string,
  { name: command, takes }: FlagPlace,
): FlagReplacement | undefined => {
  const [, name = '', value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
  const flag = name.replaceAll('_', '-')
  if (takes(flag)) return { tokens: [`--${flag}=${value}`] }
  return command === 'settings update' ? { tokens: ['--param', pair] } : undefined
}

/** Returns the argument for a file with the objects of a command; undefined if the line names its objects, or the command reads none. */
export const toInput = (
  file: string,
  { args, readsObjects }: FlagPlace,
): FlagReplacement | undefined => {
  // The file itself may look like an argument, behind a flag that the command does not know.
  const namesObjects = args.some((one) => one !== file)
  return readsObjects && !namesObjects && !file.includes('=')
    ? { tokens: ['-'], input: file }
    : undefined
}

/** Returns the address of an instance with its scheme. */
export const toAddress = (text: string): string =>
  /^https?:\/\//.test(text) ? text : `https://${text}`

/** Replaces a flag that changes nothing here. */
export const dropFlag = (): FlagReplacement => ({ tokens: [] })

/** Returns the flag for the address of an instance. */
export const toBaseUrl = (value: string): FlagReplacement => ({
  tokens: ['--base-url', toAddress(value)],
})

/** Returns the flag for a file with attributes: `@x.json`, `file://x.json`. */
export const toAttributeFile = (value: string, { name }: FlagPlace): FlagReplacement | undefined =>
  /^(?:api|.* (?:update|create|add))$/.test(name)
    ? { tokens: ['--input', value.replace(/^(?:@|file:\/\/)/, '')] }
    : undefined
