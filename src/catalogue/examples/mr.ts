/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const mr: Examples = {
  list: [
    'mr list --scope all --state opened --labels bug',
    'mr list -P platform/app --wip no --fields iid,title,merge_status',
  ],
  get: ["mr get 'platform/app!1'", 'mr get 1 --include-rebase-in-progress -P platform/app -o json'],
  'cancel-auto-merge': [
    "mr cancel-auto-merge 'platform/app!7'",
    'mr cancel-auto-merge 7 -P platform/app -o json',
  ],
  'closes-issues': [
    "mr closes-issues 'platform/app!1'",
    'mr closes-issues 1 -P platform/app --fields iid,title,state',
  ],
  subscribe: ["mr subscribe 'platform/app!1'", 'mr subscribe 2 4 -P platform/app'],
  unsubscribe: ["mr unsubscribe 'platform/app!1'", 'mr unsubscribe 2 4 -P platform/app'],
}
