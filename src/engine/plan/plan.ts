/**
 * Creates plans from the parsed line: an endpoint and checked values for each request. All mistakes that can be detected without the
 * instance are rejected here.
 */
import { parseJsonOrText } from '../../base/json/nesting.js'
import { getOwn, isObject, type JsonValue, type JsonValues, mapValues } from '../../base/objects.js'
import { type Endpoint, getPlace } from '../../catalogue/endpoint.js'
import { getParamValues, isScope, isText, type Param } from '../../catalogue/params.js'
import { joinItems } from '../../catalogue/values.js'
import { isObjectFailure, placeFailure, usage } from '../../errors.js'
import { getCommandName, getFlagName, getScope } from '../command/derive.js'
import type { ActionOptions, Command, Flag, Given, Plan } from '../command/types.js'
import {
  canJoinObjects,
  completeArguments,
  createMissingFailure,
  fillSharedProject,
  getExtraName,
  type ObjectReference,
  placeArgs,
  placeProject,
  replaceReference,
  resolveReferences,
} from './arguments.js'
import { chooseEndpoint, describeForms, fillScope, type ScopedEndpoint } from './choose.js'
import { formatFlagLabel } from './line.js'
import type { MissingValue, PlanContext } from './objects.js'
import { parseValue } from './parse-values.js'
import { checkSegments, formatNamedFlag } from './segments.js'

// The attributes of an update without any: a person chooses them, or the command fails.

interface Known extends Pick<MissingValue, 'project'> {
  readonly values: JsonValues
  readonly extra: JsonValues
}

const isEmptyUpdate = (endpoint: Endpoint, { values, extra }: Known): boolean =>
  endpoint.changes === true &&
  Object.keys(extra).length === 0 &&
  Object.keys(values).every((name) => endpoint.path[name] !== undefined)

const askForFlags = async (
  endpoint: Endpoint,
  project: Pick<MissingValue, 'project'>,
  around: PlanContext,
): Promise<Record<string, JsonValue | undefined>> => {
  const offered = Object.entries(endpoint.params)
    .filter(([, param]) => param.deprecated === undefined)
    .map(([key, param]) => ({ key, name: getFlagName(key, param), param }))
  const picked = (await around.pick('attributes to set', offered)) ?? []
  const values: Record<string, JsonValue | undefined> = {}
  for (const { key, name, param } of offered.filter(({ name }) => picked.includes(name))) {
    const answer = await around.askMissing({ name, param, ...project })
    if (answer !== undefined)
      values[key] = parseValue(param, answer, `--${name}`, { now: around.now(), parameter: key })
  }
  return values
}

/**
 * Asks a person for the attributes of an update that has none; empty for any other request.
 * @throws Failure `usage` without a terminal, or if the person chooses no attribute
 */
const askForAttributes = async (
  command: Command,
  endpoint: Endpoint,
  known: Known,
  around: PlanContext,
): Promise<JsonValues> => {
  if (!isEmptyUpdate(endpoint, known)) return {}
  const { values, extra, ...project } = known
  const answered = await askForFlags(endpoint, project, around)
  if (Object.keys(answered).length > 0) return answered
  throw usage(
    `${getCommandName(command)}: nothing to change`,
    `Pass at least one attribute. "svcctl ${getCommandName(command)} --help" lists them.`,
  )
}

type Values = JsonValues

/** Returns the project of the command's objects, if it is known already. */
const findProject = (
  endpoint: Endpoint,
  given: Given,
  scope: ScopedEndpoint['scope'],
): Pick<MissingValue, 'project'> => {
  const holder = getScope(endpoint)
  if (holder?.kind !== 'project') return {}
  const value = given.flags.project ?? scope[holder.placeholder]
  return value === undefined ? {} : { project: String(value) }
}

