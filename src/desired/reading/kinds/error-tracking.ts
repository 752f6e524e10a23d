/** Error tracking: where it was never configured, the instance knows no settings of it. */

import { isMissing } from '../../../errors.js'
import { isPlaceMissing } from '../refusals.js'
import type { KindReading } from './hooks.js'

export const errorTracking: KindReading = {
  none: (failure) => isMissing(failure) && !isPlaceMissing(failure),
}
