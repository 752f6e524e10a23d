/** Endpoints → the command that they make by themselves. */
import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  writes,
} from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { shownFields } from '../../catalogue/kinds.js'
import { formatOf, getParamValues, isScope, type Param } from '../../catalogue/params.js'
import type { Globals } from './globals.js'
import type { Argument, Command, CommandFacts, Flag } from './types.js'

// What commands and their flags are called.

// What an endpoint's object belongs to: a project, a group or a user.

const scopeRoots = { projects: 'project', groups: 'group', users: 'user' } as const
export type ScopeKind = (typeof scopeRoots)[keyof typeof scopeRoots]

/** Returns the scope of an endpoint's object: the placeholder behind /projects, /groups or /users. */
export const getScope = (
  e: Pick<Endpoint, 'route' | 'args'>,
): { kind: ScopeKind; placeholder: string } | undefined => {
  const [, root = '', placeholder] = /^\/(\w+)\/:(\w+)/.exec(getPath(e)) ?? []
  if (placeholder === undefined || !Object.hasOwn(scopeRoots, root)) return undefined
  if (e.args?.includes(placeholder)) return undefined
  return { kind: scopeRoots[root as keyof typeof scopeRoots], placeholder }
}

/** Returns the words of a command, as in `approvals rules list`. */
export const getCommandName = (command: Pick<Command, 'area' | 'words'>): string =>
  [command.area, command.words].filter((w) => w !== '').join(' ')

/** Converts the API's name to the form of flags. */
export const toKebabCase = (name: string): string => name.replaceAll('_', '-')
/** Returns the flag name of a parameter. */
export const getFlagName = (name: string, param: Param): string => param.name ?? toKebabCase(name)

// Endpoints → flags: their placeholders and parameters, one flag for all endpoints of a command.

// The fields that a command's answers have, by the catalogue: for completion and suggestions.

/** The column that says which object a row is about, where several were given. */
export const objectColumn = 'object'

/** Returns the field that a dotted name begins with. */
export const getFirstSegment = (path: string): string => path.split('.')[0] ?? path

/** Returns the field names of the answers of these endpoints, each once. */
export const getAnswerFields = (endpoints: readonly Endpoint[]): readonly string[] => {
  const own = new Set(endpoints.flatMap((e) => Object.keys(getProperties(e.returns.shape) ?? {})))
  const shown = Object.entries(shownFields).filter(([, path]) => own.has(getFirstSegment(path)))
  const made = endpoints.flatMap((e) => e.made ?? [])
  return [...own, ...shown.map(([name]) => name), ...made]
}

/** Parameters that the paging flags carry. */
const paging = new Set(['page', 'per_page'])

/** The letters of what a command's object belongs to. */
export const scopeLetters: Readonly<Record<ScopeKind, { readonly short?: string }>> = {
  project: { short: 'P' },
  group: { short: 'G' },
  user: {},
}

/** The name of a parameter's flag whose own name is a flag of the tool's. */
const toPrefixedFlagName = (name: string): string => `api-${toKebabCase(name)}`

/** The API's own name beside a flag that has another, unless that name is a flag of the tool's. */
const getFlagAliases = (name: string, param: Param): { aliases?: readonly string[] } =>
  param.name === undefined ||
  [toKebabCase(name), toPrefixedFlagName(name)].includes(param.name) ||
  !/^\w+(?:-\w+)*$/.test(toKebabCase(name))
    ? {}
    : { aliases: [toKebabCase(name)] }

/** Creates the flag of a parameter that is not given by position. */
const createParameterFlag = (parameter: string, param: Param, required: boolean): Flag => ({
  name: getFlagName(parameter, param),
  param,
  parameter,
  required,
  ...getFlagAliases(parameter, param),
})

/** Flags that fill the placeholders of a path, all of which it needs. */
const getPathFlags = (e: Endpoint): Flag[] => {
  const scope = getScope(e)
  return Object.entries(e.path)
    .filter(([name]) => e.args?.includes(name) !== true)
    .map(([parameter, param]) =>
      scope?.placeholder === parameter
        ? {
            name: scope.kind,
            param,
            parameter,
            required: true,
            path: true,
            ...scopeLetters[scope.kind],
          }
        : { ...createParameterFlag(parameter, param, true), path: true },
    )
}