const fillRequired = async (
  { command, endpoint, extra, project, required }: CommonParts,
  values: Record<string, JsonValue | undefined>,
  around: PlanContext,
): Promise<void> => {
  const open = [...Object.entries(endpoint.path), ...required].filter(
    ([name]) => values[name] === undefined && extra[name] === undefined,
  )
  for (const [name, param] of open) {
    const flag = getFlagName(name, param)
    const label = formatNamedFlag(command, flag)
    const fromEnv = param.env === undefined ? undefined : around.env[param.env]
    const answer =
      fromEnv === undefined ? await around.askMissing({ name: flag, param, ...project }) : [fromEnv]
    if (answer === undefined) throw createMissingFailure(command, label, name, param)
    values[name] = parseValue(param, answer, label, {
      now: around.now(),
      parameter: getExtraName(endpoint, name),
    })
  }
}

/** The parts that all plans of a command have in common. */
export interface CommonParts extends ScopedEndpoint {
  readonly command: Command
  readonly values: Values
  readonly extra: Values
  readonly project: Pick<MissingValue, 'project'>
  /** The parameters that a request must have besides its path. */
  readonly required: readonly (readonly [name: string, param: Param])[]
}

/** Computes the values that all objects have in common: flags, which override `--input`, the path, and answers of a person. */
const planCommon = async (
  command: Command,
  given: Given,
  scoped: ScopedEndpoint,
  around: PlanContext,
  override: Values,
): Promise<CommonParts> => {
  const { endpoint, scope } = scoped
  const project = findProject(endpoint, given, scope)
  const flags = { ...getFlagValues(command, endpoint, given, around.now()), ...override }
  const values = {
    ...mergeInput(getInputValues(endpoint, given, around.noteUnknownName), flags),
    ...getPathValues(endpoint, given),
    ...scope,
  }
  const extra = parseExtraValues(endpoint, given, around.noteUnknownName)
  const known = { values, extra, ...project }
  const all = { ...values, ...(await askForAttributes(command, endpoint, known, around)) }
  checkExclusive(command, endpoint, all)
  const required = Object.entries(endpoint.params).filter(([, param]) => param.required === true)
  return { ...scoped, command, values: all, extra, project, required }
}

/**
 * Completes the plan of one object: places its arguments, asks for missing values, and checks its path.
 * @param own the common values and those of this object
 */
export const completePlan = async (
  common: CommonParts,
  own: Record<string, JsonValue | undefined>,
  args: readonly string[],
  label: string | undefined,
  around: PlanContext,
): Promise<Plan> => {
  const { endpoint, command, extra } = common
  placeArgs(command, endpoint, args, own, around)
  await fillRequired(common, own, around)
  checkSegments(command, endpoint, own)
  return { endpoint, values: own, extra, label }
}

/** Plans one object, or several objects that one request takes together. */
const createPlan = async (
  common: CommonParts,
  group: readonly string[],
  reference: ObjectReference | undefined,
  given: Given,
  around: PlanContext,
): Promise<Plan> => {
  const own: Record<string, JsonValue | undefined> = { ...common.values }
  await placeProject(common.endpoint, reference, given, own, around)
  const args = replaceReference(group, reference)
  const [label] = isScope(common.command.args[0]?.param) ? args : group
  return completePlan(common, own, args, label, around)
}

/** Returns the common parts for a row, including the values that the row sets. */
export type CommonsByRow = (row: JsonValues | undefined) => Promise<CommonParts>

/** The number of different rows whose parts are cached. */
const maxRows = 256

/** Creates the function that computes the common parts, once for all objects without a row and once for equal rows. */
export const createCommonsByRow = (
  ...[command, given, scoped, around, override]: Parameters<typeof planCommon>
): CommonsByRow => {
  const known = new Map<string, Promise<CommonParts>>()
  const make = async (row: JsonValues | undefined): Promise<CommonParts> => {
    if (row === undefined) return planCommon(command, given, scoped, around, override)
    const { createRowGiven } = await import('./stdin/row-fields.js')
    const own = await createRowGiven(command, given, row, around)
    // A default value of the command gives way to the value of the row.
    const others = Object.entries(override).filter(([name]) => row[name] === undefined)
    return planCommon(command, own, scoped, around, Object.fromEntries(others))
  }
  return (row) => {
    const key = row === undefined ? '' : JSON.stringify(row)
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= maxRows) known.clear()
    const made = make(row)
    known.set(key, made)
    return made
  }
}

