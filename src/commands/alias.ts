/** Implements `alias set`, `alias list` and `alias remove`, which manage short names for command lines. */

import { maskWholeText } from '../base/secrets/mask.js'
import { isSecretHeader, isSecretName, masked } from '../base/secrets/names.js'
import { quoteWord, splitCommand } from '../base/shell-words.js'
import { suggestSimilar } from '../base/suggest.js'
import { decodeUri } from '../base/text.js'
import { findArea } from '../catalogue/index.js'
import { isSwitch } from '../catalogue/params.js'
import { getCommandFlags } from '../engine/command/flags.js'
import type { Argument, CommandFacts } from '../engine/command/types.js'
import { createNoteRow, yieldRecords } from '../engine/rows.js'

import { type Failure, usage } from '../errors.js'
import { getPaths, openStore } from '../profile/index.js'
import type { Environment } from '../profile/types.js'
import { define } from './define.js'
import { openProfileStore } from './profile.js'

// The names that an alias may have, and the command lines that it may contain.

const nameRule = /^[a-z][a-z0-9-]{0,31}$/

/** Words of the shell that join commands or redirect their input and output. */
const shellOperators: ReadonlySet<string> = new Set(['|', '||', '&', '&&', ';', '<', '>', '>>'])

/** Finds the area of the API or of the tool that a word names; undefined if there is none. */
const findAreaName = (word: string, commands: readonly CommandFacts[]): string | undefined =>
  findArea(word)?.name ?? commands.find(({ area }) => area === word)?.area

/**
 * Checks that an alias may have this name.
 * @throws Failure `usage` if the name is invalid, or is that of a command
 */
export const checkAliasName = (name: string, commands: readonly CommandFacts[]): void => {
  if (!nameRule.test(name))
    throw usage(
      `"${name}" is not a valid alias name`,
      'Use at most 32 lowercase letters, digits and dashes, and begin with a letter.',
    )
  const taken = findAreaName(name, commands) !== undefined || name === 'help'
  if (taken) throw usage(`${name} is a command of svcctl and cannot be an alias`)
}

/** Finds the command at the beginning of a line; undefined if the line names only an area or the first word of a verb. */
const findCommand = (
  words: readonly string[],
  commands: readonly CommandFacts[],
): CommandFacts | undefined => {
  const [first = '', second, third] = words
  const area = findAreaName(first, commands)
  const own = commands.filter((one) => one.area === area)
  if (area === undefined)
    throw usage(
      `an alias must begin with a command, and "${first}" is not one`,
      suggestSimilar(first, new Set(commands.map((one) => one.area))) ??
        'Leave out "svcctl", as in: jobs list --scope failed. An alias cannot call another alias.',
    )
  const alone = own.find((one) => one.words === '')
  if (alone !== undefined || second === undefined || second.startsWith('-')) return alone
  const two = `${second} ${third ?? ''}`.trim()
  const verb = own.find((one) => one.words === two) ?? own.find((one) => one.words === second)
  const verbs = own.map((one) => one.words)
  if (verb !== undefined || verbs.some((one) => one.startsWith(`${second} `))) return verb
  throw usage(
    `${area} has no verb "${second}"`,
    suggestSimilar(second, verbs) ?? `Its verbs are ${verbs.join(', ')}.`,
  )
}

/** True if a text is empty or refers to a secret, and so is not a secret itself. */
const isReference = (text: string): boolean => /^(?:env:|@|-$)/.test(text) || text === ''

/** True for a word that looks like a token: a prefix with a long rest, or a long mixture of characters. A commit hash does not. */
const isTokenLike = (text: string): boolean =>
  text
    .split(/[^\w-]+/)
    .some(
      (word) =>
        /^[a-z]{2,8}[-_](?=\w*\d)[\w-]{16,}$/i.test(word) ||
        /^[0-9a-f]{64}$/i.test(word) ||
        (/^[\w-]{20,}$/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word)),
    )

/** True if a value may be a secret. `null`, `true` and `false` are not. */
const isSecretValue = (value: string): boolean =>
  !isReference(value) && !/^(?:null|true|false)$/.test(value)

/** True if a text contains a private key, the user of an address, or a secret by its name: in an address, an assignment or JSON. */
const hasNamedSecret = (text: string): boolean =>
  maskWholeText(text, (_, secret) => (isSecretValue(secret) ? masked : secret)) !== text

/** True if a flag or its value contains a secret. */
const holdsSecret = (flag: string, value: string, command: CommandFacts | undefined): boolean => {
  if (!isSecretValue(value)) return false
  const known = command && getCommandFlags(command).find(({ name }) => name === flag)?.param
  if (known?.secret === true || (isSecretName(flag) && !isSwitch(known))) return true
  if (flag !== 'header' && flag !== 'H') return hasNamedSecret(value)
  const [name = '', text = ''] = value.split(/[=:](.*)/s)
  return isSecretHeader(name.trim()) && isSecretValue(text.trim())
}

const createCredentialFailure = (what: string): Failure =>
  usage(
    `an alias must not contain a credential, and ${what}`,
    'Aliases are stored in clear text. Pass the value as env:NAME or @file.',
  )

