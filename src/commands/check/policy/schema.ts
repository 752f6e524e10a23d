/** What a policy file, and the line that checks it, may say. */
import { list, oneOf } from '../../../catalogue/params.js'
import type { Origin } from '../../../desired/state.js'
import { type GivenBy, outputFlag, reportFlag } from '../../define.js'

/** How bad a finding is, the least first. */
export const policySeverities = ['info', 'warning', 'error', 'critical'] as const
export type PolicySeverity = (typeof policySeverities)[number]

/** An object that may break a rule for a while. */
interface Waiver {
  readonly address: string
  /** The last day on which it holds, as `2027-01-31`. */
  readonly until: string
  readonly reason: string
  readonly origin: Origin
}

export interface PolicyRule {
  readonly name: string
  /** The words of a list command, without `svcctl`. */
  readonly list: readonly string[]
  /** Records that match this break the rule. */
  readonly where?: string
  /** Records that do not match this break the rule. */
  readonly each?: string
  readonly severity: PolicySeverity
  /** What a finding says; `{field}` stands for a field of its record. */
  readonly message?: string
  readonly waive: readonly Waiver[]
  readonly origin: Origin
}

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const

export const waiverSchema = {
  type: 'object',
  description: 'an object that may break the rule until a day',
  properties: {
    address: text('the object, as a finding names it'),
    until: { type: 'string', format: 'date', description: 'the last day of the waiver' },
    reason: text('why'),
  },
  required: ['address', 'until', 'reason'],
  additionalProperties: false,
} as const

export const ruleSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]*$', description: 'a name of its own' },
    list: text('a list command with its filters, and with --group-by and the like'),
    where: text('records that match break the rule'),
    each: text('records that do not match break the rule'),
    severity: { enum: policySeverities, default: 'error', description: 'how bad a finding is' },
    message: text('what a finding says; {field} stands for a field of the record'),
    waive: { type: 'array', items: waiverSchema },
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

export const policyFlags = {
  'fail-on': oneOf(policySeverities, 'lowest severity that fails', { default: 'error' }),
  rule: list('string', 'check only these rules', { placeholder: 'name' }),
  report: reportFlag(['junit', 'sarif']),
  output: outputFlag(['plain', 'nagios', 'prometheus'], 'output format', 'plain'),
} as const

export type PolicyGiven = GivenBy<typeof policyFlags>
