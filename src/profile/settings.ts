/** Declares the settings of a profile: the flags of `profile set`, their help and their checks. */

import { isLoopback, normalizeBaseUrl } from '../base/base-url.js'
import { secondsPerDay } from '../base/dates.js'
import { resolvePath } from '../base/io.js'
import type { Fields } from '../base/objects.js'
import { splitCommand } from '../base/shell-words.js'
import { coerce, wireSource } from '../catalogue/coerce.js'
import {
  boolean,
  integer,
  isListParam,
  list,
  oneOf,
  type Param,
  seconds,
  string,
} from '../catalogue/params.js'
import { Failure, usage } from '../errors.js'
import { checkProxy } from './addresses.js'
import { userTokenKinds } from './tokens.js'
import type { Profile } from './types.js'

type KebabCase<S extends string> = S extends `${infer C}${infer Rest}`
  ? C extends Lowercase<C>
    ? `${C}${KebabCase<Rest>}`
    : `-${Lowercase<C>}${KebabCase<Rest>}`
  : S
/** The fields of a profile that a person sets. The others are written when the person signs in. */
type SettableField = Exclude<keyof Profile, 'name' | 'tokenStore' | 'user'>
/** The name of a setting. */
type SettingName = KebabCase<SettableField>
type SettingValue = string | number | boolean | readonly string[]
/** Settings by name; undefined, null and '' remove one. Values may be texts or already parsed. */
export type Changes = Partial<Readonly<Record<SettingName, unknown>>>

/** All settings by name, in the order of the help. */
export const settings = {
  'base-url': string('base URL of the instance', { format: 'url' }),
  'token-kind': oneOf(userTokenKinds, 'token kind', { default: 'personal' }),
  'token-command': string('program with arguments that prints the token (run without a shell)', {
    placeholder: 'command',
  }),
  'token-url': string('OAuth: URL that refreshes the token', { format: 'url' }),
  'client-id': string('OAuth: client ID of the token'),
  output: string('output format', { default: 'table' }),
  project: string('default project', { completes: 'project' }),
  group: string('default group', { completes: 'group' }),
  sudo: string('act as this user (ID or username)'),
  'read-only': boolean('reject all writes before they are sent'),
  protected: boolean('require the profile name to confirm destructive commands'),
  'audit-log': string('file that records each write request', {
    completes: 'file',
    writes: true,
  }),
  proxy: string('HTTP proxy', { format: 'url' }),
  'ca-file': string('PEM file with additional certificate authorities', { format: 'pem' }),
  'cert-file': string('PEM file with a client certificate', { format: 'pem' }),
  'key-file': string('PEM file with the key of the client certificate', { format: 'pem' }),
  timeout: seconds('seconds to wait for a response', { min: 1, max: secondsPerDay }),
  retries: integer('number of retries per request', { min: 0, max: 100 }),
  'max-wait': seconds('seconds that rate limits (429) or maintenance may last', {
    min: 0,
    max: secondsPerDay,
  }),
  vocabulary: string('vocabulary file of the instance (see: svcctl help instances)', {
    completes: 'file',
  }),
  rate: string('maximum requests per second or minute (100/s, 600/min)', { placeholder: 'n/s' }),
  'fail-on': list(
    'enum',
    'findings that make plan, apply and drift fail with exit code 8, or 2 for a limit',
    {
      values: ['impossible', 'unsupported', 'unknown', 'leftover', 'secret', 'refused', 'unread'],
    },
  ),
  tags: list('string', 'tags for -p @tag'),
} as const satisfies Readonly<Record<SettingName, Param>>

/** The names of all settings. */
export const settingNames = Object.keys(settings) as readonly SettingName[]
const isSettingName = (name: string): name is SettingName => Object.hasOwn(settings, name)
/** Returns the field of a profile for a setting (`base-url` → `baseUrl`). */
export const toFieldName = (name: SettingName): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const createInvalidFailure = (name: SettingName, value: unknown, wanted: string): Failure => {
  const shown = typeof value === 'string' || typeof value === 'number' ? ` "${value}"` : ''
  return usage(`invalid ${name}${shown}: it must be ${wanted}`)
}

const parseWebAddress = (name: SettingName, text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw createInvalidFailure(name, undefined, 'a URL that starts with http:// or https://')
  return url
}

const checkTokenUrl = (text: string): string => {
  const url = parseWebAddress('token-url', text)
  if (url.username !== '' || url.password !== '')
    throw createInvalidFailure('token-url', undefined, 'a URL without credentials')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw createInvalidFailure('token-url', text, 'https, because the refresh token is sent to it')
  return url.href
}

const parseCommand = (value: unknown): readonly string[] => {
  const words = Array.isArray(value) ? value : splitCommand(String(value))
  if (words.length === 0 || !words.every((w): w is string => typeof w === 'string') || !words[0])
    throw createInvalidFailure('token-command', undefined, 'a program with its arguments')
  return words
}

const parseTags = (value: unknown): readonly string[] => {
  const words = Array.isArray(value) ? value : String(value).split(',')
  const isTag = (word: unknown): word is string =>
    typeof word === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(word)
  if (!words.every(isTag))
    throw createInvalidFailure(
      'tags',
      undefined,
      'words of letters, digits, dots, dashes and underscores',
    )
  return [...new Set(words)]
}

