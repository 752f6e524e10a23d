/**
 * Implements `approvals rules create` and `update`, which accept usernames and ask before they remove approvers
 * (`catalogue/reference/approvals.md`).
 */
import { type Fields, type JsonValues, listObjects, toJsonFields } from '../base/objects.js'
import { approvals } from '../catalogue/areas/approvals.js'
import { pickPathValues } from '../catalogue/endpoint.js'
import { boolean, list } from '../catalogue/params.js'
import type { Context, Loss } from '../engine/command/context.js'
import { createFillOptions } from '../engine/command/object-reader.js'
import type { Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { type Arguments, define } from './define.js'
import { withListedUsers } from './usernames.js'

/** The attributes that list approvers, the fields of a rule that contain them, and the words for messages. */
const approverKinds = [
  { attribute: 'user_ids', field: 'users', what: 'user', name: 'username' },
  { attribute: 'group_ids', field: 'groups', what: 'group', name: 'full_path' },
] as const

const toIds = (value: unknown): readonly number[] =>
  value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(Number)

/** Returns the names of the approvers that a rule has and the new values do not. A missing list removes all of its kind. */
export const getRemovedApprovers = (values: Fields, rule: Fields): string[] =>
  approverKinds.flatMap(({ attribute, field, what, name }) => {
    const kept = new Set(toIds(values[attribute]))
    return listObjects(rule[field])
      .filter(({ id }) => !kept.has(Number(id)))
      .map((one) => `${what} ${String(one[name] ?? one.id)} (${String(one.id)})`)
  })

/** Adds the rule's current approvers to the given ones. */
export const addApprovers = (values: JsonValues, rule: Fields): JsonValues => {
  const both = approverKinds.flatMap(({ attribute, field }) => {
    const ids = listObjects(rule[field]).flatMap((one) => toJsonFields(one).id ?? [])
    const all = [...new Set([...ids, ...toIds(values[attribute])])]
    return all.length === 0 ? [] : [[attribute, all] as const]
  })
  return { ...values, ...Object.fromEntries(both) }
}

/** The maximum number of removed approvers that are listed. The others are only counted. */
const maxLost = 1000

/** Collects the approvers that a write removes because they are not listed. */
class LostApprovers {
  readonly #lines: string[] = []
  /** The rules seen so far. The first ones are planned again for the confirmation, and must not count twice. */
  readonly #heard = new Set<string>()
  #more = 0

  add(rule: string, lines: readonly string[]): void {
    if (this.#heard.has(rule)) return
    if (this.#heard.size < maxLost) this.#heard.add(rule)
    for (const line of lines)
      if (this.#lines.length < maxLost) this.#lines.push(line)
      else this.#more += 1
  }

  /** The loss so far; undefined if no approver is removed. */
  get loss(): Loss | undefined {
    const what = 'Approvers that you do not list are removed, unless you pass --keep.'
    const more = this.#more === 0 ? [] : [`${this.#more} more`]
    return this.#lines.length === 0
      ? undefined
      : { what, details: [...this.#lines, ...more], noteVerb: 'removes' }
  }
}

/** Flags that accept usernames instead of the API's IDs. They are looked up among the members of the project. */
const approvers = {
  'user-ids': {
    ...list('string', 'IDs or usernames of approvers'),
    parameter: 'user_ids',
  },
} as const

const flags = {
  ...approvers,
  keep: boolean('keep the current approvers and add the given ones'),
} as const

export const rulesCreate = define({
  flags: approvers,
  rows: async function* (context, given) {
    const complete = (plan: Plan) => withListedUsers(context, plan)
    yield* context.write(await context.planActions(given, { complete, reads: true }))
  },
})

const required = ['name', 'approvals_required']

async function* updateRule(context: Context, given: Arguments<typeof flags>): Rows {
  const lost = new LostApprovers()
  const withApprovers = (plan: Plan, rule: Fields): Plan => {
    if (given.flags.keep === true) return { ...plan, values: addApprovers(plan.values, rule) }
    const title = `rule ${String(rule.name ?? plan.label)}`
    const removed = getRemovedApprovers(plan.values, rule).map((who) => `${who} from ${title}`)
    lost.add(JSON.stringify(pickPathValues(approvals.rulesGet, plan.values)), removed)
    return plan
  }
  const filled = createFillOptions(context.instance, given, {
    area: 'approvals',
    required,
    prepare: (plan) => withListedUsers(context, plan),
    complete: withApprovers,
  })
  // All rules are read and confirmed before the first is changed.
  const actions = await context.planActions(given, { ...filled, planFirst: true })
  yield* context.write(actions, { loses: () => lost.loss })
}

export const rulesUpdate = define({
  description: [
    'If you omit the name or the number of approvals, svcctl reads the rule and keeps its value.',
    'Approvers that you do not list are removed after a confirmation that names them. Pass --keep to keep them.',
  ],
  flags,
  fills: required,
  rows: updateRule,
})
