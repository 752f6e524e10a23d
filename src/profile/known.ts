/**
 * Stores what an instance was seen to have beyond the documents: names, types and words, never the contents of
 * settings or records. It improves hints and flags and decides nothing, so a file can be deleted at any time.
 */
import { existsSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { findDistrust } from '../base/files/trust.js'
import { isObject } from '../base/objects.js'
import { createFileFailure, makeDirectory, withLock } from './files.js'
import type { Paths } from './paths.js'
import type { Profile } from './types.js'

const settingTypes = ['boolean', 'integer', 'number', 'text', 'list', 'unknown'] as const

/** The type of a setting, as far as its values show it. */
export interface KnownSetting {
  readonly type: (typeof settingTypes)[number]
  readonly nullable: boolean
}

/** A route that the instance does not have. */
export interface GoneRoute {
  readonly route: string
  readonly status: number
  readonly at: string
}

/**
 * `refused`: the credential may not read it. `absent`: the instance does not have it. `failed`: it could not be
 * read.
 */
export type SectionState = 'ok' | 'refused' | 'absent' | 'failed'

/** The facts known about an instance. */
export interface KnownInstance {
  readonly format: 1
  readonly base_url: string
  readonly read_at: string
  readonly as: { readonly user_id: number | null; readonly admin: boolean | null }
  readonly version: string | null
  readonly edition: string | null
  /** Settings that the documents do not have. */
  readonly settings: Readonly<Record<string, KnownSetting>>
  /** Values that the documents do not have, by `area.field`. */
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly gone: readonly GoneRoute[]
  /** The name of the session cookie. */
  readonly cookie: string | null
  /** Fields that the documents do not have, by area. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly sections: Readonly<Record<string, SectionState>>
  /** When a section was last read that could not be read this time: what is known of it is as old. */
  readonly kept_from?: Readonly<Record<string, string>>
}

/** The known settings, values and fields that a command can take and show. */
export type KnownNames = Pick<KnownInstance, 'settings' | 'values' | 'fields'>

/** The largest size of a file, in bytes; a larger one is ignored. */
const maxBytes = 256 * 1024

const getFile = ({ config }: Pick<Paths, 'config'>, name: string): string =>
  path.join(config, 'instances', `${name}.json`)

/** Returns the folder with an empty file for each route that is missing, so that a start opens no file to know. */
const getMarksFolder = ({ config }: Pick<Paths, 'config'>, name: string): string =>
  path.join(config, 'instances', `${name}.gone`)

const getMarkFile = (paths: Pick<Paths, 'config'>, name: string, route: string): string =>
  path.join(getMarksFolder(paths, name), encodeURIComponent(route))

/** True if something is known about any instance. */
export const hasKnown = ({ config }: Pick<Paths, 'config'>): boolean =>
  existsSync(path.join(config, 'instances'))

const areLists = (value: unknown): boolean =>
  isObject(value) &&
  Object.values(value).every(
    (list) => Array.isArray(list) && list.every((one) => typeof one === 'string'),
  )

const isKnown = (value: unknown): value is KnownInstance =>
  isObject(value) &&
  value.format === 1 &&
  typeof value.read_at === 'string' &&
  isObject(value.settings) &&
  Object.values(value.settings).every(
    (one) => isObject(one) && settingTypes.some((type) => type === one.type),
  ) &&
  areLists(value.values) &&
  areLists(value.fields) &&
  Array.isArray(value.gone) &&
  value.gone.every(
    (one) => isObject(one) && [one.route, one.at].every((text) => typeof text === 'string'),
  ) &&
  isObject(value.sections) &&
  (value.kept_from === undefined || isObject(value.kept_from))

/** Reads what is known of a profile's instance; undefined if nothing is, or only of another address. */
export const readKnown = (
  paths: Paths,
  { name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>,
): KnownInstance | undefined => {
  try {
    const file = getFile(paths, name)
    const bytes = readRegular(file)
    const value: unknown = bytes.length > maxBytes ? undefined : JSON.parse(bytes.toString())
    const fits = isKnown(value) && value.base_url === baseUrl
    return fits && findDistrust(file) === undefined ? value : undefined
  } catch {
    // A file that cannot be read is as good as none.
    return undefined
  }
}

/** Milliseconds for which a route counts as missing: a new version may have it, or a proxy was wrong. */
const goneFor = 30 * 24 * 3600 * 1000

const filterGone = (gone: readonly GoneRoute[], now: Date): readonly GoneRoute[] =>
  gone.filter(({ at }) => now.getTime() - Date.parse(at) < goneFor)

/** Returns the routes that are missing now. @param back routes that answered since */
const mergeGone = (
  before: readonly GoneRoute[],
  found: readonly GoneRoute[],
  back: readonly string[],
  now: Date,
): readonly GoneRoute[] => {
  const newer = new Set([...back, ...found.map(({ route }) => route)])
  return filterGone([...before.filter(({ route }) => !newer.has(route)), ...found], now)
}

/** Returns the dates of sections that were readable before and are not now. */
const getKeptDates = (now: KnownInstance, before: KnownInstance): KnownInstance['kept_from'] =>
  Object.fromEntries(
    Object.entries(now.sections).flatMap(([name, state]) => {
      const at = before.sections[name] === 'ok' ? before.read_at : before.kept_from?.[name]
      return state === 'ok' || at === undefined ? [] : [[name, at]]
    }),
  )

/** Merges new facts with earlier ones: sections that could not be read keep what an earlier inspection found. */
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

/** Milliseconds to wait for another process: the facts are only a help, so a command should not wait long. */
const patience = 1000

/**
 * Replaces the known facts while no other process does.
 * @throws Failure where they cannot be written
 */
const changeKnown = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  edit: (before: KnownInstance | undefined) => KnownInstance,
): Promise<KnownInstance> => {
  const file = getFile(paths, profile.name)
  makeDirectory(path.dirname(file))
  const work = async (): Promise<KnownInstance> => {
    const all = edit(readKnown(paths, profile))
    try {
      await writeKnown(paths, profile.name, all)
    } catch (error) {
      throw createFileFailure('write', file, error)
    }
    return all
  }
  return withLock(path.dirname(file), work, { patience })
}

/** Writes the file and a mark for each missing route; writes nothing if the file would be too large. */
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
 * Stores what is known of a profile's instance, merged with what an earlier look found.
 * @param answered routes that answered this time
 * @returns what is stored
 * @throws Failure if the folder cannot be written
 */
export const saveKnown = (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  now: KnownInstance,
  answered: readonly string[],
): Promise<KnownInstance> =>
  changeKnown(paths, profile, (before) => mergeKnown(now, before, answered))

/** Milliseconds for which stored knowledge counts as current. */
export const freshFor = 24 * 3600 * 1000

/** True if a day has passed since something was stored. Only the date of the file is read. */
export const isDue = (paths: Paths, { name }: Pick<Profile, 'name'>, now: Date): boolean => {
  try {
    const kept = statSync(getFile(paths, name), { throwIfNoEntry: false })
    return kept === undefined || Math.abs(now.getTime() - kept.mtimeMs) > freshFor
  } catch {
    // Nothing could be kept there.
    return false
  }
}

/**
 * Stores settings that a response showed, without changing when the instance was last looked at.
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

/** Creates the facts about an instance that was never inspected: an inspection is due. */
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

/**
 * Returns when a route was found to be missing; undefined if it is not known to be. Without a mark no file is
 * opened.
 */
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
 * Stores which routes the instance turned out not to have, and forgets those that are back.
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
 * Deletes what is known of a profile's instance. Files that cannot be deleted contain names and types only, and are
 * ignored for any other address.
 */
export const forgetKnown = (paths: Pick<Paths, 'config'>, name: string): void => {
  try {
    for (const file of [getFile(paths, name), getMarksFolder(paths, name)])
      rmSync(file, { force: true, recursive: true })
  } catch {}
}
