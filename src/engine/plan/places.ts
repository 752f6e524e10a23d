/** Projects and groups of a line that are given by their addresses, as what they name on the instance at hand. */
import { getScopeType, isListParam, type Param } from '../../catalogue/params.js'
import { isAddress, readPlace } from '../../profile/index.js'
import { getCommandFlags } from '../command/flags.js'
import type { Command } from '../command/types.js'
import type { Raw } from './line.js'
import type { Parents } from './parents.js'

type PlaceKind = 'project' | 'group'

/** Returns the path or ID that a text names: the text itself, or that of the project or group at its address. */
export const toPath = (text: string, kind: PlaceKind, baseUrl: () => string): string =>
  isAddress(text) ? readPlace(text, baseUrl(), kind).value : text

/** Returns whether a flag names projects or groups, as one or as a list; undefined if it names neither. */
const placeKind = (param: Param): PlaceKind | undefined => {
  const { completes } = param
  const kind = completes === 'project' || completes === 'group' ? completes : undefined
  return getScopeType(param) ?? (isListParam(param) ? kind : undefined)
}

/** A line with the projects and groups that it names. */
interface PlacedLine {
  readonly raw: Raw
  readonly parents: Parents | undefined
}

/** Returns the flags of a line that name projects or groups. */
const getPlaceFlags = (command: Command, raw: Raw): ReadonlyMap<string, PlaceKind> =>
  new Map(
    getCommandFlags(command, ({ name }) => raw.flags.has(name)).flatMap(({ name, param }) => {
      const kind = placeKind(param)
      return kind === undefined ? [] : [[name, kind] as const]
    }),
  )

const hasAddress = (text: string): boolean => text.split(',').some((part) => isAddress(part.trim()))

const mapParts = (text: string, work: (part: string) => string): string =>
  text
    .split(',')
    .map((part) => work(part.trim()))
    .join(',')

/**
 * Returns the line with paths in the place of addresses.
 * @param baseUrl the instance's address; asked for where the line has an address
 * @throws Failure `usage` for an address of another instance, or of nothing of the kind
 */
export const withPaths = async <L extends PlacedLine>(
  command: Command,
  line: L,
  baseUrl: () => Promise<string>,
): Promise<L> => {
  const { raw, parents } = line
  const kinds = getPlaceFlags(command, raw)
  const texts = [...kinds.keys()].flatMap((name) => raw.flags.get(name) ?? [])
  if (![...raw.args, ...texts].some(hasAddress)) return line
  const base = await baseUrl()
  const path = (kind: PlaceKind) => (part: string) => toPath(part, kind, () => base)
  const mapped = (given: readonly string[], kind: PlaceKind | undefined): readonly string[] =>
    kind === undefined ? given : given.map((text) => mapParts(text, path(kind)))
  const flags = [...raw.flags].map(
    ([name, given]) => [name, mapped(given, kinds.get(name))] as const,
  )
  const args = mapped(raw.args, getScopeType(command.args[0]?.param))
  const names = parents?.names.map(path(parents.origin === 'named' ? parents.kind : 'group'))
  return {
    ...line,
    raw: { ...raw, args, flags: new Map(flags) },
    parents: parents && { ...parents, names: [...new Set(names)] },
  }
}
