/**
 * Updates whose API requires attributes that stay as they are (`PUT /projects/:id/approval_rules/:approval_rule_id`,
 * `PUT /geo_nodes/:id`): what is not given is filled from the record, read first.
 */
import { jsonFields } from '../base/json/value.js'
import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { pathIn } from '../catalogue/path-in.js'
import { usage } from '../errors.js'
import { answered } from './answered.js'
import type { InstanceService } from './services.js'
import type { Given, Plan, Plans } from './types.js'

export interface Filling {
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

/** @throws Failure `usage` where nothing at all is to change */
export const checkChanges = (
  plans: readonly Plan[],
  open: readonly string[],
  { command }: Filling,
): void => {
  for (const { endpoint, values, extra } of plans) {
    const own = Object.keys(values).filter((n) => !(n in endpoint.path) && !open.includes(n))
    if (own.length === 0 && Object.keys(extra ?? {}).length === 0)
      throw usage(
        `${command} has nothing to change`,
        `Give at least one attribute: svcctl ${command} --help lists them.`,
      )
  }
}

/** Stand-ins, so that planning asks nobody for what the record knows. */
export const standIns = (open: readonly string[]): Readonly<Record<string, ''>> =>
  Object.fromEntries(open.map((name) => [name, '' as const]))

/**
 * The plans of an update, its missing required attributes still empty.
 * @throws Failure `usage` where nothing at all is to change
 */
export const plansToFill = async (
  instance: InstanceService,
  given: Given,
  filling: Filling,
): Promise<readonly Plan[]> => {
  const open = missing(given, filling)
  const plans = await instance.plans(given, standIns(open))
  checkChanges(plans, open, filling)
  return plans
}

/** The record that an update is filled from. */
const recordOf = async (
  instance: InstanceService,
  plan: Plan,
  { reads }: Filling,
): Promise<Fields> => {
  const { data } = await instance.call(reads, pathIn(reads, plan.values))
  return isObject(data) ? data : {}
}

/** A plan with its open attributes taken from the record. */
export const filled = (plan: Plan, open: readonly string[], record: Fields): Plan => ({
  ...plan,
  values: {
    ...plan.values,
    ...Object.fromEntries(open.map((name) => [name, jsonFields(record)[name]])),
  },
})

/** Runs plans, each filled from its record first where anything is open. */
export const updateFilled = async (
  instance: InstanceService,
  plans: Plans,
  open: readonly string[],
  fillingOf: (plan: Plan) => Filling,
): Promise<void> => {
  if (open.length === 0) return instance.many(plans)
  await instance.many(plans, {
    run: async (plan) => {
      const record = await recordOf(instance, plan, fillingOf(plan))
      return answered(await instance.send(filled(plan, open, record)))
    },
  })
}
