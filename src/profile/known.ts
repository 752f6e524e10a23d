/**
 * What is known of the instance of a profile: names, types and words that it was seen to have, never what its settings or records
 * hold. It makes hints and flags better and decides nothing: a wrong one can be deleted at any time.
 */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { distrust } from '../base/files/trust.js'
import { isObject } from '../base/objects.js'
import { makeDirectory } from './files.js'
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
}

/** A larger file is no such file. */
const largest = 256 * 1024

const fileOf = ({ config }: Pick<Paths, 'config'>, name: string): string =>
  path.join(config, 'instances', `${name}.json`)

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
  isObject(value.sections)

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

/** Sections that could not be read keep what an earlier look found. */
const merged = (now: KnownInstance, before: KnownInstance | undefined): KnownInstance => {
  if (before === undefined) return now
  const kept = now.sections.settings === 'ok' ? now.settings : before.settings
  const settings = Object.entries(kept).map(([name, setting]): [string, KnownSetting] => {
    const { type = 'unknown' } = before.settings[name] ?? {}
    return [name, setting.type === 'unknown' ? { type, nullable: true } : setting]
  })
  return {
    ...now,
    version: now.version ?? before.version,
    edition: now.edition ?? before.edition,
    cookie: now.cookie ?? before.cookie,
    settings: Object.fromEntries(settings),
    values: { ...before.values, ...now.values },
    fields: { ...before.fields, ...now.fields },
  }
}

/**
 * Keeps what is known of the instance of a profile, with what an earlier look found. @returns what is kept
 * @throws Failure where the folder cannot be written
 */
export const keepKnown = async (
  paths: Paths,
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  now: KnownInstance,
): Promise<KnownInstance> => {
  const file = fileOf(paths, profile.name)
  makeDirectory(path.dirname(file))
  const { writeWhole } = await import('../base/files/files.js')
  return withLock(path.dirname(file), async () => {
    const all = merged(now, readKnown(paths, profile))
    const text = `${JSON.stringify(all, null, 2)}\n`
    if (text.length <= largest) await writeWhole(file, text, { own: true })
    return all
  })
}

/** Forgets an instance with its profile. */
export const forgetKnown = (paths: Pick<Paths, 'config'>, name: string): void =>
  rmSync(fileOf(paths, name), { force: true })
