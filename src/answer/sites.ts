/** Finds the instances of a line with several profiles, and prepares the line for each of them. */

import { translateForInstance } from '../engine/command/aliases.js'
import { getCommandName, takesProfiles } from '../engine/command/derive.js'
import { getCommandFlags } from '../engine/command/flags.js'
import type { Globals } from '../engine/command/globals.js'
import { extendCommand } from '../engine/command/known.js'
import { createWordsLoader, loadCommandWords } from '../engine/command/load-words.js'
import type { Command } from '../engine/command/types.js'
import { createExclusion } from '../engine/exclusions.js'
import { getOwnFormat } from '../engine/plan/given.js'
import type { Raw } from '../engine/plan/line.js'
import { usage } from '../errors.js'
import { getPaths, isPattern, openStore, parseProfiles, resolveProfiles } from '../profile/index.js'
import type { Profile } from '../profile/types.js'

// The profiles of a line, and checks of lines with several.

/** The profiles of a line: one, or several. */
type AskedProfiles =
  | { readonly one: string }
  | { readonly several: readonly string[]; readonly all?: true }

/** Returns the profiles of a line. Flags that exclude each other were refused when it was parsed. */
export const getAskedProfiles = (raw: Raw): AskedProfiles =>
  raw.flags.get('all-profiles')?.at(-1) === 'true'
    ? { several: ['*'], all: true }
    : parseProfiles(raw.flags.get('profile')?.at(-1) ?? '')

/** The variables that are meant for a single instance. A line with several profiles ignores them. */
export const instanceVariables = [
  'SVC_TOKEN',
  'SVC_TOKEN_KIND',
  'SVC_JOB_TOKEN',
  'SVC_BASE_URL',
  'SVC_VOCABULARY',
] as const

/** Removes the variables of a single instance from an environment, so that no credential goes to another address. */
export const createSiteEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  ...Object.fromEntries(instanceVariables.map((name) => [name, undefined])),
})

/** The flags for a single instance, a single run or a single file. */
const singleInstanceFlags = [
  'base-url',
  'watch',
  'wait-until',
  'journal',
  'resume',
  'to',
  'out',
  'report',
  'note',
  'web',
] as const

/** @throws Failure `usage` for commands and flags that require a single instance */
export const checkSeveralInstances = (command: Command, raw: Raw, all: boolean): void => {
  const name = getCommandName(command)
  if (!takesProfiles(command))
    throw usage(
      `${name} works with a single profile, and several are given`,
      'Run the command once for each.',
    )
  const format = getOwnFormat(command, raw)
  const isOwnFlag = (one: string): boolean =>
    one !== 'to' || command.flags.some(({ name }) => name === one)
  const given = singleInstanceFlags.filter((one) => raw.flags.has(one) && isOwnFlag(one))
  const [flag] = format === undefined ? given : [...given, 'output']
  if (flag !== undefined)
    throw createExclusion(
      { command, raw },
      [flag, all ? 'all-profiles' : 'profile'],
      'The line names several instances. Run it once for each of them.',
    )
  const endpoints = Object.values(command.endpoints)
  if (command.longRunning === true || endpoints.some((e) => e.returns.kind === 'file'))
    throw usage(
      `${name} belongs to a single instance, and several are given`,
      'Run the command once for each.',
    )
}

/**
 * Finds profiles by names and patterns.
 * @throws Failure `usage` for a name or pattern without a profile
 */
export const resolveNamedProfiles = (
  parts: readonly string[],
  env: NodeJS.ProcessEnv,
): readonly Profile[] => {
  const store = openStore(getPaths(env))
  if (parts.some(isPattern)) return resolveProfiles(parts, store.list())
  const known = resolveProfiles(
    parts,
    store.listNames().map((name) => ({ name })),
  )
  // Only the named profiles are read, so that a mistake in another one does no harm.
  return known.flatMap(({ name }) => store.get(name) ?? [])
}

type ConfirmationFlags = Pick<Globals, 'curl' | 'dryRun' | 'yes'>

/**
 * Checks a run that changes several instances before anything is sent.
 * @throws Failure `usage` if profiles are not named, are read-only, or are not confirmed
 */
