/** What the object of a command belongs to, where the line does not say: the environment, else a person. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { Failure, usage } from '../../errors.js'
import { getCommandName, getScope, manyFlags, type ScopeKind } from '../command/derive/index.js'
import type { Command } from '../command/types.js'
import type { ChosenEndpoint } from './choose.js'
import type { PlanContext } from './objects.js'

/** An endpoint with its scope filled. */
export interface Scoped {
  readonly key: string
  readonly endpoint: Endpoint
  /** The placeholder of the scope and its value; nothing where the line said it. */
  readonly scope: Readonly<Record<string, string>>
}
interface Option {
  readonly key: string
  readonly endpoint: Endpoint
  readonly scope: ScopeKind
}

const placed = ({ key, endpoint }: Option, value: string): Scoped => ({
  key,
  endpoint,
  scope: { [getScope(endpoint)?.placeholder ?? 'id']: value },
})

/** The variables that say what is at hand. */
const variables: Readonly<Record<ScopeKind, string>> = {
  project: ' (SVC_PROJECT)',
  group: ' (SVC_GROUP)',
  user: '',
}

/** The ways to name several, of those that a command takes. */
const several = (command: Command): readonly string[] => {
  const taken = new Set(
    manyFlags(command).flatMap(({ name, hidden }) => (hidden === true ? [] : name)),
  )
  return ['group', 'all-projects', 'all-groups'].flatMap((name) =>
    taken.has(name) ? `--${name}` : [],
  )
}

/** `a`, `a or b`, `a, b or c`. */
const oneOf = (ways: readonly string[]): string =>
  [ways.slice(0, -1).join(', '), ...ways.slice(-1)].filter((part) => part !== '').join(' or ')

const missing = (command: Command, options: readonly Option[]): Failure => {
  const kinds = [...new Set(options.map((o) => o.scope))]
  const flags = kinds.map((kind) => `--${kind}`)
  const ways = [
    ...kinds.map((kind) => `--${kind}${variables[kind]}`),
    ...command.flags.flatMap(({ name, selects }) =>
      selects === true && name === 'instance' ? `--${name}` : [],
    ),
    ...several(command),
  ]
  const clone = kinds.includes('project') ? ', or run it inside a clone of the project' : ''
  return usage(
    `${getCommandName(command)} needs ${flags.join(' or ')}`,
    `Give ${oneOf(ways)}${clone}.`,
  )
}

const asked = async (
  command: Command,
  options: readonly Option[],
  around: PlanContext,
): Promise<Scoped> => {
  const [first] = options
  if (first === undefined) throw new Failure('internal', 'no scope to choose from')
  const param = first.endpoint.path[getScope(first.endpoint)?.placeholder ?? 'id']
  const [answer] =
    (param === undefined ? undefined : await around.missing({ name: first.scope, param })) ?? []
  if (answer === undefined) throw missing(command, options)
  return placed(first, answer)
}

/**
 * The endpoint with the project or group that it needs and the line does not give.
 * @throws Failure `usage` where there is none at hand and nobody to ask
 */
export const fillScope = async (
  command: Command,
  choice: ChosenEndpoint,
  around: PlanContext,
): Promise<Scoped> => {
  const { key, endpoint } = choice
  if (choice.scope === undefined) return { key, endpoint, scope: {} }
  const first = { key, endpoint, scope: choice.scope }
  const options = [first, ...choice.others]
  const found = await around.scope(options.map((o) => o.scope))
  if (found === undefined) return asked(command, options, around)
  return placed(options.find((o) => o.scope === found.kind) ?? first, found.value)
}
