/** What an update is to change, where nothing was given: asked of a person, else refused. */
import type { JsonValue, JsonValues } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { flagName, named } from '../../commands/derive/index.js'
import type { Command } from '../../commands/types.js'
import { usage } from '../../errors.js'
import type { Missing } from '../run/person/ask.js'
import type { Surroundings } from './surroundings.js'
import { parseValue } from './values.js'

interface Known extends Pick<Missing, 'project'> {
  readonly values: JsonValues
  readonly extra: JsonValues
}

const changesNothing = (endpoint: Endpoint, { values, extra }: Known): boolean =>
  endpoint.changes === true &&
  Object.keys(extra).length === 0 &&
  Object.keys(values).every((name) => endpoint.path[name] !== undefined)

const ask = async (
  endpoint: Endpoint,
  project: Pick<Missing, 'project'>,
  around: Surroundings,
): Promise<Record<string, JsonValue | undefined>> => {
  const offered = Object.entries(endpoint.params)
    .filter(([, param]) => param.deprecated === undefined)
    .map(([key, param]) => ({ key, name: flagName(key, param), param }))
  const picked = (await around.pick('attributes to change', offered)) ?? []
  const values: Record<string, JsonValue | undefined> = {}
  for (const { key, name, param } of offered.filter(({ name }) => picked.includes(name))) {
    const answer = await around.missing({ name, param, ...project })
    if (answer !== undefined)
      values[key] = parseValue(param, answer, `--${name}`, { parameter: key })
  }
  return values
}

/**
 * The attributes that a person picked for an update to which none were given; else none.
 * @throws Failure `usage` where nobody can be asked, or nothing was answered
 */
export const attributesOf = async (
  command: Command,
  endpoint: Endpoint,
  known: Known,
  around: Surroundings,
): Promise<JsonValues> => {
  if (!changesNothing(endpoint, known)) return {}
  const { values, extra, ...project } = known
  const answered = await ask(endpoint, project, around)
  if (Object.keys(answered).length > 0) return answered
  throw usage(
    `${named(command)} has nothing to change`,
    `Give at least one attribute: svcctl ${named(command)} --help lists them.`,
  )
}
