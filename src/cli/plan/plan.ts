/**
 * Given → Plan: one endpoint with checked values. Whatever can be known to be wrong is refused
 * here, before anything is sent.
 */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Param } from '../../catalogue/params.js'
import { flagName, isScope, named, type ScopeKind, scopeOf } from '../../commands/derive/index.js'
import type { Command, Given, Plan } from '../../commands/types.js'
import { Failure, usage } from '../../errors.js'
import type { AskFor, Missing, PickFlags } from '../run/person/ask.js'
import {
  checkExclusive,
  extraValues,
  flagValues,
  inputValues,
  merged,
  pathValues,
  type Unknown,
} from './attributes.js'
import { placeProject, referencesOf, scopedBy, withoutReference } from './belonging.js'
import { attributesOf } from './changes.js'
import { type Choice, choose, holderWords } from './choose.js'
import { oneScope, parseValue } from './values.js'

/** What planning needs from its surroundings. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly note: (text: string) => void
  readonly unknown: Unknown
  /** The instance's address, for web addresses as objects. */
  readonly baseUrl: () => Promise<string>
  /** The project or group at hand, when a command cannot do without. */
  readonly scope: (
    kinds: readonly ScopeKind[],
  ) => Promise<{ kind: ScopeKind; value: string } | undefined>
  /** The path of a project by its number; undefined where that cannot be known. */
  readonly pathOf: (id: number) => Promise<string | undefined>
  /** A missing value from a person, or undefined where nobody can be asked. */
  readonly missing: AskFor
  /** Which flags a person wants to give, or undefined where nobody can be asked. */
  readonly pick: PickFlags
}

const checkSegment = (name: string, param: Param, value: unknown): void => {
  const parts =
    param.type === 'string' && String(value).includes('/')
      ? String(value).split('/')
      : [String(value)]
  if (parts.some((part) => part === '.' || part === '..'))
    throw usage(`${flagName(name, param)}: "." and ".." cannot stand in a path`)
  if (isScope(param) || param.completes === 'user')
    oneScope(isScope(param) ? param.type : 'user', [String(value)], flagName(name, param))
  if (String(value) === '') throw usage(`${flagName(name, param)} must not be empty`)
}

const fillScope = async (
  command: Command,
  choice: Choice,
  around: Surroundings,
): Promise<{ key: string; endpoint: Endpoint; scope: Record<string, unknown> }> => {
  const { key, endpoint } = choice
  if (choice.scope === undefined) return { key, endpoint, scope: {} }
  const options = [{ key, endpoint, scope: choice.scope }, ...choice.others]
  const found = await around.scope(options.map((o) => o.scope))
  const chosen = options.find((o) => o.scope === found?.kind) ?? options[0]
  if (found === undefined || chosen === undefined) return missingScope(command, options, around)
  const holder = scopeOf(chosen.endpoint)?.placeholder ?? 'id'
  return { key: chosen.key, endpoint: chosen.endpoint, scope: { [holder]: found.value } }
}

const missingScope = async (
  command: Command,
  options: readonly { key: string; endpoint: Endpoint; scope: ScopeKind }[],
  around: Surroundings,
) => {
  const [first] = options
  if (first === undefined) throw new Failure('internal', 'no scope to choose from')
  const holder = scopeOf(first.endpoint)?.placeholder ?? 'id'
  const param = first.endpoint.path[holder]
  const answer =
    param === undefined ? undefined : await around.missing({ name: first.scope, param })
  if (answer !== undefined)
    return { key: first.key, endpoint: first.endpoint, scope: { [holder]: answer[0] } }
  const flags = [...new Set(options.map((o) => `--${o.scope}`))]
  const names = flags.map(
    (f) =>
      `${f} (${f === '--project' ? 'SVC_PROJECT' : f === '--group' ? 'SVC_GROUP' : 'no variable'})`,
  )
  throw usage(
    `${named(command)} needs ${flags.join(' or ')}`,
    `Give ${names.join(' or ').replaceAll(' (no variable)', '')}, or run it inside a clone of the project.`,
  )
}

const allArgs = async (
  command: Command,
  endpoint: Endpoint,
  given: Given,
  around: Surroundings,
  project: Pick<Missing, 'project'>,
): Promise<readonly string[]> => {
  const names = endpoint.args ?? []
  const args = [...given.args]
  const several = command.args[0]?.variadic === true
  for (let i = args.length; i < names.length; i++) {
    const name = names[i] ?? ''
    const param = endpoint.path[name] ?? endpoint.params[name]
    if (param === undefined) continue
    const missing = { name: flagName(name, param), param, argument: true, several, ...project }
    const atHand = isScope(param) ? await around.scope([param.type]) : undefined
    const answer = atHand === undefined ? await around.missing(missing) : [atHand.value]
    if (answer === undefined) throw missingArgument(command, endpoint, name, param)
    args.push(...answer)
  }
  return args
}

