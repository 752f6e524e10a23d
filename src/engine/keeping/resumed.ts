/** A run that is gone on with: its journal, and which of its objects are left. */

import type { Next, Past } from '../journal/past.js'
import type { Journal } from '../journal/writing.js'
import type { Item } from '../work/items.js'

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
