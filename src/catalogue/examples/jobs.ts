/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const jobs: Examples = {
  list: [
    'jobs list -P platform/app --scope failed',
    'jobs list -P platform/app --pipeline 2 --include-retried',
  ],
  bridges: [
    'jobs bridges -P platform/app --pipeline 2',
    'jobs bridges -P platform/app --pipeline 2 --scope success -o json',
  ],
  get: [
    'jobs get 19 -P platform/app',
    'jobs get 18 19 -P platform/app --fields id,name,status,duration',
  ],
  current: ['jobs current', 'jobs current -o json --fields id,name,pipeline.id'],
  agents: ['jobs agents', 'jobs agents -o json'],
}
