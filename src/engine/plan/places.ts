/** Replaces the web addresses of projects and groups in a line by their paths, and cleans the paths that a person wrote. */
import { splitList } from '../../base/text.js'
import { getScopeType, isListParam, type Param } from '../../catalogue/params.js'
import { cleanPath, isAddress, parsePlace } from '../../profile/index.js'
import { getCommandFlags } from '../command/flags.js'
import type { Command } from '../command/types.js'
import type { Raw } from './line.js'
import type { Parents } from './parents.js'

type PlaceKind = 'project' | 'group'

/** Returns the path of the project or group that a web address or a path names. An ID is returned as it is. */
export const toPath = (text: string, kind: PlaceKind, baseUrl: () => string): string =>
  isAddress(text) ? parsePlace(text, baseUrl(), kind).value : cleanPath(text)

/** Returns the kind of place that the values of a flag name; undefined if they name neither projects nor groups. */
const getPlaceKind = (param: Param): PlaceKind | undefined => {
  const { completes } = param
  const kind = completes === 'project' || completes === 'group' ? completes : undefined
  return getScopeType(param) ?? (isListParam(param) ? kind : undefined)
}

/** The parts of a line that may contain addresses. */
interface LineParts {
  readonly raw: Raw
  readonly parents: Parents | undefined
}

/** Returns the flags of a line that name projects or groups, each with the kind that it names. */
const getPlaceFlags = (command: Command, raw: Raw): ReadonlyMap<string, PlaceKind> =>
  new Map(
    getCommandFlags(command, ({ name }) => raw.flags.has(name)).flatMap(({ name, param }) => {
      const kind = getPlaceKind(param)
      return kind === undefined ? [] : [[name, kind] as const]
    }),
  )

/** True if any part of a list that is separated by commas is an address. */
const hasAddress = (text: string): boolean => splitList(text).some(isAddress)

const mapParts = (text: string, work: (part: string) => string): string =>
  text
    .split(',')
    .map((part) => work(part.trim()))
    .join(',')

/**
 * Returns the line with the paths of the instance: addresses are replaced, and paths are cleaned.
 * @param baseUrl returns the instance's address; called only if the line contains an address
 * @throws Failure `usage` for an address of another instance, or of something else than a project or group of the expected kind
 */
export const withPaths = async <L extends LineParts>(
  command: Command,
  line: L,
  baseUrl: () => Promise<string>,
): Promise<L> => {
  const { raw, parents } = line
  const kinds = getPlaceFlags(command, raw)
  const texts = [...kinds.keys()].flatMap((name) => raw.flags.get(name) ?? [])
  const kindOfArguments = getScopeType(command.args[0]?.param)
  const args = kindOfArguments === undefined ? [] : raw.args
  if (args.length === 0 && texts.length === 0) return line
  const base = [...args, ...texts].some(hasAddress) ? await baseUrl() : ''
  const createPathMapper = (kind: PlaceKind) => (part: string) => toPath(part, kind, () => base)
  const replaceAddresses = (
    given: readonly string[],
    kind: PlaceKind | undefined,
  ): readonly string[] =>
    kind === undefined ? given : given.map((text) => mapParts(text, createPathMapper(kind)))
  const flags = [...raw.flags].map(
    ([name, given]) => [name, replaceAddresses(given, kinds.get(name))] as const,
  )
  const names = parents?.names.map(
    createPathMapper(parents.origin === 'named' ? parents.kind : 'group'),
  )
  return {
    ...line,
    raw: { ...raw, args: replaceAddresses(raw.args, kindOfArguments), flags: new Map(flags) },
    parents: parents && { ...parents, names: [...new Set(names)] },
  }
}
