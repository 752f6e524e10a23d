/** What a run works on. */

/** An object as it was given. */
export interface GivenObject {
  readonly object: string
  /** What it belongs to (a project, a group), where that goes along with it. */
  readonly parent?: string
}

/** An object in its place. */
export interface Item extends GivenObject {
  /** Its place in the run, from 1 on. */
  readonly n: number
  /** `read`: it may have been done before, so that it is only looked at. */
  readonly how?: 'read'
}

/** Numbers are the same with and without zeros before them. */
export const identityOf = (text: string): string =>
  /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text
