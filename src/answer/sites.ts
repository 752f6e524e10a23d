/** The several instances of a line: what each calls things, and how it understands the line. */
import type { Words } from '../catalogue/words.js'
import { getCommandName, takesProfiles } from '../engine/command/derive.js'
import { getCommandFlags } from '../engine/command/flags.js'
import type { Globals } from '../engine/command/globals.js'
import { extendCommand } from '../engine/command/known.js'
import type { Command } from '../engine/command/types.js'
import { combineWords, mergeWords, translateCommand } from '../engine/command/vocabulary.js'
import {
  findOwnWords,
  loadOwnWords,
  usesInstanceNames,
  type WordsFinder,
} from '../engine/command/words.js'
import { createExclusion } from '../engine/pairs.js'
import { getOwnFormat } from '../engine/plan/given.js'
import type { Raw } from '../engine/plan/line.js'
import { usage } from '../errors.js'
import { getPaths, isPattern, openStore, parseProfiles, resolveProfiles } from '../profile/index.js'
import type { Profile } from '../profile/types.js'

// Which profiles a line means that means several, and what does not go with them.

/** The profiles that a line names: one, or several. */
type AskedProfiles =
  | { readonly one: string }
  | { readonly several: readonly string[]; readonly all?: true }

/** Returns the profiles that a line names; flags that exclude each other are refused when the line is read. */
export const getAskedProfiles = (raw: Raw): AskedProfiles =>
  raw.flags.get('all-profiles')?.at(-1) === 'true'
    ? { several: ['*'], all: true }
    : parseProfiles(raw.flags.get('profile')?.at(-1) ?? '')

/** Variables that are meant for one instance: none of several profiles takes anything from them. */
export const variables = [
  'SVC_TOKEN',
  'SVC_TOKEN_KIND',
  'SVC_JOB_TOKEN',
  'SVC_BASE_URL',
  'SVC_VOCABULARY',
] as const

/** Creates the environment for each of several profiles: a credential above all is meant for one address. */
export const createSiteEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  ...Object.fromEntries(variables.map((name) => [name, undefined])),
})

/** Flags that are about one instance, or one run, or the one file that is written. */
const ofOne = [
  'base-url',
  'watch',
  'wait-until',
  'journal',
  'resume',
  'to',
  'out',
  'report',
  'note',
] as const

/** @throws Failure `usage` for what does not go with several instances */
export const checkSeveral = (command: Command, raw: Raw, all: boolean): void => {
  const name = getCommandName(command)
  if (!takesProfiles(command))
    throw usage(
      `${name} works with a single profile, and several are given`,
      'Run the command once for each.',
    )
  const format = getOwnFormat(command, raw)
  const own = (one: string): boolean =>
    one !== 'to' || command.flags.some(({ name }) => name === one)
  const given = ofOne.filter((one) => raw.flags.has(one) && own(one))
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
 * Finds the profiles that are meant.
 * @throws Failure `usage` for what means none
 */
export const resolveNamedProfiles = (
  parts: readonly string[],
  env: NodeJS.ProcessEnv,
): readonly Profile[] => {
  const store = openStore(getPaths(env))
  if (parts.some(isPattern)) return resolveProfiles(parts, store.list())
  const known = resolveProfiles(
    parts,
    store.names().map((name) => ({ name })),
  )
  // One that is not asked for may be as wrong as it likes.
  return known.flatMap(({ name }) => store.get(name) ?? [])
}

type ConfirmationFlags = Pick<Globals, 'curl' | 'dryRun' | 'yes'>

/**
 * Checks what a run that changes several instances needs, all of it before anything is sent.
 * @throws Failure `usage`
 */
export const checkWriting = (
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

// What each of them calls things.

/** An instance among those of a line. */
export interface AskedSite {
  readonly name: string
  /** The column that its name stands in. */
  readonly column: 'profile' | 'snapshot'
  /** Returns the line as it would be of this one alone. */
  readonly line: (raw: Raw) => Raw
  readonly own: WordsFinder
  /** The words of the instance itself. */
  readonly words: Words | undefined
  /** The line's command with the names and values that it takes there. */
  readonly command: Command
  /** In which the line may be written: another one's name is as good as that of the documents. */
  readonly asked?: Words
}

/** The line as it would be of one of them. */
const createInstanceLine = (raw: Raw, name: string): Raw => {
  const flags = new Map(raw.flags)
  flags.delete('all-profiles')
  flags.set('profile', [name])
  // Whose name it is was looked at.
  const confirmed = flags.get('confirm')?.includes(name) === true
  if (confirmed) flags.set('confirm', [name])
  else flags.delete('confirm')
  return { ...raw, flags }
}

/**
 * Loads the words of an instance. Words that cannot be read are reported where the instance is asked, or at once where
 * it is to be changed.
 */
const loadSiteWords = async (
  command: Command,
  { name }: Profile,
  writing: boolean,
  env: NodeJS.ProcessEnv,
) => {
  const own = findOwnWords([`--profile=${name}`], env)
  const words = await loadOwnWords(command, own).catch((error: unknown) => {
    if (writing) throw error
    return undefined
  })
  return {
    name,
    column: 'profile' as const,
    line: (raw: Raw) => createInstanceLine(raw, name),
    own,
    words,
  }
}

/**
 * Returns each instance with the line as it takes it, and the words of all of them; undefined if none has any.
 * @throws Failure `usage` where they are to be changed, and one has words that are none
 */
export const resolveInstances = async (
  command: Command,
  profiles: readonly Profile[],
  writing: boolean,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly sites: readonly AskedSite[]; readonly words: Words | undefined }> => {
  const found = await Promise.all(
    profiles.map((profile) => loadSiteWords(command, profile, writing, env)),
  )
  const words = mergeWords(found.map((site) => site.words))
  const neutral =
    words !== undefined && usesInstanceNames(command)
      ? await command.registry.named(command.area, command.words)
      : undefined
  if (words === undefined || neutral === undefined)
    return { sites: found.map((site) => ({ ...site, command })), words }
  const others = getCommandFlags(neutral).map(({ name }) => name)
  const sites = found.map((site) => {
    const asked = combineWords(site.words, words)
    const inWords = translateCommand(neutral, asked, others)
    const { known } = command
    return {
      ...site,
      asked,
      command: known === undefined ? inWords : extendCommand(inWords, known),
    }
  })
  return { sites, words }
}
