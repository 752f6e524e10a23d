/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const members: Examples = {
  list: [
    'members list -P platform/app --inherited',
    'members list -G platform --query ben -o json',
  ],
  'billable list': [
    'members billable list -G platform',
    'members billable list -G platform --sort last_activity_on_desc --limit 3',
  ],
}
