/** The schema of policy files, and the flags of `check policy`. */
import { list, oneOf } from '../catalogue/params.js'
import type { Origin } from '../desired/state.js'
import { type Arguments, outputFlag, reportFlag } from './define.js'

/** How severe a finding is, in ascending order. */
export const policySeverities = ['info', 'warning', 'error', 'critical'] as const
/** One of these. */
export type PolicySeverity = (typeof policySeverities)[number]

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const

const waiverSchema = {
  type: 'object',
  title: 'a waiver',
  description: 'an object that may break the rule until a day',
  properties: {
    address: text('the object, as a finding names it'),
    until: { type: 'string', format: 'date', description: 'the last day of the waiver' },
    reason: text('why'),
  },
  required: ['address', 'until', 'reason'],
  additionalProperties: false,
} as const

const ruleSchema = {
  type: 'object',
  title: 'a rule',
  properties: {
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]*$',
      description: 'a name of lowercase letters, digits and dashes that begins with a letter',
    },
    list: {
      type: 'string',
      format: 'command-line',
      description: 'a list command with its filters, and with --group-by and the like',
    },
    where: text('records that match break the rule'),
    each: text('records that do not match break the rule'),
    severity: { enum: policySeverities, default: 'error', description: 'how bad a finding is' },
    message: text('what a finding says; {field} stands for a field of the record'),
    waive: { type: 'array', items: waiverSchema, default: [] },
  },
  required: ['name', 'list'],
  oneOf: [{ required: ['where'] }, { required: ['each'] }],
  additionalProperties: false,
} as const

/** The JSON Schema of policy files. */
export const policySchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'svcctl policy',
  type: 'object',
  properties: {
    policy: { const: 1, description: 'the version of the format' },
    rules: { type: 'array', items: ruleSchema },
    include: { type: 'array', items: text('another policy file, by its path from this one') },
  },
  required: ['policy'],
  additionalProperties: false,
} as const

/** The part of JSON Schema that policies need. */
export interface Schema {
  /** What one of a list is called. */
  readonly title?: string
  readonly description?: string
  readonly const?: number
  readonly enum?: readonly string[]
  /** A command line is read as its words. */
  readonly format?: 'date' | 'command-line'
  readonly default?: unknown
  readonly pattern?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly { readonly required: readonly string[] }[]
}

/** What a file says, by its schema; a map says where it stands as well. */
type SchemaValue<S> = S extends { enum: readonly (infer E)[] }
  ? E
  : S extends { const: infer C }
    ? C
    : S extends { items: infer I }
      ? readonly SchemaValue<I>[]
      : S extends { format: 'command-line' }
        ? readonly string[]
        : S extends { properties: infer P; required: readonly (infer R)[] }
          ? { readonly [K in keyof P]?: SchemaValue<P[K]> } & {
              readonly [K in (keyof P & R) | DefaultedNames<P>]: SchemaValue<P[K]>
            } & { readonly origin: Origin }
          : string

type DefaultedNames<P> = {
  [K in keyof P]: P[K] extends { default: unknown } ? K : never
}[keyof P]

/** A policy file, after it was read. */
export type Policy = SchemaValue<typeof policySchema>
/** A rule of a policy file. */
export type PolicyRule = SchemaValue<typeof ruleSchema>

/** The flags of `check policy`. */
export const policyFlags = {
  'fail-on': oneOf(policySeverities, 'lowest severity that fails', { default: 'error' }),
  rule: list('string', 'check only these rules', { placeholder: 'name' }),
  report: reportFlag(['junit', 'sarif']),
  output: outputFlag(['plain', 'nagios', 'prometheus'], 'output format', 'plain'),
} as const

/** What was given on the command line of `check policy`. */
export type PolicyArguments = Arguments<typeof policyFlags>
