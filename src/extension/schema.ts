/** The JSON Schema of a file of commands: the parser checks files with it, and `svcctl extend schema` prints it. */
import {
  Array as ArrayOf,
  Boolean as Bool,
  Literal,
  Object as Obj,
  Optional,
  String as Str,
  Unknown,
  Unsafe,
} from 'typebox'
import type { DocumentValue } from '../base/documents/index.js'
import { MapOf, OneOf, strict } from '../base/documents/schemas.js'
import { answerKinds, sandboxKinds } from './operation.js'

/** The pattern for the name of an extension, which is also the name of its folder. */
export const extensionName = /^[a-z][a-z0-9-]{0,31}$/

const ExtensionName = Str({
  title: 'name of an extension',
  pattern: extensionName.source,
  description: 'at most 32 lowercase letters, digits and dashes, and begin with a letter',
})

const Request = Str({
  title: 'request',
  pattern: '^(?:GET|POST|PUT|PATCH|DELETE) +/\\S*$',
  description: 'a method and a path, such as GET /users',
})

/** A type word; `[]` marks a list, `!` a required parameter: `string!`, `a|b|c`, `integer[]`. */
const TypeWord = Str({
  title: 'type',
  pattern: '^(?:string|integer|boolean|date|datetime|json|[\\w.-]+(?:\\|[\\w.-]+)+)(?:\\[\\])?!?$',
  description:
    'string, integer, boolean, date, datetime, json or words with | between them; [] for a list, ! if it is required',
})

const scalarTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const

/** A parameter as a JSON Schema, with additional keys for its flag. */
const ParameterSchema = Obj(
  {
    type: Optional(OneOf(scalarTypes)),
    format: Optional(Str()),
    enum: Optional(ArrayOf(Str(), { minItems: 1 })),
    items: Optional(
      Obj({ type: Optional(OneOf(scalarTypes)), enum: Optional(ArrayOf(Str())) }, strict),
    ),
    description: Optional(Str()),
    required: Optional(Bool()),
    secret: Optional(Bool()),
    flag: Optional(Str({ title: 'flag', pattern: '^[a-z][a-z0-9-]*$' })),
    in: Optional(OneOf(['query', 'body'])),
  },
  strict,
)
export type ParameterSchema = DocumentValue<typeof ParameterSchema>

const Parameters = Unsafe<Readonly<Record<string, string | ParameterSchema>>>({
  type: 'object',
  additionalProperties: { anyOf: [TypeWord, ParameterSchema] },
})

const Texts = ArrayOf(Str({ minLength: 1 }))
const Fields = Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
  type: 'object',
  minProperties: 1,
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
})

/** The keys of a command in a file of commands, in the file of `--with`, and under `x-svcctl` of an OpenAPI document. */
const commandKeys = {
  request: Optional(Request),
  summary: Optional(Str({ minLength: 1 })),
  params: Optional(Parameters),
  returns: Optional(OneOf(answerKinds)),
  columns: Optional(ArrayOf(Str({ minLength: 1 }), { minItems: 1 })),
  shape: Optional(MapOf(Unknown())),
  sets: Optional(Fields),
  undo: Optional(Str({ minLength: 1 })),
  confirm: Optional(Str({ minLength: 1 })),
  done: Optional(Str({ minLength: 1 })),
  examples: Optional(Texts),
  follow: Optional(Literal(true)),
  sandbox: Optional(OneOf(sandboxKinds)),
}

/** A command with its keys. A file may write a command as text, which is its request. */
export const CommandSchema = Obj(commandKeys, { ...strict, title: 'a command' })
export type CommandDeclaration = DocumentValue<typeof CommandSchema>

const CommandWords = {
  title: 'command',
  type: 'string',
  pattern: '^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*){1,2}$',
  description: 'two or three words, the area first, such as users list',
}

/** The address of the schema for editors. */
const schemaAddress = 'https://svcctl.example/schemas/commands-1.json'

export const commandsSchema = Obj(
  {
    $schema: Optional(Str()),
    extension: ExtensionName,
    title: Optional(Str({ minLength: 1 })),
    commands: Unsafe<Readonly<Record<string, string | CommandDeclaration>>>({
      type: 'object',
      minProperties: 1,
      propertyNames: CommandWords,
      additionalProperties: { anyOf: [Request, CommandSchema] },
    }),
  },
  { ...strict, title: 'a file of commands', $id: schemaAddress },
)
