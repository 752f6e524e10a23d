/** Versions: the tool’s own, and how those of others are compared. */

declare const SVCCTL_VERSION: string
declare const SVCCTL_BUGS: string

/** The tool's version; the bundler puts it in. */
export const version = typeof SVCCTL_VERSION === 'string' ? SVCCTL_VERSION : '0.0.0'
/** The address for reports of defects: `bugs.url` of package.json, put in by the bundler. */
export const bugs = typeof SVCCTL_BUGS === 'string' ? SVCCTL_BUGS : 'the place where you got it'
export const userAgent = `svcctl/${version}`

// Versions, compared part by part: 14.6.0 comes before 14.10.0, 1.0.0-rc.1 before 1.0.0.

const start = /^v?\d/i

/** Words of a version that is not released yet. */
const early = /^(a|alpha|b|beta|canary|dev|m|nightly|pre|preview|rc|snapshot)$/

/** Words that say which edition it is, and not how new. */
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

/** Words of early versions, nothing or zero, other words, numbers. A part that is absent is zero. */
const rankOf = (part: string): number => {
  if (/^\d/.test(part)) return part === '0' ? 1 : 3
  return early.test(part) ? 0 : 2
}

const comparePart = (a: string, b: string): number => {
  const byRank = rankOf(a) - rankOf(b)
  if (byRank !== 0) return byRank
  const byLength = rankOf(a) === 3 ? a.length - b.length : 0
  if (byLength !== 0) return byLength
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Below zero where the first comes before the second; zero for 14.6 and 14.6.0-ee. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [splitVersion(a), splitVersion(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const order = comparePart(left[i] ?? '0', right[i] ?? '0')
    if (order !== 0) return order
  }
  return 0
}
