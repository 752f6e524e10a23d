/**
 * Stores undocumented names, types and values that an instance has, but never the contents of settings or records. They only improve hints
 * and flags, so the files can be deleted at any time.
 */
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dayLength } from '../base/dates.js'
import { readCached, type StoredValue } from '../base/documents/stored.js'
import { findDistrust } from '../base/files/trust.js'
import { createFileFailure, makeDirectory, withLock } from './files.js'
import type { Paths } from './paths.js'
import type { Profile } from './types.js'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

/** The schema of a setting, whose type is inferred from its values. */
const settingSchema = {
  type: 'object',
  properties: {
    type: { enum: ['boolean', 'integer', 'number', 'text', 'list', 'unknown'] },
    nullable: { type: 'boolean' },
  },
  required: ['type', 'nullable'],
} as const
export type KnownSetting = StoredValue<typeof settingSchema>

/** The schema of a route that the instance does not have. */
const goneSchema = {
  type: 'object',
  properties: { route: text, status: { type: 'integer' }, at: text },
  required: ['route', 'status', 'at'],
} as const
export type GoneRoute = StoredValue<typeof goneSchema>

/**
 * The schema of the result of reading a section. `refused`: the credential may not read it. `absent`: the instance does not have it.
 * `failed`: any other error.
 */
const sectionSchema = { enum: ['ok', 'refused', 'absent', 'failed'] } as const
export type SectionState = StoredValue<typeof sectionSchema>

/** The schema of the facts known about an instance. */
const knownSchema = {
  type: 'object',
  properties: {
    format: { const: 1 },
    base_url: text,
    read_at: text,
    as: {
      type: 'object',
      properties: {
        user_id: { type: ['integer', 'null'] },
        admin: { type: ['boolean', 'null'] },
      },
      required: ['user_id', 'admin'],
    },
    version: { type: ['string', 'null'] },
    edition: { type: ['string', 'null'] },
    /** Undocumented settings. */
    settings: { type: 'object', additionalProperties: settingSchema },
    /** Undocumented values, by `area.field`. */
    values: { type: 'object', additionalProperties: texts },
    gone: { type: 'array', items: goneSchema },
    /** The name of the session cookie. */
    cookie: { type: ['string', 'null'] },
    /** Undocumented fields, by area. */
    fields: { type: 'object', additionalProperties: texts },
    sections: { type: 'object', additionalProperties: sectionSchema },
    /** For each section that could not be read this time, the time of its last successful reading. */
    kept_from: { type: 'object', additionalProperties: text },
  },
  required: [
    ...['format', 'base_url', 'read_at', 'as', 'version', 'edition', 'settings', 'values', 'gone'],
    ...['cookie', 'fields', 'sections'],
  ],
} as const
export type KnownInstance = StoredValue<typeof knownSchema>

/** The undocumented settings, values and fields that commands accept and show. */
export type KnownNames = Pick<KnownInstance, 'settings' | 'values' | 'fields'>

/** The largest size of a file, in bytes; a larger one is ignored. */
const maxBytes = 256 * 1024

const getFile = ({ config }: Pick<Paths, 'config'>, name: string): string =>
  join(config, 'instances', `${name}.json`)

/** Returns the folder with an empty file for each missing route, so that a lookup does not open a file. */
const getMarksFolder = ({ config }: Pick<Paths, 'config'>, name: string): string =>
  join(config, 'instances', `${name}.gone`)

const getMarkFile = (paths: Pick<Paths, 'config'>, name: string, route: string): string =>
  join(getMarksFolder(paths, name), encodeURIComponent(route))

/** True if facts about any instance are stored. */
export const hasKnown = ({ config }: Pick<Paths, 'config'>): boolean =>
  existsSync(join(config, 'instances'))

/** Reads the stored facts about a profile's instance; undefined if there are none, or if they are for another address. */
export const readKnown = (
  paths: Paths,
  { name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>,
): KnownInstance | undefined => {
  try {
    const file = getFile(paths, name)
    const value = readCached(knownSchema, file, maxBytes)
    const fits = value?.base_url === baseUrl
    return fits && findDistrust(file) === undefined ? value : undefined
  } catch {
    // An unreadable file counts as missing.
    return undefined
  }
}

/** The time for which a route counts as missing, in milliseconds. A new version may add it, and a proxy may have been wrong. */
const goneFor = 30 * dayLength

const filterGone = (gone: readonly GoneRoute[], now: Date): readonly GoneRoute[] =>
  gone.filter(({ at }) => now.getTime() - Date.parse(at) < goneFor)

/**
 * Returns the routes that are missing now.
 * @param back routes that have answered since
 */
const mergeGone = (
  before: readonly GoneRoute[],
  found: readonly GoneRoute[],
  back: readonly string[],
  now: Date,
): readonly GoneRoute[] => {
  const newer = new Set([...back, ...found.map(({ route }) => route)])
  return filterGone([...before.filter(({ route }) => !newer.has(route)), ...found], now)
}

/** Returns the last successful reading of each section that cannot be read now. */
const getKeptDates = (now: KnownInstance, before: KnownInstance): KnownInstance['kept_from'] =>
  Object.fromEntries(
    Object.entries(now.sections).flatMap(([name, state]) => {
      const at = before.sections[name] === 'ok' ? before.read_at : before.kept_from?.[name]
      return state === 'ok' || at === undefined ? [] : [[name, at]]
    }),
  )

/** Merges new facts with stored ones. A section that could not be read keeps its stored facts. */
const mergeKnown = (
  now: KnownInstance,
  before: KnownInstance | undefined,
  answered: readonly string[],
): KnownInstance => {
  if (before === undefined) return now
  const kept = now.sections.settings === 'ok' ? now.settings : before.settings
  const settings = Object.entries(kept).map(([name, setting]): [string, KnownSetting] => {
    const { type = 'unknown' } = before.settings[name] ?? {}
    const unset = setting.type === 'unknown' && setting.nullable
    return [name, unset ? { type, nullable: true } : setting]
  })
  return {
    ...now,
    version: now.version ?? before.version,
    edition: now.edition ?? before.edition,
    cookie: now.cookie ?? before.cookie,
    kept_from: getKeptDates(now, before),
    settings: Object.fromEntries(settings),
    values: { ...before.values, ...now.values },
    fields: { ...before.fields, ...now.fields },
    gone: mergeGone(before.gone, now.gone, answered, new Date(now.read_at)),
  }
}

/** The time to wait for another process, in milliseconds. It is short, because the facts are optional. */
const patience = 1000

/**
 * Changes the stored facts under a lock.
 * @throws Failure if they cannot be written
 */
const changeKnown = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  edit: (before: KnownInstance | undefined) => KnownInstance,
): Promise<KnownInstance> => {
  const file = getFile(paths, profile.name)
  makeDirectory(dirname(file))
  const work = async (): Promise<KnownInstance> => {
    const all = edit(readKnown(paths, profile))
    try {
      await writeKnown(paths, profile.name, all)
    } catch (error) {
      throw createFileFailure('write', file, error)
    }
    return all
  }
  return withLock(dirname(file), work, { patience })
}

