/** Pages domains: with automatic certificates theirs is nobody's wish; without a word they are not automatic. */
import type { KindReading } from './hooks.js'

export const pagesDomains: KindReading = {
  meant: (attributes) => {
    const { certificate, auto_ssl_enabled: automatic = false, ...others } = attributes
    const own = automatic === true || certificate === undefined ? {} : { certificate }
    return { ...others, auto_ssl_enabled: automatic, ...own }
  },
}
