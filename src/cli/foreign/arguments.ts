/** Replaces arguments that a command does not take by flags, and flags by arguments. */

import { quoteWord } from '../../base/shell-words.js'
import { findMistyped } from '../../base/suggest.js'
import { getParamValues, getScopeType, isNumeric, isSwitch } from '../../catalogue/params.js'
import {
  canListRecords,
  getAnswerFields,
  getSelectList,
  hasScopeEndpoint,
} from '../../engine/command/derive.js'
import { getCommandFlags } from '../../engine/command/flags.js'
import { addInstanceFlags } from '../../engine/command/globals.js'
import {
  findSwitch,
  getLastValue,
  hasSeveralProfiles,
  readInstanceFlags,
} from '../../engine/command/tokens.js'
import type { Command } from '../../engine/command/types.js'
import { isWord } from '../../engine/plan/line.js'
import { type FieldPlace, findFieldPlace, getTitle } from './fields.js'
import { type FlagReplacement, toAddress } from './values.js'

/** Returns the positions of the arguments among the tokens of a command. */
export const findArguments = (command: Command, tokens: readonly string[]): readonly number[] => {
  const flags = getCommandFlags(command)
  const found: number[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? ''
    if (token === '--') break
    if (isWord(token) || token === '-') {
      found.push(i)
      continue
    }
    const flag = flags.find(
      ({ name, short, aliases, own }) =>
        token === `-${short}` ||
        [name, ...(aliases ?? []), ...(own ?? [])].some((one) =>
          [`--${one}`, `--no-${one}`].includes(token),
        ),
    )
    const next = tokens[i + 1] ?? ''
    if (flag === undefined ? !/^--[^=]+$/.test(token) : isSwitch(flag.param)) continue
    if (flag?.optionalValue !== true || /^\d/.test(next)) i++
  }
  return found
}

/** Matches words that name no project or group, and nothing to search for. */
const noName = /^(?:all|any|help|asc|desc)$/

/** Returns the flag for the project or group that an argument names; undefined for a number, or a word that no group is called. */
const toScope = (command: Command, text: string): readonly string[] | undefined => {
  if (/^\d+$/.test(text) || noName.test(text)) return undefined
  if (text.includes('/') && hasScopeEndpoint(command, 'project')) return ['-P', text]
  return hasScopeEndpoint(command, 'group') ? ['-G', text] : undefined
}

/**
 * Returns the ID of a project: of one that is given by its path, the output of another line on the same instance.
 * @returns undefined if no other line prints it: the line asks several instances or snapshots, or reads its projects from standard input
 */
export const toProjectId = (project: string, tokens: readonly string[]): string | undefined => {
  if (/^\d+$/.test(project)) return project
  if (project === '-') return undefined
  const flags = readInstanceFlags(tokens, {})
  if (hasSeveralProfiles(flags) || getLastValue(tokens, 'from') !== undefined) return undefined
  const line = `svcctl projects get ${quoteWord(project)} -o value --fields id`
  const sudo = getLastValue(tokens, 'sudo')
  const insecure = findSwitch(tokens, 'insecure') === true
  return `$(${addInstanceFlags(line, { ...flags, insecure, sudo })})`
}

/** Replaces `--project` by a condition, for a list without a form for projects; undefined if it has no field for one. */
const rewriteProjects = async (
  command: Command,
  tokens: readonly string[],
): Promise<readonly string[] | undefined> => {
  const place = await findFieldPlace(command)
  if (place?.flag !== '--where' || !place.fields.includes('project_id')) return undefined
  const names = ['-P', '--project']
  const isOfFlag = (i: number): boolean =>
    names.includes(tokens[i] ?? '') || names.includes(tokens[i - 1] ?? '')
  const projects = tokens.flatMap((token, i) =>
    names.includes(tokens[i - 1] ?? '') ? token.split(',').filter((one) => one !== '') : [],
  )
  const ids = projects.map((one) => toProjectId(one, tokens))
  if (ids.includes(undefined)) return undefined
  const others = tokens.filter((_, i) => !isOfFlag(i))
  return others.toSpliced(
    tokens.findIndex((_, i) => isOfFlag(i)),
    0,
    '--where',
    `project_id=${ids.join('|')}`,
  )
}

const getFlagValue = (
  tokens: readonly string[],
  names: readonly string[],
): { readonly at: number; readonly value: string } | undefined => {
  const at = tokens.findIndex((token) => names.includes(token))
  const value = tokens[at + 1]
  return at < 0 || value === undefined ? undefined : { at, value }
}

/** Replaces `--group` of the list of projects by a condition on their paths. */
const rewriteGroup = (command: Command, tokens: readonly string[]): readonly string[] => {
  const group = getFlagValue(tokens, ['-G', '--group'])
  if (group === undefined || command.area !== 'projects' || hasScopeEndpoint(command, 'group'))
    return tokens
  return tokens.toSpliced(group.at, 2, '--where', `path_with_namespace~${group.value}/`)
}

