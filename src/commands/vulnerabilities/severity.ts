/** The order of severities, worst first; words that are none come last. */
import { severities } from '../../catalogue/shapes/vulnerability.js'

const order: readonly string[] = severities.toReversed()

const rankOf = (severity: unknown): number => {
  const at = order.indexOf(String(severity).toLowerCase())
  return at < 0 ? order.length : at
}

/** Compares two severities, worst first. */
export const bySeverity = (a: unknown, b: unknown): number => rankOf(a) - rankOf(b)
