/**
 * The documented default of a parameter is help text only: the instance applies it. The client neither sends it nor tells a command
 * that it was given.
 */
import { expect, it } from 'vitest'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import type { Param } from '../../src/catalogue/params.js'
import { parseTokens } from '../../src/cli/words/tree.js'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandName, getFlagName } from '../../src/engine/command/derive.js'
import type { Command } from '../../src/engine/command/types.js'
import { parseGiven } from '../../src/engine/plan/given.js'
import type { PlanContext } from '../../src/engine/plan/objects.js'
import { createPlans } from '../../src/engine/plan/plan.js'
import { buildRequest } from '../../src/http/request/request.js'
import { emptySources } from '../support/sources.js'
import { documentedDefaults } from './documented-defaults.js'

/** Creates a text that a parameter accepts. */
const createSample = (param: Param): string => {
  if (param.type === 'enum') return param.values[0] ?? ''
  if (param.type === 'integer')
    return String(Object.values(param.names ?? {})[0] ?? Math.max(1, param.min ?? 1))
  if (param.type === 'hash') return 'a=b'
  if (param.type === 'json') return '[]'
  if (param.type === 'string' && param.format === 'datetime') return '2026-01-01T00:00:00Z'
  if (param.type === 'string' && param.format === 'date') return '2026-01-01'
  return param.type === 'string' && param.format === 'duration' ? '1h' : '1'
}

/** A context that answers every question with a sample, and picks the first attribute without a default. */
const planContext: PlanContext = {
  env: {},
  note: () => {},
  now: () => new Date(),
  noteUnknownName: () => {},
  getBaseUrl: async () => 'https://forge.example',
  getScope: async ([kind]) => (kind === undefined ? undefined : { kind, value: '1' }),
  findPath: async () => undefined,
  askMissing: async ({ param }) => [createSample(param)],
  pick: async (_, offered) =>
    offered
      .filter(({ param }) => param.default === undefined)
      .slice(0, 1)
      .map(({ name }) => name),
}

const rows = (await loadAllCommands()).flatMap((command) =>
  Object.entries(command.endpoints).flatMap(([key, endpoint]) =>
    Object.entries({ ...endpoint.params })
      .filter(([, { default: value, required }]) => value !== undefined && required !== true)
      .map(([name, param]) => ({ command, key, endpoint, name, param })),
  ),
)

/** Plans an endpoint from a line that has only the required values. */
const createLinePlans = async (command: Command, key: string, endpoint: Endpoint) => {
  const line = await parseTokens(getCommandName(command).split(' '), {})
  if (line.kind !== 'run') throw new Error(`${getCommandName(command)} asks for ${line.kind}`)
  const given = await parseGiven(command, line.raw, emptySources)
  const selected = endpoint.when === undefined ? {} : { [endpoint.when.flag]: true }
  const only = { ...command, endpoints: { [key]: endpoint } }
  const plans = await createPlans(
    only,
    { ...given, flags: { ...given.flags, ...selected } },
    planContext,
  )
  return { given, plans }
}

it.each(
  rows.map((row) => [getCommandName(row.command), row.endpoint.route, row.name, row] as const),
)(
  '%s (%s) leaves the default of %s to the instance',
  async (_, __, name, { command, key, endpoint, param }) => {
    const { given, plans } = await createLinePlans(command, key, endpoint)
    expect(
      Object.keys(given.flags),
      'a default of the documents is help text: neither the parser nor a special may fill it in',
    ).not.toContain(getFlagName(name, param))
    expect(plans).toHaveLength(1)
    for (const plan of plans) {
      expect(Object.keys(plan.values), 'the plan must not fill in the default').not.toContain(name)
      // One endpoint has its URL as a value instead of a path.
      const values = { endpoint: 'https://forge.example/alerts', ...plan.values }
      const { path, body } = buildRequest({ ...plan, values })
      expect(`${path} ${String(body)}`).not.toMatch(new RegExp(`[?&"]${name}["=[]`))
    }
  },
)

it('has the defaults of the documents, which the embedded instance applies', async () => {
  const found: Record<string, Record<string, unknown>> = {}
  for (const { load } of areas)
    for (const { route, params } of Object.values(await load()))
      for (const [name, { default: value }] of Object.entries(params))
        if (value !== undefined) found[route] = { ...found[route], [name]: value }
  expect(found, 'correct the catalogue, or documented-defaults.ts if the documents say so').toEqual(
    documentedDefaults,
  )
})

it('is held over all of them', () => {
  expect(
    new Set(rows.map(({ endpoint, name }) => `${endpoint.route} ${name}`)).size,
    'set the number of parameters with a default anew, if one was added or removed on purpose',
  ).toBe(66)
})
