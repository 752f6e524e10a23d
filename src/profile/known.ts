/**
 * What is known of the instance of a profile: names, types and words that it was seen to have, never what its settings or records
 * hold. It makes hints and flags better and decides nothing: a wrong one can be deleted at any time.
 */
import { existsSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { distrust } from '../base/files/trust.js'
import { isObject } from '../base/objects.js'
import { fileFailure, makeDirectory } from './files.js'
import { withLock } from './lock.js'
import type { Paths } from './paths.js'
import type { Profile } from './types.js'

const settingTypes = ['boolean', 'integer', 'number', 'text', 'list', 'unknown'] as const

/** The type of a setting, as far as its values showed it. */
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

/** `refused`: this credential may not read it. `absent`: the instance does not have it. `failed`: it could not be read. */
export type SectionState = 'ok' | 'refused' | 'absent' | 'failed'

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
  /** What the cookie of a session is called. */
  readonly cookie: string | null
  /** Fields that the documents do not have, by area. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly sections: Readonly<Record<string, SectionState>>
  /** When a section was last read that could not be read this time: what is known of it is as old. */
  readonly kept_from?: Readonly<Record<string, string>>
}

/** What of an instance a command can take and show. */
export type KnownNames = Pick<KnownInstance, 'settings' | 'values' | 'fields'>

/** A larger file is no such file. */
const largest = 256 * 1024

const fileOf = ({ config }: Pick<Paths, 'config'>, name: string): string =>
  path.join(config, 'instances', `${name}.json`)

/** A folder beside it with an empty file for each route that is gone: so that no start opens anything to know. */
const marksOf = ({ config }: Pick<Paths, 'config'>, name: string): string =>
  path.join(config, 'instances', `${name}.gone`)

const markOf = (paths: Pick<Paths, 'config'>, name: string, route: string): string =>
  path.join(marksOf(paths, name), encodeURIComponent(route))

/** Whether anything is known of any instance. */
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

/** What is known of the instance of a profile; undefined where nothing is, or only of another address. */
export const readKnown = (
  paths: Paths,
  { name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>,
): KnownInstance | undefined => {
  try {
    const file = fileOf(paths, name)
    const bytes = readRegular(file)
    const value: unknown = bytes.length > largest ? undefined : JSON.parse(bytes.toString())
    const fits = isKnown(value) && value.base_url === baseUrl
    return fits && distrust(file) === undefined ? value : undefined
  } catch {
    // A file that cannot be read is as good as none.
    return undefined
  }
}

/** So long a route counts as gone, in milliseconds: a version comes that has it, or a proxy was wrong. */
const goneFor = 30 * 24 * 3600 * 1000

const stillGone = (gone: readonly GoneRoute[], now: Date): readonly GoneRoute[] =>
  gone.filter(({ at }) => now.getTime() - Date.parse(at) < goneFor)

/** What is gone now. @param back routes that answered since */
const goneNow = (
  before: readonly GoneRoute[],
  found: readonly GoneRoute[],
  back: readonly string[],
  now: Date,
): readonly GoneRoute[] => {
  const newer = new Set([...back, ...found.map(({ route }) => route)])
  return stillGone([...before.filter(({ route }) => !newer.has(route)), ...found], now)
}

/** The dates of sections that could be read before, and not now. */
const keptFrom = (now: KnownInstance, before: KnownInstance): KnownInstance['kept_from'] =>
  Object.fromEntries(
    Object.entries(now.sections).flatMap(([name, state]) => {
      const at = before.sections[name] === 'ok' ? before.read_at : before.kept_from?.[name]
      return state === 'ok' || at === undefined ? [] : [[name, at]]
    }),
  )

/** Sections that could not be read keep what an earlier look found. */
const merged = (
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
    kept_from: keptFrom(now, before),
    settings: Object.fromEntries(settings),
    values: { ...before.values, ...now.values },
    fields: { ...before.fields, ...now.fields },
    gone: goneNow(before.gone, now.gone, answered, new Date(now.read_at)),
  }
}

