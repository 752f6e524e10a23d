/** Implements `explain`, which prints fields of resources, parameters of commands, the API as OpenAPI, and JSON Schemas of files. */

import { type Fields, isObject } from '../base/objects.js'
import { suggestSimilar } from '../base/suggest.js'
import { version } from '../base/version.js'
import { integrationFamilies } from '../catalogue/areas/integrations.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { type AreaRow, findArea, listAreas } from '../catalogue/index.js'
import { createOpenApi } from '../catalogue/openapi.js'
import { boolean, describeType, getParamValues, oneOf, type Param } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { extendCommand, undocumentedHelp } from '../engine/command/known.js'
import type { CommandFacts, Suggestion } from '../engine/command/types.js'
import { type Row, type Rows, yieldRecords } from '../engine/rows.js'
import { usage } from '../errors.js'
import { getPaths } from '../profile/index.js'
import { type KnownInstance, readKnown } from '../profile/known.js'
import { type Arguments, define } from './define.js'

// The schemas of records, as lists of fields.

/** Describes the type of a field: `string or null`, `list of User summary`. */
export const describeFieldType = (schema: unknown): string => {
  if (!isObject(schema)) return 'any'
  const union = schema.anyOf
  if (Array.isArray(union)) return [...new Set(union.map(describeFieldType))].join(' or ')
  if (schema.type === 'array') return `list of ${describeFieldType(schema.items)}`
  if (schema.type === 'object') return String(schema.title ?? 'object')
  if (schema.format === 'date-time') return 'timestamp'
  if (schema.format === 'date') return 'date'
  if (schema.format === 'version') return 'version'
  return String(schema.type ?? 'any')
}

interface Field {
  /** The name of the field; a dotted path for a field of a nested object. */
  readonly field: string
  readonly type: string
  /** False if some answers do not have the field. */
  readonly always: boolean
  readonly notes: string
}

