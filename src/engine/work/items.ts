/** What a run works on. */
import type { Fields } from '../../base/objects.js'

/** So many objects are named where one wants to know which they are; the others are counted. */
export const maxNamed = 10

/** An object as it was given. */
export interface GivenObject {
  readonly object: string
  /** What it belongs to (a project, a group), where that goes along with it. */
  readonly parent?: string
  /** What of it the run may change, as it was where it was selected; null where it was not there. */
  readonly before?: Fields | null
  /** Its own attributes, where they came with it. */
  readonly row?: Fields
}

/** An object in its place. */
export interface Item extends GivenObject {
  /** Its place in the run, from 1 on. */
  readonly n: number
  /**
   * It may have been done before: `read` only looks at it, `again` takes it for done where it is gone, `look` does it
   * where it is not as it is to be.
   */
  readonly how?: 'read' | 'again' | 'look'
}

/** Where an object stands in a run, as its journal has it. */
export const getItemPlace = ({
  n,
  object,
  parent,
}: Item): Pick<Item, 'n' | 'object' | 'parent'> => ({
  n,
  object,
  parent,
})

/** Numbers are the same with and without zeros before them. */
export const normalizeId = (text: string): string =>
  /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text
