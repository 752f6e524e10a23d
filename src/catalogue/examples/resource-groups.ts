/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const resourceGroups: Examples = {
  get: [
    'resource-groups get production -P platform/app',
    'resource-groups get review/feature/login -P platform/app -o json',
  ],
  update: [
    'resource-groups update production --process-mode oldest_first -P platform/app',
    'resource-groups update staging production --process-mode newest_first -P platform/app',
  ],
}
