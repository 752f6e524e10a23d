/** Provides the tool's own version, and compares versions. */

declare const SVCCTL_VERSION: string
declare const SVCCTL_BUGS: string

/** The tool's version, which the bundler inserts. */
export const version = typeof SVCCTL_VERSION === 'string' ? SVCCTL_VERSION : '0.0.0'
/** The address for bug reports: `bugs.url` of package.json, which the bundler inserts. */
export const bugs = typeof SVCCTL_BUGS === 'string' ? SVCCTL_BUGS : 'the place where you got it'
export const userAgent = `svcctl/${version}`

// The comparison of versions part by part: 14.6.0 comes before 14.10.0, and 1.0.0-rc.1 before 1.0.0.

const start = /^v?\d/i

/** The words of a version before its release. */
const early = /^(a|alpha|b|beta|canary|dev|m|nightly|pre|preview|rc|snapshot)$/

/** The words that name the edition, which does not affect the order. */
const editions: ReadonlySet<string> = new Set(['ce', 'ee'])

/** True if a text is a version. */
export const isVersion = (text: string): boolean => start.test(text)

/** Splits a version into its parts; the text after `+` describes the build, and is left out. */
const splitVersion = (version: string): readonly string[] =>
  (version.replace(/^v/i, '').split('+', 1)[0] ?? '')
    .toLowerCase()
    .match(/\d+|[a-z]+/g)
    ?.map((part) => part.replace(/^0+(?=\d)/, ''))
    .filter((part) => !editions.has(part)) ?? []

/** Returns the rank of a part: words of early versions, then zero or nothing, other words, and numbers. A missing part counts as zero. */
const getPartRank = (part: string): number => {
  if (/^\d/.test(part)) return part === '0' ? 1 : 3
  return early.test(part) ? 0 : 2
}

const comparePart = (a: string, b: string): number => {
  const byRank = getPartRank(a) - getPartRank(b)
  if (byRank !== 0) return byRank
  const byLength = getPartRank(a) === 3 ? a.length - b.length : 0
  if (byLength !== 0) return byLength
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Compares versions. @returns a negative number if the first comes before the second; zero for 14.6 and 14.6.0-ee */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [splitVersion(a), splitVersion(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const order = comparePart(left[i] ?? '0', right[i] ?? '0')
    if (order !== 0) return order
  }
  return 0
}
