/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const vulnerabilities: Examples = {
  create: [
    'vulnerabilities create --finding-id 5 -P platform/app',
    'vulnerabilities create --finding-id 6 -P platform/app -o json',
  ],
  get: ['vulnerabilities get 1', 'vulnerabilities get 1 2 --fields id,severity,state,title'],
  confirm: ['vulnerabilities confirm 1', 'vulnerabilities confirm 3 4 --quiet'],
  resolve: ['vulnerabilities resolve 2', 'vulnerabilities resolve 1 4 -o json'],
  dismiss: ['vulnerabilities dismiss 1', 'vulnerabilities dismiss 2 3 -o json'],
  revert: ['vulnerabilities revert 1', 'vulnerabilities revert 2 3'],
}