/** Adds the attributes of all rows to the line, because they help to determine the endpoint. */
const addRowValues = async (
  command: Command,
  given: Given,
  rows: NonNullable<Given['rows']>,
  around: PlanContext,
): Promise<Given> => {
  const { createRowGiven } = await import('./stdin/row-fields.js')
  return createRowGiven(command, given, Object.assign({}, ...rows), around)
}

/**
 * Creates the plans of a command, one for each object, or a single one for a command without objects.
 * @param apart true to plan each object separately, even if one request could take several
 * @throws Failure `usage` for a flag or argument that is missing, wrong or not allowed
 */
export const createPlans = async (
  command: Command,
  given: Given,
  around: PlanContext,
  override: Values = {},
  apart = false,
): Promise<readonly Plan[]> => {
  const references = await resolveReferences(command, given, around)
  const all =
    given.rows === undefined ? given : await addRowValues(command, given, given.rows, around)
  const choice = chooseEndpoint(command, fillSharedProject(all, references), around.env, override)
  around.checkOffered?.(choice.endpoint)
  const scoped = await fillScope(command, choice, around)
  const { endpoint } = scoped
  const project = findProject(endpoint, given, scoped.scope)
  const args = await completeArguments(command, endpoint, given, around, project)
  const commonFor = createCommonsByRow(command, given, scoped, around, override)
  const own = apart || given.rows !== undefined || !canJoinObjects(endpoint)
  const several = command.args[0]?.variadic === true && own
  const groups = several && args.length > 0 ? args.map((arg) => [arg]) : [args]
  const plans: Plan[] = []
  // The plans are created one after the other, because each may ask a person.
  for (const [i, group] of groups.entries()) {
    const row = given.rows?.[i]
    try {
      const plan = await createPlan(await commonFor(row), group, references[i], given, around)
      plans.push(row === undefined ? plan : { ...plan, row })
    } catch (error) {
      throw placeFailure(error, given.places?.get(given.args[i] ?? ''))
    }
  }
  return plans
}

// The attributes of a request: flags override `--input`, and `--param` is merged in. These checks do not need the instance.

/**
 * Completes a plan. If that fails, only this object fails. With `planFirst`, the failure of one object ends the run, unless the object
 * belongs to one of several parents.
 */
export const createCompletion =
  ({ complete, planFirst }: Pick<ActionOptions, 'complete' | 'planFirst'>) =>
  async (plan: Plan): Promise<Plan> => {
    if (complete === undefined || plan.refused !== undefined) return plan
    try {
      return await complete(plan)
    } catch (error) {
      const ofAll = planFirst === true && plan.parent === undefined
      if (ofAll || !isObjectFailure(error)) throw error
      return { ...plan, refused: error }
    }
  }

const getFlagValues = (
  command: Command,
  endpoint: Endpoint,
  given: Given,
  now: Date,
): Record<string, JsonValue | undefined> => {
  const values: Record<string, JsonValue | undefined> = {}
  for (const flag of command.flags) {
    const value = given.flags[flag.name]
    if (value === undefined || flag.parameter === undefined || flag.path === true) continue
    checkForm(command, endpoint, flag, flag.parameter)
    const param = endpoint.params[flag.parameter]
    if (param !== undefined && getParamValues(param).length > 0) checkEnum(param, value, flag, now)
    values[flag.parameter] = value
  }
  return values
}

/**
 * Checks that a form of a command has a parameter. Forms of the documents may have parameters that are documented for others only; those
 * of an extension have what its file says.
 * @throws Failure `usage` with the forms that have it
 */
const checkForm = (command: Command, endpoint: Endpoint, flag: Flag, name: string): void => {
  const owners = Object.entries(command.endpoints).filter(([, e]) => Object.hasOwn(e.params, name))
  const isDeclared =
    endpoint.from !== undefined || owners.every(([, { from }]) => from !== undefined)
  const isForeign = owners.length > 0 && isDeclared && !Object.hasOwn(endpoint.params, name)
  if (!isForeign && endpoint.refuses?.includes(name) !== true) return
  throw usage(
    `${getCommandName(command)} does not support ${formatFlagLabel(flag)} in this form`,
    `Available: ${describeForms({ ...command, endpoints: Object.fromEntries(owners) })}.`,
  )
}

