/** A command as its instance has it: with the values, the settings and the fields that no document names. */
import { isSecretName } from '../../base/secrets/names.js'
import { writes } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
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
import { getActiveProfile, getPaths, openStore } from '../../profile/index.js'
import {
  hasKnown,
  type KnownInstance,
  type KnownNames,
  type KnownSetting,
  readKnown,
} from '../../profile/known.js'
import type { InstanceFlags, Profile } from '../../profile/types.js'
import { findFieldKind, findFieldWords, getShapeFields } from '../where/shape.js'
import { toKebabCase } from './derive.js'
import { getCommandFlags } from './flags.js'
import { declared } from './global-flags.js'
import type { Command, CommandFacts, Flag } from './types.js'
import { findNamedProfiles, widenEndpoints } from './vocabulary.js'
import { hasSeveralProfiles } from './words.js'

/** The help text of everything that the documents do not have. */
export const ofInstance = 'of this instance, not in the API documents'

/**
 * Converts a known setting to a parameter. One that was only seen as null is most likely a text; any other that is no
 * plain value is JSON.
 */
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
const getFlaggable = (
  command: CommandFacts,
  known: KnownNames,
): readonly [string, KnownSetting][] => {
  const taken = new Set([
    ...getCommandFlags(command).flatMap(({ name, own = [], aliases = [] }) => [
      name,
      ...own,
      ...aliases,
    ]),
    ...Object.keys(declared),
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

/** Lists of several tables under one key each. */
const mergeTables = (tables: readonly KnownNames['values'][]): KnownNames['values'] =>
  Object.fromEntries(
    [...new Set(tables.flatMap((table) => Object.keys(table)))].map((key) => [
      key,
      [...new Set(tables.flatMap((table) => table[key] ?? []))],
    ]),
  )

/** Merges what several instances have. If they differ in the type of a setting, the first one's is used. */
const mergeKnownNames = (all: readonly KnownInstance[]): KnownNames => ({
  settings: Object.assign({}, ...all.toReversed().map(({ settings }) => settings)),
  values: mergeTables(all.map(({ values }) => values)),
  fields: mergeTables(all.map(({ fields }) => fields)),
})

/** Extends a command by the values that its instance was seen to answer, and by the instance's own settings if the command takes any. */
export const extendCommand = <C extends CommandFacts>(command: C, known: KnownNames): C => {
  const { area } = command
  const values = (of: string): readonly string[] => known.values[of] ?? []
  const endpoints = widenEndpoints(area, command.endpoints, values)
  const open = Object.values(endpoints).filter((one) => one.open === 'settings')
  const settings: Params = open.some(writes)
    ? Object.fromEntries(
        getFlaggable(command, known).map(([name, setting]) => [name, toParam(name, setting)]),
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
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([key, one]) => [
        key,
        one.open === undefined ? one : { ...one, params: { ...one.params, ...settings } },
      ]),
    ),
  }
}

// What the instance of a line was seen to have beyond the documents: read only where a line has a name that they
// do not have.

/** True if a condition has a value that the documents do not name for a field whose values they name. */
const hasUnknownValue = (text: string, shapes: readonly unknown[]): boolean => {
  const [, field = '', list] = /^\s*([a-z_][\w.]*)\s*!?=(?!=)(.*)$/is.exec(text) ?? []
  const words = shapes.flatMap((shape) => findFieldWords(shape, field))
  const values = list?.split('|') ?? []
  return words.length > 0 && values.some((value) => !words.includes(value.trim()))
}

/** True if texts name fields that no answer of the area has, or values: of each part between commas. */
export const hasUnknownField = async (
  { area, computedFields = {}, shows = [] }: Command,
  texts: readonly string[],
): Promise<boolean> => {
  const endpoints = Object.values((await areas.find(({ name }) => name === area)?.load()) ?? {})
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

/** Returns the profiles whose instances are asked. */
const getChosenProfiles = (flags: InstanceFlags, env: NodeJS.ProcessEnv): readonly Profile[] => {
  if (hasSeveralProfiles(flags)) return findNamedProfiles(flags.profile, env)
  const profile = getActiveProfile(flags, env, () => openStore(getPaths(env)))
  return profile === undefined ? [] : [profile]
}

/**
 * Extends a command by what is known of the instances that are asked: what one of them has is as good as what all have.
 * The command is unchanged if nothing is known.
 */
export const withKnown = (
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
