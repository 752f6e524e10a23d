/** Assigns positional arguments to the parameters of an endpoint, and resolves references and web addresses of objects. */
import type { JsonValue } from '../../base/objects.js'
import { describeSize } from '../../base/text.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { withArticle } from '../../catalogue/kinds.js'
import { getParamFormat, getScopeType, isNumeric, type Param } from '../../catalogue/params.js'
import { Failure, placeFailure, recoverFrom, usage } from '../../errors.js'
import { cleanPath, isAddress, parseWebPath } from '../../profile/index.js'
import { getCommandName, getFlagName, getScope } from '../command/derive.js'
import type { Argument, Command, Given } from '../command/types.js'
import { describeHolders } from './choose.js'
import type { MissingValue, PlanContext } from './objects.js'
import { parseValue, type ValueOptions } from './parse-values.js'
import { toPath } from './places.js'

/** Creates the failure for a missing flag. The help of an extension's parameter may be its name alone, which says nothing. */
export const createMissingFailure = (
  command: Command,
  label: string,
  name: string,
  { help }: Param,
): Failure => {
  const called = getCommandName(command)
  const isBare = help === name.replaceAll('_', ' ')
  return usage(`${called} needs ${label}`, isBare ? `See "svcctl ${called} --help".` : `${help}.`)
}

const createMissingArgumentFailure = (
  command: Command,
  endpoint: Endpoint,
  name: string,
  param: Param,
) => {
  const alternatives = Object.values(command.endpoints).filter((e) => e !== endpoint)
  const or = [...new Set(alternatives.map(describeHolders))].filter(
    (w) => w !== '' && w !== describeHolders(endpoint),
  )
  return usage(
    `${getCommandName(command)} needs <${getFlagName(name, param)}>${or.length === 0 ? '' : ` or ${or.join(' or ')}`}`,
    `${param.help}. See "svcctl ${getCommandName(command)} --help".`,
  )
}

/**
 * Adds missing arguments from the environment, or asks a person for them.
 * @throws Failure `usage` for an argument that is still missing
 */
export const completeArguments = async (
  command: Command,
  endpoint: Endpoint,
  given: Given,
  around: Pick<PlanContext, 'askMissing' | 'getScope'>,
  project: Pick<MissingValue, 'project'>,
): Promise<readonly string[]> => {
  const names = endpoint.args ?? []
  const args = [...given.args]
  const several = command.args[0]?.variadic === true
  for (let i = args.length; i < names.length; i++) {
    const name = names[i] ?? ''
    const param = endpoint.path[name] ?? endpoint.params[name]
    if (param === undefined) continue
    const missing = { name: getFlagName(name, param), param, argument: true, several, ...project }
    const scope = getScopeType(param)
    const atHand = scope === undefined ? undefined : await around.getScope([scope])
    const answer = atHand === undefined ? await around.askMissing(missing) : [atHand.value]
    if (answer === undefined) throw createMissingArgumentFailure(command, endpoint, name, param)
    args.push(...answer)
  }
  return args
}

/** Returns the name under which --param sends a parameter; undefined for a placeholder of the path. */
export const getExtraName = ({ params }: Pick<Endpoint, 'params'>, name: string) =>
  Object.hasOwn(params, name) ? name : undefined

/** True if one request can take several objects (`members add 1 2`). */
export const canJoinObjects = (endpoint: Endpoint): boolean =>
  getParamFormat(endpoint.params[endpoint.args?.[0] ?? '']) === 'csv'

/** Parses the texts that name an object. For piped objects, the failure does not quote the text, which may be a secret. */
const parseObject = (
  param: Param,
  texts: readonly string[],
  label: string,
  { piped, ...how }: ValueOptions & { readonly piped: boolean },
): JsonValue => {
  if (!piped) return parseValue(param, texts, label, how)
  try {
    return parseValue(param, texts, label, { note: how.note, now: how.now })
  } catch (error) {
    const { category } = recoverFrom(error)
    if (isNumeric(param)) throw new Failure(category, `${label} must be an integer`)
    const sizes = texts.map(describeSize).join(', ')
    throw new Failure(category, `${label} cannot be ${sizes}`, { hint: `${param.help}.` })
  }
}

/**
 * Puts the arguments of one object into the values.
 * @throws Failure `usage` for too many arguments
 */
export const placeArgs = (
  command: Command,
  endpoint: Endpoint,
  group: readonly string[],
  values: Record<string, JsonValue | undefined>,
  around: PlanContext,
): void => {
  const names = endpoint.args ?? []
  for (const [i, name] of names.entries()) {
    const param = endpoint.path[name] ?? endpoint.params[name]
    const texts = canJoinObjects(endpoint) ? group.slice(i) : group.slice(i, i + 1)
    if (param !== undefined && texts.length > 0)
      values[name] = parseObject(param, texts, `<${getFlagName(name, param)}>`, {
        note: around.note,
        now: around.now(),
        piped: around.piped === true,
        parameter: getExtraName(endpoint, name),
      })
  }
  if (group.length > names.length && !canJoinObjects(endpoint))
    throw usage(
      `${getCommandName(command)} takes ${names.length === 0 ? 'no arguments' : `only ${names.length}`}; unexpected argument "${group[names.length]}"`,
    )
}

