/** Replaces the words of other tools by those of svcctl: the area and the verb of a command. */

import type { Environment } from '../../base/io.js'
import { findMistyped } from '../../base/suggest.js'
import { toSingular } from '../../base/text.js'
import { findArea, listAreas } from '../../catalogue/index.js'
import { isSwitch } from '../../catalogue/params.js'
import { toolCommands } from '../../commands/index.js'
import { hiddenScopes } from '../../engine/command/flags.js'
import { flagSets } from '../../engine/command/global-flags.js'
import { isWord } from '../../engine/plan/line.js'
import { findAccepted } from '../words/accepted.js'
import { expandAlias, listAliases } from '../words/alias.js'
import { listVerbs } from '../words/tree.js'
import { replaceSetting, type SplitLine } from './config-words.js'
import { foreignFlags } from './flags.js'
import { type RewrittenWords, sendRequest } from './requests.js'
import {
  findOperation,
  findOwnOperation,
  findVerb,
  findVerbLine,
  formatRequest,
  isVerb,
} from './verbs.js'
import { findAreaName, findLine, findRoute } from './words.js'

const anywhere = [...Object.values(flagSets).flat(), ...hiddenScopes]

/** Returns true if a flag takes the next token as its value. Another flag is none. */
const takesNext = (token: string, next: string): boolean => {
  if (next.startsWith('--')) return false
  const flag = anywhere.find(({ name, short }) => token === `--${name}` || token === `-${short}`)
  if (flag !== undefined) return !isSwitch(flag.param) && flag.optionalValue !== true
  const rows = foreignFlags.filter(({ names }) => names.includes(token))
  // Of what is known nowhere, a word that follows is its value.
  if (rows.length === 0) return /^--[^=]+$/.test(token)
  return rows.some(({ value }) => value === true)
}

/** Returns true for a flag of svcctl or of another tool. */
const isKnown = (token: string): boolean =>
  anywhere.some(({ name, short }) => token === `--${name}` || token === `-${short}`) ||
  foreignFlags.some(({ names }) => names.includes(token))

const isFirstWord = (word: string): boolean => findAreaWord(word) !== undefined

const splitLine = (tokens: readonly string[]): SplitLine => {
  const at: number[] = []
  const end = tokens.indexOf('--')
  for (let i = 0; i < (end < 0 ? tokens.length : end); i++) {
    const token = tokens[i] ?? ''
    const next = tokens[i + 1] ?? ''
    if (isWord(token)) at.push(i)
    else if (takesNext(token, next) && (at.length > 0 || !isFirstWord(next) || isKnown(token))) i++
  }
  return {
    words: at.map((i) => tokens[i] ?? ''),
    without: (n) => tokens.filter((_, i) => !at.slice(0, n).includes(i)),
  }
}

const isTool = (word: string): boolean => toolCommands.some(({ area }) => area === word)

/** Finds the area that a word names, by its own name, its alias or a name of another tool. */
const findAreaWord = (word: string): string | undefined =>
  findArea(word)?.name ?? (isTool(word) ? word : findAreaName(word))

/** The area that the words of a line name, with the words after it; or a list that the documents lack. */
interface ReachedArea {
  /** One word, or an area and a group. */
  readonly area: string
  readonly route?: string
  /** True if the verb stands before the area. */
  readonly isVerbFirst?: boolean
  /** The words after the area. */
  readonly words: readonly string[]
  /** Returns the tokens of the line without the area and the first `n` words after it. */
  readonly rest: (n: number) => readonly string[]
}

const resolveArea = (line: SplitLine, at: number): ReachedArea | undefined => {
  const [word = ''] = line.words.slice(at)
  const area = findAreaWord(word)
  const route = area === undefined ? findRoute(word) : undefined
  if (area === undefined && route === undefined) return undefined
  const words = line.words.slice(at + 1)
  return {
    area: area ?? `${toSingular(word.toLowerCase())}s`,
    route,
    words,
    rest: (n) => line.without(at + 1 + n),
  }
}

/** Joins two words that name an area or a list together, such as `merge requests`. Leaves out the project in `get project members`. */
const joinNames = (tokens: readonly string[]): readonly string[] => {
  const { words } = splitLine(tokens)
  for (const [i, first] of words.slice(0, 2).entries()) {
    const at = tokens.indexOf(first)
    const second = tokens[at + 1] ?? ''
    if (second !== words[i + 1]) continue
    const name = `${first}-${second}`.toLowerCase()
    if ((findAreaWord(name) ?? findRoute(name)) !== undefined) return tokens.toSpliced(at, 2, name)
    const isPlace = i > 0 && /^(?:project|group)$/.test(first)
    if (isPlace && findAreaWord(second) !== undefined) return tokens.toSpliced(at, 1)
  }
  return tokens
}

