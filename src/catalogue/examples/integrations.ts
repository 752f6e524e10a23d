/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const integrations: Examples = {
  delete: [
    'integrations delete emails-on-push -P platform/app --yes',
    'integrations delete emails-on-push --legacy-path -P platform/app --yes',
  ],
}
