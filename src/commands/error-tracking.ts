/** `error-tracking keys create` (`catalogue/reference/error-tracking.md`): its address is shown this once. */

import { define } from './define.js'

export const keysCreate = define({
  description: [
    'The collector address holds the key: it is shown whole here, masked elsewhere unless --show-secrets.',
  ],
  examples: [
    'error-tracking keys create --project platform/app',
    'error-tracking keys create --project platform/app -o json --fields errsvc_dsn',
  ],
  operation: () => ({ emit: { reveal: true } }),
})
