/** Updates whose endpoint requires attributes that stay as they are: those come from the record (`PUT /geo_nodes/:id`). */
import { type Fields, isObject, jsonFields } from '../base/objects.js'
import { findReading } from '../engine/command/object-reader.js'
import type { InstanceService } from '../engine/command/services.js'
import type { Given, Operation, Plan } from '../engine/command/types.js'
import { Failure, survived, usage } from '../errors.js'

interface FillOptions {
  readonly area: string
  /** Attributes that the API requires. */
  readonly required: readonly string[]
  /** Resolves each plan before its record is read. */
  readonly before?: (plan: Plan) => Plan | Promise<Plan>
  /** Changes the filled plan. With it every record is read, and an object whose record cannot be read is not changed. */
  readonly after?: (plan: Plan, record: Fields) => Plan
}

const isGiven = (given: Given, name: string): boolean =>
  given.flags[name.replaceAll('_', '-')] !== undefined ||
  given.input?.[name] !== undefined ||
  given.extra[name] !== undefined

/** @throws Failure `usage` where an update changes nothing */
const checkChanges = (
  { endpoint, values, extra }: Plan,
  open: readonly string[],
  area: string,
): void => {
  const own = Object.keys(values).filter((n) => !(n in endpoint.path) && !open.includes(n))
  if (own.length > 0 || Object.keys(extra ?? {}).length > 0) return
  const command = `${area} ${endpoint.command}`
  throw usage(
    `${command}: nothing to change`,
    `Pass at least one attribute. "svcctl ${command} --help" lists them.`,
  )
}

const readRecord = async (
  instance: InstanceService,
  area: string,
  { endpoint, values }: Plan,
): Promise<Fields> => {
  const reading = await findReading(area, endpoint)
  if (reading === undefined) throw new Failure('internal', `nothing reads ${endpoint.route}`)
  const { data } = await instance.call(reading.endpoint, reading.values({ values }))
  return isObject(data) ? data : {}
}

/** The steps of an update that reads each record and fills what was not given. */
export const filledFrom = (
  instance: InstanceService,
  given: Given,
  { area, required, before = (plan) => plan, after }: FillOptions,
): Pick<Operation, 'preset' | 'complete' | 'reads'> => {
  const missing = required.filter((name) => !isGiven(given, name))
  const complete = async (asked: Plan): Promise<Plan> => {
    // Its row of input may have some.
    const open = missing.filter((name) => asked.row?.[name] === undefined)
    checkChanges(asked, open, area)
    const plan = await before(asked)
    if (open.length === 0 && after === undefined) return plan
    const read = readRecord(instance, area, plan)
    const record = after === undefined ? await read : await read.catch(survived)
    if (record instanceof Failure) return { ...plan, refused: record }
    const kept = Object.fromEntries(open.map((name) => [name, jsonFields(record)[name]]))
    const filled = { ...plan, record, values: { ...plan.values, ...kept } }
    return after === undefined ? filled : after(filled, record)
  }
  // Stand-ins, so that nobody is asked for what is filled.
  const preset = Object.fromEntries(missing.map((name) => [name, '' as const]))
  return { preset, complete, reads: true }
}
