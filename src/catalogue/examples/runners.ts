/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const runners: Examples = {
  list: [
    'runners list --status offline',
    'runners list --instance --tag-list linux -o json',
    'runners list -G platform',
  ],
  get: ['runners get 7', 'runners get 6 7 --fields id,description,status,contacted_at'],
  update: [
    "runners update 7 --description 'GPU, second rack' --tag-list gpu,linux",
    "runners update 7 --tag-list '' --run-untagged",
  ],
  jobs: ['runners jobs 1', 'runners jobs 1 --status running'],
  enable: ['runners enable 9 -P platform/app', 'runners enable 8 9 -P platform/app'],
  disable: [
    'runners disable 7 -P platform/core/engine --yes',
    'runners disable 7 -P platform/app --yes -o json',
  ],
}
