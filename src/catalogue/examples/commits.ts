/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const commits: Examples = {
  list: [
    'commits list -P platform/app --ref main --limit 5',
    'commits list -P platform/app --path README.md --since 2020-01-01T00:00:00Z',
  ],
  get: [
    'commits get main -P platform/app',
    'commits get v1.0.0 feature/login -P platform/app --stats -o json',
  ],
  refs: ['commits refs main -P platform/app', 'commits refs v1.0.0 --type tag -P platform/app'],
}
