/** Every command there is: what the endpoints of an area make, with the specials laid over. */
import type { Endpoints } from '../../catalogue/endpoint.js'
import { type AreaRow, areas } from '../../catalogue/index.js'
import { specialsOf, toolCommands } from '../index.js'
import type { Command, Flag, Special } from '../types.js'
import { derived } from './derived.js'

// What a command written by hand says, laid over what its endpoints make.

/** Of a derived flag, whether the special's `names` mean it: by the API's name, or the flag's own. */
const means = (names: readonly string[] | undefined, flag: Flag): boolean =>
  names?.includes(flag.parameter ?? flag.name) === true

/** The flags that only the tool knows. */
const ownFlags = (special: Special): Flag[] =>
  Object.entries(special.flags ?? {}).map(([name, param]) => ({
    name,
    param,
    required: param.required === true,
    parameter: param.parameter,
    short: param.short,
    ...(param.optionalValue === true ? { optionalValue: true as const } : {}),
    ...(param.pair === true ? { pair: true as const } : {}),
  }))

/** The derived flags that a command keeps. */
const keptFlags = (flags: readonly Flag[], special: Special): Flag[] => {
  const { without, fills } = special
  const dropped = (flag: Flag): boolean =>
    without === 'attributes' ? flag.path !== true : means(without, flag)
  return flags
    .filter((flag) => !dropped(flag) && special.flags?.[flag.name] === undefined)
    .map((flag) => (means(fills, flag) ? { ...flag, required: false } : flag))
}

/** A derived command with all that its special says. */
const withSpecial = (command: Command, special: Special): Command => {
  const { flags: _, without: __, fills: ___, endpoints: ____, ...said } = special
  return {
    ...command,
    ...said,
    flags: [...keptFlags(command.flags, special), ...ownFlags(special)],
  }
}

const pick = (endpoints: Endpoints, keys: readonly string[]): Endpoints =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const e = endpoints[key]
      return e === undefined ? [] : [[key, e]]
    }),
  )

/** The command words of an area, in the order of the catalogue, specials last. */
export const wordsOf = (area: string, endpoints: Endpoints): string[] => [
  ...new Set([
    ...Object.values(endpoints).map((e) => e.command),
    ...specialsOf(area).map((row) => row.words),
  ]),
]

/** One command of an area. */
export const commandOf = async (
  area: string,
  words: string,
  endpoints: Endpoints,
): Promise<Command> => {
  const row = specialsOf(area).find((r) => r.words === words)
  const special = await row?.load()
  const keys =
    special?.endpoints ?? Object.keys(endpoints).filter((key) => endpoints[key]?.command === words)
  const command = derived(area, words, pick(endpoints, keys))
  return special === undefined ? command : withSpecial(command, special)
}

export const commandsOfArea = async (row: AreaRow): Promise<Command[]> => {
  const endpoints = await row.load()
  return Promise.all(wordsOf(row.name, endpoints).map((w) => commandOf(row.name, w, endpoints)))
}

/** Examples of a command: its own, or the catalogue's. Apart from it: only help and docs load them. */
export const examplesOf = async (command: Command): Promise<readonly string[]> => {
  if (command.examples !== undefined) return command.examples
  const row = areas.find((a) => a.name === command.area)
  return (await row?.examples?.())?.[command.words] ?? []
}

/** A command of the tool itself (`auth login`, `doctor`). */
export const toolCommand = async (area: string, words: string): Promise<Command | undefined> => {
  const row = toolCommands.find((r) => r.area === area && r.words === words)
  if (row === undefined) return undefined
  return withSpecial(derived(area, words, {}), await row.load())
}

/** One command by its words; undefined where there is none of that name. */
export const commandNamed = async (area: string, words: string): Promise<Command | undefined> => {
  const row = areas.find(({ name }) => name === area)
  return row === undefined ? toolCommand(area, words) : commandOf(area, words, await row.load())
}

/** The command that reads one record of a list; undefined where the area has none. */
export const singleNamed = ({
  area,
  words,
}: Pick<Command, 'area' | 'words'>): Promise<Command | undefined> =>
  commandNamed(area, words.replace(/list$/, 'get'))

/** The commands of an area, or of the tool's own of that name. */
export const commandsIn = async (area: string): Promise<Command[]> => {
  const row = areas.find(({ name }) => name === area)
  if (row !== undefined) return commandsOfArea(row)
  const own = toolCommands.filter((c) => c.area === area)
  const loaded = await Promise.all(own.map((c) => toolCommand(c.area, c.words)))
  return loaded.flatMap((c) => (c === undefined ? [] : [c]))
}

/** Every command there is: the areas' and the tool's own. */
export const allCommands = async (): Promise<Command[]> => {
  const ofAreas = (await Promise.all(areas.map(commandsOfArea))).flat()
  const own = await Promise.all(toolCommands.map((r) => toolCommand(r.area, r.words)))
  return [...ofAreas, ...own.flatMap((c) => (c === undefined ? [] : [c]))]
}
