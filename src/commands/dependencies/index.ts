/** `dependencies list` (`catalogue/reference/dependencies.md`). */
import { randomUUID } from 'node:crypto'
import { isObject, objects } from '../../base/objects.js'
import { version } from '../../base/version.js'
import { oneOf } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import { define } from '../define.js'
import type { Emit, Services } from '../services.js'
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

/** How the records are shown as one document. */
const billOfMaterials = ({ place }: Services): NonNullable<Emit['document']> => {
  const { limit, page, perPage } = place.globals
  const output = place.globals.output ?? (place.env.SVC_OUTPUT || undefined)
  if (output !== undefined && output !== 'json')
    throw usage(`--format cyclonedx is JSON: the output format ${output} does not go with it`)
  return {
    // A bill of materials is whole unless a part was asked for.
    whole: limit === undefined && page === undefined && perPage === undefined,
    of: (records, { values }) =>
      cyclonedx(records, {
        project: String(values.id),
        version,
        now: place.clock.now(),
        serialNumber: `urn:uuid:${randomUUID()}`,
      }),
  }
}

const flags = {
  format: oneOf(['cyclonedx'], 'a CycloneDX bill of materials, of all dependencies'),
} as const

export const list = define({
  description: [
    'Tables show vulnerable dependencies first, the worst foremost; the other formats keep the order of the API.',
  ],
  flags,
  examples: [
    'dependencies list --project platform/app --package-manager npm,yarn',
    'dependencies list --project platform/app --format cyclonedx',
  ],
  operation: (services, given) => ({
    emit:
      given.flags.format === 'cyclonedx'
        ? { document: billOfMaterials(services) }
        : { people: { rows: vulnerableFirst, reorders: true } },
  }),
})
