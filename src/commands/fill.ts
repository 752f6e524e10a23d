/**
 * Updates whose API requires attributes that stay as they are (`PUT /projects/:id/approval_rules/:approval_rule_id`,
 * `PUT /geo_nodes/:id`): what is not given is filled from the record, read first.
 */

import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { usage } from '../errors.js'
import type { Context, Given, Plan } from './types.js'

interface Filling {
  /** The words of the command, for messages. */
  readonly command: string
  /** How the record is read; its path has the placeholders of the update. */
  readonly reads: Endpoint
  /** Attributes that the API requires. */
  readonly required: readonly string[]
}

const flagOf = (name: string): string => name.replaceAll('_', '-')
const isGiven = (given: Given, name: string): boolean =>
  given.flags[flagOf(name)] !== undefined ||
  given.input?.[name] !== undefined ||
  given.extra[name] !== undefined

/** The required attributes that were not given. */
export const missing = (given: Given, { required }: Filling): string[] =>
  required.filter((name) => !isGiven(given, name))

/** Values of the path's placeholders, and nothing else. */
const pathOnly = ({ endpoint, values }: Plan): Record<string, unknown> =>
  Object.fromEntries(Object.keys(endpoint.path).map((name) => [name, values[name]]))

export const readRecord = async (ctx: Context, plan: Plan, { reads }: Filling): Promise<Fields> => {
  const { data } = await ctx.call({ endpoint: reads, values: pathOnly(plan) })
  return isObject(data) ? data : {}
}

/**
 * The plans of an update, its missing required attributes still empty.
 * @throws Failure `usage` where nothing at all is to change
 */
export const plansToFill = async (
  ctx: Context,
  given: Given,
  filling: Filling,
): Promise<readonly Plan[]> => {
  const open = missing(given, filling)
  // Stand-ins, so that planning asks nobody for what the record knows.
  const plans = await ctx.plans(given, Object.fromEntries(open.map((name) => [name, ''])))
  for (const { endpoint, values, extra } of plans) {
    const own = Object.keys(values).filter((n) => !(n in endpoint.path) && !open.includes(n))
    if (own.length === 0 && Object.keys(extra ?? {}).length === 0)
      throw usage(
        `${filling.command} has nothing to change`,
        `Give at least one attribute: svcctl ${filling.command} --help lists them.`,
      )
  }
  return plans
}

/** A plan with its open attributes taken from the record. */
export const filled = (plan: Plan, open: readonly string[], record: Fields): Plan => ({
  ...plan,
  values: { ...plan.values, ...Object.fromEntries(open.map((name) => [name, record[name]])) },
})

/** Under --curl nothing is sent, so that the record stays unknown: its reading is shown instead. */
export const showReading = async (
  ctx: Context,
  plans: readonly Plan[],
  filling: Filling,
): Promise<void> => {
  for (const plan of plans) await ctx.showCurl({ endpoint: filling.reads, values: pathOnly(plan) })
  const flags = filling.required.map((name) => `--${flagOf(name)}`).join(' and ')
  ctx.note(`${filling.command} reads this record first; with ${flags} its own request is shown`)
}
