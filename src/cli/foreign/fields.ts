/** Fields of records where a line has flags of their names: conditions in their place. */

import { isObject } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { getParamValues } from '../../catalogue/params.js'
import { getAnswerFields, getSelects, lists } from '../../engine/command/derive.js'
import { getCommandFlags } from '../../engine/command/flags.js'
import type { Command, Flag } from '../../engine/command/types.js'

/** A flag that takes a condition, and what it is a condition of. */
export interface FieldPlace {
  readonly flag: '--where' | '--select'
  /** The names of the fields, as they are typed. */
  readonly fields: readonly string[]
  readonly endpoints: readonly Endpoint[]
}

/** The lists among which a command's objects may be selected. */
const listsSelected = async (command: Command): Promise<readonly Endpoint[]> => {
  const selects = getSelects(command)
  if (selects === undefined) return []
  const [area = '', ...words] = selects.list.split(' ')
  const list = await command.registry.named(area, words.join(' '))
  return Object.values(list?.endpoints ?? {})
}

/** Finds where a command takes conditions on fields; undefined if it takes none. */
export const findFieldPlace = async (command: Command): Promise<FieldPlace | undefined> => {
  const isList = lists(command)
  const endpoints = isList ? Object.values(command.endpoints) : await listsSelected(command)
  if (endpoints.length === 0) return undefined
  return { flag: isList ? '--where' : '--select', fields: getAnswerFields(endpoints), endpoints }
}

const titles = [
  'description',
  'name',
  'title',
  'path_with_namespace',
  'username',
  'message',
  'domain',
]

/** The field that says to people what a record is. */
export const getTitle = ({ endpoints, fields }: FieldPlace): string => {
  const columns = endpoints.flatMap(({ columns }) => columns ?? [])
  return (
    [...titles.filter((name) => columns.includes(name)), ...titles].find((name) =>
      fields.includes(name),
    ) ?? 'id'
  )
}

/** The schemas that a schema allows. */
const alternatives = (schema: unknown): readonly unknown[] =>
  isObject(schema) && Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(alternatives) : [schema]

const schemasOf = ({ endpoints }: FieldPlace, name: string): readonly unknown[] =>
  endpoints.flatMap(({ returns }) => alternatives(getProperties(returns.shape)?.[name]))

/** Returns true for a field that is true or false. */
export const isBooleanField = (place: FieldPlace, name: string): boolean =>
  schemasOf(place, name).some((schema) => isObject(schema) && schema.type === 'boolean')

/** The words that the documents have for the values of a field. */
const wordsOf = (place: FieldPlace, name: string): readonly unknown[] =>
  schemasOf(place, name).flatMap((schema) => {
    if (!isObject(schema)) return []
    if (Array.isArray(schema.enum)) return schema.enum
    return Array.isArray(schema.examples) ? schema.examples : []
  })

const isOneOf = (flag: Flag, value: string): boolean => getParamValues(flag.param).includes(value)

/** Finds what a flag that is a state means: `--offline` is `--status offline`, `--failed` a condition. */
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
  if (flag !== undefined && lists(command)) return [`--${flag.name}`, value]
  if (place === undefined) return undefined
  const field = names.find((name) => wordsOf(place, name).includes(value))
  return field === undefined ? undefined : [place.flag, `${field}=${value}`]
}
