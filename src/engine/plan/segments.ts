/** Checks the values that become segments of a path, and formats their names for messages. */
import { hasDots } from '../../base/base-url.js'
import type { JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getScopeType, isScope, type Param } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import { getFlagName } from '../command/derive.js'
import type { Command } from '../command/types.js'
import { formatFlagLabel } from './line.js'

/** Formats a flag of a command for messages. */
export const formatNamedFlag = ({ flags }: Pick<Command, 'flags'>, name: string): string =>
  formatFlagLabel(flags.find((flag) => flag.name === name) ?? { name })

/** Formats a placeholder of a path for messages, as the line calls it: `<key>`, `--ref`, or `--project` for `id`. */
const formatPlaceholder = (
  command: Pick<Command, 'flags'>,
  { args = [], path }: Endpoint,
  name: string,
): string => {
  const param = path[name]
  const flag = param === undefined ? name : (getScopeType(param) ?? getFlagName(name, param))
  return args.includes(name) ? `<${flag}>` : formatNamedFlag(command, flag)
}

/** @throws Failure `usage` for several values and for `-`, because a path has only one */
const checkSingle = (kind: string, text: string, label: string): void => {
  if (text.trim() !== '-' && !text.includes(',')) return
  throw usage(
    `${label} takes a single ${kind}, not "${text}"`,
    `Run the command once for each ${kind}.`,
  )
}

/**
 * @param label what the line calls the value: `--project`, `<key>`
 * @throws Failure `usage` for a value that cannot be a segment of a path
 */
export const checkSegment = (label: string, param: Param, value: unknown): void => {
  const text = String(value)
  if (hasDots(text)) throw usage(`${label}: "." and ".." cannot be used in a path`)
  if (isScope(param) || param.completes === 'user')
    checkSingle(getScopeType(param) ?? 'user', text, label)
  if (text.trim() === '') throw usage(`${label} must not be empty`)
}

/**
 * Checks the values of placeholders.
 * @param names the placeholders to check
 * @throws Failure `usage`
 */
export const checkSegments = (
  command: Pick<Command, 'flags'>,
  endpoint: Endpoint,
  values: JsonValues,
  names: readonly string[] = Object.keys(endpoint.path),
): void => {
  for (const name of names) {
    const param = endpoint.path[name]
    if (param !== undefined)
      checkSegment(formatPlaceholder(command, endpoint, name), param, values[name])
  }
}