/** Parsers of settings that are one line of text. Each returns the value to store. */
const textParsers: Partial<Record<SettingName, (text: string) => string>> = {
  'base-url': normalizeBaseUrl,
  'token-url': checkTokenUrl,
  proxy: (text) => checkProxy('proxy', parseWebAddress('proxy', text).href),
  rate: (text) => {
    if (/^\d{1,9}(?:\.\d{1,9})?(?:\/(?:s|min))?$/.test(text) && Number.parseFloat(text) > 0)
      return text
    throw createInvalidFailure(
      'rate',
      text,
      'a number of requests per second or minute: 100/s, 600/min',
    )
  },
  'audit-log': (text) => resolvePath(text),
  vocabulary: (text) => resolvePath(text),
  'ca-file': (text) => resolvePath(text),
  'cert-file': (text) => resolvePath(text),
  'key-file': (text) => resolvePath(text),
}

const checkLine = (name: SettingName, value: unknown): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (typeof value !== 'string' || value === '' || /[\u0000-\u001f\u007f]/.test(value))
    throw createInvalidFailure(name, undefined, 'one line of text')
  return textParsers[name]?.(value) ?? value
}

/**
 * Checks a setting and returns the value to store. File names become absolute.
 * @throws Failure `usage` that names the setting and the accepted values
 */
const checkSetting = (name: SettingName, value: unknown): SettingValue => {
  if (name === 'token-command') return parseCommand(value)
  if (name === 'tags') return parseTags(value)
  const param: Param = settings[name]
  const { value: checked, errors } = coerce(param, value, wireSource)
  const [error] = errors
  if (error?.problem === 'wrong format') throw createInvalidFailure(name, undefined, error.expected)
  if (error !== undefined) {
    const range = error.problem === 'out of range' ? 'an integer from ' : ''
    throw createInvalidFailure(name, error.node, range + error.expected)
  }
  if (Array.isArray(checked)) return [...new Set(checked.map(String))]
  return typeof checked === 'number' || typeof checked === 'boolean'
    ? checked
    : checkLine(name, value)
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''
/** True if a value removes the setting. An empty list does, too. */
const isNone = (name: SettingName, value: unknown): boolean =>
  isAbsent(value) || (isListParam(settings[name]) && Array.isArray(value) && value.length === 0)

/** Applies changes to the stored form of a profile. Other settings are kept. */
export const applyChanges = (stored: Fields, changes: Changes): Fields => {
  const next = { ...stored }
  for (const [name, value] of Object.entries(changes)) {
    if (!isSettingName(name))
      throw usage(`unknown setting "${name}"`, `Settings: ${settingNames.join(', ')}`)
    if (value === undefined) continue
    if (isNone(name, value)) delete next[toFieldName(name)]
    else next[toFieldName(name)] = checkSetting(name, value)
  }
  return next
}

/** The fields of a profile that signing in and out writes. */
const factNames = ['tokenStore', 'user'] as const
/** All fields of a stored profile. */
export const fieldNames: readonly string[] = [...settingNames.map(toFieldName), ...factNames]

/** Checks the place of a token and the name of its user, as signing in stored them. */
const checkFacts = (stored: Fields, attempt: FieldCheck): SignInFields => {
  const tokenStore = attempt('tokenStore', () => {
    const { tokenStore: place } = stored
    if (place === undefined || place === null || place === 'keyring' || place === 'file')
      return place ?? undefined
    throw usage('invalid tokenStore: it must be keyring or file')
  })
  const user = attempt('user', () => {
    if (isAbsent(stored.user)) return undefined
    if (typeof stored.user === 'string') return stored.user
    throw usage('invalid user: it must be text')
  })
  return { ...(tokenStore && { tokenStore }), ...(user && { user }) }
}

type SignInFields = Pick<Profile, (typeof factNames)[number]>
/** Runs the check of a field. It returns undefined if the check failed and the failure was reported. */
type FieldCheck = <T>(field: string, check: () => T) => T | undefined

/**
 * Creates a profile from its stored form. Unknown fields are ignored.
 * @param attempt runs the check of each field
 * @throws Failure `usage` that names the invalid setting
 */
export const toProfile = (
  name: string,
  stored: Fields,
  attempt: FieldCheck = (_, check) => check(),
): Profile => {
  const fields: Record<string, SettingValue> = {}
  for (const setting of settingNames) {
    const field = toFieldName(setting)
    const value = stored[field]
    const checked = isAbsent(value) ? undefined : attempt(field, () => checkSetting(setting, value))
    if (checked !== undefined) fields[field] = checked
  }
  const facts = checkFacts(stored, attempt)
  if (isAbsent(stored.baseUrl))
    throw new Failure('usage', `profile ${name} has no base URL`, {
      hint: `Set it with: svcctl profile set ${name} --base-url <url>`,
    })
  return { name, ...fields, baseUrl: String(fields.baseUrl), ...facts }
}

/** Returns a profile without the password in a proxy URL. */
export const redactProfile = (profile: Profile): Profile => {
  if (profile.proxy === undefined) return profile
  const url = new URL(profile.proxy)
  if (url.username === '' && url.password === '') return profile
  url.username = 'REDACTED'
  url.password = ''
  return { ...profile, proxy: url.href }
}
