/**
 * Which endpoint of a command is meant, by what was given: the scope (-P, -G, --user), the flags
 * that pick one (`--instance`, `--inherited`), and the placeholders of its path that are filled.
 */
import type { JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { Failure, usage } from '../../errors.js'
import { flagName, getCommandName, getScope, type ScopeKind } from '../command/derive.js'
import { manyFlags } from '../command/flags.js'
import type { Command, Given } from '../command/types.js'
import type { PlanContext } from './objects.js'

interface ChosenEndpoint {
  readonly key: string
  readonly endpoint: Endpoint
  /** The scope that the endpoint needs and nobody gave: to be found in the environment. */
  readonly scope?: ScopeKind
  /** Further endpoints that would do as well, once the environment has spoken (members). */
  readonly others: readonly {
    readonly key: string
    readonly endpoint: Endpoint
    readonly scope: ScopeKind
  }[]
}

type Candidate = readonly [string, Endpoint]
const scopeFlags = ['project', 'group', 'user'] as const

/** Refuses scopes and selectors that exclude each other. */
const checkScopes = (command: Command, given: Given): void => {
  const scopes = scopeFlags.filter((s) => given.flags[s] !== undefined && isScope(command, s))
  const [a, b] = scopes
  if (a !== undefined && b !== undefined) throw usage(`--${a} and --${b} exclude each other`)
  // What picks an endpoint that has no scope, nowhere one that has (`--instance`).
  const bare = command.flags.find(
    ({ name, selects }) =>
      selects === true &&
      given.flags[name] === true &&
      Object.values(command.endpoints).every(
        (e) => e.when?.flag !== name || getScope(e) === undefined,
      ),
  )
  if (bare !== undefined && a !== undefined)
    throw usage(`--${bare.name} and --${a} exclude each other`)
}

const isScope = (command: Command, name: string): boolean =>
  name !== 'user' || Object.values(command.endpoints).some((e) => getScope(e)?.kind === 'user')

const bySelector = (candidates: readonly Candidate[], given: Given): readonly Candidate[] => {
  const chosen = candidates.filter(
    ([, e]) => e.when !== undefined && given.flags[e.when.flag] === true,
  )
  return chosen.length > 0 ? chosen : candidates.filter(([, e]) => e.when === undefined)
}

const byScope = (
  command: Command,
  candidates: readonly Candidate[],
  given: Given,
): readonly Candidate[] => {
  const asked = scopeFlags.find((s) => given.flags[s] !== undefined && isScope(command, s))
  const kind = (c: Candidate): ScopeKind | undefined => getScope(c[1])?.kind
  if (asked !== undefined) {
    const chosen = candidates.filter((c) => kind(c) === asked)
    if (chosen.length > 0) return chosen
    throw usage(
      `${getCommandName(command)} is not available for a ${asked}`,
      `Available: ${forms(command)}.`,
    )
  }
  const bare = candidates.filter((c) => kind(c) === undefined)
  return bare.length > 0 ? bare : candidates
}

/** The forms that a command has, in words. */
const forms = (command: Command): string =>
  Object.values(command.endpoints)
    .map((e) => {
      const scope = getScope(e)
      const flags = [
        ...(e.when === undefined ? [] : [`--${e.when.flag}`]),
        ...(scope === undefined ? [] : [`--${scope.kind}`]),
      ]
      return [getCommandName(command), ...flags].join(' ')
    })
    .filter((form, i, all) => all.indexOf(form) === i)
    .join('; ')

/** Placeholders that flags or arguments have to fill, without the scope. */
const holders = (e: Endpoint): string[] => {
  const scope = getScope(e)?.placeholder
  return Object.keys(e.path).filter((name) => name !== scope)
}

const filled = (e: Endpoint, name: string, given: Given): boolean => {
  const index = e.args?.indexOf(name) ?? -1
  if (index >= 0) return given.args.length > index
  const param = e.path[name]
  return param !== undefined && given.flags[flagName(name, param)] !== undefined
}

const byHolders = (
  command: Command,
  candidates: readonly Candidate[],
  given: Given,
  env: NodeJS.ProcessEnv,
): readonly Candidate[] => {
  const touched = candidates.filter(([, e]) => holders(e).some((h) => filled(e, h, given)))
  const complete = touched.filter(([, e]) => holders(e).every((h) => filled(e, h, given)))
  const most = Math.max(0, ...complete.map(([, e]) => holders(e).length))
  const best = complete.filter(([, e]) => holders(e).length === most)
  if (best.length > 0 && conflicting(touched, best, given)) {
    const texts = touched.map(([, e]) => `(${holderWords(e)})`).join(' or ')
    throw usage(`${getCommandName(command)} takes ${texts}, not both`)
  }
  if (best.length > 0) return best
  const none = candidates.filter(([, e]) => holders(e).length === 0)
  if (none.length > 0) return none
  const fromEnv = candidates.filter(([, e]) =>
    holders(e).every((h) => filled(e, h, given) || env[e.path[h]?.env ?? ''] !== undefined),
  )
  if (fromEnv.length > 0) return fromEnv
  return touched.length > 0 ? touched : candidates
}

/** A placeholder was given that the chosen endpoint cannot take. */
const conflicting = (
  touched: readonly Candidate[],
  best: readonly Candidate[],
  given: Given,
): boolean => {
  const taken = new Set(best.flatMap(([, e]) => [...holders(e), ...Object.keys(e.params)]))
  return touched.some(([, e]) => holders(e).some((h) => !taken.has(h) && filled(e, h, given)))
}

/** How many required parameters nobody gave (`ci lint -P` without a file has no content to post). */
const lacking = (e: Endpoint, given: Given, override: JsonValues): number =>
  Object.entries(e.params).filter(
    ([name, param]) =>
      param.required === true &&
      e.args?.includes(name) !== true &&
      [
        given.flags[flagName(name, param)],
        given.input?.[name],
        given.extra[name],
        override[name],
      ].every((value) => value === undefined),
  ).length

/** What has to be given to fill an endpoint's path, in words. */
export const holderWords = (e: Endpoint): string =>
  holders(e)
    .map((name) => {
      const param = e.path[name]
      const flag = param === undefined ? name : flagName(name, param)
      return e.args?.includes(name) ? `<${flag}>` : `--${flag}`
    })
    .join(' ')

/** Whether a command has one endpoint, and the line no flag that could mean another. */
const isPlain = ({ endpoints }: Command, { flags }: Given): boolean => {
  const [only, ...others] = Object.values(endpoints)
  const alone = others.length === 0 && only?.when === undefined
  return alone && scopeFlags.every((name) => flags[name] === undefined)
}

/** The endpoints that a line may mean, the best first. */
const candidatesFor = (
  command: Command,
  given: Given,
  env: NodeJS.ProcessEnv,
  override: JsonValues,
): readonly Candidate[] => {
  checkScopes(command, given)
  const all = Object.entries(command.endpoints)
  const scoped = byScope(command, bySelector(all, given), given)
  return byHolders(command, scoped, given, env).toSorted(
    ([, a], [, b]) => lacking(a, given, override) - lacking(b, given, override),
  )
}

/**
 * The endpoint that is meant.
 * @throws Failure `usage` when scopes or forms exclude each other, or the API has no such form
 */
export const choose = (
  command: Command,
  given: Given,
  env: NodeJS.ProcessEnv,
  override: JsonValues = {},
): ChosenEndpoint => {
  const chosen = isPlain(command, given)
    ? Object.entries(command.endpoints)
    : candidatesFor(command, given, env, override)
  const [first, ...rest] = chosen
  if (first === undefined)
    throw usage(
      `${getCommandName(command)} is not available in this form`,
      `Available: ${forms(command)}.`,
    )
  const [key, endpoint] = first
  const scope = getScope(endpoint)
  const open = scope !== undefined && given.flags[scope.kind] === undefined ? scope.kind : undefined
  if (open === undefined) return { key, endpoint, others: [] }
  const others = rest.flatMap(([k, e]) => {
    const s = getScope(e)
    return s === undefined ? [] : [{ key: k, endpoint: e, scope: s.kind }]
  })
  return { key, endpoint, scope: open, others }
}

// What the object of a command belongs to, where the line does not say: the environment, else a person.

/** An endpoint with its scope filled. */
export interface ScopedEndpoint {
  readonly key: string
  readonly endpoint: Endpoint
  /** The placeholder of the scope and its value; nothing where the line said it. */
  readonly scope: Readonly<Record<string, string>>
}
interface Option {
  readonly key: string
  readonly endpoint: Endpoint
  readonly scope: ScopeKind
}

const placed = ({ key, endpoint }: Option, value: string): ScopedEndpoint => ({
  key,
  endpoint,
  scope: { [getScope(endpoint)?.placeholder ?? 'id']: value },
})

/** The variables that say what is at hand. */
const variables: Readonly<Record<ScopeKind, string>> = {
  project: ' (SVC_PROJECT)',
  group: ' (SVC_GROUP)',
  user: '',
}

/** The ways to name several, of those that a command takes. */
const several = (command: Command): readonly string[] => {
  const taken = new Set(
    manyFlags(command).flatMap(({ name, hidden }) => (hidden === true ? [] : name)),
  )
  return ['group', 'all-projects', 'all-groups'].flatMap((name) =>
    taken.has(name) ? `--${name}` : [],
  )
}

/** `a`, `a or b`, `a, b or c`. */
const oneOf = (ways: readonly string[]): string =>
  [ways.slice(0, -1).join(', '), ...ways.slice(-1)].filter((part) => part !== '').join(' or ')

const missing = (command: Command, options: readonly Option[]): Failure => {
  const kinds = [...new Set(options.map((o) => o.scope))]
  const flags = kinds.map((kind) => `--${kind}`)
  const ways = [
    ...kinds.map((kind) => `--${kind}${variables[kind]}`),
    ...command.flags.flatMap(({ name, selects }) =>
      selects === true && name === 'instance' ? `--${name}` : [],
    ),
    ...several(command),
  ]
  const clone = kinds.includes('project') ? ', or run it inside a clone of the project' : ''
  return usage(
    `${getCommandName(command)} needs ${flags.join(' or ')}`,
    `Give ${oneOf(ways)}${clone}.`,
  )
}

const asked = async (
  command: Command,
  options: readonly Option[],
  around: PlanContext,
): Promise<ScopedEndpoint> => {
  const [first] = options
  if (first === undefined) throw new Failure('internal', 'no scope to choose from')
  const param = first.endpoint.path[getScope(first.endpoint)?.placeholder ?? 'id']
  const [answer] =
    (param === undefined ? undefined : await around.missing({ name: first.scope, param })) ?? []
  if (answer === undefined) throw missing(command, options)
  return placed(first, answer)
}

/**
 * The endpoint with the project or group that it needs and the line does not give.
 * @throws Failure `usage` where there is none at hand and nobody to ask
 */
export const fillScope = async (
  command: Command,
  choice: ChosenEndpoint,
  around: PlanContext,
): Promise<ScopedEndpoint> => {
  const { key, endpoint } = choice
  if (choice.scope === undefined) return { key, endpoint, scope: {} }
  const first = { key, endpoint, scope: choice.scope }
  const options = [first, ...choice.others]
  const found = await around.scope(options.map((o) => o.scope))
  if (found === undefined) return asked(command, options, around)
  return placed(options.find((o) => o.scope === found.kind) ?? first, found.value)
}
