/** Versions of the service, and in which of them a keyword is known. */

export type CiVersion = `${number}.${number}`

/** From which version on something is known, and from which on no longer; absent where no public page tells. */
export interface Span {
  readonly since?: CiVersion
  readonly until?: CiVersion
}

/** As of which version a configuration is judged; undefined is the latest. */
export type AsOf = CiVersion | undefined

export const isCiVersion = (text: string): text is CiVersion => /^\d{1,3}\.\d{1,3}$/.test(text)

/** Versions as numbers that are in their order. */
const rank = (version: CiVersion): number => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1000 + minor
}

const isBefore = (one: CiVersion, other: CiVersion): boolean => rank(one) < rank(other)

const isTooNew = ({ since }: Span, asOf: AsOf): boolean =>
  since !== undefined && asOf !== undefined && isBefore(asOf, since)

/** Whether what has this span is known as of a version. */
export const isKnown = (span: Span, asOf: AsOf): boolean =>
  !isTooNew(span, asOf) &&
  (span.until === undefined || (asOf !== undefined && isBefore(asOf, span.until)))

/** Which version brought or removed something that is not known; empty for what no version knows. */
export const describeChange = (name: string, span: Span, asOf: AsOf): string => {
  if (isTooNew(span, asOf)) return `${name} was added in ${span.since}`
  return isKnown(span, asOf) ? '' : `${name} was removed in ${span.until}`
}