const getSelectorFlags = ({ when }: Endpoint): Flag[] =>
  when === undefined
    ? []
    : [
        {
          name: when.flag,
          param: { type: 'boolean', help: when.help },
          required: false,
          selects: true,
        },
      ]

/** Flags that the placeholders and parameters of one endpoint make. */
const getEndpointFlags = (e: Endpoint): Flag[] => [
  ...getPathFlags(e),
  ...Object.entries(e.params)
    .filter(([name]) => e.args?.includes(name) !== true && !paging.has(name))
    .map(([name, param]) => createParameterFlag(name, param, param.required === true)),
  ...getSelectorFlags(e),
]

/** Chooses the longer of two enumerations of one name: the endpoint chosen later narrows it again. */
const chooseWiderFlag = (a: Flag, b: Flag): Flag =>
  getParamValues(b.param).length > getParamValues(a.param).length ? b : a

/** Merges the flags of all endpoints of a command; a flag is required only if every endpoint requires it. */
const mergeFlags = (endpoints: readonly Endpoint[]): Flag[] => {
  const merged = new Map<string, { flag: Flag; required: number }>()
  for (const flag of endpoints.flatMap(getEndpointFlags)) {
    const known = merged.get(flag.name)
    merged.set(flag.name, {
      flag: known === undefined ? flag : chooseWiderFlag(known.flag, flag),
      required: (known?.required ?? 0) + (flag.required ? 1 : 0),
    })
  }
  return [...merged.values()].map(({ flag: { aliases = [], ...flag }, required }) => {
    const free = aliases.filter((alias) => !merged.has(alias))
    const isNeeded = required === endpoints.length
    return { ...flag, ...(free.length > 0 && { aliases: free }), required: isNeeded }
  })
}

// Endpoints → what a command takes by position.

/** Derives the arguments of a command: those of the endpoint that takes most. */
const deriveArguments = (endpoints: readonly Endpoint[]): Argument[] => {
  const [first] = endpoints
  if (first === undefined) return []
  const longest = endpoints.reduce(
    (a, b) => ((b.args?.length ?? 0) > (a.args?.length ?? 0) ? b : a),
    first,
  )
  const names = longest.args ?? []
  const everywhere = endpoints.every((e) => (e.args?.length ?? 0) === names.length)
  return names.flatMap((name, i) => {
    const param = longest.path[name] ?? longest.params[name]
    if (param === undefined) return []
    return [
      {
        name: getFlagName(name, param),
        required: everywhere && !isScope(param),
        variadic: i === 0 && names.length === 1 && isAboutOneObject(longest),
        help: param.help,
        parameter: name,
        param,
      },
    ]
  })
}

/** Verbs that act on one object take several; lists of what belongs to one, and files, do not. */
const isAboutOneObject = (e: Endpoint): boolean =>
  e.returns.kind === 'one' || e.returns.kind === 'empty'

export const deriveCommand = (area: string, words: string, endpoints: Endpoints): CommandFacts => {
  const all = Object.values(endpoints)
  return {
    area,
    words,
    summary: all[0]?.summary ?? '',
    args: deriveArguments(all),
    flags: mergeFlags(all),
    endpoints,
  }
}

/** Derives a command as its endpoints alone make it, without what was written by hand. */
export const deriveWithoutSpecial = ({ area, words, endpoints }: CommandFacts): CommandFacts =>
  deriveCommand(area, words, endpoints)

/** Finds the command that reads one record of a list; undefined if the area has none. */
export const findSingleCommand = ({
  registry,
  area,
  words,
}: Pick<Command, 'registry' | 'area' | 'words'>): Promise<Command | undefined> =>
  registry.named(area, words.replace(/list$/, 'get'))

// What a command is, by its endpoints.

/** True if all that a command reaches is declared by an extension. */
export const isExtension = (c: Pick<CommandFacts, 'endpoints'>): boolean => {
  const all = Object.values(c.endpoints)
  return all.length > 0 && all.every(({ from }) => from !== undefined)
}

/** True if a command reaches the instance through the catalogue. */
export const hasEndpoints = (c: CommandFacts): boolean => Object.keys(c.endpoints).length > 0
/** True if a command may be sent to several instances at once. */
export const isAskable = (c: CommandFacts): boolean =>
  hasEndpoints(c) || c.open === true || c.readOnly === true

/** Returns true if a command takes several profiles, one answer of all of them. */
export const takesProfiles = (c: CommandFacts): boolean => isAskable(c) && c.single !== true