/** Checks the value of an enumeration. The flag accepts the values of all endpoints of the command; this endpoint may accept fewer. */
const checkEnum = (param: Param, value: unknown, flag: Flag, now: Date): void => {
  const { parameter } = flag
  if (typeof value === 'string')
    parseValue(param, [value], formatFlagLabel(flag), { now, parameter })
}

/** Returns the scope and other placeholders of the path that flags fill. */
const getPathValues = (endpoint: Endpoint, given: Given): Record<string, JsonValue | undefined> => {
  const scope = getScope(endpoint)
  const values: Record<string, JsonValue | undefined> = {}
  for (const [name, param] of Object.entries(endpoint.path)) {
    const flag = scope?.placeholder === name ? scope.kind : getFlagName(name, param)
    if (endpoint.args?.includes(name)) continue
    if (given.flags[flag] !== undefined) values[name] = given.flags[flag]
  }
  return values
}

type NoteName = PlanContext['noteUnknownName']

/**
 * Parses `--param`: JSON in a body, text in a query. A JSON list is a list in both. A number for a documented text is text, so that `1.10`
 * keeps its zero.
 */
const parseExtraValues = (endpoint: Endpoint, given: Given, note: NoteName) => {
  const extra = Object.entries(given.extra).map(([name, text]) => {
    const param = getOwn<Param>(endpoint.params, name)
    if (param === undefined && !Object.hasOwn(endpoint.path, name)) note(endpoint, name)
    const body = getPlace(endpoint, param ?? { type: 'string', help: '' }) === 'body'
    const parseOne = (t: string): JsonValue => {
      if (!body) return parseQueryParam(t, name)
      const isNumericText = isText(param) && /^\s*-?\d/.test(t)
      return isNumericText ? t : parseJsonOrText(t, `--param ${name}`)
    }
    return [name, typeof text === 'string' ? parseOne(text) : text.map(parseOne)] as const
  })
  return Object.fromEntries(extra)
}

const parseQueryParam = (text: string, name: string): JsonValue => {
  if (text === 'null') throw usage(`--param ${name}=null: query parameters cannot be null`)
  if (!/^\[.*\]$/s.test(text)) return text
  const list = parseJsonOrText(text, `--param ${name}`)
  return Array.isArray(list) ? list : text
}

const getInputValues = (endpoint: Endpoint, given: Given, note: NoteName) => {
  for (const name of Object.keys(given.input ?? {}))
    if (!Object.hasOwn(endpoint.params, name)) note(endpoint, name)
  return mapValues(given.input ?? {}, (v, name) =>
    joinListItems(getOwn<Param>(endpoint.params, name), v),
  )
}

/** Joins a list for a parameter that is a string of several items. */
const joinListItems = (
  param: Param | undefined,
  value: JsonValue | undefined,
): JsonValue | undefined =>
  param === undefined || !Array.isArray(value)
    ? value
    : (joinItems(param, value.map(String)) ?? value)

const checkExclusive = (command: Command, endpoint: Endpoint, values: JsonValues): void => {
  for (const names of endpoint.exclusive ?? []) {
    const both = names.filter((name) => values[name] !== undefined)
    if (both.length < 2) continue
    const flags = both.map((name) => {
      const param = endpoint.params[name]
      return formatNamedFlag(command, param === undefined ? name : getFlagName(name, param))
    })
    throw usage(`${flags.join(' and ')} exclude each other`)
  }
}

/** Merges flags over the input. Hashes are merged key by key. */
const mergeInput = (
  input: JsonValues,
  flags: JsonValues,
): Record<string, JsonValue | undefined> => {
  const values: Record<string, JsonValue | undefined> = { ...input }
  for (const [name, value] of Object.entries(flags)) {
    const below = input[name]
    values[name] = isObject(value) && isObject(below) ? { ...below, ...value } : value
  }
  return values
}
