/** Segments of paths that would lead elsewhere: one rule for addresses, repositories and archives. */

/** Whether a segment means this folder or the one above. */
export const isDots = (segment: string): boolean => segment === '.' || segment === '..'

/** Whether a path, its segments parted by slashes, has such a one. */
export const hasDots = (path: string): boolean => path.split('/').some(isDots)
