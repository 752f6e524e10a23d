/**
 * What a run over many objects makes is short-lived, and V8 would keep a third of the memory of the whole
 * process free for it: its space for new objects grows to three times 16 MB, and what that lets live a while
 * fills the space for old ones. A quarter of it does as well.
 */

/** How much of the space for new objects is enough, both halves of it together. */
const enough = 8 << 20
/** How often it grows at once: V8's own, and not at all. */
const growths = { usual: 2, none: 1 }
/** So many looks go by before one is taken. */
const each = 32

/** How many keep it small: it is one for the whole process. */
let holding = 0

type Heap = Pick<typeof import('node:v8'), 'getHeapSpaceStatistics' | 'setFlagsFromString'>

/** Keeps the space for new objects from growing further than is enough, until it ends. */
export class Frugal {
  readonly #v8: Heap
  #looks = 0
  #held = false

  constructor(v8: Heap) {
    this.#v8 = v8
  }

  static async begin(): Promise<Frugal> {
    return new Frugal(await import('node:v8'))
  }

  /** To be called again and again: the space grows by and by. */
  look(): void {
    if (this.#held || this.#looks++ % each !== 0) return
    const space = this.#v8
      .getHeapSpaceStatistics()
      .find(({ space_name }) => space_name === 'new_space')
    if ((space?.space_size ?? 0) < enough) return
    this.#held = true
    if (holding++ === 0) this.#grow(growths.none)
  }

  /** Code that is kept compiled is good only under the flags it was made with: they are given back. */
  end(): void {
    if (this.#held && --holding === 0) this.#grow(growths.usual)
    this.#held = false
  }

  #grow(times: number): void {
    this.#v8.setFlagsFromString(`--semi-space-growth-factor=${times}`)
  }
}
