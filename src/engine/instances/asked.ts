/** Which profiles a line means that means several, and what does not go with them. */

import { usage } from '../../errors.js'
import { isOpen, meant, openStore, pathsOf, profilesIn } from '../../profile/index.js'
import type { Profile } from '../../profile/types.js'
import { isAskable, named } from '../command/derive/index.js'
import type { Globals } from '../command/globals.js'
import type { Command } from '../command/types.js'
import type { Raw } from '../plan/line.js'

/** What a line says of its profiles. */
export type AskedProfiles =
  | { readonly one: string }
  | { readonly several: readonly string[]; readonly all?: true }

/** @throws Failure `usage` for flags that exclude each other */
export const wantedBy = (raw: Raw): AskedProfiles => {
  const profile = raw.flags.get('profile')?.at(-1)
  if (raw.flags.get('all-profiles')?.at(-1) !== 'true') return profilesIn(profile ?? '')
  if (profile !== undefined) throw usage('--all-profiles and --profile exclude each other')
  return { several: ['*'], all: true }
}

/** Variables that are meant for one instance: which it would be nobody said. */
const variables = ['SVC_TOKEN', 'SVC_JOB_TOKEN', 'SVC_BASE_URL', 'SVC_VOCABULARY'] as const

/** Flags that are about one instance, or one run, or the one file that is written. */
const ofOne = ['base-url', 'watch', 'until', 'journal', 'resume', 'to', 'out', 'report'] as const

/**
 * @throws Failure `usage` for what does not go with several instances: a credential above all, which is
 * meant for one address
 */
export const checkSeveral = (
  command: Command,
  raw: Raw,
  { sandbox }: Pick<Globals, 'sandbox'>,
  env: NodeJS.ProcessEnv,
): void => {
  const name = named(command)
  if (!isAskable(command))
    throw usage(`${name} is about one profile, and several are given`, 'Run it once for each.')
  const variable = variables.find((one) => env[one])
  if (variable !== undefined)
    throw usage(
      `${variable} is meant for one instance, and several are asked`,
      'Leave it out: each profile has its own.',
    )
  if (sandbox) throw usage('--sandbox is one instance, and several are asked', 'Give one of both.')
  const flag = [...ofOne, ...(command.looks === true ? ['format'] : [])].find((one) =>
    raw.flags.has(one),
  )
  if (flag !== undefined)
    throw usage(`--${flag} does not go with several instances`, 'Run it once for each of them.')
  const endpoints = Object.values(command.endpoints)
  if (command.lasts === true || endpoints.some((e) => e.returns.kind === 'file'))
    throw usage(`${name} is of one instance, and several are given`, 'Run it once for each.')
}

/**
 * The profiles that are meant.
 * @throws Failure `usage` for what means none
 */
export const profilesFor = (
  parts: readonly string[],
  env: NodeJS.ProcessEnv,
): readonly Profile[] => {
  const store = openStore(pathsOf(env))
  if (parts.some(isOpen)) return meant(parts, store.list())
  const known = meant(
    parts,
    store.names().map((name) => ({ name })),
  )
  // One that is not asked for may be as wrong as it likes.
  return known.flatMap(({ name }) => store.get(name) ?? [])
}

type Consenting = Pick<Globals, 'curl' | 'dryRun' | 'yes'>

/**
 * What a run that changes several instances needs, all of it before anything is sent.
 * @throws Failure `usage`
 */
export const checkWriting = (
  { command, raw }: { readonly command: Command; readonly raw: Raw },
  wanted: { readonly several: readonly string[]; readonly all?: true },
  profiles: readonly Profile[],
  { curl, dryRun, yes }: Consenting,
): void => {
  const what = named(command)
  const open = wanted.all === true ? '--all-profiles' : wanted.several.find(isOpen)
  if (open !== undefined)
    throw usage(
      `${what} changes something, and ${open} names no profiles`,
      `Name them: -p ${profiles.map(({ name }) => name).join(',')}`,
    )
  const confirmed = raw.flags.get('confirm') ?? []
  const strange = confirmed.find((name) => !profiles.some((one) => one.name === name))
  if (strange !== undefined)
    throw usage(
      `--confirm names "${strange}", which is not among the profiles`,
      'Nothing was sent. Make sure that the right instances are meant.',
    )
  if (curl || dryRun) return
  const reading = profiles.find(({ readOnly }) => readOnly === true)
  if (reading !== undefined)
    throw usage(
      `profile ${reading.name} is read-only: nothing was sent to any of them`,
      `Leave it out, or allow it: svcctl profile set ${reading.name} --no-read-only`,
    )
  const bare = profiles.filter(
    ({ name, protected: kept }) => kept === true && !confirmed.includes(name),
  )
  if (yes && bare.length === 0) return
  const needed = ['--yes', ...bare.map(({ name }) => `--confirm ${name}`)]
  throw usage(
    bare.length === 0
      ? `${what} would change ${profiles.length} instances, so it must be confirmed`
      : `profile ${bare.map(({ name }) => name).join(', ')} is protected, so this must be confirmed by its name`,
    `Give ${needed.join(' ')}`,
  )
}
