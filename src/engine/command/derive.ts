/** Derives commands, their arguments and their flags from endpoints, and answers what a command can do. */
import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  writes,
} from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { shownFields } from '../../catalogue/kinds.js'
import { getParamFormat, getParamValues, isScope, type Param } from '../../catalogue/params.js'
import { documentedWords } from '../../catalogue/words.js'
import { type Failure, usage } from '../../errors.js'
import type { Globals } from './globals.js'
import type { Argument, Command, CommandFacts, Flag } from './types.js'

// The project, group or user that an endpoint's object belongs to.

const scopeRoots = { projects: 'project', groups: 'group', users: 'user' } as const

/** The kind of owner of an endpoint's objects. */
export type ScopeKind = (typeof scopeRoots)[keyof typeof scopeRoots]

/**
 * Returns the scope of an endpoint: the placeholder after /projects, /groups or /users. Undefined if that placeholder
 * is an argument.
 */
export const getScope = (
  e: Pick<Endpoint, 'route' | 'args'>,
): { kind: ScopeKind; placeholder: string } | undefined => {
  const [, root = '', placeholder] = /^\/(\w+)\/:(\w+)/.exec(getPath(e)) ?? []
  if (placeholder === undefined || !Object.hasOwn(scopeRoots, root)) return undefined
  if (e.args?.includes(placeholder)) return undefined
  return { kind: scopeRoots[root as keyof typeof scopeRoots], placeholder }
}

/** Returns the words of a command, such as `approvals rules list`. */
export const getCommandName = (command: Pick<Command, 'area' | 'words'>): string =>
  [command.area, command.words].filter((w) => w !== '').join(' ')

/** Converts an API name to a flag name: `created_after` becomes `created-after`. */
export const toKebabCase = (name: string): string => name.replaceAll('_', '-')
/** Returns the flag name of a parameter. */
export const getFlagName = (name: string, param: Param): string => param.name ?? toKebabCase(name)

/** Creates the failure for a line with two names of the same parameter. */
export const createNameConflictFailure = (one: string, other: string): Failure =>
  usage(`${one} and ${other} are two names of the same parameter`, 'Pass only one of them.')

// The fields of a command's answers according to the catalogue, for completion and suggestions.

/** The column that names the object of a row if the line has several objects. */
export const objectColumn = 'object'

/** Returns the first field of a dotted name. */
export const getFirstSegment = (path: string): string => path.split('.')[0] ?? path

/** Returns the field names of the answers of these endpoints, without repetition. */
export const getAnswerFields = (endpoints: readonly Endpoint[]): readonly string[] => {
  const own = new Set(endpoints.flatMap((e) => Object.keys(getProperties(e.returns.shape) ?? {})))
  const shownNames = Object.entries(shownFields).flatMap(([name, path]) =>
    own.has(getFirstSegment(path)) ? [name] : [],
  )
  const computedFields = endpoints.flatMap((e) => e.made ?? [])
  return [...own, ...shownNames, ...computedFields]
}

/** Parameters that --page and --per-page fill. */
const pagingParameters = new Set(['page', 'per_page'])

/** The short flags of the scopes. */
export const scopeLetters: Readonly<Record<ScopeKind, { readonly short?: string }>> = {
  project: { short: 'P' },
  group: { short: 'G' },
  user: {},
}

/** Prefixes the flag of a parameter whose own name is a global flag. */
const toPrefixedFlagName = (name: string): string => `api-${toKebabCase(name)}`

/** Matches the names that flags can have. A parameter of an extension may have another name, such as `filter[state]`. */
const flagName = /^\w+(?:-\w+)*$/

/** Returns the API's own name as an alias for a flag with another name, unless a global flag has it. */
const getFlagAliases = (name: string, param: Param): { aliases?: readonly string[] } => {
  const own = toKebabCase(name)
  const isRenamed =
    param.name !== undefined && ![own, toPrefixedFlagName(name)].includes(param.name)
  return isRenamed && flagName.test(own) ? { aliases: [own] } : {}
}

/** Creates the flag for a parameter that is no argument. */
const createParameterFlag = (parameter: string, param: Param, required: boolean): Flag => ({
  name: getFlagName(parameter, param),
  param,
  parameter,
  required,
  ...getFlagAliases(parameter, param),
})

