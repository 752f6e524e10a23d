/** Profiles: the file that `conf` writes, read without it where only reading is needed. */

import path from 'node:path'
import { type Fields, isObject } from '../base/objects.js'
import { type Failure, usage } from '../errors.js'
import { type Aliases, aliasesIn } from './aliases.js'
import { corrupt, fileFailure, readObject } from './files.js'
import { type LockWait, withLock } from './lock.js'
import type { Paths } from './paths.js'
import { applyChanges, type Changes, toProfile } from './settings.js'
import type { Profile } from './types.js'

/** What signing in and out writes; null removes. */
interface Facts {
  readonly tokenStore?: 'keyring' | 'file' | null
  readonly user?: string | null
}

export interface Store {
  /** The file of the profiles. */
  readonly file: string
  /** All profiles, by name. Throws Failure `usage` where the file cannot be read or is corrupt. */
  list(): readonly Profile[]
  get(name: string): Profile | undefined
  /** Names only: also where a profile's settings are wrong. */
  names(): readonly string[]
  /** The name of the profile that applies where none is named. */
  current(): string | undefined
  /**
   * Makes or changes a profile; the first one becomes current. Throws Failure `usage` on a wrong
   * setting, on a new profile without base URL, and where a token would come to serve another instance.
   */
  set(name: string, changes: Changes, facts?: Facts): Promise<Profile>
  /** Removes a profile (its token: `removeProfile`). Throws Failure `usage` where there is none. */
  delete(name: string): Promise<void>
  switch(name: string): Promise<void>
  /** Names for lines. */
  aliases(): Aliases
  /** Makes, changes or removes one. @returns its line before */
  setAlias(name: string, line: string | undefined): Promise<string | undefined>
}

interface Contents {
  readonly rest: Fields
  readonly current: string | undefined
  readonly profiles: Readonly<Record<string, Fields>>
}

const nameRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** Throws Failure `usage` where a profile cannot be called so. */
export const checkName = (name: string): void => {
  if (!nameRule.test(name))
    throw usage(
      `"${name}" is not a valid profile name`,
      'Use letters, digits, dots, dashes and underscores, and start with a letter or digit.',
    )
}

const missing = (name: string, names: readonly string[]): Failure =>
  usage(
    `unknown profile "${name}"`,
    names.length === 0
      ? 'Create one with: svcctl auth login'
      : `Profiles: ${names.join(', ')}. Create one with: svcctl auth login -p ${name}`,
  )

const readContents = (file: string): Contents => {
  const { current, profiles = {}, ...rest } = readObject(file) ?? {}
  if (current !== undefined && typeof current !== 'string')
    throw corrupt(file, 'has a "current" that is not a string')
  if (!isObject(profiles)) throw corrupt(file, 'has "profiles" that are not an object')
  const checked: Record<string, Fields> = {}
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isObject(profile)) throw corrupt(file, `has a profile "${name}" that is not an object`)
    if (nameRule.test(name)) checked[name] = profile
    else throw corrupt(file, `has a profile with an invalid name`)
  }
  return { rest, current, profiles: checked }
}

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

const load = (file: string, name: string, stored: Fields): Profile => {
  try {
    return toProfile(name, stored)
  } catch (error) {
    throw corrupt(
      file,
      `has an invalid profile ${name}: ${error instanceof Error ? error.message : ''}`,
    )
  }
}

/**
 * `conf` replaces the file whole: its owner's only, since the address of a proxy may hold a password.
 * Reading goes without it: it costs 20 ms, and its constructor makes the folder.
 */
const writeContents = async (file: string, contents: Contents): Promise<void> => {
  const { rest, current, profiles } = contents
  const { clearPlace } = await import('../base/files/place.js')
  try {
    // It would write through a link, and replace a device by a file.
    await clearPlace(file)
    const { default: Conf } = await import('conf')
    const conf = new Conf<Record<string, unknown>>({
      cwd: path.dirname(file),
      configName: path.basename(file, '.json'),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
    })
    conf.store = { ...rest, ...(current === undefined ? {} : { current }), profiles }
  } catch (error) {
    throw fileFailure('write', file, error)
  }
}

