/**
 * Fills attributes that an update requires and that were not given from the current record (`PUT
 * /projects/:id/approval_rules/:approval_rule_id`, `PUT /geo_nodes/:id`).
 */
import { jsonFields } from '../base/json/value.js'
import { type Fields, isObject } from '../base/objects.js'
import { type Endpoint, pathIn } from '../catalogue/endpoint.js'
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

const toFlagName = (name: string): string => name.replaceAll('_', '-')
const isGiven = (given: Given, name: string): boolean =>
  given.flags[toFlagName(name)] !== undefined ||
  given.input?.[name] !== undefined ||
  given.extra[name] !== undefined

/** Returns the required attributes that were not given. */
export const getMissing = (given: Given, { required }: Filling): string[] =>
  required.filter((name) => !isGiven(given, name))

/**
 * Checks that an update changes something.
 * @throws Failure `usage`
 */
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

/** Creates placeholders for missing attributes, so that planning prompts for none of them. */
export const createPlaceholders = (open: readonly string[]): Readonly<Record<string, ''>> =>
  Object.fromEntries(open.map((name) => [name, '' as const]))

/** Returns the attributes of an object that are still missing; its row of input may have some. */
export const getOpenFields = (open: readonly string[], { row = {} }: Plan): readonly string[] =>
  open.filter((name) => row[name] === undefined)

/** Fills the missing attributes of a plan from the record. */
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
 * Creates an update operation that reads each record and fills what was not given.
 * @param before resolves each plan before its record is read
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
    preset: createPlaceholders(open),
    complete: async (plan) =>
      complete(instance, await before(plan), open, { ...filling, reads: readBy(plan) }),
    reads: true,
  }
}
