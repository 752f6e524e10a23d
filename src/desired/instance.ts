/** What declared state asks of an instance. Reading and writing are two: who is given the one cannot do the other. */

import type { Fields } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Ask, Whole } from '../http/types.js'

/** An instance that is only read; whoever gives it refuses anything but GET. */
export interface ReadableInstance {
  /** One call, its answer whole. @throws Failure as the instance answers */
  get(ask: Ask): Promise<Whole>
  /**
   * All records of a list, or those that are wanted: the others are not kept.
   * @throws Failure as the instance answers, or where the list was cut short
   */
  records(ask: Ask, wanted?: (record: Fields) => boolean): Promise<readonly Fields[]>
  /** Something that the documents do not show: a path with its query. @throws Failure */
  implied(path: string): Promise<Whole>
  /** The same, all pages of it. */
  impliedRecords(path: string): Promise<readonly Fields[]>
  /** Works on items, as many at once as the engine lets go. */
  each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void>
}

/** An instance that is written, too. */
export interface WritableInstance extends ReadableInstance {
  /** One call, its answer whole. @throws Failure as the instance answers; what is not known says so */
  send(ask: Ask & { readonly endpoint: Endpoint }): Promise<Whole>
}
