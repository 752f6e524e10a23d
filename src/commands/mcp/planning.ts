/** Plans a change for an agent: formats its arguments as a command line, previews the line, and saves the plan for approval. */

import { createWrapper } from '../../base/json/records.js'
import { isObject } from '../../base/objects.js'
import { escapeControls } from '../../base/screen-text.js'
import { isSecret } from '../../base/secrets/mask.js'
import { insertFlags, quoteWord } from '../../base/shell-words.js'
import {
  canComeFromFile,
  getParamFormat,
  isListParam,
  isSwitch,
  type Param,
  takesJson,
  takesPairs,
} from '../../catalogue/params.js'
import type { InnerRuns, ReadingLine } from '../../engine/command/context.js'
import type { Flag, Given } from '../../engine/command/types.js'
import { type Failure, usage } from '../../errors.js'
import type { Offer } from './offers.js'
import { parseNames, parseText, type ToolInput } from './tools.js'

/** The maximum length of a command line, in bytes. People do not read longer ones before they run them. */
const maxLineBytes = 8 * 1024

const createNotWritableFailure = (name: string, why: string): Failure =>
  usage(
    `--${name} cannot be written on a command line: ${why}`,
    'A person must write this command line by hand.',
  )

/**
 * Quotes a text as one word of a shell, with control characters escaped.
 * @throws Failure `usage` for a character that no shell word can contain
 */
