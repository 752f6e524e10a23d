/**
 * `error-tracking keys create`: prints the new DSN unmasked, this one time
 * (`catalogue/reference/error-tracking.md`).
 */

import { define } from './define.js'

export const keysCreate = define({
  description: [
    'The DSN contains the key. This command prints it in full; other commands mask it unless you pass --show-secrets.',
  ],
  examples: [
    'error-tracking keys create --project platform/app',
    'error-tracking keys create --project platform/app -o json --fields errsvc_dsn',
  ],
  operation: () => ({ emit: { reveal: true } }),
})
