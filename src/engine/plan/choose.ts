/**
 * Chooses the endpoint of a command. The scope (-P, -G, --user), flags that select an endpoint (`--instance`, `--inherited`) and filled
 * placeholders of the path decide.
 */
import type { JsonValues } from '../../base/objects.js'
import { joinWords } from '../../base/text.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { type Failure, usage } from '../../errors.js'
import { getCommandName, getFlagName, getScope, type ScopeKind } from '../command/derive.js'
import { getManyFlags } from '../command/flags.js'
import type { Command, Given } from '../command/types.js'
import type { PlanContext } from './objects.js'

/** An endpoint that fits a line which does not have its scope. */
interface Option {
  readonly endpoint: Endpoint
  readonly scope: ScopeKind
}

interface ChosenEndpoint extends Omit<Option, 'scope'> {
  /**
   * The endpoints that fit, if the line does not have the scope of the chosen one. The scope that the environment provides decides between
   * them (members).
   */
  readonly options: readonly Option[]
}

const scopeFlags = ['project', 'group', 'user'] as const

/** Rejects scopes and selecting flags that exclude each other. */
const checkScopes = (command: Command, given: Given): void => {
  const scopes = scopeFlags.filter((s) => given.flags[s] !== undefined && isScope(command, s))
  const [a, b] = scopes
  if (a !== undefined && b !== undefined) throw usage(`--${a} and --${b} exclude each other`)
  // Flags that select only endpoints without a scope (`--instance`).
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

const filterBySelector = (candidates: readonly Endpoint[], given: Given): readonly Endpoint[] => {
  const chosen = candidates.filter(
    ({ when }) => when !== undefined && given.flags[when.flag] === true,
  )
  return chosen.length > 0 ? chosen : candidates.filter(({ when }) => when === undefined)
}

const filterByScope = (
  command: Command,
  candidates: readonly Endpoint[],
  given: Given,
): readonly Endpoint[] => {
  const scope = scopeFlags.find((s) => given.flags[s] !== undefined && isScope(command, s))
  if (scope !== undefined) {
    const chosen = candidates.filter((e) => getScope(e)?.kind === scope)
    if (chosen.length > 0) return chosen
    throw usage(
      `${getCommandName(command)} is not available for a ${scope}`,
      `Available: ${describeForms(command)}.`,
    )
  }
  const bare = candidates.filter((e) => getScope(e) === undefined)
  return bare.length > 0 ? bare : candidates
}

/** Describes the available forms of a command. */
export const describeForms = (command: Command): string =>
  Object.values(command.endpoints)
    .map((e) => {
      const scope = getScope(e)
      const words = [
        getCommandName(command),
        describeHolders(e),
        ...(e.when === undefined ? [] : [`--${e.when.flag}`]),
        ...(scope === undefined ? [] : [`--${scope.kind}`]),
      ]
      return words.filter((word) => word !== '').join(' ')
    })
    .filter((form, i, all) => all.indexOf(form) === i)
    .join('; ')

/** Returns the placeholders, without the scope, that flags or arguments fill. */
const getPathHolders = (e: Endpoint): string[] => {
  const scope = getScope(e)?.placeholder
  return Object.keys(e.path).filter((name) => name !== scope)
}

const isFilled = (e: Endpoint, name: string, given: Given): boolean => {
  const index = e.args?.indexOf(name) ?? -1
  if (index >= 0) return given.args.length > index
  const param = e.path[name]
  return param !== undefined && given.flags[getFlagName(name, param)] !== undefined
}

const filterByHolders = (
  command: Command,
  candidates: readonly Endpoint[],
  given: Given,
  env: NodeJS.ProcessEnv,
): readonly Endpoint[] => {
  const touched = candidates.filter((e) => getPathHolders(e).some((h) => isFilled(e, h, given)))
  const complete = touched.filter((e) => getPathHolders(e).every((h) => isFilled(e, h, given)))
  const most = Math.max(0, ...complete.map((e) => getPathHolders(e).length))
  const best = complete.filter((e) => getPathHolders(e).length === most)
  if (best.length > 0 && hasConflict(touched, best, given)) {
    const texts = touched.map((e) => `(${describeHolders(e)})`).join(' or ')
    throw usage(`${getCommandName(command)} takes ${texts}, not both`)
  }
  if (best.length > 0) return best
  const none = candidates.filter((e) => getPathHolders(e).length === 0)
  if (none.length > 0) return none
  const fromEnv = candidates.filter((e) =>
    getPathHolders(e).every(
      (h) => isFilled(e, h, given) || env[e.path[h]?.env ?? ''] !== undefined,
    ),
  )
  if (fromEnv.length > 0) return fromEnv
  return touched.length > 0 ? touched : candidates
}

/** True if the line fills a placeholder that the chosen endpoint does not have. */
const hasConflict = (
  touched: readonly Endpoint[],
  best: readonly Endpoint[],
  given: Given,
): boolean => {
  const taken = new Set(best.flatMap((e) => [...getPathHolders(e), ...Object.keys(e.params)]))
  return touched.some((e) => getPathHolders(e).some((h) => !taken.has(h) && isFilled(e, h, given)))
}

/** Counts the required parameters that the line does not have (`ci lint -P` without a file has no content to post). */
const countMissing = (e: Endpoint, given: Given, override: JsonValues): number =>
  Object.entries(e.params).filter(
    ([name, param]) =>
      param.required === true &&
      e.args?.includes(name) !== true &&
      [
        given.flags[getFlagName(name, param)],
        given.input?.[name],
        given.extra[name],
        override[name],
      ].every((value) => value === undefined),
  ).length

/** Describes the arguments and flags that fill an endpoint's path, the arguments first. */
export const describeHolders = (e: Endpoint): string => {
  const words = getPathHolders(e).map((name) => {
    const param = e.path[name]
    const flag = param === undefined ? name : getFlagName(name, param)
    return e.args?.includes(name) ? `<${flag}>` : `--${flag}`
  })
  return words.toSorted((a, b) => Number(b.startsWith('<')) - Number(a.startsWith('<'))).join(' ')
}

/** True if a command has one endpoint, and no flag of the line could select another. */
const isPlain = ({ endpoints }: Command, { flags }: Given): boolean => {
  const [only, ...others] = Object.values(endpoints)
  const alone = others.length === 0 && only?.when === undefined
  return alone && scopeFlags.every((name) => flags[name] === undefined)
}

/** Finds the endpoints that fit the line, the best first. */
const findCandidates = (
  command: Command,
  given: Given,
  env: NodeJS.ProcessEnv,
  override: JsonValues,
): readonly Endpoint[] => {
  checkScopes(command, given)
  const all = Object.values(command.endpoints)
  const scoped = filterByScope(command, filterBySelector(all, given), given)
  return filterByHolders(command, scoped, given, env).toSorted(
    (a, b) => countMissing(a, given, override) - countMissing(b, given, override),
  )
}

/**
 * Chooses the endpoint of a line.
 * @throws Failure `usage` if scopes or forms exclude each other, or if the API has no such form
 */
export const chooseEndpoint = (
  command: Command,
  given: Given,
  env: NodeJS.ProcessEnv,
  override: JsonValues = {},
): ChosenEndpoint => {
  const chosen = isPlain(command, given)
    ? Object.values(command.endpoints)
    : findCandidates(command, given, env, override)
  const [endpoint] = chosen
  if (endpoint === undefined)
    throw usage(
      `${getCommandName(command)} is not available in this form`,
      `Available: ${describeForms(command)}.`,
    )
  const scope = getScope(endpoint)
  const isOpen = scope !== undefined && given.flags[scope.kind] === undefined
  const options = chosen.flatMap((e) => {
    const kind = isOpen ? getScope(e)?.kind : undefined
    return kind === undefined ? [] : [{ endpoint: e, scope: kind }]
  })
  return { endpoint, options }
}

// The scope of a command if the line does not have it: from the environment, or from a person.

/** An endpoint with its scope filled. */
export interface ScopedEndpoint {
  readonly endpoint: Endpoint
  /** The placeholder of the scope and its value; empty if the line has it. */
  readonly scope: Readonly<Record<string, string>>
}

const toScopedEndpoint = ({ endpoint }: Option, value: string): ScopedEndpoint => ({
  endpoint,
  scope: { [getScope(endpoint)?.placeholder ?? 'id']: value },
})

/** The environment variables that provide a scope, as hints name them. */
const variables: Readonly<Record<ScopeKind, string>> = {
  project: ' (SVC_PROJECT)',
  group: ' (SVC_GROUP)',
  user: '',
}

/** Returns the flags of a command that select several parents. */
const getSeveralFlags = (command: Command): readonly string[] => {
  const taken = new Set(
    getManyFlags(command).flatMap(({ name, hidden }) => (hidden === true ? [] : name)),
  )
  return ['group', 'all-projects', 'all-groups'].filter((name) => taken.has(name))
}

/** Returns the flags of a command that replace those of a single parent. */
const listOtherScopeFlags = (command: Command): readonly string[] => [
  ...command.flags.flatMap(({ name, selects }) =>
    selects === true && name === 'instance' ? name : [],
  ),
  ...getSeveralFlags(command),
]

const listScopeKinds = (options: readonly Option[]): readonly ScopeKind[] => [
  ...new Set(options.map(({ scope }) => scope)),
]

/** Creates the failure of a line without a scope. @param advice what gives it one */
const createMissingScopeFailure = (
  command: Command,
  options: readonly Option[],
  advice: string,
): Failure => {
  const flags = listScopeKinds(options).map((kind) => `--${kind}`)
  return usage(`${getCommandName(command)} needs ${flags.join(' or ')}`, advice)
}

/** Describes what gives a line its scope: flags, variables and a clone. */
const adviseScope = (command: Command, options: readonly Option[]): string => {
  const kinds = listScopeKinds(options)
  const ways = [
    ...kinds.map((kind) => `--${kind}${variables[kind]}`),
    ...listOtherScopeFlags(command).map((name) => `--${name}`),
  ]
  const clone = kinds.includes('project') ? ', or run it inside a clone of the project' : ''
  return `Give ${joinWords(ways, 'or')}${clone}.`
}

const askForScope = async (
  command: Command,
  first: Option,
  options: readonly Option[],
  around: PlanContext,
): Promise<ScopedEndpoint> => {
  const param = first.endpoint.path[getScope(first.endpoint)?.placeholder ?? 'id']
  const [answer] =
    (param === undefined ? undefined : await around.askMissing({ name: first.scope, param })) ?? []
  if (answer === undefined)
    throw createMissingScopeFailure(command, options, adviseScope(command, options))
  return toScopedEndpoint(first, answer)
}

/**
 * Checks that a line within another run has its scope, which neither variables nor a clone provide there.
 * @param allowed the global flags that the line may have
 * @throws Failure `usage` if it has none
 */
export const checkInnerScope = (
  command: Command,
  { options }: ChosenEndpoint,
  allowed: readonly string[],
): void => {
  if (options.length === 0) return
  const flags = [...listScopeKinds(options), ...listOtherScopeFlags(command)]
  // Flags of the command itself are always allowed.
  const usable = new Set(['instance', 'user', ...allowed])
  const ways = flags.flatMap((name) => (usable.has(name) ? `--${name}` : []))
  throw createMissingScopeFailure(command, options, `Give ${joinWords(ways, 'or')}.`)
}

/**
 * Fills in the project or group that an endpoint requires and the line does not have.
 * @throws Failure `usage` if the environment has none and there is no terminal
 */
export const fillScope = async (
  command: Command,
  { endpoint, options }: ChosenEndpoint,
  around: PlanContext,
): Promise<ScopedEndpoint> => {
  const [first] = options
  if (first === undefined) return { endpoint, scope: {} }
  const found = await around.getScope(options.map((o) => o.scope))
  if (found === undefined) return askForScope(command, first, options, around)
  return toScopedEndpoint(options.find((o) => o.scope === found.kind) ?? first, found.value)
}
