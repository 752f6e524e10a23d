/** The format of the files as JSON Schema, for editors: all of it follows from the facts of the kinds. */
import { isObject } from '../../base/objects.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { inherit, kindsOf, placeOf } from './kinds.js'

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` })

const segment = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.-]+'
const path = `${segment}(?:/${segment})*`

const source = (name: string, value: JsonSchema, description: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: value },
  required: [name],
  additionalProperties: false,
  description,
})
const filled: JsonSchema = { type: 'string', minLength: 1 }
const inFile = source('file', filled, 'a file that contains it, relative to this file')
const sources: readonly JsonSchema[] = [
  source(
    'env',
    { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
    'an environment variable that contains it',
  ),
  inFile,
  source(
    'command',
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    'a program that prints it, with --allow-commands',
  ),
]

const definitions = (): JsonSchema => ({
  site: placeOf('site'),
  group: placeOf('group'),
  project: placeOf('project'),
  name: {
    type: ['string', 'integer'],
    description: "a name or an ID; write '@123' for a name of digits",
  },
  held: inFile,
  secret: {
    // Nothing is what unsets one.
    anyOf: [...sources, { type: 'string', pattern: '^(?:env:|@|command:|$)' }, { type: 'null' }],
    description: 'the source of the secret; secrets are not written in files',
  },
})

/** `'**'` and `group/**`: the projects below as well. */
const below = (): JsonSchema => ({
  type: 'object',
  properties: {
    $inherit: inherit,
    ...Object.fromEntries(
      Object.keys(kindsOf('group')).map((name) => [name, ref(`group/properties/${name}`)]),
    ),
    projects: ref('project'),
  },
  additionalProperties: false,
})

const title = 'svcctl: an instance as code'

/** Whether a text is a schema of these files, of whatever version. */
export const isConfigSchema = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && value.title === title
  } catch {
    return false
  }
}

/** What documents say for others: who owns what, and who is in which team. */
const shared = (): JsonSchema => ({
  owns: {
    type: 'array',
    items: { type: 'string', pattern: '^(?:site|groups/.+|projects/.+)$' },
    minItems: 1,
    description: 'addresses that only files in this folder and below can declare',
  },
  teams: {
    type: 'object',
    propertyNames: { pattern: '^[A-Za-z0-9_.-]+$' },
    additionalProperties: {
      type: 'object',
      properties: {
        users: { type: 'array', items: ref('name') },
        teams: { type: 'array', items: { type: 'string' } },
      },
      additionalProperties: false,
    },
    description: "named lists of users; use one as 'team:name'",
  },
})

/** The schema that a file of declared state keeps. It has no address: it stands beside the files. */
export const configSchema = (): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  type: 'object',
  properties: {
    version: { const: 1, description: 'version of the file format' },
    instance: { type: 'string', description: 'URL of the only instance that the file applies to' },
    ...shared(),
    defaults: {
      type: 'object',
      properties: { projects: ref('project') },
      additionalProperties: false,
      description: 'settings of every project that another key names or matches',
    },
    groups: {
      type: 'object',
      propertyNames: { pattern: `^(?:\\*\\*|${path}(?:/\\*\\*)?)$` },
      patternProperties: { '\\*\\*$': below() },
      additionalProperties: ref('group'),
      description:
        "groups by full path; 'group/**' matches the group and everything below it, '**' everything",
    },
    projects: {
      type: 'object',
      propertyNames: { pattern: `^(?:${segment}/${path}|\\{.*\\}|(?=.*\\*)[\\w.*/-]+)$` },
      additionalProperties: ref('project'),
      description:
        "projects by full path, by a glob ('group/*'), or by '{topic: name, visibility: public, path: glob, not: glob}'",
    },
    site: { ...ref('site'), description: 'the instance itself' },
  },
  required: ['version'],
  additionalProperties: false,
  $defs: definitions(),
})
