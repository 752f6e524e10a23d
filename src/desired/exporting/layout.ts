/** Which file of a folder a place stands in. */
import { usage } from '../../errors.js'
import { isPlacePath, type ManagedPlace, placeText } from '../address.js'

/** The folders of groups and projects. */
export const foldersOf = { group: 'groups', project: 'projects' } as const

/** A name that begins with a dot, and the folder of packages, are passed over when files are read. */
const readable = (name: string): string =>
  name.startsWith('.') || name.toLowerCase() === 'node_modules' ? `_${name}` : name

/**
 * The path of a place's file below the folder, parted by slashes.
 * @throws Failure `usage` for a path whose parts are no names of files: nothing of it is written
 */
const fileOf = (place: ManagedPlace): string => {
  if (place.scope === 'site') return 'site.yml'
  if (!isPlacePath(place.path))
    throw usage(
      `the path of ${JSON.stringify(placeText(place))} is no name of a file`,
      'Leave it out with --except, or write to one file.',
    )
  return `${[foldersOf[place.scope], ...place.path.split('/').map(readable)].join('/')}.yml`
}

/** A file with the places that stand in it. */
export interface PlacedFile<P> {
  readonly path: string
  readonly places: readonly P[]
}

/**
 * The files of places, in their order. Paths that differ only in case share one, whatever the system
 * makes of them.
 * @throws Failure `usage` where a path is no name of a file, or a file would be in the way of a folder
 */
export const filesOf = <P extends ManagedPlace>(places: readonly P[]): readonly PlacedFile<P>[] => {
  const files = new Map<string, { path: string; places: P[] }>()
  for (const place of places) {
    const path = fileOf(place)
    const known = files.get(path.toLowerCase())
    if (known === undefined) files.set(path.toLowerCase(), { path, places: [place] })
    else known.places.push(place)
  }
  for (const [key, { path }] of files)
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1))
      if (files.has(key.slice(0, end)))
        throw usage(
          `${path} would be in a folder and in a file of one name`,
          'Leave one of them out with --except, or write to one file.',
        )
  return [...files.values()]
}