/** Splits the type of an object and its ID, written as one word: `runner/1`. Returns undefined for any other word. */
const splitReference = ({
  words: [verb = '', reference = ''],
  without,
}: SplitLine): SplitLine | undefined => {
  const [, type = '', id = ''] = /^([a-z-]+)\/([^/]+)$/.exec(reference) ?? []
  if (resolveArea({ words: [type], without: () => [] }, 0) === undefined) return undefined
  return splitLine([verb, type, id, ...without(2)])
}

/** Resolves a line whose verb comes before the area: `get runners`. */
const resolveVerbFirst = async (typed: SplitLine): Promise<ReachedArea | undefined> => {
  const [verb = '', word = ''] = typed.words
  const [area = ''] = findAreaWord(word)?.split(' ') ?? []
  const all = await listVerbs(area)
  if (!isVerb(verb) && !all.includes(verb)) return undefined
  const line = resolveArea(typed, 1) === undefined ? splitReference(typed) : typed
  const reached = line && resolveArea(line, 1)
  if (line === undefined || reached === undefined) return undefined
  const [below = ''] = reached.words
  const group = reached.area === area ? findGroup(all, below) : undefined
  const args = reached.words.slice(group === undefined ? 0 : 1)
  // Without an object, what is got is the list.
  const isList = ['get', 'show', 'describe', 'view', 'read'].includes(verb) && args.length === 0
  return {
    ...reached,
    isVerbFirst: true,
    words: [...(group === undefined ? [] : [group]), isList ? 'list' : verb, ...args],
    rest: (n) => line.without(1 + n),
  }
}

/** Replaces `alias NAME=LINE`, as shells write it. */
const replaceAssignment = ({ words, without }: SplitLine): readonly string[] | undefined => {
  if (words[0] !== 'alias') return undefined
  const at = words[1] === 'set' ? 2 : 1
  const [, name, line] = /^([a-z][a-z0-9-]*)=(.+)$/s.exec(words[at] ?? '') ?? []
  return name === undefined || line === undefined
    ? undefined
    : ['alias', 'set', name, line, ...without(at + 1)]
}

/** Replaces the first word, or the first two, by the line that the table has for them. */
const replaceFirst = ({
  words: [first = '', second],
  without,
}: SplitLine): readonly string[] | undefined => {
  const two = second === undefined ? undefined : findLine(`${first} ${second}`)
  if (two !== undefined) return [...two.split(' '), ...without(2)]
  const one = isTool(first) || findArea(first) !== undefined ? undefined : findLine(first)
  if (one === undefined) return undefined
  // A run that is named replaces the last one.
  const line = (second === undefined ? one : one.replace(/ last$/, '')).split(' ')
  return [...line, ...without(1)]
}

/** Replaces the first word by the nearest area or alias. */
const replaceNear = (
  { words: [first = ''], without }: SplitLine,
  env: Environment,
): readonly string[] | undefined => {
  const names = [
    ...listAreas().map(({ name }) => name),
    ...toolCommands.map(({ area }) => area),
    ...Object.keys(listAliases(env)),
  ]
  const near = findMistyped(first, new Set(names))
  return near === undefined || near === first ? undefined : [near, ...without(1)]
}

/** Replaces a verb on a list that the documents lack by its request. */
const replaceRoute = async ({
  area,
  route = '',
  words: [verb = 'list', ...args],
  rest,
}: ReachedArea): Promise<RewrittenWords | undefined> => {
  const [first = ''] = args
  const ofGroup = area === 'groups' ? findAreaWord(verb) : undefined
  if (ofGroup !== undefined && args.length === 1)
    return replaceFrom([...ofGroup.split(' '), 'list', '-G', first, ...rest(2)])
  const isGet = verb === 'get' || findVerb(verb, ['get']) !== undefined
  const request =
    area === 'users' && isGet && /\D/.test(first)
      ? 'GET users?username=:id'
      : formatRequest(route, area, verb)
  if (request === undefined) return { tokens: [], isMissing: true }
  return sendRequest(request, args, rest(1 + args.length))
}

/** Lists the verbs of an area, or those of a group without the group's name. */
const listVerbsBelow = (verbs: readonly string[], group: string | undefined): readonly string[] =>
  group === undefined
    ? verbs
    : verbs
        .filter((verb) => verb.startsWith(`${group} `))
        .map((verb) => verb.slice(group.length + 1))

