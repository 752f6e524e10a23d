/** Endpoints → the command that they make by themselves. */
import { type Endpoint, type Endpoints, getPath } from '../../../catalogue/endpoint.js'
import { shownFields } from '../../../catalogue/kinds.js'
import { isScope, type Param, valuesOf } from '../../../catalogue/params.js'
import { getProperties } from '../../../catalogue/shapes/properties.js'
import type { Argument, Command, Described, Flag } from '../types.js'

// What commands and their flags are called.

// What an endpoint's object belongs to: a project, a group or a user.

const scopeRoots = { projects: 'project', groups: 'group', users: 'user' } as const
export type ScopeKind = (typeof scopeRoots)[keyof typeof scopeRoots]

/** What an endpoint's object belongs to: the placeholder behind /projects, /groups or /users. */
export const getScope = (
  e: Pick<Endpoint, 'route' | 'args'>,
): { kind: ScopeKind; placeholder: string } | undefined => {
  const [, root, holder] = getPath(e).split('/')
  if (root === undefined || holder === undefined || !holder.startsWith(':')) return undefined
  if (!(root in scopeRoots)) return undefined
  const placeholder = holder.slice(1)
  if (e.args?.includes(placeholder)) return undefined
  return { kind: scopeRoots[root as keyof typeof scopeRoots], placeholder }
}

/** The words of a command, as in `approvals rules list`. */
export const getCommandName = (command: Pick<Command, 'area' | 'words'>): string =>
  [command.area, command.words].filter((w) => w !== '').join(' ')

/** The API's name as flags write names. */
export const kebab = (name: string): string => name.replaceAll('_', '-')
/** The flag name of a parameter. */
export const flagName = (name: string, param: Param): string => param.name ?? kebab(name)

// Endpoints → flags: their placeholders and parameters, one flag for all endpoints of a command.

// The fields that a command's answers have, by the catalogue: for completion and suggestions.

/** The column that says which object a row is about, where several were given. */
export const objectColumn = 'object'

/** The field that a dotted name begins with. */
export const getFirstSegment = (path: string): string => path.split('.')[0] ?? path

/** Field names of the answers of these endpoints, each once. */
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

/** The API's own name beside a flag that has another. */
const alias = (name: string, param: Param): { aliases?: readonly string[] } =>
  param.name !== undefined && param.name !== kebab(name) ? { aliases: [kebab(name)] } : {}

/** The flag of a parameter that is not given by position. */
const flagOf = (parameter: string, param: Param, required: boolean): Flag => ({
  name: flagName(parameter, param),
  param,
  parameter,
  required,
  ...alias(parameter, param),
})

/** Flags that fill the placeholders of a path, all of which it needs. */
const pathFlags = (e: Endpoint): Flag[] => {
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
        : { ...flagOf(parameter, param, true), path: true },
    )
}

const selector = ({ when }: Endpoint): Flag[] =>
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
const flagsOf = (e: Endpoint): Flag[] => [
  ...pathFlags(e),
  ...Object.entries(e.params)
    .filter(([name]) => e.args?.includes(name) !== true && !paging.has(name))
    .map(([name, param]) => flagOf(name, param, param.required === true)),
  ...selector(e),
]

/** Of two enumerations of one name the longer: the endpoint chosen later narrows it again. */
const widest = (a: Flag, b: Flag): Flag =>
  valuesOf(b.param).length > valuesOf(a.param).length ? b : a

/** One flag for all endpoints of a command; required only where every endpoint requires it. */
const mergeFlags = (endpoints: readonly Endpoint[]): Flag[] => {
  const merged = new Map<string, { flag: Flag; required: number }>()
  for (const flag of endpoints.flatMap(flagsOf)) {
    const known = merged.get(flag.name)
    merged.set(flag.name, {
      flag: known === undefined ? flag : widest(known.flag, flag),
      required: (known?.required ?? 0) + (flag.required ? 1 : 0),
    })
  }
  return [...merged.values()].map(({ flag, required }) => ({
    ...flag,
    required: required === endpoints.length,
  }))
}

// Endpoints → what a command takes by position.

/** The arguments of a command: those of the endpoint that takes most. */
const argumentsOf = (endpoints: readonly Endpoint[]): Argument[] => {
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
        name: flagName(name, param),
        required: everywhere && !isScope(param),
        variadic: i === 0 && names.length === 1 && takesSeveral(longest),
        help: param.help,
        parameter: name,
        param,
      },
    ]
  })
}

/** Verbs that act on one object take several; lists of what belongs to one, and files, do not. */
const takesSeveral = (e: Endpoint): boolean =>
  e.returns.kind === 'one' || e.returns.kind === 'empty'

export const derived = (area: string, words: string, endpoints: Endpoints): Described => {
  const all = Object.values(endpoints)
  return {
    area,
    words,
    summary: all[0]?.summary ?? '',
    args: argumentsOf(all),
    flags: mergeFlags(all),
    endpoints,
  }
}

/** A command as its endpoints alone make it, without what was written by hand. */
export const withoutSpecial = ({ area, words, endpoints }: Described): Described =>
  derived(area, words, endpoints)

/** The command that reads one record of a list; undefined where the area has none. */
export const singleNamed = ({
  registry,
  area,
  words,
}: Pick<Command, 'registry' | 'area' | 'words'>): Promise<Command | undefined> =>
  registry.named(area, words.replace(/list$/, 'get'))