/** True if a command lists records page by page. */
export const lists = (c: CommandFacts): boolean =>
  c.open === true || Object.values(c.endpoints).some((e) => e.returns.kind === 'many')

/** True if a command sends attributes. */
export const canSendAttributes = (c: CommandFacts): boolean =>
  c.open === true || Object.values(c.endpoints).some(writes)

/** Methods that change something, where a path follows: a path alone is read. */
const changing = /^(?:POST|PUT|PATCH|DELETE)$/i

/** True if a line of a command may change something. For an open command the line's method decides. */
export const mayChangeInstance = (
  c: CommandFacts,
  [first = '', path]: readonly string[],
): boolean =>
  c.writes === true ||
  Object.values(c.endpoints).some(writes) ||
  (c.open === true && path !== undefined && changing.test(first))

/** True if `--dry-run` can preview a command: it writes, and the API has no dry run of its own for it. */
export const canPreview = (c: CommandFacts): boolean =>
  (canSendAttributes(c) || c.writes === true) &&
  !Object.values(c.endpoints).some((e) => e.rehearses === true)

/** A command with the flags that say whether its requests are sent. */
interface Invocation {
  readonly command: CommandFacts
  readonly globals: Pick<Globals, 'curl' | 'dryRun'>
}

/** True if nothing is written. A command whose API has a dry run of its own sends what it is given. */
export const isRehearsal = ({ command, globals }: Invocation): boolean =>
  globals.dryRun && canPreview(command)

/** True if every request of a line is sent. */
export const isFullySent = (asked: Invocation): boolean =>
  !asked.globals.curl && !isRehearsal(asked)

/** Returns the list from which `--select` chooses a command's objects; undefined if there is none. */
export const getSelects = (c: CommandFacts): Endpoint['selects'] =>
  c.args[0]?.variadic === true
    ? Object.values(c.endpoints).find((e) => e.selects !== undefined)?.selects
    : undefined

/** True if a flag of a command only says which objects `--select` chooses from. */
export const isOfSelection = (c: CommandFacts, name: string): boolean => {
  const fact = getSelects(c)
  if (fact === undefined) return false
  if (name === 'project' || name === 'group') return !hasForm(c, name)
  return fact.by?.some((flag) => flag === name) === true
}

/** True if objects that belong to no project can be selected from the lists of several projects. */
export const canSelectAcrossProjects = (c: CommandFacts): boolean => getSelects(c)?.spread === true

/** True if a command only reads, so that it may be repeated. */
export const canRepeat = (c: CommandFacts): boolean =>
  c.watches === true ||
  (hasEndpoints(c) &&
    Object.values(c.endpoints).every(
      (e) => getMethod(e) === 'GET' && (e.returns.kind === 'one' || e.returns.kind === 'many'),
    ))

/** True if a command has a form for objects of a project, of a group or of a user. */
export const hasForm = (c: Pick<CommandFacts, 'endpoints'>, kind: ScopeKind): boolean =>
  Object.values(c.endpoints).some((e) => getScope(e)?.kind === kind)

/** True if a command changes nothing, whatever its arguments are. */
export const isReadOnlyCommand = (c: CommandFacts): boolean =>
  c.open !== true &&
  c.ownJournal !== true &&
  Object.values(c.endpoints).every((e) => !writes(e) && e.returns.kind !== 'file')

/** Returns true if a command's writes are planned, and so kept in a journal. */
export const keepsJournal = (c: CommandFacts): boolean => canSendAttributes(c)

/** Returns true if a command takes its objects as they come. */
export const streams = (c: CommandFacts): boolean =>
  (hasEndpoints(c) || c.open === true) && c.gathers !== true

/** Returns the flags of a command whose values rows of standard input may have for each object instead. */
export const getRowFlags = (
  c: Pick<CommandFacts, 'args' | 'flags' | 'endpoints'>,
): readonly Flag[] => {
  const writing = Object.values(c.endpoints).some(writes)
  if (!takesSeveral(c) || !writing) return []
  return c.flags.filter(
    ({ hidden, param, parameter, path }) =>
      parameter !== undefined &&
      path !== true &&
      hidden !== true &&
      // It names a file of this machine.
      formatOf(param) !== 'pem',
  )
}

/** True if a command takes several objects by position. */
export const takesSeveral = ({ args: [first] }: Pick<CommandFacts, 'args'>): boolean =>
  first?.variadic === true && first.file !== true
