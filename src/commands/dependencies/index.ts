/** `dependencies list` (`catalogue/reference/dependencies.md`). */
import { randomUUID } from 'node:crypto'
import { isObject, objects } from '../../base/objects.js'
import { oneOf } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import type { Context, Plan } from '../types.js'
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

const billOfMaterials = async (ctx: Context, plan: Plan): Promise<void> => {
  const { limit, page, perPage } = ctx.globals
  const output = ctx.globals.output ?? (ctx.env.SVC_OUTPUT || undefined)
  if (output !== undefined && output !== 'json')
    throw usage(`--format cyclonedx is JSON: the output format ${output} does not go with it`)
  // A bill of materials is whole unless a part was asked for.
  const part = limit !== undefined || page !== undefined || perPage !== undefined
  const records = await (part ? ctx.collect(plan) : ctx.gather(plan))
  const bill = await cyclonedx(records, {
    project: String(plan.values.id),
    version: ctx.about().version,
    now: ctx.now(),
    serialNumber: `urn:uuid:${randomUUID()}`,
  })
  await ctx.printDocument(bill)
}

const flags = {
  format: oneOf(['cyclonedx'], 'a CycloneDX bill of materials, of all dependencies'),
} as const

const run = async (ctx: Context, given: GivenBy<typeof flags>): Promise<void> => {
  const plan = await ctx.plan(given)
  if (!ctx.globals.curl && given.flags.format === 'cyclonedx') return billOfMaterials(ctx, plan)
  await ctx.list(plan, { people: { rows: vulnerableFirst } })
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
