/** Extends a command by the undocumented values, settings and fields of its instance. */
import { mapValues } from '../../base/objects.js'
import { isSecretName } from '../../base/secrets/names.js'
import { writes } from '../../catalogue/endpoint.js'
import { loadAreaEndpoints } from '../../catalogue/index.js'
import { shownFields } from '../../catalogue/kinds.js'
import {
  boolean,
  integer,
  list,
  type Param,
  type Params,
  string,
  widenParam,
} from '../../catalogue/params.js'
import { findNamedProfiles, getActiveProfile, getPaths, openStore } from '../../profile/index.js'
import {
  hasKnown,
  type KnownInstance,
  type KnownNames,
  type KnownSetting,
  readKnown,
} from '../../profile/known.js'
import type { InstanceFlags, Profile } from '../../profile/types.js'
import { findDocumentedValues, findFieldKind, getShapeFields } from '../where/shape.js'
import { widenEndpoints } from './aliases.js'
import { toKebabCase } from './derive.js'
import { getCommandFlags } from './flags.js'
import { globalFlagRows } from './global-flags.js'
import { hasSeveralProfiles } from './tokens.js'
import type { Command, CommandFacts, Flag } from './types.js'

/** The help text of everything that is not documented. */
export const undocumentedHelp = 'of this instance, not in the API documents'

/**
 * Converts a known setting to a parameter. A setting that was only seen as null becomes a text; any other that is no
 * plain value becomes JSON.
 */
const toParam = (name: string, { type, nullable }: KnownSetting): Param => {
  // The instance answered with this setting, so it will echo it.
  const echo = true
  if (type === 'boolean') return boolean(undocumentedHelp, { echo })
  if (type === 'integer') return integer(undocumentedHelp, { echo })
  if (type === 'list') return list('string', undocumentedHelp, { echo })
  if (type === 'number' || (type === 'unknown' && !nullable))
    return { type: 'json', help: `JSON; ${undocumentedHelp}`, echo }
  return string(undocumentedHelp, { echo, ...(isSecretName(name) ? { secret: true } : {}) })
}

/**
 * Returns the settings that can be flags. A name of a global flag, or of the `--no-` form of another setting, cannot:
 * `--dry-run` must keep its meaning. `--param` sends such a setting.
 */
const listSettings = (
  command: CommandFacts,
  known: KnownNames,
): readonly [string, KnownSetting][] => {
  const taken = new Set([
    ...getCommandFlags(command).flatMap(({ name, own = [], aliases = [] }) => [
      name,
      ...own,
      ...aliases,
    ]),
    ...Object.keys(globalFlagRows),
    'help',
    'version',
  ])
  const all = new Set([...taken, ...Object.keys(known.settings).map(toKebabCase)])
  return Object.entries(known.settings).filter(([setting]) => {
    const name = toKebabCase(setting)
    const refused = name.startsWith('no-') && all.has(name.slice('no-'.length))
    return !taken.has(name) && !refused
  })
}

/** Merges tables of lists; each list has the values of all tables under its key. */
const mergeTables = (tables: readonly KnownNames['values'][]): KnownNames['values'] =>
  Object.fromEntries(
    [...new Set(tables.flatMap((table) => Object.keys(table)))].map((key) => [
      key,
      [...new Set(tables.flatMap((table) => table[key] ?? []))],
    ]),
  )

/**
 * Merges the names of several instances. If they differ in the type of a setting, the first instance's type is used.
 */
const mergeKnownNames = (all: readonly KnownInstance[]): KnownNames => ({
  settings: Object.assign({}, ...all.toReversed().map(({ settings }) => settings)),
  values: mergeTables(all.map(({ values }) => values)),
  fields: mergeTables(all.map(({ fields }) => fields)),
})

/**
 * Extends a command by the values that its instance answers with and, if the command changes settings, by the
 * instance's own settings.
 */
export const extendCommand = <C extends CommandFacts>(command: C, known: KnownNames): C => {
  const { area } = command
  const values = (of: string): readonly string[] => known.values[of] ?? []
  const endpoints = widenEndpoints(area, command.endpoints, values)
  const open = Object.values(endpoints).filter((one) => one.open === 'settings')
  const settings: Params = open.some(writes)
    ? Object.fromEntries(
        listSettings(command, known).map(([name, setting]) => [name, toParam(name, setting)]),
      )
    : {}
  const widenFlag = (flag: Flag): Flag =>
    flag.parameter === undefined
      ? flag
      : { ...flag, param: widenParam(flag.param, values(`${area}.${flag.parameter}`)) }
  const own = Object.entries(settings).map(
    ([parameter, param]): Flag => ({
      name: toKebabCase(parameter),
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
    endpoints: mapValues(endpoints, (one) =>
      one.open === undefined ? one : { ...one, params: { ...one.params, ...settings } },
    ),
  }
}

// A command is extended only if the line has a name or a value that the documentation does not have.

/** True if a condition compares a field with a value that its documented enumeration does not have. */
const hasUnknownValue = (text: string, shapes: readonly unknown[]): boolean => {
  const [, field = '', list] = /^\s*([a-z_][\w.]*)\s*!?=(?!=)(.*)$/is.exec(text) ?? []
  const words = shapes.flatMap((shape) => findDocumentedValues(shape, field))
  const values = list?.split('|') ?? []
  return words.length > 0 && values.some((value) => !words.includes(value.trim()))
}

/** True if comma-separated texts contain a field or a value that no answer of the area has. */
export const hasUnknownField = async (
  { area, computedFields = {}, shows = [] }: Command,
  texts: readonly string[],
): Promise<boolean> => {
  const endpoints = Object.values(await loadAreaEndpoints(area))
  const beside = new Set([
    ...endpoints.flatMap(({ columns = [], made = [] }) => [...columns, ...made]),
    ...[shownFields, computedFields].flatMap((fields) => Object.keys(fields)),
    ...shows,
    'object',
    'profile',
    'project',
    'group',
  ])
  const shapes = endpoints.map(({ returns }) => returns.shape)
  const isDocumented = (name: string): boolean =>
    beside.has(name) ||
    shapes.some(
      (shape) => getShapeFields(shape, 0).length > 0 && findFieldKind(shape, name) !== undefined,
    )
  return texts
    .flatMap((text) => text.split(','))
    .some((part) => {
      if (hasUnknownValue(part, shapes)) return true
      const [, name] = /^[\s!(-]*([a-z_][\w.]*)/i.exec(part) ?? []
      return name !== undefined && !isDocumented(name)
    })
}

/** Returns the profiles of the line. */
const getChosenProfiles = (flags: InstanceFlags, env: NodeJS.ProcessEnv): readonly Profile[] => {
  if (hasSeveralProfiles(flags)) return findNamedProfiles(flags.profile, openStore(getPaths(env)))
  const profile = getActiveProfile(flags, env, () => openStore(getPaths(env)))
  return profile === undefined ? [] : [profile]
}

/**
 * Extends a command by what is known of the line's instances. A name that one instance has is accepted for all. The
 * command is unchanged if nothing is known.
 */
export const addKnownNames = (
  command: Command,
  flags: InstanceFlags,
  env: NodeJS.ProcessEnv,
): Command => {
  const paths = getPaths(env)
  if (!hasKnown(paths)) return command
  const profiles = getChosenProfiles(flags, env)
  const known = profiles.flatMap((profile) => readKnown(paths, profile) ?? [])
  if (known.length === 0) return command
  return extendCommand(command, mergeKnownNames(known))
}
