/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const members: Examples = {
  list: [
    'members list -P platform/app --inherited',
    'members list -G platform --query ben -o json',
  ],
  get: [
    'members get 8 -P platform/app',
    'members get 2 3 -G platform --fields id,username,access_level',
  ],
  'billable list': [
    'members billable list -G platform',
    'members billable list -G platform --sort last_activity_on_desc --limit 3',
  ],
  'billable memberships': [
    'members billable memberships 4 -G platform',
    'members billable memberships 5 -G platform -o json',
  ],
}
