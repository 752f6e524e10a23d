/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const issues: Examples = {
  list: [
    'issues list --scope all --labels bug --state opened',
    'issues list -G platform --assignee-id None --not labels=incident',
    'issues list --scope all --search sign --in title -o json',
  ],
  unsubscribe: [
    'issues unsubscribe 1 -P platform/app --sudo dov',
    'issues unsubscribe platform/app#1 --sudo chi',
  ],
  todo: ['issues todo platform/app#7', 'issues todo 2 3 -P platform/app'],
  'related-mrs': [
    'issues related-mrs platform/app#1',
    'issues related-mrs 2 -P platform/app -o json',
  ],
  'time-stats': [
    'issues time-stats platform/app#1',
    'issues time-stats 1 2 -P platform/app -o json',
  ],
  estimate: ['issues estimate platform/app#2 3w1h', 'issues estimate 3 2h30m -P platform/app'],
  'reset-estimate': [
    'issues reset-estimate platform/app#1',
    'issues reset-estimate 2 3 -P platform/app',
  ],
  spend: [
    "issues spend platform/app#2 1h30m --summary 'looked into it'",
    'issues spend 1 -P platform/app -- -1h',
  ],
  'reset-spent': ['issues reset-spent platform/app#1', 'issues reset-spent 2 3 -P platform/app'],
}
