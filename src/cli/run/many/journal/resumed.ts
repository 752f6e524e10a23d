/** A run that is gone on with: its journal, and which of its objects are left. */
import type { Item } from '../../../../fleet/items.js'
import type { Next, Past } from '../../../../fleet/journal/past.js'
import type { Journal } from '../../../../fleet/journal/writing.js'

export interface Resumed {
  readonly journal: Journal
  readonly past: Past
  /** The input was cut, and is given once more. */
  readonly again: boolean
  /** What is to be done with the object in a place. */
  readonly next: (n: number) => Next
  /** The objects that something is to be done with, in their order. */
  readonly left: () => AsyncIterable<Item>
}
