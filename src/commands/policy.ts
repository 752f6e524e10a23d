/** Declares the schema of policy files, and the flags of `check policy`. */

import { Array as ArrayOf, Literal, Object as Obj, Optional, String as Str } from 'typebox'
import type { DocumentValue } from '../base/documents/index.js'
import { OneOf } from '../base/documents/schemas.js'
import type { Origin } from '../base/documents/written.js'
import { list, oneOf } from '../catalogue/params.js'
import { type Arguments, createOutputFlag, reportFlag } from './define.js'

/** The severities of a finding, in ascending order. */
export const policySeverities = ['info', 'warning', 'error', 'critical'] as const
/** One of `policySeverities`. */
export type PolicySeverity = (typeof policySeverities)[number]

const createText = (description: string) => Str({ pattern: '\\S', description })

const waiverSchema = Obj(
  {
    address: createText('the object, as a finding names it'),
    until: Str({ format: 'date', description: 'the last day of the waiver' }),
    reason: createText('why'),
  },
  {
    title: 'a waiver',
    description: 'an object that may break the rule until a day',
    additionalProperties: false,
  },
)

const ruleSchema = Obj(
  {
    name: Str({
      pattern: '^[a-z][a-z0-9-]*$',
      description: 'a name of lowercase letters, digits and dashes that begins with a letter',
    }),
    list: Str({
      pattern: '\\S',
      format: 'command-line',
      description: 'a list command with its filters, and with --group-by and the like',
    }),
    where: Optional(createText('records that match break the rule')),
    each: Optional(createText('records that do not match break the rule')),
    severity: Optional(
      OneOf(policySeverities, { default: 'error', description: 'how bad a finding is' }),
    ),
    message: Optional(createText('what a finding says; {field} stands for a field of the record')),
    waive: Optional(ArrayOf(waiverSchema, { default: [] })),
  },
  {
    title: 'a rule',
    oneOf: [{ required: ['where'] }, { required: ['each'] }],
    additionalProperties: false,
  },
)

/** The JSON Schema of policy files. */
export const policySchema = Obj(
  {
    policy: Literal(1, { description: 'the version of the format' }),
    rules: Optional(ArrayOf(ruleSchema)),
    include: Optional(ArrayOf(createText('another policy file, by its path from this one'))),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'a policy',
    additionalProperties: false,
  },
)

type WrittenRule = DocumentValue<typeof ruleSchema>

/** A rule of a policy file, with its command line split into words, and its position. */
export type PolicyRule = Omit<WrittenRule, 'list' | 'severity' | 'waive'> & {
  readonly list: readonly string[]
  readonly severity: PolicySeverity
  readonly waive: readonly (DocumentValue<typeof waiverSchema> & { readonly origin: Origin })[]
  readonly origin: Origin
}

/** The flags of `check policy`. */
export const policyFlags = {
  'fail-on': oneOf(policySeverities, 'lowest severity that fails', { default: 'error' }),
  rule: list('string', 'check only these rules', { placeholder: 'name' }),
  report: reportFlag(['junit', 'sarif']),
  output: createOutputFlag(['plain', 'nagios', 'prometheus'], 'output format', 'plain'),
} as const

/** The arguments of `check policy`. */
export type PolicyArguments = Arguments<typeof policyFlags>
