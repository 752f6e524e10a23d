/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const approvals: Examples = {
  get: ['approvals get -P platform/app', 'approvals get -P platform/app -o json'],
  update: [
    'approvals update --reset-approvals-on-push -P platform/app',
    'approvals update --no-merge-requests-author-approval -P platform/app',
  ],
  'rules list': [
    'approvals rules list -P platform/app',
    'approvals rules list -P platform/app --fields id,name,users.0.username -o json',
  ],
  'rules get': [
    'approvals rules get 2 -P platform/app',
    'approvals rules get 1 2 -P platform/app -o json',
  ],
  'rules delete': [
    'approvals rules delete 2 -P platform/app --yes',
    'approvals rules delete 1 -P platform/app --yes -q',
  ],
  'mr get': ["approvals mr get 'platform/app!1'", 'approvals mr get 1 4 -P platform/app -o json'],
  'mr update': [
    "approvals mr update 'platform/app!1' --approvals-required 2",
    'approvals mr update 1 4 --approvals-required 1 -P platform/app',
  ],
  'mr state': [
    "approvals mr state 'platform/app!1'",
    'approvals mr state 1 -P platform/app -o json',
  ],
}
