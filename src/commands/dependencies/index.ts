/** `dependencies list` (`catalogue/reference/dependencies.md`). */
import { randomUUID } from 'node:crypto'
import { isObject, objects } from '../../base/objects.js'
import { version } from '../../base/version.js'
import { oneOf } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import type { Services } from '../services.js'
import type { Plan } from '../types.js'
import { bySeverity } from '../vulnerabilities/severity.js'
import { cyclonedx } from './cyclonedx.js'

/** The worst severity of a dependency's vulnerabilities; undefined where it has none. */
const worst = (dependency: unknown): unknown =>
  objects(isObject(dependency) ? dependency.vulnerabilities : [])
    .map((one) => one.severity)
    .sort(bySeverity)[0]

/** Vulnerable dependencies first, the worst of them foremost; the rest in the order they came. */
export const vulnerableFirst = (records: readonly unknown[]): unknown[] => {
  const ranked = records.map((record) => ({ record, severity: worst(record) }))
  const bad = ranked.filter((one) => one.severity !== undefined)
  const rest = ranked.filter((one) => one.severity === undefined)
  return [...bad.sort((a, b) => bySeverity(a.severity, b.severity)), ...rest].map((r) => r.record)
}

const billOfMaterials = async (
  { answer, instance, place }: Services,
  plan: Plan,
): Promise<void> => {
  const { limit, page, perPage } = place.globals
  const output = place.globals.output ?? (place.env.SVC_OUTPUT || undefined)
  if (output !== undefined && output !== 'json')
    throw usage(`--format cyclonedx is JSON: the output format ${output} does not go with it`)
  // A bill of materials is whole unless a part was asked for.
  const part = limit !== undefined || page !== undefined || perPage !== undefined
  const records = await instance.collect(plan, { whole: !part })
  const bill = await cyclonedx(records, {
    project: String(plan.values.id),
    version,
    now: place.clock.now(),
    serialNumber: `urn:uuid:${randomUUID()}`,
  })
  await answer.printDocument(bill)
}

const flags = {
  format: oneOf(['cyclonedx'], 'a CycloneDX bill of materials, of all dependencies'),
} as const

const run = async (services: Services, given: GivenBy<typeof flags>): Promise<void> => {
  const plan = await services.instance.plan(given)
  if (given.flags.format === 'cyclonedx') return billOfMaterials(services, plan)
  await services.instance.list(plan, { people: { rows: vulnerableFirst } })
}

export const list = define({
  description: [
    'Tables show vulnerable dependencies first, the worst foremost; the other formats keep the order of the API.',
  ],
  flags,
  examples: [
    'dependencies list --project platform/app --package-manager npm,yarn',
    'dependencies list --project platform/app --format cyclonedx',
  ],
  run,
})
