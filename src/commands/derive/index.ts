/** Catalogue → commands: what an area's endpoints and the specials beside them make together. */

import {
  type Endpoint,
  type Endpoints,
  type Param,
  pathOf,
  writes,
} from '../../catalogue/endpoint.js'
import { type AreaRow, areas } from '../../catalogue/index.js'
import { specialsOf, toolCommands } from '../index.js'
import type { Argument, Command, Flag, Special } from '../types.js'

const scopeRoots = { projects: 'project', groups: 'group', users: 'user' } as const
export type ScopeKind = (typeof scopeRoots)[keyof typeof scopeRoots]

/** What an endpoint's object belongs to: the placeholder behind /projects, /groups or /users. */
export const scopeOf = (
  e: Pick<Endpoint, 'route' | 'args'>,
): { kind: ScopeKind; placeholder: string } | undefined => {
  const [, root, holder] = pathOf(e).split('/')
  if (root === undefined || holder === undefined || !holder.startsWith(':')) return undefined
  if (!(root in scopeRoots)) return undefined
  const placeholder = holder.slice(1)
  if (e.args?.includes(placeholder)) return undefined
  return { kind: scopeRoots[root as keyof typeof scopeRoots], placeholder }
}

/** The words of a command, as in `approvals rules list`. */
export const named = (command: Pick<Command, 'area' | 'words'>): string =>
  [command.area, command.words].filter((w) => w !== '').join(' ')

const kebab = (name: string): string => name.replaceAll('_', '-')
/** The flag name of a parameter. */
export const flagName = (name: string, param: Param): string => param.name ?? kebab(name)
/** Parameters that the paging flags carry. */
const paging = new Set(['page', 'per_page'])
const shorts: Readonly<Record<string, string>> = { project: 'P', group: 'G' }

const scopeFlag = (kind: ScopeKind, param: Param, parameter: string, required: boolean): Flag => ({
  name: kind,
  param,
  parameter,
  required,
  path: true,
  ...(shorts[kind] === undefined ? {} : { short: shorts[kind] }),
})

/** Flags that the placeholders and parameters of one endpoint make. */
const flagsOf = (e: Endpoint): Flag[] => {
  const scope = scopeOf(e)
  const given = new Set(e.args ?? [])
  const flags: Flag[] = []
  for (const [name, param] of Object.entries(e.path)) {
    if (scope?.placeholder === name) flags.push(scopeFlag(scope.kind, param, name, true))
    else if (!given.has(name))
      flags.push({
        name: flagName(name, param),
        param,
        parameter: name,
        required: true,
        path: true,
        ...alias(name, param),
      })
  }
  for (const [name, param] of Object.entries(e.params)) {
    if (given.has(name) || paging.has(name)) continue
    flags.push({
      name: flagName(name, param),
      param,
      parameter: name,
      required: param.required === true,
      ...alias(name, param),
    })
  }
  if (e.when !== undefined)
    flags.push({
      name: e.when.flag,
      param: { type: 'boolean', help: e.when.help },
      required: false,
      selects: true,
    })
  return flags
}

const alias = (name: string, param: Param): { aliases?: readonly string[] } =>
  param.name !== undefined && param.name !== kebab(name) ? { aliases: [kebab(name)] } : {}

/** One flag for all endpoints of a command; required only where every endpoint requires it. */
const mergeFlags = (endpoints: readonly Endpoint[]): Flag[] => {
  const merged = new Map<string, { flag: Flag; count: number; required: boolean }>()
  for (const e of endpoints) {
    for (const flag of flagsOf(e)) {
      const known = merged.get(flag.name)
      if (known === undefined) merged.set(flag.name, { flag, count: 1, required: flag.required })
      else {
        merged.set(flag.name, {
          flag: widest(known.flag, flag),
          count: known.count + 1,
          required: known.required && flag.required,
        })
      }
    }
  }
  return [...merged.values()].map(({ flag, count, required }) => ({
    ...flag,
    required: required && count === endpoints.length,
  }))
}

/** Of two enumerations of one name the longer: the endpoint chosen later narrows it again. */
const widest = (a: Flag, b: Flag): Flag =>
  a.param.type === 'enum' &&
  b.param.type === 'enum' &&
  b.param.values.length > a.param.values.length
    ? b
    : a

