/** Checks that the values of a call can be sent as they are. */
import { usage } from '../errors.js'

/** Returns what a value is if JSON does not have it, such as `NaN` or `Date`, also inside of lists and objects. */
const findForeign = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value
  if (typeof value !== 'object' || value === null) return undefined
  // Objects of another realm, such as those of a test in Jest, have other prototypes.
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (kind !== 'Object' && kind !== 'Array') return kind
  for (const inner of Object.values(value)) {
    const found = findForeign(inner)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Checks that all values of a call are JSON. A query would leave out a `Date`, and a body would have null for `NaN`, which clears an attribute.
 * @throws Failure `usage` with the name and the kind of the first other value
 */
export const checkJsonValues = (route: string, values: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(values)) {
    const foreign = findForeign(value)
    if (foreign !== undefined) throw usage(`${route}: ${name} must be a JSON value, not ${foreign}`)
  }
}
