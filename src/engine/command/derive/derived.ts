/** Endpoints → the command that they make by themselves. */
import type { Endpoint, Endpoints } from '../../../catalogue/endpoint.js'
import type { Described } from '../described.js'
import type { Argument, Command } from '../types.js'
import { mergeFlags } from './flags.js'
import { flagName } from './names.js'
import { isScope } from './scope.js'

// Endpoints → what a command takes by position.

/** The arguments of a command: those of the endpoint that takes most. */
const argumentsOf = (endpoints: readonly Endpoint[]): Argument[] => {
  const [first] = endpoints
  if (first === undefined) return []
  const longest = endpoints.reduce(
    (a, b) => ((b.args?.length ?? 0) > (a.args?.length ?? 0) ? b : a),
    first,
  )
  const names = longest.args ?? []
  const everywhere = endpoints.every((e) => (e.args?.length ?? 0) === names.length)
  return names.flatMap((name, i) => {
    const param = longest.path[name] ?? longest.params[name]
    if (param === undefined) return []
    return [
      {
        name: flagName(name, param),
        required: everywhere && !isScope(param),
        variadic: i === 0 && names.length === 1 && takesSeveral(longest),
        help: param.help,
        parameter: name,
        param,
      },
    ]
  })
}

/** Verbs that act on one object take several; lists of what belongs to one, and files, do not. */
const takesSeveral = (e: Endpoint): boolean =>
  e.returns.kind === 'one' || e.returns.kind === 'empty'

export const derived = (area: string, words: string, endpoints: Endpoints): Described => {
  const all = Object.values(endpoints)
  return {
    area,
    words,
    summary: all[0]?.summary ?? '',
    args: argumentsOf(all),
    flags: mergeFlags(all),
    endpoints,
  }
}

/** A command as its endpoints alone make it, without what was written by hand. */
export const plainOf = ({ area, words, endpoints }: Described): Described =>
  derived(area, words, endpoints)

/** The command that reads one record of a list; undefined where the area has none. */
export const singleNamed = ({
  registry,
  area,
  words,
}: Pick<Command, 'registry' | 'area' | 'words'>): Promise<Command | undefined> =>
  registry.named(area, words.replace(/list$/, 'get'))
