/** Writes the lines that send the requests of operations that the documents lack. */

import { getLastValue } from '../../engine/command/tokens.js'
import { type ObjectReference, parseReference } from '../../engine/plan/arguments.js'
import { toPath } from '../../engine/plan/places.js'
import { recoverFrom } from '../../errors.js'
import { toProjectId } from './arguments.js'

/** A line in the words of svcctl. If `isMissing`, the documents lack the operation, and the line sends its request. */
export interface RewrittenWords {
  readonly tokens: readonly string[]
  readonly isMissing?: boolean
  /** The objects of a line that runs once for each: `eachObject` stands for them. */
  readonly objects?: readonly string[]
}

/** The shell variable that stands for each of several objects. */
export const eachObject = '$id'

/** The placeholders for the user to replace. */
const placeholders = { project: 'group/project', group: 'group' } as const

/** Returns true if arguments are objects of one request each, and none of them is a value for the first. */
const areObjects = (method: string, args: readonly string[]): boolean =>
  args.length > 1 &&
  (args.every((text) => /^\d+$/.test(text)) ||
    (['GET', 'DELETE'].includes(method) && !args.some((text) => /\s/.test(text))))

/** The lists of projects that groups have as well, below `groups/{group}`. */
const sharedLists =
  /^projects\/\{project\}(?=\/(?:access_requests|badges|boards|deploy_tokens|hooks|invitations|labels|milestones|variables|wikis)$)/

/** The parameters that an argument of a request without an object sets, by the last part of its path; `name` for all others. */
const titles: Readonly<Record<string, string>> = {
  branches: 'branch',
  invitations: 'email',
  issues: 'title',
  merge_requests: 'source_branch',
  notes: 'body',
  personal_access_tokens: 'name',
  pipeline: 'ref',
  tags: 'tag_name',
  users: 'username',
  variables: 'key',
}

/** Returns the parameter that an argument sets where the path has no place for it: the title of an object, or the text of a note. */
const listTitleWords = (path: string, args: readonly string[]): readonly string[] => {
  const isBelow = path.includes(':id')
  const name = titles[path.split('/').at(-1) ?? ''] ?? (isBelow ? undefined : 'name')
  const title = args[isBelow ? 1 : 0]
  return title === undefined || name === undefined ? [] : ['--param', `${name}=${title}`]
}

/** The parameters of requests that take a destination, a new name or an origin. */
const ends: readonly (readonly [request: RegExp, flag: 'to' | 'from', param: string])[] = [
  [/\/(?:branches|tags)$/, 'from', 'ref'],
  [/\/fork$/, 'to', 'namespace_path'],
  [/\/move$/, 'to', 'to_project_id'],
  [/^PUT projects\/[^/]+$/, 'to', 'name'],
  [/ groups\/.*\/transfer$/, 'to', 'group_id'],
  [/\/transfer$/, 'to', 'namespace'],
]

/** Sets the parameter of a destination or an origin. `--to` and `--from` are flags of svcctl with another meaning. */
const listEndWords = (
  request: string,
  [, second]: readonly string[],
  flags: readonly string[],
): readonly string[] => {
  const [, flag, param = ''] = ends.find(([end]) => end.test(request)) ?? []
  if (flag === undefined) return flags
  const at = flags.findIndex((token) => token.split('=')[0] === `--${flag}`)
  const joined = flags[at]?.split(/=(.*)/s)[1]
  const typed = at < 0 ? undefined : (joined ?? flags[at + 1])
  const value = typed ?? (flag === 'to' ? second : undefined)
  if (value === undefined) return flags
  const set = [
    '--param',
    `${param}=${param === 'to_project_id' ? (toProjectId(value, flags) ?? 'ID') : value}`,
  ]
  if (typed === undefined) return [...set, ...flags]
  return flags.toSpliced(at, joined === undefined ? 2 : 1, ...set)
}

/** The flags that choose objects, and those that also say which part of a list is read. Each may have a value. */
const choosing = /^--(?:select|instance)(?:=|$)/
const listing =
  /^(?:-[AL]|--(?:select|instance|all|limit|page|per-page|sort|where|group-by|count))(?:=|$)/

/** Removes flags with their values. */
const removeFlags = (flags: readonly string[], removed: RegExp): readonly string[] =>
  flags.filter((token, i) => {
    const before = flags[i - 1] ?? ''
    const isValue = !token.startsWith('-') && removed.test(before) && !before.includes('=')
    return !removed.test(token) && !isValue
  })

/** The parameters of the objects that references name, by the part of a path before the ID. */
const referents: Readonly<Record<string, string>> = {
  merge_requests: 'merge_request_iid',
  issues: 'issue_iid',
  jobs: 'job_id',
}

/** Returns the base URL of the line, or else the one that an address has if the instance is not below a path. */
const guessBaseUrl = (text: string, flags: readonly string[]): string => {
  const [, host = ''] = /^(?:[a-z+]+:\/\/)?(?:[^@/\s]*@)?([^/:\s]+)/i.exec(text) ?? []
  const origin = /^https?:/i.test(text) ? new URL(text).origin : `https://${host}`
  return getLastValue(flags, 'base-url') ?? origin
}

