/** Values of JSON that came, within what may be built of one record. */
import { Failure } from '../../errors.js'

import { textOf } from '../bytes.js'
import { parseExact } from './json.js'
import { MalformedJson, maxBuilt } from './malformed.js'
import { Scanner } from './scan.js'

const refused = (what: string): Failure =>
  new Failure('unreachable', `a record ${what}, which this output format cannot handle`, {
    advice: { code: 'record-size' },
  })

/** Small ones cannot hold too many: each value takes two bytes at least. */
const checkValues = (bytes: Uint8Array): void => {
  if (bytes.length <= maxBuilt.values * 2) return
  try {
    new Scanner(undefined, maxBuilt.values).scan(bytes, 0)
  } catch (error) {
    if (error instanceof MalformedJson)
      throw refused(`has more than ${maxBuilt.values} values, or is not JSON`)
    throw error
  }
}

/**
 * The value of a record's bytes; numbers that would print otherwise than they came are `Exact`.
 * @throws Failure unreachable, where it is more than may be built; SyntaxError where it is no JSON
 */
export const parseBytes = (bytes: Uint8Array): unknown => {
  if (bytes.length > maxBuilt.bytes) throw refused(`is larger than ${maxBuilt.bytes >> 20} MiB`)
  checkValues(bytes)
  return parseExact(textOf(bytes))
}
