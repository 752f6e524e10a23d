/** Files of this room: read as they are, never repaired by guessing, failures in words. */

import { makeFolders } from '../base/files/folders.js'
import { readRegular } from '../base/files/regular.js'
import { type Fields, isObject } from '../base/objects.js'
import { Failure, getErrorCode, getReason } from '../errors.js'

/** A usage failure about a file: what was tried, what the system said, what to do. */
export const fileFailure = (
  doing: string,
  file: string,
  error: unknown,
  hint = 'Make the path readable and writable, or set SVC_CONFIG_DIR to another directory.',
): Failure => {
  return new Failure('usage', `cannot ${doing} ${file}: ${getReason(error)}`, {
    request: file,
    hint,
    cause: error,
  })
}

/** A failure about what a file holds. The file is left as it is. */
export const corrupt = (file: string, what: string): Failure =>
  new Failure('usage', `${file} ${what}`, {
    request: file,
    hint: 'The file was not changed. Correct it, or move it away and sign in again with: svcctl auth login',
  })

/**
 * The object that a JSON file holds; undefined where there is no file.
 * @throws Failure `usage` where it cannot be read or is no JSON object
 */
export const readObject = (file: string): Fields | undefined => {
  let text: string
  try {
    text = readRegular(file).toString()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw fileFailure('read', file, error)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own words quote the text, which may hold a token.
    throw corrupt(file, 'is not valid JSON')
  }
  if (!isObject(value)) throw corrupt(file, 'does not contain a JSON object')
  return value
}

/** Makes a directory that only its owner may enter; an existing one is left as it is. */
export const makeDirectory = (directory: string): void => {
  try {
    makeFolders(directory, 0o700)
  } catch (error) {
    throw fileFailure('create', directory, error)
  }
}
