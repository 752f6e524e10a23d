/** Whether a path in the words of an instance is one that means something else. */
import { type Endpoint, methodOf, pathOf } from '../catalogue/endpoint.js'

type Segments = readonly string[]

/** An endpoint with its path, as the documents have it and under words. */
export interface MappedPath {
  readonly endpoint: Endpoint
  readonly neutral: Segments
  readonly own: Segments
}

const segmentsOf = (path: string): Segments => path.split('/').slice(1)

/** Endpoints under words: each is held against all of them. */
export const mapPaths = (
  endpoints: readonly Endpoint[],
  path: (neutral: string) => string,
): readonly MappedPath[] =>
  endpoints.map((endpoint) => ({
    endpoint,
    neutral: segmentsOf(pathOf(endpoint)),
    own: segmentsOf(path(pathOf(endpoint))),
  }))

const isPlaceholder = (segment = ''): boolean => segment[0] === ':' || segment[0] === '*'

/** Whether the beginning of a pattern stands for these segments: its placeholders take anything. */
const fits = (pattern: Segments, segments: Segments): boolean =>
  pattern.length >= segments.length &&
  segments.every((one, i) => pattern[i] === one || isPlaceholder(pattern[i]))

/** Whether a path begins so; placeholders are alike, whatever they are called. */
const begins = (path: Segments, beginning: Segments): boolean =>
  path.length >= beginning.length &&
  beginning.every((one, i) => path[i] === one || (isPlaceholder(one) && isPlaceholder(path[i])))

const isSame = (a: Segments, b: Segments): boolean => a.length === b.length && begins(a, b)

/** How many segments two paths have in common at their ends. */
const commonEnd = (a: Segments, b: Segments): number => {
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

/** The beginnings of a path that are others under words, each behind what it was. */
const changedIn = ({ neutral, own }: MappedPath): readonly (readonly [Segments, Segments])[] => {
  const kept = commonEnd(neutral, own)
  if (kept === own.length && kept === neutral.length) return []
  // Several segments for one: only as a whole are they what that was.
  if (neutral.length !== own.length)
    return [[neutral.slice(0, neutral.length - kept), own.slice(0, own.length - kept)]]
  return own.flatMap((segment, i) =>
    segment === neutral[i] ? [] : [[neutral.slice(0, i + 1), own.slice(0, i + 1)] as const],
  )
}

/**
 * The endpoint that another one becomes, or below which it comes to stand: whatever follows there is another
 * thing's, documented or not. The very route comes before others of its path.
 */
export const findConflict = (one: MappedPath, all: readonly MappedPath[]): Endpoint | undefined => {
  const changed = changedIn(one)
  if (changed.length === 0) return undefined
  const met = all.filter(({ neutral, own }) =>
    changed.some(([before, after]) => {
      if (fits(neutral, after)) return !fits(neutral, before)
      return begins(own, after) && !begins(neutral, before)
    }),
  )
  const alike = met.find(
    ({ endpoint, neutral, own }) =>
      methodOf(endpoint) === methodOf(one.endpoint) &&
      (isSame(neutral, one.own) || isSame(own, one.own)),
  )
  return (alike ?? met[0])?.endpoint
}