/** A project or group as the object itself may be the one at hand. */
export const isScope = (param: Param): param is Param & { readonly type: ScopeKind } =>
  param.type === 'project' || param.type === 'group'

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

const pick = (endpoints: Endpoints, keys: readonly string[]): Endpoints =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const e = endpoints[key]
      return e === undefined ? [] : [[key, e]]
    }),
  )

const derived = (area: string, words: string, endpoints: Endpoints): Command => {
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

const withSpecial = (command: Command, special: Special): Command => {
  const dropped = (f: Flag): boolean =>
    special.without === 'attributes'
      ? f.path !== true
      : special.without?.includes(f.parameter ?? f.name) === true
  const fills = (f: Flag): boolean => special.fills?.includes(f.parameter ?? f.name) === true
  const own: Flag[] = Object.entries(special.flags ?? {}).map(([name, param]) => ({
    name,
    param,
    required: param.required === true,
    ...(param.parameter === undefined ? {} : { parameter: param.parameter }),
    ...(param.short === undefined ? {} : { short: param.short }),
    ...(param.optionalValue === true ? { optionalValue: true as const } : {}),
    ...(param.pair === true ? { pair: true as const } : {}),
  }))
  const names = new Set(own.map((f) => f.name))
  return {
    ...command,
    summary: special.summary ?? command.summary,
    ...(special.description === undefined ? {} : { description: special.description }),
    ...(special.examples === undefined ? {} : { examples: special.examples }),
    args: special.args ?? command.args,
    flags: [
      ...command.flags
        .filter((f) => !dropped(f) && !names.has(f.name))
        .map((f) => (fills(f) ? { ...f, required: false } : f)),
      ...own,
    ],
    ...(special.open === true ? { open: true as const } : {}),
    ...(special.lasts === true ? { lasts: true as const } : {}),
    ...(special.made === undefined ? {} : { made: special.made }),
    run: special.run,
  }
}

/** The command words of an area, in the order of the catalogue, specials last. */
export const wordsOf = (area: string, endpoints: Endpoints): string[] => [
  ...new Set([
    ...Object.values(endpoints).map((e) => e.command),
    ...specialsOf(area).map((row) => row.words),
  ]),
]

/** One command of an area. */
export const commandOf = async (
  area: string,
  words: string,
  endpoints: Endpoints,
): Promise<Command> => {
  const row = specialsOf(area).find((r) => r.words === words)
  const special = await row?.load()
  const keys =
    special?.endpoints ?? Object.keys(endpoints).filter((key) => endpoints[key]?.command === words)
  const command = derived(area, words, pick(endpoints, keys))
  return special === undefined ? command : withSpecial(command, special)
}

export const commandsOfArea = async (row: AreaRow): Promise<Command[]> => {
  const endpoints = await row.load()
  return Promise.all(wordsOf(row.name, endpoints).map((w) => commandOf(row.name, w, endpoints)))
}

/** Examples of a command: its own, or the catalogue's. Apart from it: only help and docs load them. */
export const examplesOf = async (command: Command): Promise<readonly string[]> => {
  if (command.examples !== undefined) return command.examples
  const row = areas.find((a) => a.name === command.area)
  return (await row?.examples?.())?.[command.words] ?? []
}

/** A command of the tool itself (`auth login`, `doctor`). */
export const toolCommand = async (area: string, words: string): Promise<Command | undefined> => {
  const row = toolCommands.find((r) => r.area === area && r.words === words)
  if (row === undefined) return undefined
  return withSpecial(derived(area, words, {}), await row.load())
}

/** Every command there is: the areas' and the tool's own. */
export const allCommands = async (): Promise<Command[]> => {
  const ofAreas = (await Promise.all(areas.map(commandsOfArea))).flat()
  const own = await Promise.all(toolCommands.map((r) => toolCommand(r.area, r.words)))
  return [...ofAreas, ...own.flatMap((c) => (c === undefined ? [] : [c]))]
}

/** Whether a command lists records page by page. */
export const lists = (c: Command): boolean =>
  c.open === true || Object.values(c.endpoints).some((e) => e.returns.kind === 'many')
/** Whether a command sends attributes. */
export const sendsBody = (c: Command): boolean =>
  c.open === true || Object.values(c.endpoints).some(writes)
