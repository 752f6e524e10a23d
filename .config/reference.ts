/**
 * Builds the reference of the API from the catalogue, one page an area in src/catalogue/reference/: for comments that cite a rule,
 * for reviewers, and to look up parameters without a network.
 */

import { integrationFamilies, integrationParameters } from '../src/catalogue/areas/integrations.js'
import {
  type CredentialNeed,
  type Endpoint,
  getPlace,
  getStatus,
} from '../src/catalogue/endpoint.js'
import { type AreaRow, areas } from '../src/catalogue/index.js'
import type { Param, Params } from '../src/catalogue/params.js'
import { collectShapes, describeFieldType, listFields } from '../src/commands/explain.js'
import { buildFilledTable } from './markdown.js'

const toCode = (text: string): string => `\`${text}\``
const joinCodes = (texts: readonly string[]): string => texts.map(toCode).join(', ')

const describeType = (param: Param): string => {
  switch (param.type) {
    case 'list':
      return `list of ${param.of === 'integer' ? 'integer' : 'string'}${param.single === true ? ', or one' : ''}`
    case 'json':
      return param.items === undefined ? 'any' : 'list of objects'
    case 'project':
    case 'group':
      return 'ID or full path'
    case 'enum':
      return 'string'
    case 'string':
      return param.format ?? 'string'
    default:
      return param.type
  }
}

/** Describes the values of a parameter: enumerated, named, within bounds, or words instead of a value. */
const describeValues = (param: Param): string => {
  const listed = 'values' in param ? joinCodes(param.values ?? []) : ''
  const names = 'names' in param ? Object.entries(param.names ?? {}) : []
  const least = param.type === 'integer' && param.min !== undefined ? `from ${param.min}` : ''
  const most = 'max' in param && param.max !== undefined ? param.max : undefined
  const bound = most === undefined ? '' : param.type === 'list' ? `at most ${most}` : `to ${most}`
  return [
    listed,
    names.map(([name, value]) => `${toCode(String(value))} ${name}`).join(', '),
    [least, bound].filter((t) => t !== '').join(' '),
    param.words === undefined ? '' : `also ${joinCodes(param.words)}`,
    param.nullable === true ? 'null' : '',
  ]
    .filter((t) => t !== '')
    .join('; ')
}

const describeDeprecation = (param: Param): string =>
  [
    ...(param.deprecated === undefined ? [] : [`use ${param.deprecated}`]),
    ...('deprecatedValues' in param ? Object.entries(param.deprecatedValues ?? {}) : []).map(
      ([old, now]) => `${toCode(old)}: use ${toCode(now)}`,
    ),
  ].join('; ')

const describeMeaning = (name: string, { name: named, ...param }: Param): string =>
  [
    param.help,
    ...('join' in param && param.join === 'comma' ? ['one comma-joined value'] : []),
    ...(param.secret === true ? ['a secret'] : []),
    ...(named === undefined || named === name ? [] : [`${toCode(named)} to the command`]),
  ].join('; ')

type ParameterPlace = 'path' | 'query' | 'body'
const head = [
  'parameter',
  'in',
  'type',
  'required',
  'values',
  'default',
  'edition',
  'deprecated',
  'meaning',
] as const

/** Builds the row of a parameter, and one for each of its keys. */
const buildRows = (name: string, param: Param, place: ParameterPlace): string[][] => [
  [
    toCode(name),
    place,
    describeType(param),
    param.required === true || place === 'path' ? 'yes' : '',
    describeValues(param),
    param.default === undefined ? '' : toCode(String(param.default)),
    param.edition ?? '',
    describeDeprecation(param),
    describeMeaning(name, param),
  ],
  ...Object.entries(
    (param.type === 'hash' ? param.keys : param.type === 'json' ? param.items : undefined) ?? {},
  ).flatMap(([key, inner]) =>
    buildRows(param.type === 'json' ? `${name}[][${key}]` : `${name}[${key}]`, inner, place),
  ),
]

const listParameterRows = (e: Endpoint): string[][] => [
  ...Object.entries(e.path).flatMap(([name, param]) => buildRows(name, param, 'path')),
  ...Object.entries(e.params).flatMap(([name, param]) =>
    buildRows(name, param, getPlace(e, param)),
  ),
]

const credentials: Readonly<Record<CredentialNeed, string>> = {
  user: 'a user’s token',
  optional: 'a user’s token where there is one, else none',
  job: 'a job token',
  'user-or-job': 'a user’s token or a job token',
  parameter: 'none: a parameter or the address is the credential',
}

