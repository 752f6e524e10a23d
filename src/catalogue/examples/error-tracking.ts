/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const errorTracking: Examples = {
  get: ['error-tracking get -P platform/app', 'error-tracking get -P platform/app -o json'],
  update: [
    'error-tracking update --no-active -P platform/app',
    'error-tracking update --active --integrated -P platform/app',
  ],
  'keys list': [
    'error-tracking keys list -P platform/app',
    'error-tracking keys list -P platform/app --show-secrets -o json',
  ],
  'keys delete': [
    'error-tracking keys delete 1 -P platform/app --yes',
    'error-tracking keys delete 1 2 -P platform/app --yes',
  ],
}
