/** Provides the schemas of the files of an extension: the index of all, what an extension is, its operations, and its endpoints by area. */
import type { StoredValue } from '../base/documents/stored.js'
import type { ServedPath } from '../extension/served-paths.js'
import { areaName } from '../extension/words.js'

/** Matches a folder of an extension: its name, or the second of its two folders, which take turns. */
export const folderName = /^([a-z][a-z0-9-]{0,99})(?:\.2)?$/

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const map = { type: 'object', additionalProperties: {} } as const
const texts = { type: 'array', items: text } as const
const textOrNull = { type: ['string', 'null'] } as const

const areaNames = { summary: text, alias: text } as const
const areaKeys = { pattern: areaName.source, title: 'area name' } as const
const kindsByName = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { areas: texts, names: texts, also: texts, title: text, word: text },
    required: ['areas', 'names'],
  },
} as const

/** The schema of the index of all extensions, which every start of the program reads. */
export const indexSchema = {
  type: 'object',
  properties: {
    format: { type: 'integer' },
    version: text,
    areas: {
      type: 'object',
      propertyNames: areaKeys,
      additionalProperties: {
        type: 'object',
        properties: { ...areaNames, from: { type: 'array', items: { ...text, ...areaKeys } } },
        required: ['summary', 'from'],
      },
    },
    kinds: kindsByName,
    /** The folder of each extension. */
    folders: {
      type: 'object',
      additionalProperties: { ...text, pattern: folderName.source, title: 'folder' },
    },
    /** The profile of each extension that a single profile has. */
    profiles: { type: 'object', additionalProperties: text },
  },
  required: ['format', 'version', 'areas', 'kinds', 'folders', 'profiles'],
} as const
export type ExtensionIndex = StoredValue<typeof indexSchema>

/** The schema of the stored facts of an extension, without its endpoints. */
export const recordSchema = {
  type: 'object',
  properties: {
    name: text,
    title: textOrNull,
    /** The file that it was read from, and the SHA-256 of it and of the file of `--with`. */
    source: text,
    digest: text,
    with: textOrNull,
    only: texts,
    except: texts,
    /** The only profile that has the extension; null for all. */
    profile: textOrNull,
    added_at: text,
    commands: { type: 'integer' },
    areas: {
      type: 'object',
      propertyNames: areaKeys,
      additionalProperties: { type: 'object', properties: areaNames, required: ['summary'] },
    },
    kinds: kindsByName,
    served: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: text,
          one: text,
          by: text,
          stored: { const: true },
          shape: {
            type: 'object',
            properties: { properties: { type: 'object', additionalProperties: map } },
            required: ['properties'],
          },
          sets: { type: 'object', additionalProperties: map },
          methods: { type: 'object', additionalProperties: { enum: ['PUT', 'PATCH', 'DELETE'] } },
          logs: texts,
        },
        required: ['path', 'one', 'by'],
      },
    },
    left_out: {
      type: 'array',
      items: {
        type: 'object',
        properties: { request: text, command: textOrNull, reason: text },
        required: ['request', 'command', 'reason'],
      },
    },
  },
  required: [
    ...['name', 'title', 'source', 'digest', 'with', 'only', 'except', 'profile', 'added_at'],
    ...['commands', 'areas', 'kinds', 'served', 'left_out'],
  ],
} as const
export type ExtensionRecord = Omit<StoredValue<typeof recordSchema>, 'served'> & {
  readonly served: readonly ServedPath[]
}
/** The summary and alias of an area that the documents do not have. */
export type AreaNames = ExtensionRecord['areas'][string]

const paramsByName = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      type: {
        enum: ['string', 'integer', 'boolean', 'enum', 'list', 'hash', 'json', 'project', 'group'],
      },
      help: text,
      of: { enum: ['string', 'integer', 'enum'] },
      values: texts,
      words: texts,
      format: text,
      name: text,
      completes: text,
      suggests: text,
      placeholder: text,
      required: flag,
      secret: flag,
      in: { enum: ['query', 'body'] },
    },
    required: ['type', 'help'],
  },
} as const

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The schema of the operations of an extension. */
export const operationsSchema = {
  type: 'object',
  properties: {
    operations: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          method: { enum: methods },
          path: { ...text, pattern: '^/' },
          ending: text,
          command: text,
          summary: text,
          notes: texts,
          params: paramsByName,
          placeholders: paramsByName,
          sends: map,
          returns: { enum: ['one', 'many', 'empty', 'file', 'any'] },
          shape: map,
          columns: texts,
          sets: map,
          undo: text,
          confirm: text,
          done: text,
          examples: texts,
          sandbox: { enum: ['resource', 'state', 'log'] },
        },
        required: ['method', 'path', 'command', 'params'],
      },
    },
  },
  required: ['operations'],
} as const

/** The schema of the endpoints of an area. */
export const areaSchema = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      route: { ...text, pattern: `^(?:${methods.join('|')}) /` },
      command: text,
      summary: text,
      path: paramsByName,
      params: paramsByName,
      returns: {
        type: 'object',
        properties: {
          kind: { enum: ['one', 'many', 'empty', 'file'] },
          shape: { type: ['object', 'null'] },
        },
        required: ['kind', 'shape'],
      },
      args: texts,
      columns: texts,
      notes: texts,
      examples: texts,
      empties: texts,
      lists: text,
      from: text,
      inverse: text,
      irreversible: text,
      destructive: text,
      done: text,
      leaves: map,
      sends: map,
      absent: map,
      selects: { type: 'object', properties: { list: text }, required: ['list'] },
    },
    required: ['route', 'command', 'summary', 'path', 'params', 'returns'],
  },
} as const