/** Finds the group of verbs that a word names, in singular or plural. */
const findGroup = (verbs: readonly string[], word: string): string | undefined =>
  [word, `${word}s`, toSingular(word)].find((name) =>
    verbs.some((verb) => verb.startsWith(`${name} `)),
  )

/** Finds the verb of an area or group that a word means; undefined if there is none. */
const findVerbAt = (
  word: string,
  verbs: readonly string[],
  hasArgument: boolean,
): string | undefined => {
  const found = findAccepted(word, verbs) ?? findVerb(word, verbs)
  // Without an object there is nothing to get.
  if (found === 'get' && !hasArgument && verbs.includes('list')) return 'list'
  // A list takes no object.
  if (found === 'list --watch' && hasArgument)
    return verbs.includes('get') ? 'get --watch' : undefined
  return found
}

/** An area of the documents with its group, its verb and the arguments. */
interface VerbPlace {
  readonly area: string
  /** The area, followed by the group if there is one. */
  readonly lead: readonly string[]
  readonly isInGroup: boolean
  readonly verb: string
  readonly args: readonly string[]
  /** The verbs of the area or group. */
  readonly known: readonly string[]
  /** Returns the tokens of the line without the area, the group, and `n` further words. */
  readonly rest: (n: number) => readonly string[]
}

const findPlace = (reached: ReachedArea, all: readonly string[]): VerbPlace => {
  const [area = '', ofArea] = reached.area.split(' ')
  const words = ofArea === undefined ? reached.words : [ofArea, ...reached.words]
  const [first = ''] = words
  const group = all.includes(first) ? undefined : findGroup(all, first)
  const used = group === undefined ? 0 : 1
  const [verb = '', ...args] = words.slice(used)
  const typed = used - (ofArea === undefined ? 0 : 1)
  return {
    area,
    lead: group === undefined ? [area] : [area, group],
    isInGroup: group !== undefined,
    verb,
    args,
    known: listVerbsBelow(all, group),
    rest: (n) => reached.rest(n + typed),
  }
}

/** Appends the rest of a line to a verb. A page of help needs none, and a number after `--watch` would be its interval. */
const appendRest = (verb: string, rest: readonly string[]): readonly string[] => {
  if (verb.endsWith(' --help')) return verb.split(' ')
  return verb === 'get --watch' ? ['get', ...rest, '--watch'] : [...verb.split(' '), ...rest]
}

/** Returns the words for what an area has below its objects: `mr note list 4` is `mr notes 4`. Undefined if the word after the verb is no verb. */
const leaveOutVerb = (place: VerbPlace): VerbPlace | undefined => {
  const { area, verb, args, rest } = place
  const [word = '', object] = args
  const isSame = findVerbLine(area, verb)?.endsWith(` ${word}`) === true
  if (object === undefined || !(isVerb(word) || isSame)) return undefined
  const lists = `${toSingular(verb)}s`
  const name = ['list', 'ls', 'show', 'view', 'get'].includes(word) ? lists : verb
  const isKnown = (findVerbLine(area, name) ?? findOwnOperation(area, name)) !== undefined
  if (!isKnown) return undefined
  return { ...place, verb: name, args: args.slice(1), rest: (n) => rest(n + 1) }
}

/** Replaces a verb that the area does not have; undefined if nothing similar is known. */
const replaceUnknownVerb = (typed: VerbPlace): RewrittenWords | undefined => {
  const place = typed.isInGroup ? typed : (leaveOutVerb(typed) ?? typed)
  const { area, lead, isInGroup, verb, args, known, rest } = place
  const line = isInGroup ? undefined : findVerbLine(area, verb)
  if (line !== undefined) return { tokens: [...line.split(' '), ...rest(1)] }
  if (/^\d+$/.test(verb) && known.includes('get')) return { tokens: [...lead, 'get', ...rest(0)] }
  const send = (request: string): RewrittenWords =>
    sendRequest(request, args, rest(1 + args.length))
  const own = isInGroup ? undefined : findOwnOperation(area, verb)
  if (own !== undefined) return send(own)
  if (area === 'settings' && /^(?:diff|compare)$/.test(verb) && args.length === 2)
    return { tokens: ['settings', 'get', '-p', args.join(','), ...rest(3)] }
  if (/^(?:search|find)$/.test(verb) && args.length === 1 && known.includes('list'))
    return { tokens: [...lead, 'list', '--search', args[0] ?? '', ...rest(2)] }
  const found = findVerbAt(verb, known, args.length > 0)
  const operation = isInGroup ? undefined : findOperation(area, verb)
  if (operation !== undefined && found?.includes(' ') !== false) return send(operation)
  const near =
    found ??
    findMistyped(
      verb,
      known.map((one) => one.split(' ')[0] ?? ''),
    )
  if (near !== undefined) return { tokens: [...lead, ...appendRest(near, rest(1))] }
  return isVerb(verb) && !isTool(area) ? { tokens: [], isMissing: true } : undefined
}

