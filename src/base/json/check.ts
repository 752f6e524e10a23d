/** A whole JSON text, checked without building anything. */
import { bounds, Malformed, tooLarge } from './malformed.js'
import { Scanner } from './scan.js'
import { isBlank } from './signs.js'

/**
 * Checks a whole JSON text.
 * @throws Malformed
 */
export const checkJson = (bytes: Uint8Array): void => {
  if (bytes.length > bounds.bytes) throw tooLarge()
  const scanner = new Scanner()
  try {
    let i = scanner.scan(bytes, 0)
    if (!scanner.finish()) throw new Malformed(`is cut short after ${bytes.length} bytes`)
    for (; i < bytes.length; i++)
      if (!isBlank(bytes[i] ?? 0)) throw new Malformed('goes on after its end')
  } catch (error) {
    throw error instanceof Malformed ? error.placed(0) : error
  }
}
