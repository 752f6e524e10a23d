/**
 * Implements `vulnerabilities list` and `dependencies list`, which sort tables by severity. Dependencies can be printed as a CycloneDX bill
 * of materials.
 */

import { createUuid } from '../base/io.js'
import { type Fields, getFields, isObject, listObjects, toText } from '../base/objects.js'
import { version } from '../base/version.js'
import { severities } from '../catalogue/shapes/vulnerability.js'
import type { Context } from '../engine/command/context.js'
import type { RecordView } from '../engine/rows.js'
import { usage } from '../errors.js'
import { createOutputFlag, define } from './define.js'

// Severities, the worst first. Unknown words come last.

const severityOrder: readonly string[] = severities.toReversed()

const getRank = (severity: unknown): number => {
  const at = severityOrder.indexOf(String(severity).toLowerCase())
  return at < 0 ? severityOrder.length : at
}

/** Compares two severities for sorting. The worst comes first. */
const compareSeverity = (a: unknown, b: unknown): number => getRank(a) - getRank(b)

const getSeverity = (record: unknown): unknown => getFields(record).severity

const sortBySeverity = (records: readonly unknown[]): readonly unknown[] =>
  [...records].sort((a, b) => compareSeverity(getSeverity(a), getSeverity(b)))

export const listVulnerabilities = define({
  description: ['Tables list the most severe first. Other formats keep the order of the API.'],
  rows: (context, given) =>
    context.list(given, { view: { people: { rows: sortBySeverity, reorders: true } } }),
})

// CycloneDX bills of materials, created with the official library.

/** For each package manager of the API, the type of its package URLs. */
const purlTypes: Readonly<Record<string, string>> = {
  bundler: 'gem',
  composer: 'composer',
  conan: 'conan',
  go: 'golang',
  maven: 'maven',
  npm: 'npm',
  nuget: 'nuget',
  pip: 'pypi',
  yarn: 'npm',
  sbt: 'maven',
}

/** Formats a package URL (`pkg:npm/%40scope/name@1.0.0`); undefined for an unknown package manager. */
export const formatPurl = (manager: string, name: string, version: string): string | undefined => {
  const type = purlTypes[manager]
  if (type === undefined || name === '') return undefined
  const canonical = type === 'pypi' ? name.toLowerCase().replaceAll('_', '-') : name
  const parts = (type === 'maven' ? canonical.replaceAll(':', '/') : canonical).split('/')
  const path = parts.filter((part) => part !== '').map(encodeURIComponent)
  const at = version === '' ? '' : `@${encodeURIComponent(version)}`
  return `pkg:${type}/${path.join('/')}${at}`
}

interface BomContext {
  /** The project, by ID or path. */
  readonly project: string
  readonly version: string
  readonly now: Date
  readonly serialNumber: string
}

type CyclonedxModule = typeof import('@cyclonedx/cyclonedx-library')

const createComponent = ({ Models, Enums }: CyclonedxModule, item: Fields) => {
  const name = toText(item.name) ?? 'unknown'
  const version = toText(item.version) ?? ''
  const manager = toText(item.package_manager) ?? ''
  const file = toText(item.dependency_file_path) ?? ''
  const purl = formatPurl(manager, name, version)
  return new Models.Component(Enums.ComponentType.Library, name, {
    bomRef: `${purl ?? `${name}@${version}`}#${file}`,
    ...(version === '' ? {} : { version }),
    purl,
    properties: new Models.PropertyRepository([
      new Models.Property('svcctl:dependency_file_path', file),
      new Models.Property('svcctl:package_manager', manager),
    ]),
  })
}