/** Returns the secret values of the environment. */
const getEnvironmentSecrets = (env: Environment): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && /^(SVC|CI)_/.test(name) && isSecretName(name)
      ? [value]
      : [],
  )

/**
 * Checks the words of a line, independent of the command.
 * @throws Failure `usage` that does not repeat the secret
 */
const checkWords = (line: string, words: readonly string[], env: Environment): void => {
  // Splitting the line removes the quotes of JSON, but the stored line has them. `checkFlags` knows which flags have a value.
  if (hasNamedSecret(line.replace(/(?<=\s)--[\w-]+(?=\s)/g, '')))
    throw createCredentialFailure('a part of this line names one')
  const atHand = getEnvironmentSecrets(env)
  for (const word of words) {
    // A short flag and its value may be one word.
    const texts = [word, decodeUri(word), word.replace(/^-\w/, '')]
    const isHeader = word.startsWith('-H') && holdsSecret('H', word.slice(2), undefined)
    if (isHeader || texts.some(hasNamedSecret))
      throw createCredentialFailure('a part of this line names one')
    if (!isReference(word) && (isTokenLike(word) || atHand.some((one) => word.includes(one))))
      throw createCredentialFailure('a part of this line looks like one')
  }
}

/**
 * Checks the flags of a line and their values.
 * @throws Failure `usage`
 */
const checkFlags = (words: readonly string[], command: CommandFacts | undefined): void => {
  for (const [i, word] of words.entries()) {
    const [, flag = '', joined] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? []
    if (flag !== '' && holdsSecret(flag, joined ?? words[i + 1] ?? '', command))
      throw createCredentialFailure(`--${flag} seems to contain one`)
  }
}

/**
 * Checks the command line of an alias.
 * @throws Failure `usage` if it does not begin with a command, or contains a credential
 */
export const checkAliasLine = (
  line: string,
  commands: readonly CommandFacts[],
  env: Environment,
): void => {
  const words = splitCommand(line)
  if (words.length === 0)
    throw usage(
      'the command line of an alias must not be empty',
      'svcctl alias set stuck "jobs list --scope pending"',
    )
  // The words are checked first, because the message about an unknown command repeats a word.
  checkWords(line, words, env)
  const operator = words.find((word) => shellOperators.has(word))
  if (operator !== undefined)
    throw usage(
      `no shell runs an alias, so ${operator} has no meaning in it`,
      'Filter with --where or --jq and write a file with --to, or define an alias or a function of your shell.',
    )
  checkFlags(words, findCommand(words, commands))
}

const nameArgument: Argument = {
  name: 'alias',
  required: true,
  variadic: false,
  help: 'name of the alias',
}

const existingAlias: Argument = {
  ...nameArgument,
  values: async ({ io }) =>
    Object.entries(openStore(getPaths(io.env)).getAliases()).map(([value, text]) => ({
      value,
      text,
    })),
}

export const setCommand = define({
  description: [
    'Pass the command line without "svcctl" as one argument. $1 to $9 stand for its arguments, and $@ for all others; without them, arguments are appended. svcctl splits the line into words like a shell, but no shell runs it.',
    'An alias cannot have the name of a command, call another alias or contain a credential. Shell completion includes aliases.',
  ],
  args: [
    nameArgument,
    {
      name: 'line',
      required: true,
      variadic: true,
      help: 'command with its flags, in quotes',
    },
  ],
  rows: async function* (context, { args }) {
    const [name, ...line] = args
    if (name === undefined || line.length === 0)
      throw usage(
        'alias set requires a name and a command line',
        "svcctl alias set stuck 'jobs list --scope pending'",
      )
    // If the line is not quoted, its words are separate arguments.
    const text = line.length === 1 ? (line[0] ?? '') : line.map(quoteWord).join(' ')
    const commands = await context.place.listCommands()
    checkAliasName(name, commands)
    checkAliasLine(text, commands, context.place.env)
    const before = await openProfileStore(context).setAlias(name, text)
    const previous = before === undefined || before === text ? '' : ` (previously ${before})`
    yield createNoteRow(`set alias ${name}: ${text}${previous}`)
  },
})

export const listCommand = define({
  rows: async function* (context) {
    const rows = Object.entries(openProfileStore(context).getAliases())
      .map(([name, line]) => ({ name, line }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    if (rows.length === 0) yield createNoteRow('no aliases; create one with "svcctl alias set"')
    yield* yieldRecords(rows, { columns: ['name', 'line'] })
  },
})

export const removeCommand = define({
  args: [existingAlias],
  rows: async function* (context, { args }) {
    const [name] = args
    if (name === undefined)
      throw usage('alias remove requires the name of an alias', 'svcctl alias list shows them.')
    const store = openProfileStore(context)
    const names = Object.keys(store.getAliases())
    if (!names.includes(name))
      throw usage(
        `unknown alias "${name}"`,
        suggestSimilar(name, names) ?? 'svcctl alias list shows them.',
      )
    await store.setAlias(name, undefined)
    yield createNoteRow(`removed the alias ${name}`)
  },
})
