/**
 * Serves the application settings, and checks that settings which require each other are set together (`catalogue/reference/settings.md`).
 */

import { dayLength } from '../../base/dates.js'
import { parseWordDuration } from '../../base/durations.js'
import {
  Settings,
  settings,
  settingsAttributes,
  settingsRequirements,
} from '../../catalogue/areas/settings.js'
import type { CheckedOf, ResultOf } from '../../catalogue/endpoint.js'
import { isListParam } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { convert, getFieldType, isBlank, paramsByType } from '../check.js'
import { serve } from '../handlers.js'
import { badRequest, invalid, missing } from '../reply.js'
import initialSettings from '../seed/settings.json' with { type: 'json' }

// The catalogue checks the documented settings. Other settings are checked by the type that they have in responses.

const toNumber = (name: string, value: unknown): number => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw invalid(`${name} is invalid`)
  return number
}

/** Converts weights, by the name of the storage. */
const toWeights = (name: string, value: unknown): Record<string, number> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${name} is invalid`)
  return Object.fromEntries(
    Object.entries(value).map(([key, weight]) => {
      const number = toNumber(`${name}[${key}]`, weight)
      if (!Number.isInteger(number) || number < 0 || number > 100)
        throw invalid(`${name}[${key}] does not have a valid value`)
      return [key, number]
    }),
  )
}

const fixed = ['id', 'created_at', 'updated_at']

/** True if responses have an attribute that the documented table of writable ones lacks, since that table is incomplete. */
const isFurther = (name: string): boolean =>
  Object.hasOwn(Settings.properties, name) &&
  !Object.hasOwn(settingsAttributes, name) &&
  !fixed.includes(name)

/** True if an attribute is null on a new instance, so that null resets it. */
const takesNull = (name: string): boolean =>
  Object.entries(initialSettings).some(([known, value]) => known === name && value === null)

/** Converts the value of an undocumented attribute to the type that it has in responses. @throws Refusal 400 if that is impossible */
const convertFurther = (name: string, value: unknown): unknown => {
  const fields: Readonly<Record<string, object>> = Settings.properties
  const type = getFieldType(fields[name] ?? {})
  if (value === '' && type !== 'string' && takesNull(name)) return null
  if (type === 'number') return toNumber(name, value)
  const param = paramsByType[type ?? '']
  return param === undefined ? toWeights(name, value) : convert(name, param, value)
}

type Result = ResultOf<(typeof settings)['get']>
type Input = CheckedOf<(typeof settings)['update']>
type Values = Readonly<Record<string, unknown>>

/** Maps each deprecated attribute to its successor. Both always have the same value. */
const successors = new Map(
  Object.entries(settingsAttributes).flatMap(([name, param]) =>
    'deprecated' in param && param.deprecated !== undefined ? [[name, param.deprecated]] : [],
  ),
)

const showSettings = (call: Call): Result => {
  const values: Record<string, unknown> = { ...call.state.settings.value }
  for (const [old, successor] of successors) values[old] = values[successor]
  return values as Result
}

const checkArchiving = (text: string | undefined): void => {
  if (text === undefined || text === '') return
  const seconds = parseWordDuration(text)
  if (seconds === undefined)
    throw badRequest({ archive_builds_in_human_readable: ['is not a correct duration'] })
  if (seconds * 1000 < dayLength)
    throw badRequest({ archive_builds_in_seconds: ['must be at least 1 day'] })
}

/** Splits the items of a list, since one string may contain several. */
const split = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.flatMap((item) =>
        String(item)
          .split(/[\s,;]+/)
          .filter((part) => part !== ''),
      )
    : value

const isListed = (name: string): boolean =>
  Object.entries(settingsAttributes).some(([n, param]) => n === name && isListParam(param))

/** Removes nulls, except for attributes that are null on a new instance. */
const dropSilent = (sent: Values): [string, unknown][] =>
  Object.entries(sent).filter(([name, value]) => value !== null || takesNull(name))

const collectChanges = (call: Call, input: Input): Record<string, unknown> => {
  const changed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input))
    changed[successors.get(name) ?? name] = isListed(name) ? split(value) : value
  for (const [name, value] of dropSilent(call.sent.params)) {
    const known = Object.hasOwn(settingsAttributes, name)
    if (value === null && (known || isFurther(name))) changed[successors.get(name) ?? name] = null
    else if (isFurther(name)) changed[name] = convertFurther(name, value)
  }
  return changed
}

/** Maps each setting to the one that it requires: the documented ones, and those that only instances check. */
const requirements: Readonly<Record<string, string>> = {
  ...settingsRequirements,
  diagram_a_enabled: 'diagram_a_url',
  diagram_b_enabled: 'diagram_b_url',
}

/** Checks that an enabled setting has the one that it requires, either sent now or stored before. @throws Refusal 400 */
const checkRequirements = (changed: Values, before: Values): void => {
  for (const [name, needed] of Object.entries(requirements)) {
    const after = { ...before, ...changed }
    const touched = Object.hasOwn(changed, name) || Object.hasOwn(changed, needed)
    if (touched && after[name] === true && isBlank(after[needed])) throw missing(needed)
  }
}

const update = (call: Call, input: Input): Result => {
  call.requireAdmin()
  const changed = collectChanges(call, input)
  if (Object.keys(changed).length === 0)
    throw invalid(
      `${Object.keys(settingsAttributes).join(', ')} are missing, at least one parameter must be provided`,
    )
  checkArchiving(input.archive_builds_in_human_readable)
  checkRequirements(changed, call.state.settings.value)
  call.state.settings.change({ ...changed, updated_at: call.clock.iso() })
  return showSettings(call)
}

export const served = serve(settings, {
  get: (call) => {
    call.requireAdmin()
    return showSettings(call)
  },
  update,
})