/** A token that signing in stored, or a command that prints one, serves one instance only. */
const checkMove = (before: Profile, after: Profile, changes: Changes): void => {
  if (before.baseUrl === after.baseUrl) return
  const keepsCommand = before.tokenCommand !== undefined && changes['token-command'] === undefined
  if (before.tokenStore === undefined && !keepsCommand) return
  throw usage(
    `the credential of profile ${before.name} is for ${before.baseUrl} and must not be sent to ${after.baseUrl}`,
    `Use another profile: svcctl auth login -p <name> --base-url ${after.baseUrl}`,
  )
}

/** What is null is taken away; what is undefined stays. */
const withFacts = (stored: Fields, facts: Facts): Fields => {
  const given = Object.entries(facts).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...stored, ...Object.fromEntries(given) })
  return Object.fromEntries(all.filter(([name, value]) => value !== null || !(name in facts)))
}

const checkPair = (name: string, profile: Profile): void => {
  if ((profile.certFile === undefined) === (profile.keyFile === undefined)) return
  throw usage(`profile ${name} requires both cert-file and key-file`)
}

class ProfileFile implements Store {
  readonly file: string
  readonly #waiting: LockWait

  constructor(file: string, waiting: LockWait) {
    this.file = file
    this.#waiting = waiting
  }

  list(): readonly Profile[] {
    return Object.entries(this.#read().profiles)
      .map(([name, stored]) => load(this.file, name, stored))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  names(): readonly string[] {
    return Object.keys(this.#read().profiles).sort()
  }

  get(name: string): Profile | undefined {
    const stored = own(this.#read().profiles, name)
    return stored === undefined ? undefined : load(this.file, name, stored)
  }

  current(): string | undefined {
    return this.#read().current
  }

  async set(name: string, changes: Changes, facts: Facts = {}): Promise<Profile> {
    checkName(name)
    const { profiles } = await this.#change(({ rest, current, profiles }) => {
      const before = own(profiles, name)
      const stored = withFacts(applyChanges(before ?? {}, changes), facts)
      const profile = toProfile(name, stored)
      if (before?.baseUrl !== undefined && facts.tokenStore === undefined)
        checkMove(load(this.file, name, before), profile, changes)
      checkPair(name, profile)
      return { rest, current: current ?? name, profiles: { ...profiles, [name]: stored } }
    })
    return load(this.file, name, profiles[name] ?? {})
  }

  async delete(name: string): Promise<void> {
    await this.#change(({ rest, current, profiles }) => {
      if (own(profiles, name) === undefined) throw missing(name, Object.keys(profiles))
      const { [name]: _, ...others } = profiles
      return { rest, current: current === name ? undefined : current, profiles: others }
    })
    const { forgetKnown } = await import('./known.js')
    forgetKnown({ config: path.dirname(this.file) }, name)
  }

  async switch(name: string): Promise<void> {
    await this.#change(({ rest, profiles }) => {
      if (own(profiles, name) === undefined) throw missing(name, Object.keys(profiles))
      return { rest, current: name, profiles }
    })
  }

  aliases(): Aliases {
    return aliasesIn(this.file, this.#read().rest)
  }

  async setAlias(name: string, line: string | undefined): Promise<string | undefined> {
    let before: string | undefined
    await this.#change(({ rest, ...others }) => {
      const { [name]: known, ...kept } = aliasesIn(this.file, rest)
      before = known
      return {
        ...others,
        rest: { ...rest, aliases: line === undefined ? kept : { ...kept, [name]: line } },
      }
    })
    return before
  }

  #read(): Contents {
    return readContents(this.file)
  }

  /** Reads again once alone, so that no other process's change is lost. Gives what was written. */
  #change(edit: (contents: Contents) => Contents): Promise<Contents> {
    const work = async (): Promise<Contents> => {
      const next = edit(this.#read())
      await writeContents(this.file, next)
      return next
    }
    return withLock(this.file, work, this.#waiting)
  }
}

/**
 * The profiles of a configuration directory. Nothing is created before something is written.
 * @param waiting for another process that writes
 */
export const openStore = (paths: Paths, waiting: LockWait = {}): Store =>
  new ProfileFile(path.join(paths.config, 'config.json'), waiting)
