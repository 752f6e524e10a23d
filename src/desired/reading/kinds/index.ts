/** What the fact of a kind cannot say of reading it. */
import { projectErrorTracking } from '../../../catalogue/managed/error-tracking.js'
import type { Managed } from '../../../catalogue/managed/managed.js'
import { projectDomains } from '../../../catalogue/managed/pages-domains.js'
import { projectRunners } from '../../../catalogue/managed/runners.js'
import { errorTracking } from './error-tracking.js'
import type { KindReading } from './hooks.js'
import { pagesDomains } from './pages-domains.js'
import { runnersOfProject } from './runners.js'

const hooks = new Map<Managed, KindReading>([
  [projectDomains, pagesDomains],
  [projectErrorTracking, errorTracking],
  [projectRunners, runnersOfProject],
])

export const readingOfKind = (kind: Managed): KindReading => hooks.get(kind) ?? {}
