/** `vulnerabilities list` (API document 3, "Vulnerabilities"): the worst first in tables. */
import { isObject } from './json.js'
import { bySeverity } from './severity.js'
import type { Context, Given, Special } from './types.js'

const severityOf = (record: unknown): unknown => (isObject(record) ? record.severity : undefined)

const run = async (ctx: Context, given: Given): Promise<void> => {
  const plan = await ctx.plan(given)
  if (ctx.globals.curl || ctx.format !== 'table') {
    await ctx.list(plan)
    return
  }
  const records = [...(await ctx.collect(plan))]
  records.sort((a, b) => bySeverity(severityOf(a), severityOf(b)))
  await ctx.printMany(records, {
    endpoint: plan.endpoint,
    columns: plan.endpoint.columns ?? [],
  })
}

export const list: Special = {
  description: ['Tables show the worst first; the other formats keep the order of the API.'],
  examples: [
    'vulnerabilities list --project platform/app',
    'vulnerabilities list --project platform/app -o json --fields id,severity,title',
  ],
  run,
}
