/** Pages domains: with automatic certificates theirs is nobody's wish; without a word they are not automatic. */
import type { KindReading } from './hooks.js'

export const pagesDomains: KindReading = {
  meant: (attributes) => {
    const { certificate, auto_ssl_enabled: automatic = false, ...others } = attributes
    const meant = { ...others, auto_ssl_enabled: automatic }
    return automatic === true || certificate === undefined ? meant : { ...meant, certificate }
  },
}
