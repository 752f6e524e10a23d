/** Error tracking of a project, as files declare it. */
import { errorTracking } from '../areas/error-tracking.js'
import { managed } from './managed.js'

export const projectErrorTracking = managed({
  name: 'error_tracking',
  scope: 'project',
  holds: 'one',
  read: errorTracking.get,
  update: errorTracking.update,
})