/** Rewrites a field that follows those of `--fields` as one of them: `--fields id status`. */
const joinFields = (
  command: Command,
  tokens: readonly string[],
  at: number,
): readonly string[] | undefined => {
  const fields = getAnswerFields(Object.values(command.endpoints))
  const [name, first = '', text = ''] = tokens.slice(at - 2, at + 1)
  if (name !== '--fields' || !fields.includes(text)) return undefined
  return tokens.toSpliced(at - 1, 2, `${first},${text}`)
}

const hasScopeFlag = (tokens: readonly string[]): boolean =>
  getFlagValue(tokens, ['-P', '--project', '-G', '--group']) !== undefined

/** Returns the flag of a list that a word is for: the only one that has it as a value, the file of commits, or the search. */
const toListFlag = ({ flags }: Command, text: string): readonly string[] | undefined => {
  const [own, ...others] = flags.filter(({ param }) => getParamValues(param).includes(text))
  if (own !== undefined && others.length === 0) return [`--${own.name}`, text]
  const name = ['path', 'search', 'query'].find((one) => flags.some((flag) => flag.name === one))
  return name === undefined ? undefined : [`--${name}`, text]
}

/** Replaces an argument that a list does not take by the flag for it: the project or group, or one of its own. */
const rewriteSurplus = (command: Command, tokens: readonly string[], at: number) => {
  const text = tokens[at] ?? ''
  const joined = joinFields(command, tokens, at)
  if (joined !== undefined) return joined
  const isScoped = hasScopeFlag(tokens)
  const scope = isScoped ? undefined : toScope(command, text)
  const isWordFor = /^[a-z][\w-]*$/i.test(text) && !noName.test(text)
  const given = scope ?? (isScoped || isWordFor ? toListFlag(command, text) : undefined)
  return given === undefined ? tokens : tokens.toSpliced(at, 1, ...given)
}

/** Rewrites the arguments of a list as the project, the group, or a condition. */
const rewriteOfList = async (
  command: Command,
  tokens: readonly string[],
): Promise<readonly string[]> => {
  const scope = getFlagValue(tokens, ['-P', '--project'])
  if (scope !== undefined && !hasScopeEndpoint(command, 'project') && command.open !== true) {
    const rewritten = await rewriteProjects(command, tokens)
    if (rewritten !== undefined) return rewritten
  }
  const surplus = findArguments(command, tokens).slice(command.args.length)
  const [at, ...others] = surplus
  if (at === undefined) return rewriteGroup(command, tokens)
  if (others.length > 0 || command.args.length > 0) return tokens
  return rewriteSurplus(command, tokens, at)
}

/** Moves a project or group from its flag to the argument, for commands that take it there. */
const rewriteScope = (command: Command, tokens: readonly string[]): readonly string[] => {
  const [first] = command.args
  const scope = getScopeType(first?.param)
  if (scope === undefined || findArguments(command, tokens).length > 0) return tokens
  const given = getFlagValue(tokens, scope === 'project' ? ['-P', '--project'] : ['-G', '--group'])
  return given === undefined || hasScopeEndpoint(command, scope)
    ? tokens
    : tokens.toSpliced(given.at, 2, given.value)
}

/** Rewrites an attribute and its value from two arguments, or one, to a flag: `settings set NAME VALUE`, `settings set NAME=VALUE`. */
const rewriteAttribute = (command: Command, tokens: readonly string[]): readonly string[] => {
  const [at, second, ...others] = findArguments(command, tokens)
  if (command.args.length > 0 || at === undefined || others.length > 0) return tokens
  const isPair = second === undefined && (tokens[at] ?? '').includes('=')
  if (!isPair && second !== at + 1) return tokens
  const [name = '', value = ''] = isPair
    ? (tokens[at] ?? '').split(/=(.*)/s)
    : [tokens[at], tokens[at + 1]]
  const flag = command.flags.find((one) => one.name === name.replaceAll('_', '-'))
  const given =
    flag === undefined
      ? ['--param', `${name.replaceAll('-', '_')}=${value}`]
      : isSwitch(flag.param)
        ? [`--${flag.name}=${value}`]
        : [`--${flag.name}`, value]
  return tokens.toSpliced(at, isPair ? 1 : 2, ...given)
}

/** Replaces the address of an instance in the place of a profile by its flag. */
const rewriteAddress = (command: Command, tokens: readonly string[]): readonly string[] => {
  if (getFlagValue(tokens, ['--base-url']) !== undefined) return tokens
  const at = findArguments(command, tokens).find((i) =>
    /^(?:https?:\/\/.+|[\w-]+(?:\.[\w-]+)+(?::\d+)?)$/.test(tokens[i] ?? ''),
  )
  if (at === undefined) return tokens
  return tokens.toSpliced(at, 1, '--base-url', toAddress(tokens[at] ?? ''))
}

/** The fields by which people call an object in one word. */
const wordFields = ['source_branch', 'username']

