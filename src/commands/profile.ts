/** Implements `profile list`, `get`, `set` and `delete`, and opens the stores of profiles and tokens for other commands. */

import { resolve } from 'node:path'
import type { JsonValues } from '../base/objects.js'
import { list, string } from '../catalogue/params.js'
import type { Context, WorkspaceService } from '../engine/command/context.js'
import type { Argument, CommandTraits, Given } from '../engine/command/types.js'
import { createNoteRow, yieldRecord, yieldRecords } from '../engine/rows.js'
import { Failure, usage } from '../errors.js'
import {
  type Changes,
  createWaitOptions,
  getPaths,
  openStore,
  openTokens,
  redactProfile,
  removeProfile,
  settingNames,
  settings,
  toFieldName,
} from '../profile/index.js'
import type { Profile } from '../profile/types.js'
import { type Arguments, define } from './define.js'

type WaitServices = Pick<Context, 'ui' | 'place'>

/** Opens the store of profiles and aliases. */
export const openProfileStore = (context: WaitServices) =>
  openStore(getPaths(context.place.env), createWaitOptions(context))

/** Opens the store of tokens. */
export const openTokenStore = (context: WaitServices) =>
  openTokens(getPaths(context.place.env), context.place.env, createWaitOptions(context))

/**
 * Returns the profiles of a line: the named one, or all stored ones. Undefined stands for the instance that flags or the environment
 * choose.
 */
export const chooseProfiles = (
  { globals, env }: Pick<WorkspaceService, 'globals' | 'env'>,
  named: string | undefined,
): readonly (string | undefined)[] => {
  if (named !== undefined) return [named]
  if (globals.sandbox || globals.baseUrl !== undefined) return [undefined]
  const names = openStore(getPaths(env)).listNames()
  return env.SVC_BASE_URL || names.length === 0 ? [undefined, ...names] : names
}

/**
 * Returns the profile of the argument or --profile; undefined without both.
 * @throws Failure `usage` if they name different profiles
 */
export const getProfileName = (
  { place }: Pick<Context, 'place'>,
  { args: [name] }: Pick<Given, 'args'>,
): string | undefined => {
  const { profile } = place.globals
  if (name !== undefined && profile !== undefined && name !== profile)
    throw usage(
      `the argument names the profile "${name}", and --profile names "${profile}"`,
      'Pass only one of them.',
    )
  return name ?? profile
}

const argument: Argument = {
  name: 'name',
  required: true,
  variadic: false,
  help: 'name of the profile',
  param: string('name of the profile', { completes: 'profile' }),
}

const requireName = (
  context: Pick<Context, 'place'>,
  given: Pick<Given, 'args'>,
  words: string,
): string => {
  const name = getProfileName(context, given)
  if (name === undefined)
    throw usage(`${words} requires the name of a profile`, 'svcctl profile list shows them.')
  return name
}

const requireProfile = (context: Context, name: string): Profile => {
  const profile = openProfileStore(context).get(name)
  if (profile === undefined)
    throw new Failure('not_found', `unknown profile "${name}"`, {
      hint: 'svcctl profile list shows them, svcctl auth login makes one.',
    })
  return profile
}

/** Returns the row of a profile: its settings without a proxy's password, and the place of its token. */
const toProfileRow = (profile: Profile, current: string | undefined) => ({
  name: profile.name,
  current: profile.name === current,
  ...getSettings(redactProfile(profile)),
  token: profile.tokenStore ?? null,
  user: profile.user ?? null,
})

const getSettings = (profile: Profile): JsonValues =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = Object.entries(profile).find(([field]) => field === toFieldName(name))?.[1]
      return value === undefined ? [] : [[name.replaceAll('-', '_'), value]]
    }),
  )

/** The fields that the row of any profile may have. */
const settingFields = settingNames.map((name) => name.replaceAll('-', '_'))

