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

/** Finds the field that a name means: itself, the user name of a person, or the name of an object; undefined if there is none. */
export const findField = (place: FieldPlace, name: string): string | undefined => {
  const isPerson = listFieldSchemas(place, name).some(
    (schema) => getProperties(schema)?.username !== undefined,
  )
  if (isPerson) return `${name}.username`
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

/** Finds the tokens that replace a flag named like a state: `--offline` becomes `--status offline`, `--failed` a condition. */
export const findState = (
  command: Command,
  place: FieldPlace | undefined,
  state: string,
): readonly string[] | undefined => {
  const value = state.replaceAll('-', '_')
  const names = ['status', 'state'] as const
  const flag = getCommandFlags(command, ({ name }) => name === 'status' || name === 'state').find(
    (one) => one.parameter !== undefined && isOneOf(one, value),
  )
  if (flag !== undefined && canListRecords(command)) return [`--${flag.name}`, value]
  if (place === undefined) return undefined
  const field = names.find((name) => listFieldWords(place, name).includes(value))
  return field === undefined ? undefined : [place.flag, `${field}=${value}`]
}
