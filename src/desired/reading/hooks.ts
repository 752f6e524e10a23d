/** What may be said of reading a kind beyond its fact. */
import type { JsonValues } from '../../base/json/value.js'
import type { Fields } from '../../base/objects.js'
import type { Failure } from '../../errors.js'
import type { SeenItem } from '../seen.js'

export interface KindReading {
  /** Asked for with its list. */
  readonly values?: JsonValues
  /** Attributes as they are meant. */
  readonly meant?: (attributes: SeenItem['attributes'], record: Fields) => SeenItem['attributes']
  /** Whether a refusal says that there is none. */
  readonly none?: (failure: Failure) => boolean
}