const quoteText = (text: string): string => {
  if (/[\0\p{Cs}]/u.test(text))
    throw usage(
      'a value contains NUL or an incomplete character, which no command line can contain',
    )
  if (escapeControls(text) === text) return quoteWord(text)
  const inner = text
    .replaceAll('\\', '\\\\')
    // Interactive shells expand these even within quotes.
    .replace(/['!]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`)
    .replace(/[^\\]/gu, (char) => (escapeControls(char) === char ? char : escapeCharacter(char)))
  return `$'${inner}'`
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }
const escapeCharacter = (char: string): string => {
  const point = (char.codePointAt(0) ?? 0).toString(16)
  return (
    shortEscapes[char] ??
    (point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`)
  )
}

const isPublic = (param: Param): boolean => getParamFormat(param) === 'public-key'

const holdsSecret = ({ param, parameter = '' }: Flag, value: unknown): boolean =>
  param.secret === true || isSecret(isPublic(param) ? '' : parameter, value)

/** Returns the environment variable that replaces a secret. The person who runs the line sets it, because secrets are never shown. */
const getVariable = ({ name }: Flag): string => `env:${name.replaceAll('-', '_').toUpperCase()}`

const formatListItem = (name: string, value: unknown): string => {
  const text = String(value)
  if (text === '' || text.includes(',') || text.trim() !== text)
    throw createNotWritableFailure(name, `"${text}" is not a valid list item`)
  return text
}

const formatHashTexts = (name: string, value: object): readonly string[] =>
  Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (key.includes('=')) throw createNotWritableFailure(name, `"${key}" holds a =`)
    if (isSecret(key, inner)) throw createNotWritableFailure(name, `${key} is a secret`)
    const all = Array.isArray(inner) ? inner : [inner]
    if (all.length === 0 || all.some((one) => isObject(one) || one === null))
      throw createNotWritableFailure(name, `${key} is not a string, a number or a list of them`)
    return all.map((one: unknown) => `${key}=${String(one)}`)
  })

const formatPlainValue = ({ name, param }: Flag, value: unknown): string => {
  const text = takesJson(param) ? JSON.stringify(value) : String(value ?? '')
  if (canComeFromFile(param) && /^(?:@|env:|-$)/.test(text))
    throw createNotWritableFailure(name, 'it would refer to a file, a variable or standard input')
  return text
}

/** Returns the texts for a flag, which is repeated for each of them. */
const formatFlagTexts = (flag: Flag, value: unknown): readonly string[] => {
  const { name, param } = flag
  if (typeof value === 'string' && value !== '' && holdsSecret(flag, value)) {
    if (!canComeFromFile(param)) throw createNotWritableFailure(name, 'it is a secret')
    return [getVariable(flag)]
  }
  if (isListParam(param) && value === null) throw createNotWritableFailure(name, 'null')
  if (Array.isArray(value) && isListParam(param))
    return [value.map((item) => formatListItem(name, item)).join(',')]
  if (takesPairs(param) && isObject(value)) return formatHashTexts(name, value)
  return [formatPlainValue(flag, value)]
}

const formatFlagWords = (flag: Flag, value: unknown): readonly string[] => {
  const { name, param, selects } = flag
  if (isSwitch(param)) {
    if (value === true) return [`--${name}`]
    return selects === true ? [] : [`--no-${name}`]
  }
  return formatFlagTexts(flag, value).flatMap((text) =>
    text === '' || text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text],
  )
}

/** @throws Failure `usage` for text that the flag would take for several names, a file or standard input */
const checkName = (name: string, text: string): string => {
  if (text !== '' && text.trim() === text && !/^[-@]|,/.test(text)) return text
  throw usage(`${name} takes paths or IDs, one in each text`)
}

/** The objects of a plan, if there are several. */
interface ObjectChoice {
  /** The IDs, which replace the object of the arguments. */
  readonly ids?: readonly string[]
  /** A condition that selects objects from their list. */
  readonly where?: string
  readonly projects?: readonly string[]
  /** The group whose projects are all included. */
  readonly group?: string
}

const getSelectionWords = ({ where, projects = [], group }: ObjectChoice): readonly string[] => [
  ...(where === undefined ? [] : [`--select=${where}`]),
  ...(projects.length === 0
    ? []
    : ['--project', projects.map((name) => checkName('project', name)).join(',')]),
  ...(group === undefined ? [] : ['--group', checkName('group', group)]),
]

/** @throws Failure `usage` for `-`, which means standard input */
const checkObjects = (args: readonly string[]): readonly string[] => {
  if (args.includes('-'))
    throw usage('- would refer to standard input', 'Pass the name of the object.')
  return args
}

/** A command line for the arguments of a call. */
interface CommandLine {
  /** The words without the program and the flags that select the instance. */
  readonly words: readonly string[]
  /** The values of secrets, by the names of the variables that replace them. */
  readonly secrets: Readonly<Record<string, string>>
}

/**
 * Converts the arguments of a call to an equivalent command line.
 * @throws Failure `usage` for values that no command line can contain
 */
export const toLine = (
  { command, data }: Offer,
  given: Given,
  several: ObjectChoice = {},
): CommandLine => {
  const secrets: Record<string, string> = {}
  const flags = data.flatMap(({ flag }) => {
    const value = flag && given.flags[flag.name]
    if (flag === undefined || value === undefined) return []
    const words = formatFlagWords(flag, value)
    if (words.includes(getVariable(flag)))
      secrets[getVariable(flag).slice('env:'.length)] = String(value)
    return words
  })
  const verb = command.words.split(' ').filter((one) => one !== '')
  const objects = checkObjects(several.ids ?? given.args)
  const begin = [command.area, ...verb]
  const rest = [...flags, ...getSelectionWords(several)]
  const words = objects.some((text) => text.startsWith('-'))
    ? [...begin, ...rest, '--', ...objects]
    : [...begin, ...objects, ...rest]
  return { words, secrets }
}

/**
 * Formats a command line for a person to run, quoted for a shell.
 * @param flags the flags that select the instance, such as `-p work`
 * @throws Failure `usage` for text that no shell word can contain, and for a line that is too long to review
 */
export const formatCommandLine = (words: readonly string[], flags: readonly string[]): string => {
  const line = ['svcctl', ...insertFlags(words, flags)].map(quoteText).join(' ')
  if (Buffer.byteLength(line) > maxLineBytes)
    throw usage('the command line is too long', 'Plan fewer changes at once.')
  return line
}

// Plans of agents: they are previewed without a write, and saved for a person to approve.

interface Preview {
  /** The change of each object, as JSON text like in a dry run. */
  readonly changes: readonly string[]
  readonly notes: readonly string[]
  readonly failure?: Failure | undefined
}

/** The maximum number of objects in a plan. People do not read longer plans before they approve them. */
const maxObjects = 1000

const createTooManyFailure = (): Failure =>
  usage(`a plan has at most ${maxObjects} objects`, 'Plan fewer at once.')

/** Previews a command line and saves the plan, up to the maximum number of objects. It never rejects: errors are returned in `failure`. */
const previewLine = async (
  { readLine }: Pick<InnerRuns, 'readLine'>,
  { words, secrets }: CommandLine,
  signal: AbortSignal,
  planned: ReadingLine['planned'],
): Promise<Preview> => {
  const changes: string[] = []
  const full = new AbortController()
  const { notes, failure } = await readLine({
    words,
    previews: true,
    planned,
    signal: AbortSignal.any([signal, full.signal]),
    env: secrets,
    takeRecord: (record, parent) => {
      if (changes.length === maxObjects) return full.abort()
      const own = parent === undefined ? record : createWrapper(parent.column, parent.name)(record)
      changes.push(Buffer.from(own).toString())
    },
  })
  const stopped = full.signal.aborted ? createTooManyFailure() : undefined
  return { changes, notes, failure: stopped ?? failure }
}

// The selection of several objects.

/** The arguments that choose several objects. */
export const selectionNames = ['ids', 'where', 'projects', 'group'] as const

/** @throws Failure `usage` for several objects of a command that accepts one, and for arguments that exclude each other */
const parseSelection = ({ name, command }: Offer, input: ToolInput): ObjectChoice => {
  const [ids, projects] = [parseNames(input, 'ids'), parseNames(input, 'projects')]
  const [where, group] = [parseText(input, 'where'), parseText(input, 'group')]
  if (ids !== undefined && where !== undefined)
    throw usage('objects are chosen by ID or by a condition, not by both')
  if (ids !== undefined && command.args[0]?.variadic !== true)
    throw usage(`${name} takes one object at a time`, 'Plan each by its own call.')
  return { ids, where, projects, group }
}

export interface PlanningContext {
  readonly runs: Pick<InnerRuns, 'readLine'>
  /** The flags that select the instance, for the command lines of plans. */
  readonly where: readonly string[]
}

/** The maximum length of a reason, in characters. */
const maxReasonLength = 1000

/** The result of saving a plan. */
interface SavedPlan {
  id?: string
  /** The reason why the plan was not saved. */
  why?: string
}

/** The summary of a plan in the answer to an agent. */
interface PlanSummary {
  /** The number of objects that would be changed. */
  readonly objects: number
  /** The ID of the plan, and the line with which a person approves it; undefined if there is nothing to change. */
  readonly plan?: string
  readonly approve?: string
  /** The line that makes the change without the plan. */
  readonly command_line: string
}

/**
 * Plans a change.
 * @param given the checked arguments
 * @throws Failure if the preview of any object fails, because a plan must be complete
 */
export const planChange = async (
  { runs, where }: PlanningContext,
  offer: Offer,
  given: Given,
  input: ToolInput,
  signal: AbortSignal,
): Promise<{ readonly planned: PlanSummary; readonly tried: Preview }> => {
  const several = parseSelection(offer, input)
  const reason = parseText(input, 'reason')
  if (reason !== undefined && reason.length > maxReasonLength)
    throw usage(`reason has at most ${maxReasonLength} characters`)
  const line = toLine(offer, given, several)
  const commandLine = formatCommandLine(line.words, where)
  const saved: SavedPlan = {}
  const planned = {
    by: 'agent',
    reason,
    onSaved: (id: string) => {
      saved.id = id
    },
    onFailure: ({ message }: Failure) => {
      saved.why = message
    },
  } as const
  const tried = await previewLine(runs, line, signal, planned)
  if (tried.failure !== undefined) throw tried.failure
  const summary = { objects: tried.changes.length, command_line: commandLine }
  // If the plan cannot be saved, its preview is still valid, and the command line makes the same change.
  const notes = saved.why === undefined ? [] : [`not saved for approval: ${saved.why}`]
  const shown = { ...tried, notes: [...notes, ...tried.notes] }
  if (saved.id === undefined) return { planned: summary, tried: shown }
  const approve = formatCommandLine(['journal', 'run', saved.id], where)
  return { planned: { ...summary, plan: saved.id, approve }, tried: shown }
}
