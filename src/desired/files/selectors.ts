/** Keys of projects that are no path: globs, and maps of what a project's record says. */
import { isObject } from '../../base/objects.js'
import { quoted } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { ProjectFacts, ProjectSelector } from '../reading/sight.js'
import type { Origin } from '../wishes.js'
import type { Mistakes } from './mistakes.js'

/** `*` within a segment, `**` for any number of whole segments. */
export interface PathGlob {
  readonly text: string
  /** What all paths that it means begin with, in lower case. */
  readonly literal: string
  test(path: string): boolean
}

/** A selector, and how specific it is among others. */
export interface FileSelector extends ProjectSelector {
  readonly rank: number
  /** The globs of paths, one of which a project has to fit; none of a map without a path. */
  readonly globs: readonly PathGlob[]
}

const isSegment = (text: string): boolean => text === '**' || /^(?!.*\*\*)[\w.*-]+$/.test(text)

/** @returns undefined for a text that is no glob of paths */
export const pathGlob = (text: string): PathGlob | undefined => {
  const segments = text.split('/')
  if (!segments.every(isSegment)) return undefined
  const parts = segments.map((segment, i) => {
    const isLast = i === segments.length - 1
    if (segment === '**') return isLast ? '.*' : '(?:[^/]+/)*'
    const one = segment.replace(/[.-]/g, '\\$&').replaceAll('*', '[^/]*')
    return isLast ? one : `${one}/`
  })
  const pattern = new RegExp(`^${parts.join('')}$`, 'i')
  const literal = (/^[^*]*/.exec(text)?.[0] ?? '').toLowerCase()
  return { text, literal, test: (path) => pattern.test(path) }
}

const keys = ['topic', 'visibility', 'path', 'not'] as const
type SelectorKey = (typeof keys)[number]

const textsIn = (value: unknown): readonly string[] | undefined => {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = all.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' ? [String(one)] : [],
  )
  return texts.length === all.length && texts.length > 0 ? texts : undefined
}

const isAmong = (wanted: readonly string[], has: readonly string[]): boolean => {
  const known = new Set(has.map((one) => one.toLowerCase()))
  return wanted.some((one) => known.has(one.toLowerCase()))
}

/** What a map says, by its keys; undefined where it is wrong, which is reported. */
const wantedIn = (
  map: Readonly<Record<string, unknown>>,
  origin: Origin,
  mistakes: Mistakes,
): ReadonlyMap<SelectorKey, readonly string[]> | undefined => {
  const wanted = new Map<SelectorKey, readonly string[]>()
  for (const [name, value] of Object.entries(map)) {
    const key = keys.find((one) => one === name)
    const texts = textsIn(value)
    if (key === undefined)
      mistakes.add(
        origin,
        `a selector has no ${quoted(name)}`,
        didYouMean(name, keys) ?? `It has ${keys.join(', ')}.`,
      )
    else if (texts === undefined)
      mistakes.add(origin, `${key} of a selector takes a text, or a list`)
    else wanted.set(key, texts)
  }
  if (wanted.size < Object.keys(map).length) return undefined
  if (wanted.size > 0) return wanted
  mistakes.add(origin, 'a selector says which projects it is for', "With '**' it is for all.")
  return undefined
}

const mapSelector = (
  map: Readonly<Record<string, unknown>>,
  origin: Origin,
  mistakes: Mistakes,
): FileSelector | undefined => {
  const wanted = wantedIn(map, origin, mistakes)
  if (wanted === undefined) return undefined
  const globsOf = (key: SelectorKey) =>
    (wanted.get(key) ?? []).flatMap((text) => {
      const glob = pathGlob(text)
      if (glob === undefined) mistakes.add(origin, `${quoted(text)} is no glob of paths`, globHint)
      return glob ?? []
    })
  const [paths, not] = [globsOf('path'), globsOf('not')]
  const [topics, visibility] = [wanted.get('topic'), wanted.get('visibility')]
  const byRecord = (project: ProjectFacts): boolean | undefined => {
    if (topics !== undefined && project.topics === undefined) return undefined
    if (visibility !== undefined && project.visibility === undefined) return undefined
    const has = topics === undefined || isAmong(topics, project.topics ?? [])
    return has && (visibility === undefined || isAmong(visibility, [project.visibility ?? '']))
  }
  return {
    rank: 0,
    globs: paths,
    needsRecord: topics !== undefined || visibility !== undefined,
    fits: (project) => {
      const isAt = paths.length === 0 || paths.some((glob) => glob.test(project.path))
      return isAt && !not.some((glob) => glob.test(project.path)) ? byRecord(project) : false
    },
  }
}

const globHint = '* stands for anything within a segment, ** for any number of whole segments.'

/**
 * The selector that a key of projects is.
 * @param flow reads a flow map; undefined for what is none
 * @returns undefined where it is wrong, which is reported
 */
export const selectorOf = (
  key: string,
  origin: Origin,
  flow: (text: string) => unknown,
  mistakes: Mistakes,
): FileSelector | undefined => {
  if (key.startsWith('{')) {
    const map = flow(key)
    if (isObject(map)) return mapSelector(map, origin, mistakes)
    mistakes.add(origin, 'this selector is no map', 'Write \'{topic: name, path: "group/**"}\'.')
    return undefined
  }
  const glob = pathGlob(key)
  if (glob === undefined) {
    mistakes.add(origin, `${quoted(key)} is no glob of paths`, globHint)
    return undefined
  }
  const rank = 1 + glob.literal.length
  return { rank, globs: [glob], needsRecord: false, fits: ({ path }) => glob.test(path) }
}
