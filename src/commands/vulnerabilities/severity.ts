/** The order of severities, worst first; words that are none come last. */
const order = ['critical', 'high', 'medium', 'unknown', 'low', 'info']

const rankOf = (severity: unknown): number => {
  const at = order.indexOf(String(severity).toLowerCase())
  return at < 0 ? order.length : at
}

/** Compares two severities, worst first. */
export const bySeverity = (a: unknown, b: unknown): number => rankOf(a) - rankOf(b)