/** Reads the object of a request, which may be a reference such as `group/project!4` or a web address. */
const readObject = (text: string, path: string, flags: readonly string[]): ObjectReference => {
  const [, place] = /^(project|group)s\/:id/.exec(path) ?? []
  const [, list = ''] = /\/([a-z_]+)\/:id/.exec(path) ?? []
  const parameter = referents[list]
  const getBaseUrl = (): string => guessBaseUrl(text, flags)
  try {
    if (place === 'project' || place === 'group') return { id: toPath(text, place, getBaseUrl) }
    if (parameter !== undefined) return parseReference(text, { parameter }, getBaseUrl)
  } catch (error) {
    recoverFrom(error)
  }
  return { id: text }
}

/** Returns the filter for objects whose ID may stand in a path. A name is none where the instance has numbers. */
const hasObjectId =
  (path: string) =>
  ({ id }: ObjectReference): boolean => {
    const [, list = ''] = /\/([a-z_]+)\/:id/.exec(path) ?? []
    return !Object.hasOwn(referents, list) || /^(?:\d+|-|\$.*)$/.test(id)
  }

/** A path with the objects of a line in it. */
interface FilledPath {
  readonly path: string
  /** The texts that `eachObject` stands for, if the line runs once for each object. */
  readonly objects?: readonly string[]
  /** The project that all objects name. */
  readonly project?: string | undefined
}

/** Puts the objects of a line into a path. Those of several projects differ in more than their IDs. */
const fillPath = (
  path: string,
  args: readonly ObjectReference[],
  isEach: boolean,
  isPlaced: boolean,
): FilledPath => {
  const used = isEach ? args : args.slice(0, 1)
  const projects = new Set(isPlaced ? [] : used.map(({ project }) => project))
  const [varying = ':id'] = (projects.size > 1 && /\{project\}.*:id/.exec(path)) || []
  const fill = ({ project, id }: ObjectReference): string =>
    varying
      .replace('{project}', (lacking) =>
        project === undefined ? lacking : encodeURIComponent(project),
      )
      .replaceAll(':id', () => encodeURIComponent(id))
  if (isEach) {
    const [project] = projects.size === 1 ? projects : []
    return { path: path.replaceAll(varying, () => eachObject), objects: used.map(fill), project }
  }
  const [first = { id: 'ID' }] = used
  return {
    path: path.replaceAll(varying, () => fill(first)),
    project: isPlaced ? undefined : first.project,
  }
}

/** Lists the flags that a path requires and that the line lacks, with placeholders where the line does not name the place. */
const listScopeWords = (
  { path, objects = [], project = placeholders.project }: FilledPath,
  flags: readonly string[],
): readonly string[] => {
  const lacks = (kind: 'project' | 'group'): boolean =>
    [path, ...objects].some((text) => text.includes(`{${kind}}`)) &&
    !flags.some((token) => isScopeFlag('group', token) || isScopeFlag(kind, token))
  return [
    ...(lacks('project') ? ['-P', project] : []),
    ...(lacks('group') ? ['-G', placeholders.group] : []),
  ]
}

/** Creates the line that sends a request, with the arguments in its path and all flags of the original line. */
export const sendRequest = (
  request: string,
  args: readonly string[],
  flags: readonly string[],
): RewrittenWords => {
  const isOfGroup = flags.some((token) => isScopeFlag('group', token))
  const [method = 'GET', route = '', ...more] = request.split(' ')
  const path = isOfGroup ? route.replace(sharedLists, 'groups/{group}') : route
  const objects = args.map((text) => readObject(text, path, flags)).filter(hasObjectId(path))
  const ids = objects.map(({ id }) => id)
  const isEach = path.includes(':id') && areObjects(method, ids)
  const isPlaced = isOfGroup || flags.some((token) => isScopeFlag('project', token))
  const filled = fillPath(path, objects, isEach, isPlaced)
  const title = method === 'POST' ? listTitleWords(path, args) : []
  // A request is about one object.
  const kept = removeFlags(flags, method === 'GET' ? choosing : listing)
  return {
    tokens: [
      'api',
      method,
      filled.path,
      ...more,
      ...title,
      ...listScopeWords(filled, flags),
      ...listEndWords(`${method} ${path}`, args, kept),
    ],
    isMissing: true,
    ...(filled.objects === undefined ? {} : { objects: filled.objects }),
  }
}

const scopeFlags = {
  project: /^(?:-P|-R|--project|--repo|--repository)(?:=|$)|^-P./,
  group: /^(?:-G|-g|--group|--namespace|--org)(?:=|$)|^-G./,
} as const
const isScopeFlag = (kind: keyof typeof scopeFlags, token: string): boolean =>
  scopeFlags[kind].test(token)