// References (`platform/app!42`) and web addresses of objects. Both name the project of the object.

/** Parses the first argument, or each object of a variadic argument, as a reference that may name a project. */
export const resolveReferences = async (
  command: Command,
  given: Given,
  around: PlanContext,
): Promise<readonly ObjectReference[]> => {
  const [argument] = command.args
  const texts = argument?.variadic === true ? given.args : given.args.slice(0, 1)
  const base = texts.some(isAddress) ? await around.getBaseUrl() : ''
  return texts.map((text) => {
    try {
      return parseReference(text, argument, () => base)
    } catch (error) {
      throw placeFailure(error, given.places?.get(text))
    }
  })
}

/** Sets the project if every object names one. Otherwise the environment would be searched for it. */
export const fillSharedProject = (given: Given, references: readonly ObjectReference[]): Given => {
  const [first] = references
  if (first?.project === undefined || given.flags.project !== undefined) return given
  if (references.some((r) => r.project === undefined)) return given
  return { ...given, flags: { ...given.flags, project: first.project } }
}

export const replaceReference = (
  group: readonly string[],
  reference: ObjectReference | undefined,
): readonly string[] => (reference === undefined ? group : [reference.id, ...group.slice(1)])

/** True if two texts name the same project, by its path in any case or by its ID. */
const isSameProject = async (a: string, b: string, around: PlanContext): Promise<boolean> => {
  const [one, other] = await Promise.all(
    [a, b].map(async (text) => {
      const number = /^\d+$/.test(text) && /^\d+$/.test(a) !== /^\d+$/.test(b)
      return ((number ? await around.findPath(Number(text)) : undefined) ?? text).toLowerCase()
    }),
  )
  return one === other
}

export const placeProject = async (
  endpoint: Endpoint,
  reference: ObjectReference | undefined,
  given: Given,
  values: Record<string, JsonValue | undefined>,
  around: PlanContext,
): Promise<void> => {
  const holder = getScope(endpoint)?.placeholder
  if (reference?.project === undefined || holder === undefined) return
  const project = given.flags.project
  if (project !== undefined && !(await isSameProject(String(project), reference.project, around)))
    throw usage(
      `the reference names ${reference.project}, but --project is ${String(project)}`,
      'Remove one of them.',
    )
  values[holder] = reference.project
}

export interface ObjectReference {
  readonly project?: string
  readonly id: string
}

/** For each path parameter, the mark of references, the segment of web addresses, and the word for messages. */
const kinds: Readonly<Record<string, { mark?: string; segment: string; word: string }>> = {
  merge_request_iid: { mark: '!', segment: 'merge_requests', word: 'merge request' },
  issue_iid: { mark: '#', segment: 'issues', word: 'issue' },
  job_id: { segment: 'jobs', word: 'job' },
}

const getKindWord = (key: 'mark' | 'segment', value: string): string =>
  Object.values(kinds).find((kind) => kind[key] === value)?.word ?? 'something else'

/**
 * Parses the text of an argument as a reference, a web address or an ID.
 * @param baseUrl the instance's address, at which web addresses must be
 * @throws Failure `usage` for a reference of another kind or an address of another instance
 */
export const parseReference = (
  text: string,
  argument: Pick<Argument, 'param' | 'parameter'> | undefined,
  baseUrl: () => string,
): ObjectReference => {
  const scope = getScopeType(argument?.param)
  if (scope !== undefined) return { id: toPath(text, scope, baseUrl) }
  const kind = kinds[argument?.parameter ?? '']
  if (kind === undefined) return { id: text }
  if (/^https?:\/\//i.test(text)) return parseObjectAddress(text, kind, baseUrl())
  const match = /^(?<project>.*?)(?<mark>[!#])(?<id>\d+)$/.exec(text)
  if (match?.groups === undefined) return { id: text }
  const { mark = '', id = '' } = match.groups
  const project = cleanPath(match.groups.project ?? '')
  if (mark !== kind.mark)
    throw usage(
      `${text} is ${withArticle(getKindWord('mark', mark))}; this command expects ${withArticle(kind.word)}`,
    )
  return project === '' ? { id } : { project, id }
}

const parseObjectAddress = (
  text: string,
  kind: { segment: string; word: string },
  baseUrl: string,
): ObjectReference => {
  const address = parseWebPath(text, baseUrl)
  if (address === undefined) throw usage(`not a web address of ${withArticle(kind.word)}: ${text}`)
  const { encoded, shown } = address
  const match = /^(?<project>.+?)\/-\/(?<segment>[a-z_]+)\/(?<id>\d+)(?:\/|$)/.exec(encoded)
  if (match?.groups === undefined)
    throw usage(`${shown} is not a web address of ${withArticle(kind.word)}`)
  const { project = '', segment = '', id = '' } = match.groups
  if (segment !== kind.segment)
    throw usage(
      `${shown} is the web address of ${withArticle(getKindWord('segment', segment))}; this command expects ${withArticle(kind.word)}`,
    )
  return { project: decodeURIComponent(project), id }
}
