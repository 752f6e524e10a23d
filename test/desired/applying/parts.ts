/** Provides actions and an instance for the tests of applying: approval rules of projects, in memory. */
import type { JsonValue } from '../../../src/base/objects.js'
import { getMethod } from '../../../src/catalogue/endpoint.js'
import { approvalRules } from '../../../src/catalogue/managed.js'
import type { ActionStep, PlannedAction, Verb } from '../../../src/desired/actions.js'
import { toAddressText } from '../../../src/desired/address.js'
import { computeItemDigest } from '../../../src/desired/attributes.js'
import type { CurrentItem, CurrentKind } from '../../../src/desired/state.js'
import { runWork, type WorkOptions, type WorkRunner } from '../../../src/engine/work/run.js'
import { Failure } from '../../../src/errors.js'

/** The limits of a run. */
export type Limits = Partial<Pick<WorkOptions<unknown>, 'gate' | 'signal' | 'failureLimit'>>

/** Creates the runner of actions, like the engine of a line without an instance. */
export const createCarrier =
  (limits: Limits = {}): WorkRunner =>
  async ({ total, ...work }) => {
    const signal = new AbortController().signal
    const run = runWork({
      gate: { width: 4 },
      signal,
      ...limits,
      ...work,
      countQueued: () => total,
    })
    for await (const _ of run);
    return run.report
  }

type Rule = Readonly<Record<string, JsonValue>> & { readonly id: number; readonly name: string }

/** Returns a rule in the form in which the state is read. */
export const toCurrentRule = (rule: Rule): CurrentItem => {
  const { id, name, ...attributes } = rule
  return { identity: name, at: { approval_rule_id: id }, attributes, record: rule }
}

const buildStep = (verb: Verb, path: string, rule: Rule): ActionStep => {
  const { id, ...rest } = rule
  const endpoint = { create: approvalRules.create, update: approvalRules.update }[verb as string]
  const at = verb === 'create' ? {} : { approval_rule_id: id }
  const chosen = verb === 'delete' ? approvalRules.remove : endpoint
  if (chosen === undefined) throw new Error('a rule has no such verb')
  return {
    endpoint: chosen,
    values: { id: path, ...at, ...(verb === 'delete' ? {} : rest) },
    secrets: {},
  }
}

/** Creates an action on a rule. */
export const createAction = (
  verb: 'create' | 'update' | 'delete',
  path: string,
  rule: Rule,
  more: Partial<PlannedAction> & { readonly before?: Rule } = {},
): PlannedAction => {
  const address = { scope: 'project', path, kind: 'approval_rules', item: rule.name } as const
  const { before, ...rest } = more
  return {
    id: `${verb} ${toAddressText(address)}`,
    verb,
    address,
    kind: approvalRules,
    changes: [],
    step: buildStep(verb, path, rule),
    digest: computeItemDigest(
      approvalRules,
      before === undefined ? undefined : toCurrentRule(before),
    ),
    waitsFor: [],
    origin: { file: 'svcctl.yml', line: 1, column: 1 },
    ...rest,
  }
}

type Hook = (step: Pick<ActionStep, 'endpoint' | 'values'>) => Promise<void> | void

/** An instance of projects with their rules. The hooks `before` and `after` of a request may refuse it, wait, or lose its answer. */
export class Rules {
  readonly sent: string[] = []
  readonly projects = new Map<string, Rule[]>()
  before: Hook = () => {}
  after: Hook = () => {}
  reads = 0
  reading: () => void = () => {}

  constructor(projects: Readonly<Record<string, readonly Rule[]>>) {
    for (const [path, rules] of Object.entries(projects)) this.projects.set(path, [...rules])
  }

  readonly view = {
    forget: () => {},
    readKind: async (
      place: CurrentKind['place'],
      kind: CurrentKind['kind'],
    ): Promise<CurrentKind> => {
      this.reads += 1
      this.reading()
      const items = (this.projects.get(place.path) ?? []).map(toCurrentRule)
      return { place, kind, is: 'read', items }
    },
  }

  readonly instance = {
    send: async ({ endpoint, values }: Pick<ActionStep, 'endpoint' | 'values'>) => {
      await this.before({ endpoint, values })
      const path = String(values.id)
      const { id: _, approval_rule_id: number, ...rest } = values
      const rules = this.projects.get(path) ?? []
      const name = String(rest.name ?? number)
      this.sent.push(`${getMethod(endpoint)} ${path} ${name}`)
      const others = rules.filter(({ id }) => id !== number)
      const made = { id: Number(number ?? 100 + rules.length), ...rest } as unknown as Rule
      this.projects.set(path, getMethod(endpoint) === 'DELETE' ? others : [...others, made])
      await this.after({ endpoint, values })
      return { status: 200, headers: {}, bytes: new Uint8Array(), data: undefined }
    },
  }
}

export const createLostAnswer = (): Failure =>
  new Failure('unreachable', 'the answer was lost', { unknownOutcome: true })
