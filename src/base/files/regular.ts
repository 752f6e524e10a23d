/** Reading the tool's own files: regular ones only, so that no pipe or device makes it wait for ever. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/** Absent on Windows, where opening never blocks. */
export const nonBlocking = constants.O_NONBLOCK ?? 0

/** What stands in the place of a regular file, in words; undefined where it is one. */
export const otherThanFile = (stats: Stats): string | undefined => {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'it is a directory'
  if (stats.isFIFO()) return 'it is a pipe and not a regular file'
  if (stats.isSocket()) return 'it is a socket and not a regular file'
  return 'it is a device and not a regular file'
}

/**
 * The bytes of a regular file, links followed.
 * @throws the system's error; an Error in words where it is something else than a file
 */
export const readRegular = (file: string): Buffer => {
  const descriptor = openSync(file, constants.O_RDONLY | nonBlocking)
  try {
    const other = otherThanFile(fstatSync(descriptor))
    if (other !== undefined) throw new Error(other)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