/** Returns the condition for the objects that people call by these texts; undefined if their list has no field for names. */
const toNameCondition = (place: FieldPlace, given: readonly string[]): string | undefined => {
  const isUser = place.fields.includes('username')
  const names = given.map((text) => (isUser ? text.replace(/^@/, '') : text))
  if (!names.every((text) => /^[A-Za-z][\w./@ -]*$/.test(text))) return undefined
  const text = names.join('|')
  const isPhrase = text.includes(' ')
  const field = isPhrase ? undefined : wordFields.find((name) => place.fields.includes(name))
  if (field !== undefined) return `${field}=${text}`
  const title = getTitle(place)
  const isPart = isPhrase || (title === 'title' && place.flag === '--where')
  return title === 'id' ? undefined : `${title}${isPart ? '~' : '='}${text}`
}

/**
 * Replaces names in the place of IDs: by `--select`, or by the list that shows the IDs.
 * @returns undefined if the line has no such names
 */
export const rewriteName = async (
  command: Command,
  tokens: readonly string[],
): Promise<FlagReplacement | undefined> => {
  const places = findArguments(command, tokens)
  const names = places.map((at) => tokens[at] ?? '')
  const [at] = places
  if (at === undefined || !isNumeric(command.args[0]?.param)) return undefined
  const kept = tokens.filter((_, i) => !places.includes(i))
  const own = await findFieldPlace(command)
  const selected = own?.flag === '--select' ? toNameCondition(own, names) : undefined
  if (selected !== undefined) return { tokens: kept.toSpliced(at, 0, '--select', selected) }
  const list = await command.registry.find(command.area, 'list')
  const place = list === undefined ? undefined : await findFieldPlace(list)
  const listed = place?.flag === '--where' ? toNameCondition(place, names) : undefined
  if (list === undefined || listed === undefined) return undefined
  const isScoped = Object.values(list.endpoints).every(
    ({ path = {} }) => Object.keys(path).length > 0,
  )
  const lacksScope = isScoped && !hasScopeFlag(tokens)
  const where = ['--where', listed, ...(lacksScope ? ['--all-projects'] : [])]
  return { command: `${command.area} list`, tokens: kept.toSpliced(at, 0, ...where) }
}

/** Returns the tokens that an object in another notation means: `1,2`, `id=1`, `runner/1`, `#1`, `1-3`, `all`; or its attribute. */
const toObjects = (command: Command, text: string): readonly string[] => {
  const [first] = command.args
  const listed = isNumeric(first?.param) ? /^\d+(?:,\d+)+$/ : /^[\w.-]+(?:,[\w.-]+)+$/
  if (first?.variadic === true && listed.test(text)) return text.split(',')
  const [, name, value] = /^([a-z]\w*)=(.*)$/s.exec(text) ?? []
  const attribute = command.flags.find((flag) => flag.name === name?.replaceAll('_', '-'))
  if (attribute !== undefined && first !== undefined) return [`--${attribute.name}=${value}`]
  if (!isNumeric(first?.param)) return [text]
  const [, id] = /^(?:[a-z_]+[=:/]|#)(\d+)$/i.exec(text) ?? []
  if (id !== undefined) return [id]
  if (getSelectList(command) === undefined) return [text]
  const isOfInstance = command.flags.some(({ name }) => name === 'instance')
  const where = [...(isOfInstance ? ['--instance'] : []), '--select']
  const [, from, to] = /^(\d+)(?:-|\.\.)(\d+)$/.exec(text) ?? []
  if (from !== undefined) return [...where, `id>=${from},id<=${to}`]
  return /^(?:all|\*)$/.test(text) ? [...where, 'id>0'] : [text]
}

/** Rewrites the objects of a command that are given in another notation. */
const rewriteObjects = (command: Command, tokens: readonly string[]): readonly string[] => {
  const places = findArguments(command, tokens)
  return tokens.flatMap((token, i) => (places.includes(i) ? toObjects(command, token) : [token]))
}

/** Rewrites the arguments of a line; correct ones are kept. */
export const rewriteArguments = async (
  command: Command,
  typed: readonly string[],
): Promise<readonly string[]> => {
  const tokens = rewriteObjects(command, typed)
  if (command.area === 'export') return rewriteExport(tokens, command)
  if (command.area === 'auth' && command.words === 'login') return rewriteAddress(command, tokens)
  if (canListRecords(command)) return rewriteOfList(command, rewriteScope(command, tokens))
  if (getSelectList(command) === undefined && command.words.endsWith('update'))
    return rewriteAttribute(command, tokens)
  return rewriteScope(command, tokens)
}

/** Rewrites the argument of `export`, which takes kinds: a path becomes the flag of its project or group. */
const rewriteExport = async (
  tokens: readonly string[],
  command: Command,
): Promise<readonly string[]> => {
  const { managedKinds } = await import('../../catalogue/managed.js')
  const names = managedKinds.map(({ name }) => name)
  const [at, ...others] = findArguments(command, tokens)
  const text = at === undefined ? '' : (tokens[at] ?? '')
  if (at === undefined || others.length > 0 || names.includes(text)) return tokens
  const near = findMistyped(text, names)
  if (near !== undefined) return tokens.with(at, near)
  return hasScopeFlag(tokens)
    ? tokens
    : tokens.toSpliced(at, 1, text.includes('/') ? '-P' : '-G', text)
}
