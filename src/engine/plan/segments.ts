/** Checks the values that fill the placeholders of a path. */
import { hasDots, isDots } from '../../base/base-url.js'
import type { JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getScopeType, isScope, type Param } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import { getFlagName, getScope } from '../command/derive.js'

/** @throws Failure `usage` for several values and for `-`, because a path has only one */
const checkSingle = (kind: string, text: string, label: string): void => {
  if (text.trim() !== '-' && !text.includes(',')) return
  throw usage(
    `${label} takes a single ${kind}, not "${text}"`,
    `Run the command once for each ${kind}.`,
  )
}

/** Returns the argument or flag that fills a placeholder, as messages name it. */
const getSegmentLabel = (endpoint: Endpoint, name: string, param: Param): string => {
  const flag = getFlagName(name, param)
  if (endpoint.args?.includes(name) === true) return `<${flag}>`
  const scope = getScope(endpoint)
  return scope?.placeholder === name ? `--${scope.kind}` : flag
}

/**
 * @param label the argument or flag in messages
 * @throws Failure `usage` for a value that cannot be a segment of a path
 */
export const checkSegment = (label: string, param: Param, value: unknown): void => {
  if (isScope(param) ? isDots(String(value)) : hasDots(String(value)))
    throw usage(`${label}: "." and ".." cannot be used in a path`)
  if (isScope(param) || param.completes === 'user')
    checkSingle(getScopeType(param) ?? 'user', String(value), label)
  if (String(value) === '') throw usage(`${label} must not be empty`)
}

/** Checks the values of all placeholders. @throws Failure `usage` */
export const checkSegments = (
  endpoint: Endpoint,
  values: JsonValues,
  names: readonly string[] = Object.keys(endpoint.path),
): void => {
  for (const name of names) {
    const param = endpoint.path[name]
    if (param !== undefined)
      checkSegment(getSegmentLabel(endpoint, name, param), param, values[name])
  }
}
