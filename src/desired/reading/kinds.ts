/** What the fact of a kind cannot say of reading it. */
import { projectErrorTracking } from '../../catalogue/managed/error-tracking.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { projectDomains } from '../../catalogue/managed/pages-domains.js'
import { projectRunners } from '../../catalogue/managed/runners.js'
import { isMissing } from '../../errors.js'
import type { KindReading } from './hooks.js'
import { isPlaceMissing } from './refusals.js'

// Pages domains: with automatic certificates theirs is nobody's wish; without a word they are not automatic.

const pagesDomains: KindReading = {
  meant: (attributes) => {
    const { certificate, auto_ssl_enabled: automatic = false, ...others } = attributes
    const meant = { ...others, auto_ssl_enabled: automatic }
    return automatic === true || certificate === undefined ? meant : { ...meant, certificate }
  },
}

// Error tracking: where it was never configured, the instance knows no settings of it.

const errorTracking: KindReading = {
  none: (failure) => isMissing(failure) && !isPlaceMissing(failure),
}

// Runners of a project: those of the instance and of groups are shown with them, and are nothing of its own.

const runnersOfProject: KindReading = { values: { type: 'project_type' } }

const hooks = new Map<Managed, KindReading>([
  [projectDomains, pagesDomains],
  [projectErrorTracking, errorTracking],
  [projectRunners, runnersOfProject],
])

export const readingOfKind = (kind: Managed): KindReading => hooks.get(kind) ?? {}
