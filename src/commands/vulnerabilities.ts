/** `vulnerabilities list` (`catalogue/reference/vulnerabilities.md`): the worst first in tables. */
import { isObject } from '../base/objects.js'
import { severities } from '../catalogue/shapes/vulnerability.js'
import { define } from './define.js'

// The order of severities, worst first; words that are none come last.

const order: readonly string[] = severities.toReversed()

const rankOf = (severity: unknown): number => {
  const at = order.indexOf(String(severity).toLowerCase())
  return at < 0 ? order.length : at
}

/** Compares two severities, worst first. */
export const bySeverity = (a: unknown, b: unknown): number => rankOf(a) - rankOf(b)

const severityOf = (record: unknown): unknown => (isObject(record) ? record.severity : undefined)

const worstFirst = (records: readonly unknown[]): readonly unknown[] =>
  [...records].sort((a, b) => bySeverity(severityOf(a), severityOf(b)))

export const list = define({
  description: ['Tables list the most severe first. Other formats keep the order of the API.'],
  examples: [
    'vulnerabilities list --project platform/app',
    'vulnerabilities list --project platform/app -o json --fields id,severity,title',
  ],
  operation: () => ({ emit: { people: { rows: worstFirst, reorders: true } } }),
})
