/** What a command was given by position, and where it goes. */
import type { JsonValue } from '../../base/json/value.js'
import { textSize } from '../../base/secrets/held.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { formatOf, isScope, type Param } from '../../catalogue/params.js'
import { Failure, survived, usage } from '../../errors.js'
import { flagName, getCommandName } from '../command/derive/index.js'
import type { Command, Given } from '../command/types.js'
import { holderWords } from './choose.js'
import type { Missing, PlanContext } from './objects.js'
import { parseValue, type ValueSyntax } from './values.js'

const missingArgument = (command: Command, endpoint: Endpoint, name: string, param: Param) => {
  const alternatives = Object.values(command.endpoints).filter((e) => e !== endpoint)
  const or = [...new Set(alternatives.map(holderWords))].filter(
    (w) => w !== '' && w !== holderWords(endpoint),
  )
  return usage(
    `${getCommandName(command)} needs <${flagName(name, param)}>${or.length === 0 ? '' : ` or ${or.join(' or ')}`}`,
    `${param.help}. See "svcctl ${getCommandName(command)} --help".`,
  )
}

/** The arguments, with those that are at hand, or that a person gave. @throws Failure `usage` for a missing one */
export const allArgs = async (
  command: Command,
  endpoint: Endpoint,
  given: Given,
  around: PlanContext,
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

/** The name by which --param sends a parameter; undefined where it stands in the path. */
export const parameterIn = ({ params }: Pick<Endpoint, 'params'>, name: string) =>
  Object.hasOwn(params, name) ? name : undefined

/** Several objects that one request takes together (`members add 1 2`). */
export const joins = (endpoint: Endpoint): boolean =>
  formatOf(endpoint.params[endpoint.args?.[0] ?? '']) === 'csv'

/** The object that texts name; of one from standard input a refusal quotes nothing. */
const parseObject = (
  param: Param,
  texts: readonly string[],
  label: string,
  { piped, ...how }: ValueSyntax & { readonly piped: boolean },
): JsonValue => {
  if (!piped) return parseValue(param, texts, label, how)
  try {
    return parseValue(param, texts, label, { note: how.note })
  } catch (error) {
    const { category } = survived(error)
    const sizes = texts.map(textSize).join(', ')
    const hint = param.type === 'integer' ? `${label} must be an integer.` : `${param.help}.`
    throw new Failure(category, `standard input: ${label} cannot be ${sizes}`, { hint })
  }
}

/** Puts the arguments of one object into the values. @throws Failure `usage` for one too many */
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
    const texts = joins(endpoint) ? group.slice(i) : group.slice(i, i + 1)
    if (param !== undefined && texts.length > 0)
      values[name] = parseObject(param, texts, `<${flagName(name, param)}>`, {
        note: around.note,
        piped: around.piped === true,
        parameter: parameterIn(endpoint, name),
      })
  }
  if (group.length > names.length && !joins(endpoint))
    throw usage(
      `${getCommandName(command)} takes ${names.length === 0 ? 'no arguments' : `only ${names.length}`}; unexpected argument "${group[names.length]}"`,
    )
}