const describeAnswer = (e: Endpoint): string => {
  const { kind, shape, media } = e.returns
  const what = {
    one: () => describeFieldType(shape),
    many: () =>
      `a page of a list of ${describeFieldType(shape)} (\`page\`, \`per_page\`; go on by \`Link\`)`,
    empty: () => 'nothing',
    file: () => `a file (${media ?? 'any bytes'})`,
  }[kind]()
  return `${getStatus(e)}, ${what}${e.unchanged === undefined ? '' : `; 304: ${e.unchanged}`}`
}

const listFacts = (area: string, e: Endpoint): string[] => {
  const command = `svcctl ${area} ${e.command}${e.when === undefined ? '' : ` --${e.when.flag}`}`
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Command', toCode(command)],
    ['Answer', describeAnswer(e)],
    ['Who', e.access],
    ['Credential', credentials[e.credential ?? 'user']],
    ['Edition', e.edition],
    ['Destroys', e.destructive],
    ['Not together', e.exclusive?.map(joinCodes).join('; ')],
    ['Does not take', e.refuses && joinCodes(e.refuses)],
    ['Not in the documents, only implied by them', e.implied && 'yes'],
  ]
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [`- ${name}: ${text}`]))
}

const buildEndpointPart = (area: string, e: Endpoint): string[] => {
  const rows = listParameterRows(e)
  return [
    `## ${toCode(e.route)}`,
    [`${e.summary}.`, ...(e.notes ?? [])].join(' '),
    listFacts(area, e).join('\n'),
    ...(rows.length === 0 ? [] : [buildFilledTable(head, rows)]),
  ]
}

const buildShapePart = ([title, shape]: readonly [string, unknown]): string[] => {
  const rows = listFields(shape).map((f) => [
    toCode(f.field),
    f.type,
    f.always ? 'yes' : '',
    f.notes,
  ])
  const fields = rows.length === 0 ? 'Its fields are not documented.' : undefined
  return [`### ${title}`, fields ?? buildFilledTable(['field', 'type', 'always', 'notes'], rows)]
}

/** Builds the section with the parameters of each family of integrations. */
const buildFamilies = (): string[] => [
  '## Families of integrations',
  buildFilledTable(
    ['family', 'what it is', 'slugs', 'required', 'also takes'],
    integrationFamilies.map((f) => {
      const names = Object.entries(f.params)
      const of = (required: boolean): string =>
        joinCodes(names.filter(([, p]) => (p.required === true) === required).map(([name]) => name))
      return [toCode(f.name), f.summary, joinCodes(f.slugs), of(true), of(false)]
    }),
  ),
]

export interface Page {
  readonly name: string
  readonly text: string
}

const buildPage = (name: string, parts: readonly string[]): Page => ({
  name: `${name}.md`,
  text: `${['<!-- Generated from the catalogue: npm run generate. -->', ...parts].join('\n\n')}\n`,
})

interface LoadedArea {
  readonly area: AreaRow
  readonly endpoints: readonly Endpoint[]
  readonly shapes: ReadonlyMap<string, unknown>
}

const loadArea = async (area: AreaRow): Promise<LoadedArea> => {
  const endpoints = Object.values(await area.load())
  return { area, endpoints, shapes: collectShapes(endpoints.map((e) => e.returns.shape)) }
}

const buildAreaPage = (
  { area, endpoints, shapes }: LoadedArea,
  shared: ReadonlySet<string>,
): Page => {
  const own = [...shapes].filter(([title]) => !shared.has(title))
  const elsewhere = [...shapes.keys()].filter((title) => shared.has(title)).sort()
  const params: readonly Params[] = endpoints.map((e) => e.params)
  return buildPage(area.name, [
    `# ${area.name}: ${area.summary}`,
    ...endpoints.flatMap((e) => buildEndpointPart(area.name, e)),
    ...(params.includes(integrationParameters) ? buildFamilies() : []),
    ...(shapes.size === 0 ? [] : ['## What they answer with']),
    ...own.flatMap(buildShapePart),
    ...(elsewhere.length === 0 ? [] : [`In [shapes.md](shapes.md): ${elsewhere.join(', ')}.`]),
  ])
}

/** Builds one page an area, and one with the shapes that several areas return. */
export const buildReferencePages = async (): Promise<Page[]> => {
  const loaded = await Promise.all(areas.map(loadArea))
  const count = (title: string): number => loaded.filter((l) => l.shapes.has(title)).length
  const all = new Map(loaded.flatMap((l) => [...l.shapes]))
  const shared = new Set([...all.keys()].filter((title) => count(title) > 1).sort())
  return [
    ...loaded.map((l) => buildAreaPage(l, shared)),
    buildPage('shapes', [
      '# shapes: what endpoints of several areas answer with',
      ...[...shared].flatMap((title) => buildShapePart([title, all.get(title)])),
    ]),
  ]
}