/** Creates the vulnerabilities by name and severity, each with all affected components. */
const createVulnerabilities = (
  library: CyclonedxModule,
  pairs: readonly (readonly [Fields, BomComponent])[],
) => {
  const { Models, Enums } = library
  const severities = Object.values(Enums.Vulnerability.Severity)
  const found = new Map<
    string,
    InstanceType<CyclonedxModule['Models']['Vulnerability']['Vulnerability']>
  >()
  for (const [item, component] of pairs)
    for (const weakness of listObjects(item.vulnerabilities)) {
      const name = toText(weakness.name) ?? 'unknown'
      const word = toText(weakness.severity)?.toLowerCase()
      const severity = severities.find((s) => s === word) ?? Enums.Vulnerability.Severity.Unknown
      const key = `${severity} ${name}`
      const known =
        found.get(key) ??
        new Models.Vulnerability.Vulnerability({
          bomRef: key,
          id: name,
          ratings: new Models.Vulnerability.RatingRepository([
            new Models.Vulnerability.Rating({ severity }),
          ]),
        })
      known.affects.add(new Models.Vulnerability.Affect(component.bomRef))
      found.set(key, known)
    }
  return found.values()
}
type BomComponent = ReturnType<typeof createComponent>

/** Creates the bill of materials of a project's dependencies (CycloneDX 1.6). */
export const createCycloneDx = async (
  records: readonly unknown[],
  around: BomContext,
): Promise<unknown> => {
  const library = await import('@cyclonedx/cyclonedx-library')
  const { Enums, Models, Serialize, Spec } = library
  const pairs = records
    .filter(isObject)
    .map((item) => [item, createComponent(library, item)] as const)
  const application = new Models.Component(Enums.ComponentType.Application, around.project, {
    bomRef: around.project,
  })
  for (const [, component] of pairs) application.dependencies.add(component.bomRef)
  const tool = new Models.Tool({ name: 'svcctl', version: around.version })
  const bom = new Models.Bom({
    serialNumber: around.serialNumber,
    metadata: new Models.Metadata({
      timestamp: around.now,
      tools: new Models.Tools({ tools: new Models.ToolRepository([tool]) }),
      component: application,
    }),
    components: new Models.ComponentRepository(pairs.map(([, component]) => component)),
  })
  for (const one of createVulnerabilities(library, pairs)) bom.vulnerabilities.add(one)
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  const text = new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true })
  return JSON.parse(text)
}

/** Returns the worst severity of a dependency's vulnerabilities; undefined if it has none. */
const getWorstSeverity = (dependency: unknown): unknown =>
  listObjects(getFields(dependency).vulnerabilities)
    .map((one) => one.severity)
    .sort(compareSeverity)[0]

/** Sorts vulnerable dependencies first, by severity. The others keep their order. */
export const sortVulnerableFirst = (records: readonly unknown[]): unknown[] => {
  const ranked = records.map((record) => ({ record, severity: getWorstSeverity(record) }))
  const bad = ranked.filter((one) => one.severity !== undefined)
  const rest = ranked.filter((one) => one.severity === undefined)
  return [...bad.sort((a, b) => compareSeverity(a.severity, b.severity)), ...rest].map(
    (r) => r.record,
  )
}

/** Creates the view that prints all records as one document. */
const createBomDocument = ({ place }: Context): NonNullable<RecordView['document']> => {
  const { limit, output, page, perPage } = place.globals
  if (output !== undefined && output !== 'json')
    throw usage(`-o cyclonedx and -o ${output} exclude each other`)
  return {
    // A bill of materials must be complete, unless the line requests only a part.
    whole: limit === undefined && page === undefined && perPage === undefined,
    build: (records, { values }) =>
      createCycloneDx(records, {
        project: String(values.id),
        version,
        now: place.clock.now(),
        serialNumber: `urn:uuid:${createUuid(place.clock)}`,
      }),
  }
}

const flags = {
  output: createOutputFlag(
    ['cyclonedx'],
    'output format; cyclonedx is a bill of materials',
    'table',
  ),
} as const

export const listDependencies = define({
  description: [
    'Tables list vulnerable dependencies first, the most severe on top. Other formats keep the order of the API.',
  ],
  flags,
  rows: (context, given) =>
    context.list(given, {
      view:
        given.flags.output === 'cyclonedx'
          ? { document: createBomDocument(context) }
          : { people: { rows: sortVulnerableFirst, reorders: true } },
    }),
})