/** Lists the fields of a schema. Nested objects without a title are expanded with dots; those with a title are separate resources. */
export const listFields = (schema: unknown, prefix = ''): Field[] => {
  if (!isObject(schema)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(getProperties(schema) ?? {}).flatMap(([name, field]) => {
    const notes = isObject(field)
      ? [field.description, Array.isArray(field.examples) ? field.examples.join(', ') : undefined]
      : []
    const row = {
      field: prefix + name,
      type: describeFieldType(field),
      always: required.includes(name),
      notes: notes.filter((n) => n !== undefined).join('; '),
    }
    const nested =
      isObject(field) && field.title === undefined ? listFields(field, `${prefix}${name}.`) : []
    return [row, ...nested]
  })
}

/** Collects all titled schemas in these, by title, in the order of their first use. */
export const collectShapes = (shapes: Iterable<unknown>): Map<string, Fields> => {
  const found = new Map<string, Fields>()
  const visit = (schema: unknown): void => {
    if (Array.isArray(schema)) for (const item of schema) visit(item)
    else if (isObject(schema)) {
      const title = schema.title
      if (typeof title === 'string' && !found.has(title)) found.set(title, schema)
      for (const value of Object.values(schema)) visit(value)
    }
  }
  for (const shape of shapes) visit(shape)
  return found
}

/** Reads the stored facts about the instance of the active profile. */
const readKnownInstance = async ({ place }: Context): Promise<KnownInstance | undefined> => {
  const profile = await place.profile()
  return profile && readKnown(getPaths(place.env), profile)
}

/** Lists the undocumented fields of an area's records. The name may be that of the area or its singular. */
const listInstanceFields = (known: KnownInstance | undefined, name: string): Field[] =>
  (known?.fields[name] ?? known?.fields[`${name}s`] ?? []).map((field) => ({
    field,
    type: 'any',
    always: false,
    notes: undocumentedHelp,
  }))

const createParamRow = (e: Endpoint, place: string, [name, param]: [string, Param]) => ({
  endpoint: e.route,
  parameter: name,
  in: place,
  type: describeType(param),
  required: param.required === true || place === 'path',
  values: [...getParamValues(param), ...(param.words ?? [])].join(', '),
  default: param.default ?? null,
  edition: param.edition ?? e.edition ?? null,
  deprecated: param.deprecated ?? null,
  help: param.help,
})

/** Lists the parameters of a command. For `integrations update`, `family` limits them to one family. */
const listParameters = (command: CommandFacts, family: unknown) => {
  const chosen = integrationFamilies.find(({ name }) => name === family)
  return Object.values(command.endpoints).flatMap((e) => [
    ...Object.entries(e.path).map((one) => createParamRow(e, 'path', one)),
    ...Object.entries(chosen?.params ?? e.params).map((one) => createParamRow(e, 'parameter', one)),
  ])
}

/** Converts a title to the form that is typed: `Runner summary` → `runner-summary`. */
const toKebab = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

const normalize = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')

const loadShapes = async (row: AreaRow): Promise<unknown[]> =>
  Object.values(await row.load()).flatMap(({ returns }) => returns.shape ?? [])

/** Loads all titled schemas of the catalogue, by title. */
const loadResources = async () => {
  const all = await Promise.all(listAreas().map(loadShapes))
  return collectShapes(all.flat())
}

/** Returns the titled schemas of an answer itself, without those of its fields. */
const getAnswerShapes = (shape: unknown): Fields[] => {
  if (!isObject(shape)) return []
  if (typeof shape.title === 'string') return [shape]
  return Array.isArray(shape.anyOf) ? shape.anyOf.flatMap(getAnswerShapes) : []
}

const undocumentedField = {
  field: null,
  type: 'any',
  always: null,
  notes: 'its fields are not documented',
}

/** Names the records that an endpoint answers with: by their titles, or by the command without its verb where an extension has none. */
const nameRecords = (area: string, { command, returns }: Endpoint): [string, Fields][] => {
  const titled = getAnswerShapes(returns.shape)
  if (titled.length > 0) return titled.map((shape) => [toKebab(String(shape.title)), shape])
  const group = command.split(' ').slice(0, -1)
  return isObject(returns.shape) ? [[[area, ...group].join(' '), returns.shape]] : []
}

/** Yields the fields of the records of an area's endpoints. The column `resource` names the record. */
async function* explainArea(
  context: Context,
  words: readonly string[],
): AsyncGenerator<Row, boolean> {
  const row = words.length === 1 ? findArea(words[0]) : undefined
  if (row === undefined) return false
  const byName = new Map<string, Map<string, Field>>()
  const endpoints = Object.values<Endpoint>(await row.load())
  for (const [name, shape] of endpoints.flatMap((one) => nameRecords(row.name, one))) {
    const fields = byName.get(name) ?? new Map<string, Field>()
    for (const field of listFields(shape)) fields.set(field.field, field)
    byName.set(name, fields)
  }
  const rows = [...byName].flatMap(([resource, fields]) =>
    (fields.size === 0 ? [undocumentedField] : [...fields.values()]).map((field) => ({
      resource,
      ...field,
    })),
  )
  for (const field of listInstanceFields(await readKnownInstance(context), row.name))
    rows.push({ resource: row.name, ...field })
  yield* yieldRecords(rows, {
    columns: ['resource', 'field', 'type', 'always', 'notes'],
  })
  return true
}

const flags = {
  openapi: boolean('print the API as an OpenAPI 3.1 document'),
  'config-schema': boolean('print the JSON Schema of declared-state files'),
  'policy-schema': boolean('print the JSON Schema of policy files'),
  family: oneOf(
    integrationFamilies.map((f) => f.name),
    'for "integrations update": show only the parameters of this family',
  ),
} as const
type ExplainGiven = Arguments<typeof flags>

async function* explainCommand(
  context: Context,
  words: readonly string[],
  family: unknown,
): AsyncGenerator<Row, boolean> {
  const { place } = context
  const area = findArea(words[0])
  const [, ...verb] = words
  const command = (await place.listCommands()).find(
    (c) => c.area === (area?.name ?? words[0]) && c.words === verb.join(' '),
  )
  if (command === undefined) return false
  if (family !== undefined && !(command.area === 'integrations' && command.words === 'update'))
    throw usage('--family works only with: svcctl explain integrations update')
  const known = await readKnownInstance(context)
  const rows = listParameters(known === undefined ? command : extendCommand(command, known), family)
  yield* yieldRecords(rows, {
    columns: ['endpoint', 'parameter', 'type', 'required', 'values', 'help'],
  })
  return true
}

/** Returns the document that a flag requests; undefined without such a flag. */
const createDocument = async ({ flags }: ExplainGiven): Promise<unknown> => {
  if (flags.openapi === true) return createOpenApi(version)
  if (flags['config-schema'] === true)
    return (await import('../desired/files/document.js')).buildConfigSchema()
  if (flags['policy-schema'] === true) return (await import('./policy.js')).policySchema
  return undefined
}

async function* explainGiven(context: Context, given: ExplainGiven): Rows {
  const document = await createDocument(given)
  if (document !== undefined) return yield { kind: 'document', value: document }
  const words = given.args
  const known = await loadResources()
  if (words.length === 0)
    return yield* yieldRecords(
      [...known.keys()].sort().map((resource) => ({ resource })),
      { columns: ['resource'] },
    )
  const wanted = normalize(words.join(''))
  const match = [...known].find(
    ([title]) => normalize(title) === wanted || `${normalize(title)}s` === wanted,
  )
  if (match !== undefined)
    return yield* yieldRecords(
      [
        ...listFields(match[1]),
        ...listInstanceFields(await readKnownInstance(context), toKebab(match[0])),
      ],
      {
        columns: ['field', 'type', 'always', 'notes'],
      },
    )
  if (yield* explainCommand(context, words, given.flags.family)) return
  if (yield* explainArea(context, words)) return
  const names = [...known.keys()].map(toKebab)
  throw usage(
    `unknown resource or command "${words.join(' ')}"`,
    suggestSimilar(words.join(' '), [...names, ...listAreas().map((area) => area.name)]) ??
      'svcctl explain lists the resources, svcctl commands the commands.',
  )
}

/** Suggests resources and areas for the first word, and the verbs of an area after it. */
const suggestTopics = async ([area]: readonly string[]): Promise<readonly Suggestion[]> => {
  if (area !== undefined) {
    const row = findArea(area)
    if (row === undefined) return []
    const verbs = Object.values(await row.load()).flatMap((e) => e.command.split(' ')[0] ?? [])
    return [...new Set(verbs)].map((value) => ({ value }))
  }
  const titles = [...(await loadResources()).keys()].sort()
  return [
    ...listAreas().map(({ name, summary }) => ({ value: name, text: summary })),
    ...titles.map((title) => ({ value: toKebab(title), text: 'fields' })),
  ]
}

export const explain = define({
  args: [
    {
      name: 'resource|area',
      required: false,
      variadic: true,
      help: 'resource (runner) or command (runners list)',
      values: ({ before }) => suggestTopics(before),
    },
  ],
  flags,
  rows: explainGiven,
})
