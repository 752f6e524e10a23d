/** Reads and writes the configuration file, which has the profiles and aliases. */
import { basename, dirname } from 'node:path'
import { Findings } from '../base/documents/findings.js'
import type { Document } from '../base/documents/index.js'
import type { OriginFinder } from '../base/documents/report.js'
import type { StoredValue } from '../base/documents/stored.js'
import type { Origin } from '../base/documents/written.js'
import { type Fields, getOwn } from '../base/objects.js'
import { findNearest } from '../base/suggest.js'
import { createFileFailure, readStoredFile, refuseMistakes } from './files.js'
import { fieldNames, toProfile } from './settings.js'
import type { Profile } from './types.js'

/** Command lines by the name of their alias. */
export type Aliases = Readonly<Record<string, string>>

/** Matches the name of a profile. */
export const nameRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The schema of the file. Further keys are those of newer versions. The settings of a profile are checked when it is used. */
const storeSchema = {
  type: 'object',
  properties: {
    current: { type: 'string' },
    profiles: {
      type: 'object',
      propertyNames: { pattern: nameRule.source, title: 'profile name' },
      additionalProperties: { type: 'object', additionalProperties: {} },
    },
    aliases: { type: 'object', additionalProperties: { type: 'string' } },
  },
} as const

/**
 * Reports keys that resemble a known one. They are refused because a misspelled setting, such as `readOnly`, would not protect anything. Short
 * keys may be those of a newer version.
 */
const checkSpelling = (
  stored: object,
  known: readonly string[],
  locate: (key: string) => Origin,
  findings: Findings,
): void => {
  for (const key of Object.keys(stored)) {
    const nearest = known.includes(key) ? undefined : findNearest(key, known)
    const isSure = key.length > 6 || nearest?.toLowerCase() === key.toLowerCase()
    if (nearest !== undefined && isSure) findings.unknown({ key, origin: locate(key) }, [nearest])
  }
}

/** The content of the file. */
export interface StoreContent {
  readonly rest: { readonly aliases?: Aliases }
  readonly current: string | undefined
  readonly profiles: Readonly<Record<string, Fields>>
  /** Returns the position of a part of the file. */
  readonly at: OriginFinder
}

const createEmpty = (file: string): Document<StoredValue<typeof storeSchema>> => ({
  value: {},
  at: () => ({ file, line: 1, column: 1 }),
})

/** Reads the file; an absent one is empty. @throws Failure `usage` with every mistake */
export const readContents = (file: string): StoreContent => {
  const { value, at } = readStoredFile(storeSchema, file) ?? createEmpty(file)
  const findings = new Findings()
  const known = Object.keys(storeSchema.properties)
  checkSpelling(value, known, (key) => at([key], true), findings)
  refuseMistakes(file, findings)
  const { current, profiles = {}, ...rest } = value
  return { rest, current, profiles, at }
}

/** Returns a profile of the file. @throws Failure `usage` with every mistake in it */
export const toStoredProfile = (
  file: string,
  name: string,
  { profiles, at }: StoreContent,
): Profile | undefined => {
  const stored = getOwn(profiles, name)
  if (stored === undefined) return undefined
  const findings = new Findings()
  const locate =
    (...keys: readonly string[]) =>
    () =>
      at(['profiles', name, ...keys])
  checkSpelling(stored, fieldNames, (key) => at(['profiles', name, key], true), findings)
  const profile = findings.tried(locate(), () =>
    toProfile(name, stored, (field, check) => findings.tried(locate(field), check)),
  )
  refuseMistakes(file, findings)
  return profile
}

/**
 * Writes the file with `conf`, which replaces it atomically. Only the owner may read it, because a proxy URL may contain a password.
 * Reading avoids `conf`, which takes 20 ms to load and creates the folder.
 */
export const writeContents = async (file: string, contents: StoreContent): Promise<void> => {
  const { rest, current, profiles } = contents
  const { preparePlace } = await import('../base/files/files.js')
  try {
    // `conf` would write through any link, and replace a device by a file.
    const path = await preparePlace(file)
    const { default: Conf } = await import('conf')
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(path),
      configName: basename(path),
      fileExtension: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
    })
    conf.store = { ...rest, ...(current === undefined ? {} : { current }), profiles }
  } catch (error) {
    throw createFileFailure('write', file, error)
  }
}
