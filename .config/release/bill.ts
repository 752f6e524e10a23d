/** Builds the bill of materials of a release: the bundled packages, Node, and the libraries in Node (CycloneDX 1.6). */
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { formatPurl } from '../../src/commands/dependencies.js'

/** A bundled package, as `dist/licences.txt` lists it. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
}

const rule = '-'.repeat(80)

/**
 * Parses the packages from a text of licences.
 * @throws Error if a part does not begin as the build writes it
 */
export const parseBundled = (licences: string): readonly BundledPackage[] =>
  licences.split(`\n${rule}\n`).map((part) => {
    const [first = ''] = part.trimStart().split('\n')
    const [, name, version, licence] = /^(\S+) (\S+) \((.+)\)$/.exec(first) ?? []
    if (name === undefined || version === undefined || licence === undefined)
      throw new Error(`dist/licences.txt has a part that begins with "${first}"`)
    return { name, version, licence }
  })

const createLibrary = ({ name, version, licence }: BundledPackage): Models.Component => {
  const purl = formatPurl('npm', name, version)
  const component = new Models.Component(Enums.ComponentType.Library, name, {
    version,
    bomRef: purl ?? name,
    ...(purl === undefined ? {} : { purl }),
  })
  component.licenses.add(
    // There is no parser of licence expressions here: an expression that is not an identifier becomes a name.
    new Contrib.License.Factories.LicenseFactory(() => {}).makeDisjunctive(licence),
  )
  return component
}

/** Creates the component of Node with those in its `process.versions`: scanners look for its OpenSSL. */
const createRuntime = (versions: NodeJS.ProcessVersions): Models.Component => {
  const { node, ...parts } = versions
  const component = new Models.Component(Enums.ComponentType.Platform, 'node', {
    version: node,
    bomRef: `node@${node}`,
    purl: `pkg:generic/node@${node}`,
  })
  for (const [name, version = ''] of Object.entries(parts))
    component.components.add(
      new Models.Component(Enums.ComponentType.Library, name, {
        version,
        bomRef: `node@${node}#${name}`,
      }),
    )
  return component
}

export interface BillContents {
  readonly version: string
  readonly licences: string
  readonly node: NodeJS.ProcessVersions
  readonly now: Date
  readonly serialNumber: string
}

/** Builds the document as text. */
export const buildCycloneDx = ({
  version,
  licences,
  node,
  now,
  serialNumber,
}: BillContents): string => {
  const application = new Models.Component(Enums.ComponentType.Application, 'svcctl', {
    version,
    bomRef: `svcctl@${version}`,
  })
  const components = [...parseBundled(licences).map(createLibrary), createRuntime(node)]
  for (const { bomRef } of components) application.dependencies.add(bomRef)
  const bom = new Models.Bom({
    serialNumber,
    metadata: new Models.Metadata({ timestamp: now, component: application }),
    components: new Models.ComponentRepository(components),
  })
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`
}

/** Builds the same as SPDX 2.3, which some scanners require. */
export const buildSpdx = ({ version, licences, node, now, serialNumber }: BillContents): string => {
  const packageOf = (name: string, versionInfo: string, licence: string, purl?: string) => ({
    SPDXID: `SPDXRef-${`${name}-${versionInfo}`.replace(/[^A-Za-z0-9.-]/g, '-')}`,
    name,
    versionInfo,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: /^[\w.+-]+$/.test(licence) ? licence : 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    externalRefs:
      purl === undefined
        ? []
        : [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  })
  const own = packageOf('svcctl', version, 'MIT')
  const parts = [
    ...parseBundled(licences).map((one) =>
      packageOf(one.name, one.version, one.licence, formatPurl('npm', one.name, one.version)),
    ),
    packageOf('node', node.node, 'MIT', `pkg:generic/node@${node.node}`),
  ]
  const relationship = (spdxElementId: string, relationshipType: string, related: string) => ({
    spdxElementId,
    relationshipType,
    relatedSpdxElement: related,
  })
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `svcctl-${version}`,
    documentNamespace: serialNumber,
    creationInfo: {
      created: `${now.toISOString().slice(0, 19)}Z`,
      creators: [`Tool: svcctl-${version}`],
    },
    packages: [own, ...parts],
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', own.SPDXID),
      ...parts.map(({ SPDXID }) => relationship(own.SPDXID, 'DEPENDS_ON', SPDXID)),
    ],
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}
