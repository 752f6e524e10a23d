/** `error-tracking keys create` (`catalogue/reference/error-tracking.md`): its address is shown this once. */
import type { Special } from '../types.js'

export const keysCreate: Special = {
  description: [
    'The collector address holds the key: it is shown whole here, masked elsewhere unless --show-secrets.',
  ],
  examples: [
    'error-tracking keys create --project platform/app',
    'error-tracking keys create --project platform/app -o json --fields errsvc_dsn',
  ],
  run: async (ctx, given) => ctx.perform([await ctx.plan(given)], { emit: { reveal: true } }),
}
