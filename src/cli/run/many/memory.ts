/** The memory of a long run: what lives shortly is not given more room than it needs. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** So much is enough for what comes and goes; more would be memory and no time. */
const enough = 4 << 20
/** It is looked at after so many objects. */
const every = 64

/** To be called with each object. */
export const keepSmall = (): (() => void) => {
  let [count, small] = [0, true]
  return () => {
    if (!small || ++count % every !== 0) return
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if ((young?.space_size ?? 0) < enough) return
    // From now on it does not grow.
    setFlagsFromString('--semi-space-growth-factor=1')
    small = false
  }
}
