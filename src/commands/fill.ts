/**
 * Updates whose API requires attributes that stay as they are (`PUT /projects/:id/approval_rules/:approval_rule_id`,
 * `PUT /geo_nodes/:id`): what is not given is filled from the record, read first.
 */
import { jsonFields } from '../base/json/value.js'
import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { pathIn } from '../catalogue/path-in.js'
import type { InstanceService } from '../engine/command/services.js'
import type { Given, Operation, Plan } from '../engine/command/types.js'
import { usage } from '../errors.js'

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
export const getMissing = (given: Given, { required }: Filling): string[] =>
  required.filter((name) => !isGiven(given, name))

/** @throws Failure `usage` where nothing at all is to change */
export const checkChanges = (
  { endpoint, values, extra }: Plan,
  open: readonly string[],
  { command }: Pick<Filling, 'command'>,
): void => {
  const own = Object.keys(values).filter((n) => !(n in endpoint.path) && !open.includes(n))
  if (own.length === 0 && Object.keys(extra ?? {}).length === 0)
    throw usage(
      `${command}: nothing to change`,
      `Pass at least one attribute. "svcctl ${command} --help" lists them.`,
    )
}

/** Stand-ins, so that planning asks nobody for what the record knows. */
export const standIns = (open: readonly string[]): Readonly<Record<string, ''>> =>
  Object.fromEntries(open.map((name) => [name, '' as const]))

/** What is open of one object: its row may say it. */
export const getOpenFields = (open: readonly string[], { row = {} }: Plan): readonly string[] =>
  open.filter((name) => row[name] === undefined)

/** A plan with its open attributes taken from the record. */
export const fillPlan = (plan: Plan, open: readonly string[], record: Fields): Plan => ({
  ...plan,
  record,
  values: {
    ...plan.values,
    ...Object.fromEntries(open.map((name) => [name, jsonFields(record)[name]])),
  },
})

/** The plan of an update, filled from its record where anything is open. */
const complete = async (
  instance: InstanceService,
  plan: Plan,
  all: readonly string[],
  filling: Filling,
): Promise<Plan> => {
  const open = getOpenFields(all, plan)
  checkChanges(plan, open, filling)
  if (open.length === 0) return plan
  const { data } = await instance.call(filling.reads, pathIn(filling.reads, plan.values))
  return fillPlan(plan, open, isObject(data) ? data : {})
}

/**
 * Updates that are filled from their records.
 * @param before makes each plan what the record is read by
 */
export const filledFrom = (
  instance: InstanceService,
  given: Given,
  filling: Filling,
  readBy: (plan: Plan) => Endpoint = () => filling.reads,
  before: (plan: Plan) => Plan | Promise<Plan> = (plan) => plan,
): Operation => {
  const open = getMissing(given, filling)
  return {
    preset: standIns(open),
    complete: async (plan) =>
      complete(instance, await before(plan), open, { ...filling, reads: readBy(plan) }),
    reads: true,
  }
}