export const checkWrites = (
  { command, raw }: { readonly command: Command; readonly raw: Raw },
  wanted: { readonly several: readonly string[]; readonly all?: true },
  profiles: readonly Profile[],
  { curl, dryRun, yes }: ConfirmationFlags,
): void => {
  const what = getCommandName(command)
  const open = wanted.all === true ? '--all-profiles' : wanted.several.find(isPattern)
  if (open !== undefined)
    throw usage(
      `${what} writes, and ${open} does not name the profiles`,
      `Name the profiles: -p ${profiles.map(({ name }) => name).join(',')}`,
    )
  const confirmed = raw.flags.get('confirm') ?? []
  const strange = confirmed.find((name) => !profiles.some((one) => one.name === name))
  if (strange !== undefined)
    throw usage(
      `--confirm names "${strange}", which is not one of the profiles`,
      'Nothing was sent. Check that you chose the right instances.',
    )
  if (curl || dryRun) return
  const reading = profiles.find(({ readOnly }) => readOnly === true)
  if (reading !== undefined)
    throw usage(
      `profile ${reading.name} is read-only, so nothing was sent to any instance`,
      `Remove the profile, or allow writes: svcctl profile set ${reading.name} --no-read-only`,
    )
  const bare = profiles.filter(
    ({ name, protected: kept }) => kept === true && !confirmed.includes(name),
  )
  if (yes && bare.length === 0) return
  const needed = ['--yes', ...bare.map(({ name }) => `--confirm ${name}`)]
  throw usage(
    bare.length === 0
      ? `${what} would change ${profiles.length} instances and requires confirmation`
      : `profile ${bare.map(({ name }) => name).join(', ')} is protected and must be confirmed by name`,
    `Give ${needed.join(' ')}`,
  )
}

// The line as each instance takes it.

/** One of the instances or snapshots of a line, or of the runs that it resumes. */
export interface LineSite {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  /** Returns the line as it would be for this instance alone. */
  readonly toOwnLine: (raw: Raw) => Raw
  /** The command with the values of this instance. It understands the names of this instance and of all others. */
  readonly command: Command
}

/** Returns the line as it would be for one of the profiles. */
const createInstanceLine = (raw: Raw, name: string): Raw => {
  const flags = new Map(raw.flags)
  flags.delete('all-profiles')
  flags.set('profile', [name])
  // The names of --confirm were checked for all profiles.
  const confirmed = flags.get('confirm')?.includes(name) === true
  if (confirmed) flags.set('confirm', [name])
  else flags.delete('confirm')
  return { ...raw, flags }
}

/**
 * Loads the words of an instance. A vocabulary that cannot be read is an error at once if the line writes. Otherwise it is reported
 * when the instance is asked.
 */
const loadSiteWords = async (
  command: Command,
  { name }: Profile,
  writing: boolean,
  env: NodeJS.ProcessEnv,
) => {
  const loadWords = createWordsLoader([`--profile=${name}`], env)
  const words = await loadCommandWords({ ...command, loadWords }).catch((error: unknown) => {
    if (writing) throw error
    return undefined
  })
  const toOwnLine = (raw: Raw): Raw => createInstanceLine(raw, name)
  return { site: { name, env, toOwnLine }, loadWords, words }
}

/**
 * Finds the words of each instance, and translates the command for it.
 * @throws Failure `usage` if the line writes and a vocabulary is wrong
 */
export const resolveInstances = async (
  command: Command,
  profiles: readonly Profile[],
  writing: boolean,
  env: NodeJS.ProcessEnv,
): Promise<readonly LineSite[]> => {
  const found = await Promise.all(
    profiles.map((profile) => loadSiteWords(command, profile, writing, env)),
  )
  const { known, naming } = command
  const neutral = found.some(({ words }) => words !== undefined)
    ? await command.registry.find(command.area, command.words)
    : undefined
  if (neutral === undefined)
    return found.map(({ site, loadWords }) => ({ ...site, command: { ...command, loadWords } }))
  const others = getCommandFlags(neutral).map(({ name }) => name)
  return found.map(({ site, loadWords, words }) => {
    const one = { ...neutral, loadWords }
    const inWords = translateForInstance(one, words, naming, others)
    return { ...site, command: known === undefined ? inWords : extendCommand(inWords, known) }
  })
}
