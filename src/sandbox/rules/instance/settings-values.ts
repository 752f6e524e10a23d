/**
 * Values of application settings: those of the documents' table are checked by the catalogue, and
 * those beyond it by the type that answers show.
 */
import type { Param } from '../../../catalogue/params.js'
import { boolean, integer, list, string } from '../../../catalogue/params.js'
import { settingsAttributes } from '../../../catalogue/settings-attributes.js'
import { Settings } from '../../../catalogue/shapes/settings.js'
import { invalid } from '../../reply.js'
import { initialSettings } from '../../seed/instance/settings.js'
import { convert } from '../../server/check.js'

interface Schema {
  readonly type?: string
  readonly anyOf?: readonly Schema[]
}

/** The JSON type of a field, null left aside; undefined where it may be anything. */
const typeOf = ({ type, anyOf }: Schema): string | undefined =>
  type ?? anyOf?.map(typeOf).find((inner) => inner !== undefined && inner !== 'null')

const asNumber = (name: string, value: unknown): number => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw invalid(`${name} is invalid`)
  return number
}

/** Storage name → weight. */
const asWeights = (name: string, value: unknown): Record<string, number> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${name} is invalid`)
  return Object.fromEntries(
    Object.entries(value).map(([key, weight]) => {
      const number = asNumber(`${name}[${key}]`, weight)
      if (!Number.isInteger(number) || number < 0 || number > 100)
        throw invalid(`${name}[${key}] does not have a valid value`)
      return [key, number]
    }),
  )
}

const params: Readonly<Record<string, Param>> = {
  boolean: boolean(''),
  integer: integer(''),
  string: string(''),
  array: list('string', ''),
}

const fixed = ['id', 'created_at', 'updated_at']

/** Whether an attribute shows in answers beyond the table of writable ones, which breaks off. */
export const isFurther = (name: string): boolean =>
  Object.hasOwn(Settings.properties, name) &&
  !Object.hasOwn(settingsAttributes, name) &&
  !fixed.includes(name)

/** Whether a fresh instance answers null there, so that null sets it back. */
export const takesNull = (name: string): boolean => initialSettings[name] === null

/**
 * The value of an attribute beyond the table, in the type that answers have.
 * @throws Refusal 400 where it is of another
 */
export const furtherValue = (name: string, value: unknown): unknown => {
  const fields: Readonly<Record<string, object>> = Settings.properties
  const type = typeOf(fields[name] ?? {})
  if (value === '' && type !== 'string' && takesNull(name)) return null
  if (type === 'number') return asNumber(name, value)
  const param = params[type ?? '']
  return param === undefined ? asWeights(name, value) : convert(name, param, value)
}
