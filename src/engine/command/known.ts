/** A command as its instance has it: with the values, the settings and the fields that no document names. */
import { isSecretName } from '../../base/secrets/names.js'
import { writes } from '../../catalogue/endpoint.js'
import { listAreas } from '../../catalogue/index.js'
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
import { getShapeFields, kindIn, wordsIn } from '../where/shape.js'
import { kebab } from './derive.js'
import { flagsOfCommand } from './flags.js'
import { declared } from './global-flags.js'
import type { Command, CommandFacts, Flag } from './types.js'
import { profilesOf, widenEndpoints } from './vocabulary.js'
import { namesSeveral } from './words.js'

/** What is said of all that the documents do not have. */
export const ofInstance = 'of this instance, not in the API documents'

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
const flaggable = (command: CommandFacts, known: KnownNames): readonly [string, KnownSetting][] => {
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
const knownTogether = (all: readonly KnownInstance[]): KnownNames => ({
  settings: Object.assign({}, ...all.toReversed().map(({ settings }) => settings)),
  values: joined(all.map(({ values }) => values)),
  fields: joined(all.map(({ fields }) => fields)),
})

/** A command with the values that its instance was seen to answer, and with the instance's own settings where it takes any. */
export const commandWith = <C extends CommandFacts>(command: C, known: KnownNames): C => {
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

// What the instance of a line was seen to have beyond the documents: read only where a line has a name that they
// do not have.

/** True if a condition has a value that the documents do not name for a field whose values they name. */
const hasUnknownValue = (text: string, shapes: readonly unknown[]): boolean => {
  const [, field = '', list] = /^\s*([a-z_][\w.]*)\s*!?=(?!=)(.*)$/is.exec(text) ?? []
  const words = shapes.flatMap((shape) => wordsIn(shape, field))
  const values = list?.split('|') ?? []
  return words.length > 0 && values.some((value) => !words.includes(value.trim()))
}

/** True if texts name fields that no answer of the area has, or values: of each part between commas. */
export const hasUnknownField = async (
  { area, computedFields = {}, shows = [] }: Command,
  texts: readonly string[],
): Promise<boolean> => {
  const endpoints = Object.values(
    (await listAreas()
      .find(({ name }) => name === area)
      ?.load()) ?? {},
  )
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
    shapes.some((shape) => getShapeFields(shape, 0).length > 0 && kindIn(shape, name) !== undefined)
  return texts
    .flatMap((text) => text.split(','))
    .some((part) => {
      if (hasUnknownValue(part, shapes)) return true
      const [, name] = /^[\s!(-]*([a-z_][\w.]*)/i.exec(part) ?? []
      return name !== undefined && !isDocumented(name)
    })
}

/** The profiles whose instances are asked. */
const profilesMeant = (flags: InstanceFlags, env: NodeJS.ProcessEnv): readonly Profile[] => {
  if (namesSeveral(flags)) return profilesOf(flags.profile, env)
  const profile = getActiveProfile(flags, env, () => openStore(getPaths(env)))
  return profile === undefined ? [] : [profile]
}

/** The command as the instances that are asked have it, what one of them has being as good as what all have; unchanged where nothing is known of any. */
export const withKnown = (
  command: Command,
  flags: InstanceFlags,
  env: NodeJS.ProcessEnv,
): Command => {
  const paths = getPaths(env)
  if (!hasKnown(paths)) return command
  const profiles = profilesMeant(flags, env)
  const known = profiles.flatMap((profile) => readKnown(paths, profile) ?? [])
  if (known.length === 0) return command
  return commandWith(command, knownTogether(known))
}
