/** `profile list|get|set|delete`: settings by name, without their credentials. */
import { list, type Param, string } from '../../catalogue/params.js'
import { Failure, usage } from '../../errors.js'
import {
  type Changes,
  fieldOf,
  openStore,
  openTokens,
  pathsOf,
  removeProfile,
  settingNames,
  settings,
  shownProfile,
} from '../../profile/index.js'
import type { Profile } from '../../profile/types.js'
import type { Argument, Context, Given, Special } from '../types.js'

const storeOf = (ctx: Context) => openStore(pathsOf(ctx.env), ctx)

const argument: Argument = {
  name: 'name',
  required: true,
  variadic: false,
  help: 'name of the profile',
  param: string('name of the profile', { completes: 'profile' }),
}

const needed = (given: Given, words: string): string => {
  const [name] = given.args
  if (name === undefined)
    throw usage(`${words} needs the name of a profile`, 'svcctl profile list shows them.')
  return name
}

const known = (ctx: Context, name: string): Profile => {
  const profile = storeOf(ctx).get(name)
  if (profile === undefined)
    throw new Failure('not_found', `there is no profile "${name}"`, {
      hint: 'svcctl profile list shows them, svcctl auth login makes one.',
    })
  return profile
}

/** A profile by the names of its settings, without a proxy's password, and where its token is kept. */
const shown = (profile: Profile, current: string | undefined) => ({
  name: profile.name,
  current: profile.name === current,
  ...settingsOf(shownProfile(profile)),
  token: profile.tokenStore ?? null,
  user: profile.user ?? null,
})

const settingsOf = (profile: Profile): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = Object.entries(profile).find(([field]) => field === fieldOf(name))?.[1]
      return value === undefined ? [] : [[name.replaceAll('-', '_'), value]]
    }),
  )

export const listCommand: Special = {
  summary: 'List the profiles',
  examples: ['profile list', 'profile list -o json'],
  run: async (ctx) => {
    const store = storeOf(ctx)
    const rows = store.list().map((profile) => shown(profile, store.current()))
    if (rows.length === 0) ctx.note('no profiles; svcctl auth login makes one')
    await ctx.printMany(rows, {
      columns: ['name', 'current', 'base_url', 'token', 'user'],
      reveal: true,
    })
  },
}

export const getCommand: Special = {
  summary: 'Show the settings of a profile',
  args: [argument],
  examples: ['profile get default', 'profile get default -o json'],
  run: async (ctx, given) => {
    const profile = known(ctx, needed(given, 'profile get'))
    await ctx.print(shown(profile, storeOf(ctx).current()), { reveal: true })
  },
}

/** Settings that the flags of every command already carry. */
const global: Readonly<Record<string, 'baseUrl' | 'output' | 'sudo' | 'timeout' | 'retries'>> = {
  'base-url': 'baseUrl',
  output: 'output',
  sudo: 'sudo',
  timeout: 'timeout',
  retries: 'retries',
}

const ownFlags: Record<string, Param> = Object.fromEntries(
  settingNames.filter((name) => !(name in global)).map((name) => [name, settings[name]]),
)

const changesOf = (ctx: Context, given: Given): Changes => {
  const changes: Record<string, unknown> = {}
  for (const name of settingNames) {
    const field = global[name]
    const value = field === undefined ? given.flags[name] : ctx.globals[field]
    if (value !== undefined) changes[name] = value
  }
  const unset = Array.isArray(given.flags.unset) ? given.flags.unset.map(String) : []
  for (const name of unset) changes[name] = null
  return changes
}

export const setCommand: Special = {
  summary: 'Change settings of a profile, or make one',
  description: ['An empty value, or --unset, removes a setting.'],
  args: [argument],
  flags: { ...ownFlags, unset: list('string', 'settings to remove') },
  examples: [
    'profile set default --read-only',
    'profile set default --audit-log ./audit.ndjson --project platform/app',
  ],
  run: async (ctx, given) => {
    const name = needed(given, 'profile set')
    if (ctx.globals.insecure)
      throw usage(
        'a profile does not keep --insecure: it is asked for each time',
        `Let the profile trust the instance’s certificate instead: svcctl profile set ${name} --ca-file <file>`,
      )
    const changes = changesOf(ctx, given)
    if (Object.keys(changes).length === 0)
      throw usage('profile set has nothing to change', `Settings: ${settingNames.join(', ')}.`)
    const profile = await storeOf(ctx).set(name, changes)
    ctx.note(`profile "${name}" is changed`)
    await ctx.print(shown(profile, storeOf(ctx).current()), { reveal: true, noted: true })
  },
}

export const deleteCommand: Special = {
  summary: 'Delete a profile and its credential',
  args: [argument],
  examples: ['profile delete staging --yes', 'profile delete default --yes'],
  run: async (ctx, given) => {
    const name = needed(given, 'profile delete')
    const profile = known(ctx, name)
    // Its own protection counts, not that of the profile in force.
    const of = { profile, baseUrl: profile.baseUrl }
    await ctx.confirm(`Profile "${name}" and its credential are deleted.`, [name], of)
    await removeProfile(storeOf(ctx), openTokens(pathsOf(ctx.env), ctx.env, ctx), name)
    ctx.note(`profile "${name}" is deleted`)
  },
}
