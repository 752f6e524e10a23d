/** A command as its instance has it: with the values, the settings and the fields that no document names. */
import { isSecretName } from '../../base/secrets/names.js'
import { type Endpoints, writes } from '../../catalogue/endpoint.js'
import {
  boolean,
  integer,
  list,
  type Param,
  type Params,
  string,
  widenParam,
} from '../../catalogue/params.js'
import type { KnownInstance, KnownNames, KnownSetting } from '../../profile/known.js'
import { kebab } from './derive/derived.js'
import { flagsOfCommand } from './derive/index.js'
import { declared } from './globals.js'
import type { Described, Flag } from './types.js'

/** What is said of all that the documents do not have. */
export const ofInstance = 'of this instance, not in the API documents'

/**
 * Endpoints of an area with further values of their parameters; one without any stays the same object.
 * @param values further values by `area.parameter`
 */
export const widenEndpoints = (
  area: string,
  endpoints: Endpoints,
  values: (of: string) => readonly string[],
): Endpoints =>
  Object.fromEntries(
    Object.entries(endpoints).map(([key, endpoint]) => {
      const params: Params = Object.fromEntries(
        Object.entries(endpoint.params).map(([name, param]) => [
          name,
          widenParam(param, values(`${area}.${name}`)),
        ]),
      )
      const same = Object.entries(params).every(([name, param]) => param === endpoint.params[name])
      return [key, same ? endpoint : { ...endpoint, params }]
    }),
  )

/** A setting that was only seen as null is most likely a text; any other that is no plain value is JSON. */
const toParam = (name: string, { type, nullable }: KnownSetting): Param => {
  // The instance answered with it, and so it will.
  const echo = true
  if (type === 'boolean') return boolean(ofInstance, { echo })
  if (type === 'integer') return integer(ofInstance, { echo })
  if (type === 'list') return list('string', ofInstance, { echo })
  if (type === 'number' || (type === 'unknown' && !nullable))
    return { type: 'json', help: `JSON; ${ofInstance}`, echo }
  return string(ofInstance, { echo, ...(isSecretName(name) ? { secret: true } : {}) })
}

/**
 * Settings that can be flags. A name that a flag of the tool has, or that would be the refusal of another one, cannot: whoever
 * types `--dry-run` means that flag, whatever an instance calls its settings. `--param` sends such a setting.
 */
const flaggable = (command: Described, known: KnownNames): readonly [string, KnownSetting][] => {
  const taken = new Set([
    ...flagsOfCommand(command).flatMap(({ name, own = [], aliases = [] }) => [
      name,
      ...own,
      ...aliases,
    ]),
    ...Object.keys(declared),
    'help',
    'version',
  ])
  const all = new Set([...taken, ...Object.keys(known.settings).map(kebab)])
  return Object.entries(known.settings).filter(([setting]) => {
    const name = kebab(setting)
    const refused = name.startsWith('no-') && all.has(name.slice('no-'.length))
    return !taken.has(name) && !refused
  })
}

/** Lists of several tables under one key each. */
const joined = (tables: readonly KnownNames['values'][]): KnownNames['values'] =>
  Object.fromEntries(
    [...new Set(tables.flatMap((table) => Object.keys(table)))].map((key) => [
      key,
      [...new Set(tables.flatMap((table) => table[key] ?? []))],
    ]),
  )

/** What any of several instances has; where they differ in a type, the first one's. */
export const knownTogether = (all: readonly KnownInstance[]): KnownNames => ({
  settings: Object.assign({}, ...all.toReversed().map(({ settings }) => settings)),
  values: joined(all.map(({ values }) => values)),
  fields: joined(all.map(({ fields }) => fields)),
})

/** A command with the values that its instance was seen to answer, and with the instance's own settings where it takes any. */
export const commandWith = <C extends Described>(command: C, known: KnownNames): C => {
  const { area } = command
  const values = (of: string): readonly string[] => known.values[of] ?? []
  const endpoints = widenEndpoints(area, command.endpoints, values)
  const open = Object.values(endpoints).filter((one) => one.open === 'settings')
  const settings: Params = open.some(writes)
    ? Object.fromEntries(
        flaggable(command, known).map(([name, setting]) => [name, toParam(name, setting)]),
      )
    : {}
  const widenFlag = (flag: Flag): Flag =>
    flag.parameter === undefined
      ? flag
      : { ...flag, param: widenParam(flag.param, values(`${area}.${flag.parameter}`)) }
  const own = Object.entries(settings).map(
    ([parameter, param]): Flag => ({
      name: kebab(parameter),
      param,
      parameter,
      required: false,
      group: 'site',
    }),
  )
  return {
    ...command,
    known,
    instanceFields: [
      ...(known.fields[area] ?? []),
      ...(open.length > 0 ? Object.keys(known.settings) : []),
    ],
    flags: [...command.flags.map(widenFlag), ...own],
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([key, one]) => [
        key,
        one.open === undefined ? one : { ...one, params: { ...one.params, ...settings } },
      ]),
    ),
  }
}
