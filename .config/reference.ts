/**
 * The API as the catalogue has it, a page an area in src/catalogue/reference/: for comments that
 * cite a rule, for reviewers, and for whoever looks a parameter up without a network.
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
import { tableOfFilled } from './markdown.js'

const code = (text: string): string => `\`${text}\``
const codes = (texts: readonly string[]): string => texts.map(code).join(', ')

const typeOf = (param: Param): string => {
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

/** The values that it takes: enumerated, by name, within bounds, or words instead of one. */
const valuesOf = (param: Param): string => {
  const listed = 'values' in param ? codes(param.values ?? []) : ''
  const names = 'names' in param ? Object.entries(param.names ?? {}) : []
  const least = param.type === 'integer' && param.min !== undefined ? `from ${param.min}` : ''
  const most = 'max' in param && param.max !== undefined ? param.max : undefined
  const bound = most === undefined ? '' : param.type === 'list' ? `at most ${most}` : `to ${most}`
  return [
    listed,
    names.map(([name, value]) => `${code(String(value))} ${name}`).join(', '),
    [least, bound].filter((t) => t !== '').join(' '),
    param.words === undefined ? '' : `also ${codes(param.words)}`,
    param.nullable === true ? 'null' : '',
  ]
    .filter((t) => t !== '')
    .join('; ')
}

const deprecationOf = (param: Param): string =>
  [
    ...(param.deprecated === undefined ? [] : [`use ${param.deprecated}`]),
    ...('deprecatedValues' in param ? Object.entries(param.deprecatedValues ?? {}) : []).map(
      ([old, now]) => `${code(old)}: use ${code(now)}`,
    ),
  ].join('; ')

const meaningOf = (name: string, { name: named, ...param }: Param): string =>
  [
    param.help,
    ...('join' in param && param.join === 'comma' ? ['one comma-joined value'] : []),
    ...(param.secret === true ? ['a secret'] : []),
    ...(named === undefined || named === name ? [] : [`${code(named)} to the command`]),
  ].join('; ')

type Place = 'path' | 'query' | 'body'
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

/** The row of a parameter, and one for each key that it has. */
const rowsOf = (name: string, param: Param, place: Place): string[][] => [
  [
    code(name),
    place,
    typeOf(param),
    param.required === true || place === 'path' ? 'yes' : '',
    valuesOf(param),
    param.default === undefined ? '' : code(String(param.default)),
    param.edition ?? '',
    deprecationOf(param),
    meaningOf(name, param),
  ],
  ...Object.entries(
    (param.type === 'hash' ? param.keys : param.type === 'json' ? param.items : undefined) ?? {},
  ).flatMap(([key, inner]) =>
    rowsOf(param.type === 'json' ? `${name}[][${key}]` : `${name}[${key}]`, inner, place),
  ),
]

const parameters = (e: Endpoint): string[][] => [
  ...Object.entries(e.path).flatMap(([name, param]) => rowsOf(name, param, 'path')),
  ...Object.entries(e.params).flatMap(([name, param]) => rowsOf(name, param, getPlace(e, param))),
]

const credentials: Readonly<Record<CredentialNeed, string>> = {
  user: 'a user’s token',
  optional: 'a user’s token where there is one, else none',
  job: 'a job token',
  'user-or-job': 'a user’s token or a job token',
  parameter: 'none: a parameter or the address is the credential',
}

const answerOf = (e: Endpoint): string => {
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

const factsOf = (area: string, e: Endpoint): string[] => {
  const command = `svcctl ${area} ${e.command}${e.when === undefined ? '' : ` --${e.when.flag}`}`
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Command', code(command)],
    ['Answer', answerOf(e)],
    ['Who', e.access],
    ['Credential', credentials[e.credential ?? 'user']],
    ['Edition', e.edition],
    ['Destroys', e.destructive],
    ['Not together', e.exclusive?.map(codes).join('; ')],
    ['Does not take', e.refuses && codes(e.refuses)],
    ['Not in the documents, only implied by them', e.implied && 'yes'],
  ]
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [`- ${name}: ${text}`]))
}

const endpointPart = (area: string, e: Endpoint): string[] => {
  const rows = parameters(e)
  return [
    `## ${code(e.route)}`,
    [`${e.summary}.`, ...(e.notes ?? [])].join(' '),
    factsOf(area, e).join('\n'),
    ...(rows.length === 0 ? [] : [tableOfFilled(head, rows)]),
  ]
}

const shapePart = ([title, shape]: readonly [string, unknown]): string[] => {
  const rows = listFields(shape).map((f) => [code(f.field), f.type, f.always ? 'yes' : '', f.notes])
  const fields = rows.length === 0 ? 'Its fields are not documented.' : undefined
  return [`### ${title}`, fields ?? tableOfFilled(['field', 'type', 'always', 'notes'], rows)]
}

/** Which parameters an integration of each family takes. */
const families = (): string[] => [
  '## Families of integrations',
  tableOfFilled(
    ['family', 'what it is', 'slugs', 'required', 'also takes'],
    integrationFamilies.map((f) => {
      const names = Object.entries(f.params)
      const of = (required: boolean): string =>
        codes(names.filter(([, p]) => (p.required === true) === required).map(([name]) => name))
      return [code(f.name), f.summary, codes(f.slugs), of(true), of(false)]
    }),
  ),
]

export interface Page {
  /** Name of its file. */
  readonly name: string
  readonly text: string
}

const page = (name: string, parts: readonly string[]): Page => ({
  name: `${name}.md`,
  text: `${['<!-- Generated from the catalogue: npm run generate. -->', ...parts].join('\n\n')}\n`,
})

interface Loaded {
  readonly area: AreaRow
  readonly endpoints: readonly Endpoint[]
  readonly shapes: ReadonlyMap<string, unknown>
}

const load = async (area: AreaRow): Promise<Loaded> => {
  const endpoints = Object.values(await area.load())
  return { area, endpoints, shapes: collectShapes(endpoints.map((e) => e.returns.shape)) }
}

const areaPage = ({ area, endpoints, shapes }: Loaded, shared: ReadonlySet<string>): Page => {
  const own = [...shapes].filter(([title]) => !shared.has(title))
  const elsewhere = [...shapes.keys()].filter((title) => shared.has(title)).sort()
  const params: readonly Params[] = endpoints.map((e) => e.params)
  return page(area.name, [
    `# ${area.name}: ${area.summary}`,
    ...endpoints.flatMap((e) => endpointPart(area.name, e)),
    ...(params.includes(integrationParameters) ? families() : []),
    ...(shapes.size === 0 ? [] : ['## What they answer with']),
    ...own.flatMap(shapePart),
    ...(elsewhere.length === 0 ? [] : [`In [shapes.md](shapes.md): ${elsewhere.join(', ')}.`]),
  ])
}

/** A page an area, and one with the shapes that several of them answer with. */
export const referencePages = async (): Promise<Page[]> => {
  const loaded = await Promise.all(areas.map(load))
  const count = (title: string): number => loaded.filter((l) => l.shapes.has(title)).length
  const all = new Map(loaded.flatMap((l) => [...l.shapes]))
  const shared = new Set([...all.keys()].filter((title) => count(title) > 1).sort())
  return [
    ...loaded.map((l) => areaPage(l, shared)),
    page('shapes', [
      '# shapes: what endpoints of several areas answer with',
      ...[...shared].flatMap((title) => shapePart([title, all.get(title)])),
    ]),
  ]
}