export const listCommand = define({
  rows: async function* (context) {
    const store = openProfileStore(context)
    const rows = store.list().map((profile) => toProfileRow(profile, store.getCurrentName()))
    if (rows.length === 0) yield createNoteRow('no profiles; create one with "svcctl auth login"')
    yield* yieldRecords(rows, {
      columns: ['name', 'current', 'base_url', 'token', 'user'],
      known: settingFields,
      reveal: true,
    })
  },
})

export const getCommand = define({
  args: [argument],
  rows: async function* (context, given) {
    const profile = requireProfile(context, requireName(context, given, 'profile get'))
    yield* yieldRecord(toProfileRow(profile, openProfileStore(context).getCurrentName()), {
      known: settingFields,
      reveal: true,
    })
  },
})

/** Settings that have a global flag are removed here, because that flag sets them. */
const {
  'base-url': _address,
  output: _output,
  sudo: _sudo,
  timeout: _timeout,
  retries: _retries,
  'max-wait': _maxWait,
  rate: _rate,
  ...own
} = settings

const flags = {
  ...own,
  'token-kind': { ...own['token-kind'], stays: true },
  unset: list('string', 'settings to unset'),
} as const

const getChanges = (
  { globals }: WorkspaceService,
  { flags: given }: Arguments<typeof flags>,
): Changes => {
  const { unset = [], ...set } = given
  const { baseUrl, output, sudo, timeout, retries, maxWait, rate } = globals
  const shared = { 'base-url': baseUrl, output, sudo, timeout, retries, 'max-wait': maxWait, rate }
  const wanted = { ...set, ...shared }
  return Object.fromEntries([
    ...Object.entries(wanted).filter(([, value]) => value !== undefined),
    ...unset.map((name) => [name, null]),
  ])
}

/** Moves settings with an empty value to `--unset`, because numbers and enumerations accept no empty value. */
const moveEmptyToUnset: NonNullable<CommandTraits['arrange']> = ({ args, flags: given }) => {
  const isEmpty = (name: string): boolean => given.get(name)?.at(-1) === ''
  const empty = settingNames.filter(isEmpty)
  if (empty.length === 0) return { args, flags: given }
  const others = new Map([...given].filter(([name]) => !empty.some((one) => one === name)))
  return { args, flags: others.set('unset', [...(given.get('unset') ?? []), ...empty]) }
}

/** @throws Failure `usage` for a vocabulary with errors */
const checkWords = async ({ place }: Context, file: string | undefined): Promise<void> => {
  if (file === undefined || file === '') return
  const { loadChecked } = await import('../vocabulary/index.js')
  await loadChecked(resolve(place.cwd, file))
}

export const setCommand = define({
  description: ['Use an empty value or --unset to remove a setting.'],
  arrange: moveEmptyToUnset,
  args: [argument],
  flags,
  rows: async function* (context, given) {
    const name = requireName(context, given, 'profile set')
    if (context.place.globals.insecure)
      throw usage(
        '--insecure cannot be stored in a profile; pass it with each command',
        `Make the profile trust the instance’s certificate instead: svcctl profile set ${name} --ca-file <file>`,
      )
    const changes = getChanges(context.place, given)
    if (Object.keys(changes).length === 0)
      throw usage('nothing to change', `Settings: ${settingNames.join(', ')}.`)
    await checkWords(context, given.flags.vocabulary)
    const store = openProfileStore(context)
    const done = store.get(name) === undefined ? 'created' : 'updated'
    const profile = await store.set(name, changes)
    yield createNoteRow(`${done} profile "${name}"`)
    yield* yieldRecord(toProfileRow(profile, store.getCurrentName()), {
      known: settingFields,
      changed: true,
      reveal: true,
      noted: true,
    })
  },
})

export const deleteCommand = define({
  args: [argument],
  rows: async function* (context, given) {
    const name = requireName(context, given, 'profile delete')
    const profile = requireProfile(context, name)
    // The protection of the deleted profile counts, not that of the active one.
    const of = { profile, baseUrl: profile.baseUrl }
    await context.ui.confirm(`This deletes profile "${name}" and its credential.`, [name], of)
    await removeProfile(openProfileStore(context), openTokenStore(context), name)
    yield createNoteRow(`deleted profile "${name}"`)
  },
})