/** Writes the file, and a mark for each missing route. Writes nothing if the file would be too large. */
const writeKnown = async (paths: Paths, name: string, known: KnownInstance): Promise<void> => {
  const { writeWhole } = await import('../base/files/files.js')
  const text = `${JSON.stringify(known, null, 2)}\n`
  if (text.length > maxBytes) return
  await writeWhole(getFile(paths, name), text, { own: true })
  const marks = getMarksFolder(paths, name)
  rmSync(marks, { force: true, recursive: true })
  if (known.gone.length > 0) makeDirectory(marks)
  for (const { route } of known.gone)
    await writeWhole(getMarkFile(paths, name, route), '', { own: true, durable: false })
}

/**
 * Stores facts about a profile's instance, merged with earlier ones.
 * @param answered the routes that answered this time
 * @returns the merged facts
 * @throws Failure if the folder cannot be written
 */
export const saveKnown = (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  now: KnownInstance,
  answered: readonly string[],
): Promise<KnownInstance> =>
  changeKnown(paths, profile, (before) => mergeKnown(now, before, answered))

/** The time for which stored facts count as current, in milliseconds. */
export const freshFor = dayLength

/** True if the last write was more than a day ago. Only the date of the file is read. */
export const isDue = (paths: Paths, { name }: Pick<Profile, 'name'>, now: Date): boolean => {
  try {
    const kept = statSync(getFile(paths, name), { throwIfNoEntry: false })
    return kept === undefined || Math.abs(now.getTime() - kept.mtimeMs) > freshFor
  } catch {
    // The folder cannot be read, so facts could not be stored either.
    return false
  }
}

/**
 * Stores settings of a response. The time of the last inspection does not change.
 * @throws Failure if the folder cannot be written
 */
export const addSettings = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  settings: KnownInstance['settings'],
): Promise<void> => {
  await changeKnown(paths, profile, (before = createUnseen(profile.baseUrl)) =>
    mergeKnown(
      { ...before, settings, sections: { ...before.sections, settings: 'ok' } },
      before,
      [],
    ),
  )
}

/** Creates empty facts, which cause an inspection because they are older than any limit. */
const createUnseen = (baseUrl: string): KnownInstance => ({
  format: 1,
  base_url: baseUrl,
  read_at: new Date(0).toISOString(),
  as: { user_id: null, admin: null },
  version: null,
  edition: null,
  settings: {},
  values: {},
  gone: [],
  cookie: null,
  fields: {},
  sections: {},
})

/** Returns the record of a missing route; undefined if the route is not known to be missing. The file is opened only if there is a mark. */
export const findGone = (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  route: string,
  now: Date,
): GoneRoute | undefined => {
  if (!existsSync(getMarkFile(paths, profile.name, route))) return undefined
  const gone = filterGone(readKnown(paths, profile)?.gone ?? [], now)
  return gone.find((one) => one.route === route)
}

/**
 * Stores routes that the instance turned out not to have, and removes those that have answered.
 * @throws Failure if the folder cannot be written
 */
export const updateGone = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  { found, back }: { readonly found: readonly GoneRoute[]; readonly back: readonly string[] },
  now: Date,
): Promise<void> => {
  await changeKnown(paths, profile, (before = createUnseen(profile.baseUrl)) => ({
    ...before,
    gone: mergeGone(before.gone, found, back, now),
  }))
}

/**
 * Deletes the facts about a profile's instance. Files that cannot be deleted do no harm: they contain only names and types, and are ignored
 * for any other address.
 */
export const forgetKnown = (paths: Pick<Paths, 'config'>, name: string): void => {
  try {
    for (const file of [getFile(paths, name), getMarksFolder(paths, name)])
      rmSync(file, { force: true, recursive: true })
  } catch {}
}