/** Creates the flags for the placeholders of a path, all of them required. */
const createPathFlags = (e: Endpoint): Flag[] => {
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

/** Creates the flag that selects this endpoint, if its command has several. */
const createSelectorFlags = ({ when }: Endpoint): Flag[] =>
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

/** Creates the flags for the placeholders and parameters of one endpoint. */
const createEndpointFlags = (e: Endpoint): Flag[] => [
  ...createPathFlags(e),
  ...Object.entries(e.params)
    .filter(([name]) => e.args?.includes(name) !== true && !pagingParameters.has(name))
    .map(([name, param]) => createParameterFlag(name, param, param.required === true)),
  ...createSelectorFlags(e),
]

/** Chooses the flag with more values. The endpoint that is chosen later checks them again. */
const chooseWiderFlag = (a: Flag, b: Flag): Flag =>
  getParamValues(b.param).length > getParamValues(a.param).length ? b : a

/** Merges the flags of all endpoints of a command; a flag is required only if every endpoint requires it. */
const mergeFlags = (endpoints: readonly Endpoint[]): Flag[] => {
  const merged = new Map<string, { flag: Flag; required: number }>()
  for (const flag of endpoints.flatMap(createEndpointFlags)) {
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

// Endpoints → arguments.

/** Derives the arguments of a command from its endpoint with the most arguments. */
const deriveArguments = (endpoints: readonly Endpoint[]): Argument[] => {
  const [first] = endpoints
  if (first === undefined) return []
  const longest = endpoints.reduce(
    (a, b) => ((b.args?.length ?? 0) > (a.args?.length ?? 0) ? b : a),
    first,
  )
  const names = longest.args ?? []
  const haveSameArguments = endpoints.every((e) => (e.args?.length ?? 0) === names.length)
  return names.flatMap((name, i) => {
    const param = longest.path[name] ?? longest.params[name]
    if (param === undefined) return []
    return [
      {
        name: getFlagName(name, param),
        required: haveSameArguments && !isScope(param),
        variadic: i === 0 && names.length === 1 && isAboutOneObject(longest),
        help: param.help,
        parameter: name,
        param,
      },
    ]
  })
}

/**
 * True for endpoints that act on one object: their commands take several. Lists of an object's parts and files take
 * one.
 */
const isAboutOneObject = (e: Endpoint): boolean =>
  e.returns.kind === 'one' || e.returns.kind === 'empty'

/** Derives a command from its endpoints. Its summary is that of the first endpoint. */
export const deriveCommand = (area: string, words: string, endpoints: Endpoints): CommandFacts => {
  const all = Object.values(endpoints)
  return {
    area,
    words,
    summary: all[0]?.summary ?? '',
    args: deriveArguments(all),
    flags: mergeFlags(all),
    endpoints,
    naming: documentedWords,
  }
}

/** Derives a command from its endpoints alone, without the handwritten part. */
export const deriveWithoutSpecial = ({ area, words, endpoints }: CommandFacts): CommandFacts =>
  deriveCommand(area, words, endpoints)

/** Finds the command that reads one record of a list; undefined if the command is no list, or if the area has none. */
export const findGetCommand = async ({
  registry,
  area,
  words,
}: Pick<Command, 'registry' | 'area' | 'words'>): Promise<Command | undefined> =>
  /(^| )list$/.test(words) ? registry.find(area, words.replace(/list$/, 'get')) : undefined

// Facts about a command that follow from its endpoints.

/** True if an extension declares all endpoints of a command. */
export const isExtension = (c: Pick<CommandFacts, 'endpoints'>): boolean => {
  const all = Object.values(c.endpoints)
  return all.length > 0 && all.every(({ from }) => from !== undefined)
}

/** True if a command has endpoints in the catalogue. */
export const hasEndpoints = (c: CommandFacts): boolean => Object.keys(c.endpoints).length > 0
/** True if a command sends requests of the API: those of its endpoints, or any. */
export const canCallApi = (c: CommandFacts): boolean => hasEndpoints(c) || c.open === true
/** True if a command prints a secret on purpose. */
export const canRevealSecret = (c: CommandFacts): boolean =>
  c.credential === true || Object.values(c.endpoints).some(({ reveals }) => reveals !== undefined)
/** True if the instance of a command has names of its own. */
export const hasOwnNames = ({ naming }: Pick<CommandFacts, 'naming'>): boolean =>
  naming !== documentedWords
/** True if a command can run on several instances. */
export const canReachSeveralInstances = (c: CommandFacts): boolean =>
  canCallApi(c) || c.readOnly === true

/** True if a command accepts several profiles and merges their answers. */
export const takesProfiles = (c: CommandFacts): boolean =>
  canReachSeveralInstances(c) && c.single !== true

/** True if a command lists records page by page. */
export const canListRecords = (c: CommandFacts): boolean =>
  c.open === true || Object.values(c.endpoints).some((e) => e.returns.kind === 'many')

/** True if a command sends attributes. */
export const canSendAttributes = (c: CommandFacts): boolean =>
  c.open === true || Object.values(c.endpoints).some(writes)

/** Methods that change the instance if a path follows; `api delete` alone reads the path `delete`. */
const changingMethod = /^(?:POST|PUT|PATCH|DELETE)$/i

/** True if a line may change the instance. For `api`, the method in the line decides. */
export const mayChangeInstance = (
  c: CommandFacts,
  [first = '', path]: readonly string[],
): boolean =>
  c.writes === true ||
  Object.values(c.endpoints).some(writes) ||
  (c.open === true && path !== undefined && changingMethod.test(first))

/** True if `--dry-run` can preview a command: it writes, and its API has no dry run of its own. */
export const canPreview = (c: CommandFacts): boolean =>
  (canSendAttributes(c) || c.writes === true) &&
  !Object.values(c.endpoints).some((e) => e.ownDryRun === true)

/** A command with the flags that decide whether its requests are sent. */
interface Invocation {
  readonly command: CommandFacts
  readonly globals: Pick<Globals, 'curl' | 'dryRun'>
}

/** True if nothing is written. The API's own dry run is a request like any other. */
export const isPreview = ({ command, globals }: Invocation): boolean =>
  globals.dryRun && canPreview(command)

/** True if every request of a line is sent. */
export const isFullySent = (invocation: Invocation): boolean =>
  !invocation.globals.curl && !isPreview(invocation)

/** Returns the list in which `--select` finds the objects of a command; undefined if there is none. */
export const getSelectList = (c: CommandFacts): Endpoint['selects'] =>
  c.args[0]?.variadic === true
    ? Object.values(c.endpoints).find((e) => e.selects !== undefined)?.selects
    : undefined

/** True if a flag of a command only narrows the list in which `--select` looks. */
export const canNarrowSelection = (c: CommandFacts, name: string): boolean => {
  const fact = getSelectList(c)
  if (fact === undefined) return false
  if (name === 'project' || name === 'group') return !hasScopeEndpoint(c, name)
  return fact.by?.some((flag) => flag === name) === true
}

/** Returns the arguments that name no object, such as the duration of `issues estimate`. */
export const getOtherArguments = (
  { args: [first], open }: Pick<CommandFacts, 'args' | 'open'>,
  args: readonly string[],
): readonly string[] => {
  if (first === undefined || first.variadic || open === true) return []
  const namesObject = first.parameter !== undefined || first.param?.completes !== undefined
  return namesObject ? args.slice(1) : args
}

/** True if `--select` can look for objects that belong to no project in the lists of several projects. */
export const canSelectAcrossProjects = (c: CommandFacts): boolean =>
  getSelectList(c)?.spread === true

/** True if a command only reads, so that --watch may repeat it. */
export const canRepeat = (c: CommandFacts): boolean =>
  c.watches === true ||
  (hasEndpoints(c) &&
    Object.values(c.endpoints).every(
      (e) => getMethod(e) === 'GET' && (e.returns.kind === 'one' || e.returns.kind === 'many'),
    ))

/** True if a command has an endpoint for objects of a project, of a group or of a user. */
export const hasScopeEndpoint = (c: Pick<CommandFacts, 'endpoints'>, kind: ScopeKind): boolean =>
  Object.values(c.endpoints).some((e) => getScope(e)?.kind === kind)

/** True if a command changes nothing, whatever its arguments are. */
export const isReadOnlyCommand = (c: CommandFacts): boolean =>
  c.open !== true &&
  c.ownJournal !== true &&
  Object.values(c.endpoints).every((e) => !writes(e) && e.returns.kind !== 'file')

/** True if the writes of a command are recorded in a journal. */
export const canRecordJournal = (c: CommandFacts): boolean => canSendAttributes(c)

/** True if a command processes objects while further ones are still being read. */
export const canCommandStream = (c: CommandFacts): boolean => canCallApi(c) && c.gathers !== true

/** Returns the flags whose values can come from the rows of standard input, one value for each object. */
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
      // The value names a file of this machine.
      getParamFormat(param) !== 'pem',
  )
}

/** Lists the names of the attributes that a row may have. */
export const listRowAttributes = (c: Parameters<typeof getRowFlags>[0]): readonly string[] =>
  getRowFlags(c).flatMap(({ parameter = '', own = [] }) => [
    parameter,
    ...own.map((one) => one.replaceAll('-', '_')),
  ])

/** True if a command accepts several objects as arguments. */
export const takesSeveral = ({ args: [first] }: Pick<CommandFacts, 'args'>): boolean =>
  first?.variadic === true && first.file !== true
