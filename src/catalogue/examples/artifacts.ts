/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const artifacts: Examples = {
  keep: ['artifacts keep 4 -P platform/app', 'artifacts keep 10 13 -P platform/app'],
  delete: [
    'artifacts delete 11 -P platform/app --yes',
    'artifacts delete 10 18 -P platform/app --yes',
  ],
}