/** The project that the objects of a command belong to, as far as it is known by now. */
const projectIn = (
  endpoint: Endpoint,
  given: Given,
  scope: Readonly<Record<string, unknown>>,
): Pick<Missing, 'project'> => {
  const holder = scopeOf(endpoint)
  if (holder?.kind !== 'project') return {}
  const value = given.flags.project ?? scope[holder.placeholder]
  return value === undefined ? {} : { project: String(value) }
}

const missingArgument = (command: Command, endpoint: Endpoint, name: string, param: Param) => {
  const alternatives = Object.values(command.endpoints).filter((e) => e !== endpoint)
  const or = [...new Set(alternatives.map(holderWords))].filter(
    (w) => w !== '' && w !== holderWords(endpoint),
  )
  return usage(
    `${named(command)} needs <${flagName(name, param)}>${or.length === 0 ? '' : ` or ${or.join(' or ')}`}`,
    `${param.help}; see svcctl ${named(command)} --help.`,
  )
}

const fillRequired = async (
  command: Command,
  endpoint: Endpoint,
  values: Record<string, unknown>,
  extra: Readonly<Record<string, unknown>>,
  around: Surroundings,
  project: Pick<Missing, 'project'>,
): Promise<void> => {
  const open = [
    ...Object.entries(endpoint.path),
    ...Object.entries(endpoint.params).filter(([, p]) => p.required === true),
  ].filter(([name]) => values[name] === undefined && extra[name] === undefined)
  for (const [name, param] of open) {
    const flag = flagName(name, param)
    const fromEnv = param.env === undefined ? undefined : around.env[param.env]
    const answer =
      fromEnv === undefined ? await around.missing({ name: flag, param, ...project }) : [fromEnv]
    if (answer === undefined) throw usage(`${named(command)} needs --${flag}`, `${param.help}.`)
    values[name] = parseValue(param, answer, `--${flag}`)
  }
}

/**
 * The plans of a command, one for each object given (one where the command takes none).
 * @throws Failure `usage` naming the flag or argument that is missing, wrong or in the way
 */
export const plansOf = async (
  command: Command,
  given: Given,
  around: Surroundings,
  override: Readonly<Record<string, unknown>> = {},
): Promise<readonly Plan[]> => {
  const references = await referencesOf(command, given, around)
  const choice = choose(command, scopedBy(given, references), around.env, override)
  const { key, endpoint, scope } = await fillScope(command, choice, around)
  const project = projectIn(endpoint, given, scope)
  const args = await allArgs(command, endpoint, given, around, project)
  const values: Record<string, unknown> = {
    ...merged(inputValues(endpoint, given, around.unknown), {
      ...flagValues(command, endpoint, given),
      ...override,
    }),
    ...pathValues(endpoint, given),
    ...scope,
  }
  const extra = extraValues(endpoint, given, around.unknown)
  Object.assign(
    values,
    await attributesOf(command, endpoint, { values, extra, ...project }, around),
  )
  checkExclusive(endpoint, values)
  const several = command.args[0]?.variadic === true && !joins(endpoint)
  const groups = several && args.length > 0 ? args.map((arg) => [arg]) : [args]
  const plans: Plan[] = []
  for (const [i, group] of groups.entries()) {
    const own: Record<string, unknown> = { ...values }
    await placeProject(endpoint, references[i], given, own, around)
    placeArgs(command, endpoint, withoutReference(group, references[i]), own, around)
    await fillRequired(command, endpoint, own, extra, around, project)
    for (const [name, param] of Object.entries(endpoint.path)) checkSegment(name, param, own[name])
    plans.push({ key, endpoint, values: own, extra, ...labelOf(group) })
  }
  return plans
}

/** Several objects that one request takes together (`members add 1 2`). */
const joins = (endpoint: Endpoint): boolean => {
  const param = endpoint.params[endpoint.args?.[0] ?? '']
  return param?.type === 'string' && param.format === 'csv'
}

const labelOf = (group: readonly string[]): { label?: string } =>
  group[0] === undefined ? {} : { label: group[0] }

const placeArgs = (
  command: Command,
  endpoint: Endpoint,
  group: readonly string[],
  values: Record<string, unknown>,
  around: Surroundings,
): void => {
  const names = endpoint.args ?? []
  for (const [i, name] of names.entries()) {
    const param = endpoint.path[name] ?? endpoint.params[name]
    const texts = joins(endpoint) ? group.slice(i) : group.slice(i, i + 1)
    if (param !== undefined && texts.length > 0)
      values[name] = parseValue(param, texts, `<${flagName(name, param)}>`, around.note)
  }
  if (group.length > names.length && !joins(endpoint))
    throw usage(
      `${named(command)} takes ${names.length === 0 ? 'no arguments' : `only ${names.length}`}: "${group[names.length]}" is too many`,
    )
}
