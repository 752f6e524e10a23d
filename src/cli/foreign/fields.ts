/** Finds the conditions that replace flags named like fields of records. */

import { isObject } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getProperties, titleFields } from '../../catalogue/fields.js'
import { getParamValues } from '../../catalogue/params.js'
import { canListRecords, getAnswerFields, getSelectList } from '../../engine/command/derive.js'
import { getCommandFlags } from '../../engine/command/flags.js'
import type { Command, Flag } from '../../engine/command/types.js'

/** A flag that takes conditions, and the fields that these can be about. */
export interface FieldPlace {
  readonly flag: '--where' | '--select'
  /** The names of the fields, as conditions write them. */
  readonly fields: readonly string[]
  readonly endpoints: readonly Endpoint[]
}

/** Returns the endpoints of the list that the objects of a command can be selected from. */
const listsSelected = async (command: Command): Promise<readonly Endpoint[]> => {
  const selects = getSelectList(command)
  if (selects === undefined) return []
  const [area = '', ...words] = selects.list.split(' ')
  const list = await command.registry.find(area, words.join(' '))
  return Object.values(list?.endpoints ?? {})
}

/** Finds where a command takes conditions on fields; undefined if it takes none. */
export const findFieldPlace = async (command: Command): Promise<FieldPlace | undefined> => {
  const isList = canListRecords(command)
  const endpoints = isList ? Object.values(command.endpoints) : await listsSelected(command)
  if (endpoints.length === 0) return undefined
  return { flag: isList ? '--where' : '--select', fields: getAnswerFields(endpoints), endpoints }
}

/** Lists the fields of the answers of a command. The records of a list may have those of a single object as well. */
export const listAnswerFields = async (command: Command): Promise<readonly string[]> => {
  const single = canListRecords(command)
    ? await command.registry.find(command.area, 'get')
    : undefined
  return [command, single].flatMap((one) => getAnswerFields(Object.values(one?.endpoints ?? {})))
}

/** Returns the field by which people know a record. */
export const getTitle = ({ endpoints, fields }: FieldPlace): string => {
  const columns = endpoints.flatMap(({ columns }) => columns ?? [])
  return (
    [...titleFields.filter((name) => columns.includes(name)), ...titleFields].find((name) =>
      fields.includes(name),
    ) ?? 'id'
  )
}

/** Lists the alternatives of a schema (`anyOf`), nested ones included. */
const listAlternatives = (schema: unknown): readonly unknown[] =>
  isObject(schema) && Array.isArray(schema.anyOf)
    ? schema.anyOf.flatMap(listAlternatives)
    : [schema]

const listFieldSchemas = ({ endpoints }: FieldPlace, name: string): readonly unknown[] =>
  endpoints.flatMap(({ returns }) => listAlternatives(getProperties(returns.shape)?.[name]))

/** The fields that other tools call otherwise. */
const otherNames: Readonly<Record<string, string>> = {
  state: 'status',
  status: 'state',
  branch: 'ref',
}

/** Finds the field that a name means: itself, the user name of a person, or the name or ID of an object; undefined if there is none. */
export const findField = (place: FieldPlace, name: string): string | undefined => {
  const inner = listFieldSchemas(place, name).map((schema) => getProperties(schema))
  const known = ['username', 'id'].find((one) => inner.some((fields) => fields?.[one]))
  if (known !== undefined) return `${name}.${known}`
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined
  const found = [name, `${name}_name`, `has_${name}`, other ?? name].find((one) =>
    place.fields.includes(one),
  )
  if (found !== undefined) return found
  // A part of a name is enough if only one field has it: `type` for `runner_type`, `ip` for `ip_address`.
  const [only, ...others] = place.fields.filter(
    (one) => one.startsWith(`${name}_`) || one.endsWith(`_${name}`),
  )
  return others.length === 0 ? only : undefined
}

/** Finds the field that a name means among those of an answer, which may be unknown: itself, or the only one that begins with it. */
export const findAnswerField = (fields: readonly string[], name: string): string | undefined => {
  const [first = name] = name.split('.')
  if (fields.length === 0 || fields.includes(name) || fields.includes(first)) return name
  const [only, ...others] = fields.filter((one) => one.startsWith(`${name}_`))
  return others.length === 0 ? only : undefined
}

/** Returns true for a field that is true or false. */
export const isBooleanField = (place: FieldPlace, name: string): boolean =>
  listFieldSchemas(place, name).some((schema) => isObject(schema) && schema.type === 'boolean')

/** Lists the documented values of a field. */
const listFieldWords = (place: FieldPlace, name: string): readonly unknown[] =>
  listFieldSchemas(place, name).flatMap((schema) => {
    if (!isObject(schema)) return []
    if (Array.isArray(schema.enum)) return schema.enum
    return Array.isArray(schema.examples) ? schema.examples : []
  })

const isOneOf = (flag: Flag, value: string): boolean => getParamValues(flag.param).includes(value)

/** The fields whose values people write as flags. */
const stateNames = ['status', 'state', 'visibility', 'severity']

/** Finds the tokens that replace a flag named like a state: `--offline` becomes `--status offline`, `--failed` a condition. */
export const findState = (
  command: Command,
  place: FieldPlace | undefined,
  state: string,
): readonly string[] | undefined => {
  const value = state.replaceAll('-', '_')
  const flag = getCommandFlags(command, ({ name }) => stateNames.includes(name)).find(
    (one) => one.parameter !== undefined && isOneOf(one, value),
  )
  if (flag !== undefined && canListRecords(command)) return [`--${flag.name}`, value]
  if (place === undefined) return undefined
  const field = stateNames.find((name) => listFieldWords(place, name).includes(value))
  return field === undefined ? undefined : [place.flag, `${field}=${value}`]
}

/** Writes a condition. A part of a name is enough, and values with commas are alternatives. */
export const writeCondition = (
  typed: string,
  field: string,
  value: string,
  isOn: boolean,
): string => {
  if (/^(?:[<>]=?|!=|!?~)/.test(value)) return `${field}${value}`
  const isPart = field === `${typed}_name` || field === 'title'
  return `${field}${isOn ? '' : '!'}${isPart ? '~' : '='}${value.replaceAll(',', '|')}`
}

/** Finds the condition that a flag such as `--created-after` means; undefined for another flag, or without a time. */
export const toTimeCondition = (
  place: FieldPlace,
  typed: string,
  time: string,
): string | undefined => {
  const [, name = '', end] = /^(?:(\w+)_)?(after|since|before|until)$/.exec(typed) ?? []
  if (end === undefined || !/^(?:\d{4}-|\d+[hdw]$|today$|yesterday$)/.test(time)) return undefined
  const field = findAnswerField(place.fields, name === '' ? 'created_at' : name)
  if (field === undefined || !/_(?:at|on|date)$/.test(field)) return undefined
  // An age grows towards the past.
  const isLater = /^(?:after|since)$/.test(end) !== /^\d+[hdw]$/.test(time)
  return `${field}${isLater ? '>' : '<'}${time}`
}

/** Returns the name of a field that a flag is named like. */
export const toSnakeCase = (name: string): string => name.replaceAll('-', '_')