/** Milliseconds to wait for another process: what is kept is a help, and nobody should wait for it. */
const patience = 1000

/**
 * Writes what is known anew, while nobody else does.
 * @throws Failure where it cannot be written
 */
const change = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  edit: (before: KnownInstance | undefined) => KnownInstance,
): Promise<KnownInstance> => {
  const file = fileOf(paths, profile.name)
  makeDirectory(path.dirname(file))
  const work = async (): Promise<KnownInstance> => {
    const all = edit(readKnown(paths, profile))
    try {
      await write(paths, profile.name, all)
    } catch (error) {
      throw fileFailure('write', file, error)
    }
    return all
  }
  return withLock(path.dirname(file), work, { patience })
}

/** The file, and a mark for each route that is gone; nothing where it would be too large. */
const write = async (paths: Paths, name: string, known: KnownInstance): Promise<void> => {
  const { writeWhole } = await import('../base/files/files.js')
  const text = `${JSON.stringify(known, null, 2)}\n`
  if (text.length > largest) return
  await writeWhole(fileOf(paths, name), text, { own: true })
  const marks = marksOf(paths, name)
  rmSync(marks, { force: true, recursive: true })
  if (known.gone.length > 0) makeDirectory(marks)
  for (const { route } of known.gone)
    await writeWhole(markOf(paths, name, route), '', { own: true, durable: false })
}

/**
 * Keeps what is known of the instance of a profile, with what an earlier look found. @returns what is kept
 * @param answered routes that answered this time
 * @throws Failure where the folder cannot be written
 */
export const keepKnown = (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  now: KnownInstance,
  answered: readonly string[],
): Promise<KnownInstance> => change(paths, profile, (before) => merged(now, before, answered))

/** So long what is known is as it was, in milliseconds. */
export const freshFor = 24 * 3600 * 1000

/** Whether a day has passed since anything was kept of a profile's instance; the file is not opened for that. */
export const isDue = (paths: Paths, { name }: Pick<Profile, 'name'>, now: Date): boolean => {
  try {
    const kept = statSync(fileOf(paths, name), { throwIfNoEntry: false })
    return kept === undefined || Math.abs(now.getTime() - kept.mtimeMs) > freshFor
  } catch {
    // Nothing could be kept there.
    return false
  }
}

/**
 * Keeps settings that an answer showed; when an instance was looked at stays.
 * @throws Failure where the folder cannot be written
 */
export const addSettings = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  settings: KnownInstance['settings'],
): Promise<void> => {
  await change(paths, profile, (before = unseen(profile.baseUrl)) =>
    merged({ ...before, settings, sections: { ...before.sections, settings: 'ok' } }, before, []),
  )
}

/** What is known of an instance that nobody looked at: a look is due. */
const unseen = (baseUrl: string): KnownInstance => ({
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

/** When the instance of a profile did not have a route; undefined where it is not known to be gone, and no file is opened then. */
export const findGone = (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  route: string,
  now: Date,
): GoneRoute | undefined => {
  if (!existsSync(markOf(paths, profile.name, route))) return undefined
  const gone = stillGone(readKnown(paths, profile)?.gone ?? [], now)
  return gone.find((one) => one.route === route)
}

/**
 * Keeps which routes an instance turned out not to have, and forgets those that are back.
 * @throws Failure where the folder cannot be written
 */
export const updateGone = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  { found, back }: { readonly found: readonly GoneRoute[]; readonly back: readonly string[] },
  now: Date,
): Promise<void> => {
  await change(paths, profile, (before = unseen(profile.baseUrl)) => ({
    ...before,
    gone: goneNow(before.gone, found, back, now),
  }))
}

/** Forgets an instance with its profile. What cannot be removed holds names and types only, and is believed of no other address. */
export const forgetKnown = (paths: Pick<Paths, 'config'>, name: string): void => {
  try {
    for (const file of [fileOf(paths, name), marksOf(paths, name)])
      rmSync(file, { force: true, recursive: true })
  } catch {}
}