/** Inserts the verb that flags lack: one that stands behind the flags, or `list`. */
const insertVerb = (flags: readonly string[], known: readonly string[]): readonly string[] => {
  const at = flags.findIndex((token) => known.includes(token))
  if (at >= 0) return [flags[at] ?? '', ...flags.toSpliced(at, 1)]
  return flags.length > 0 && known.includes('list') ? ['list', ...flags] : flags
}

/** Replaces the verb of a line by one of the area, or by the request of an operation that the documents lack. */
const replaceVerb = async (reached: ReachedArea): Promise<RewrittenWords | undefined> => {
  const [area = ''] = reached.area.split(' ')
  const all = await listVerbs(area)
  const place = findPlace(reached, all)
  const { lead, verb, known, rest } = place
  if (all.includes('')) return { tokens: [area, ...rest(reached.isVerbFirst === true ? 1 : 0)] }
  if (verb === '') return { tokens: [...lead, ...insertVerb(rest(0), known)] }
  return known.includes(verb) ? { tokens: [...lead, verb, ...rest(1)] } : replaceUnknownVerb(place)
}

/** Replaces words of other tools at the beginning of a line. An extension may have a command of the same words. */
const replaceBeginning = async (
  line: SplitLine,
  env: Environment,
): Promise<readonly string[] | undefined> => {
  const [first = '', second = ''] = line.words
  const verbs = await listVerbs(findArea(first)?.name ?? '')
  return verbs.some((verb) => `${verb} `.startsWith(`${second} `))
    ? undefined
    : ((await replaceSetting(line, env)) ?? replaceAssignment(line) ?? replaceFirst(line))
}

/** Replaces a first word that names no area. */
const replaceStrange = async (
  line: SplitLine,
  env: Environment,
): Promise<RewrittenWords | undefined> => {
  const [first = ''] = line.words
  if (first === 'log' && line.words.length === 1)
    return { tokens: ['commits', 'list', ...line.without(1)] }
  const near = /^(?:logs?|trace)$/.test(first)
    ? ['jobs', 'log', ...line.without(1)]
    : replaceNear(line, env)
  return near === undefined ? undefined : replaceFrom(near)
}

/** Lists the words of a line about what pipelines have: `ci cancel job 13` is `cancel job 13`. */
const listInnerWords = ({ area, words, rest }: ReachedArea): readonly string[] | undefined => {
  const [verb = '', noun = '', object] = words
  const isOther = (findAreaWord(noun) ?? findRoute(noun)) !== undefined
  return area === 'ci' && object !== undefined && isOther ? [verb, noun, ...rest(2)] : undefined
}

/** Rewrites the words of a line; undefined if they mean nothing. */
export const rewriteWords = async (
  typed: readonly string[],
  env: Environment,
): Promise<RewrittenWords | undefined> => {
  const alias = expandFirst(typed, env)
  const line = splitLine(alias ?? typed)
  if (line.words.length === 0)
    return typed.join(' ') === '-v' ? { tokens: ['--version'] } : undefined
  const replaced = await replaceBeginning(line, env)
  if (replaced !== undefined) return { tokens: replaced }
  const joined = joinNames(alias ?? typed)
  if (joined !== (alias ?? typed)) return rewriteWords(joined, env)
  const reached = resolveArea(line, 0) ?? (await resolveVerbFirst(line))
  if (reached === undefined) return replaceStrange(line, env)
  if (reached.route !== undefined) return replaceRoute(reached)
  const inner = listInnerWords(reached)
  if (inner !== undefined) return rewriteWords(inner, env)
  const known = await replaceVerb(reached)
  const isOurs =
    listAreas().some(({ name }) => name === line.words[0]) || isTool(line.words[0] ?? '')
  return known ?? (isOurs ? undefined : { tokens: [...reached.area.split(' '), '--help'] })
}

const replaceFrom = async (tokens: readonly string[]): Promise<RewrittenWords | undefined> => {
  const reached = resolveArea(splitLine(tokens), 0)
  return reached === undefined ? { tokens } : replaceVerb(reached)
}

/** Expands the alias that is the first word of a line; undefined if there is none. */
export const expandFirst = (
  tokens: readonly string[],
  env: Environment,
): readonly string[] | undefined => {
  const [first = ''] = splitLine(tokens).words
  if (findAreaWord(first) !== undefined) return undefined
  return expandAlias(tokens, tokens.indexOf(first), env)
}
