/**
 * Flags of V8, which count for the whole process: the program sets them where the process is its own, `svcctl/client` and `svcctl/run` never do. Each is worth more than a
 * tenth of what it is for, and is given back: code that is kept compiled is good only under the flags it was made with.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import * as nodeV8 from 'node:v8'
import { hasOwnProcess } from '../../base/io.js'

// V8 optimises undici's WebAssembly parser in the background, and a process waits for that at its exit (Node 24 does not): it
// takes 0.12 s of processor time, as much as all the rest of a request. With a larger budget that begins after some hundred
// pages instead of the first. What counts is the budget when the parser is compiled, at the first connection.

/** Bytes of WebAssembly to run before V8 optimises it: those of some hundred pages, and V8's own. */
const budgets = { quiet: 2 ** 31 - 1, usual: process.versions.v8 < '12' ? 1_800_000 : 13_000_000 }

const setBudget = (bytes: number): void =>
  nodeV8.setFlagsFromString(`--wasm-tiering-budget=${bytes}`)

const ended = ['undici:client:connected', 'undici:client:connectError'] as const

let tuned = false

/** Has undici's parser optimised late; to be called before the first connection. */
export const limitParserOptimization = (): void => {
  if (tuned || !hasOwnProcess()) return
  tuned = true
  if (Number.parseInt(process.versions.node, 10) >= 24) return
  const begin = (): void => {
    unsubscribe('undici:client:beforeConnect', begin)
    setBudget(budgets.quiet)
    for (const name of ended) subscribe(name, end)
  }
  const end = (): void => {
    for (const name of ended) unsubscribe(name, end)
    setBudget(budgets.usual)
  }
  subscribe('undici:client:beforeConnect', begin)
}

// What a run over many objects makes is short-lived, and V8 would keep a third of the memory of the whole
// process free for it: its space for new objects grows to three times 16 MB, and what that lets live a while
// fills the space for old ones. A quarter of it does as well.

/** The bytes of the space for new objects that are enough, both halves of it together. */
const enough = 8 << 20
/** The factors by which it grows at once: V8's own, and not at all. */
const growths = { usual: 2, small: 1 }
/** The growth of the space for old objects beyond what lives, in percent: V8's own, up to four times as much, is 0. */
const percents = { usual: 0, small: 30 }
/** The number of calls of `look` of which one looks at the heap. */
const each = 32

type V8Module = Pick<typeof nodeV8, 'getHeapSpaceStatistics' | 'setFlagsFromString'>

/** A flag that several want at once: set by the first of them, given back by the last. */
class HeapFlag {
  readonly #name: string
  readonly #values: { readonly usual: number; readonly small: number }
  #holders = 0

  constructor(name: string, values: { readonly usual: number; readonly small: number }) {
    this.#name = name
    this.#values = values
  }

  hold(v8: V8Module): void {
    if (this.#holders++ === 0) v8.setFlagsFromString(`--${this.#name}=${this.#values.small}`)
  }

  end(v8: V8Module): void {
    if (--this.#holders === 0) v8.setFlagsFromString(`--${this.#name}=${this.#values.usual}`)
  }
}

const newSpace = new HeapFlag('semi-space-growth-factor', growths)
const oldSpace = new HeapFlag('heap-growing-percent', percents)

/** Keeps the heap small, from some objects on until it ends. */
export class HeapTuning {
  readonly #v8: V8Module
  readonly #owned = hasOwnProcess()
  readonly #held = new Set<HeapFlag>()
  #looks = 0

  constructor(v8: V8Module = nodeV8) {
    this.#v8 = v8
  }

  /** To be called again and again: the space for new objects grows by and by. */
  look(): void {
    if (!this.#owned) return
    const looks = this.#looks++
    if (looks % each !== 0 || this.#held.size === 2) return
    // Before the first collection of the old space, which says how far it grows until the next; not for a few objects.
    if (looks > 0) this.#hold(oldSpace)
    if (this.#held.has(newSpace)) return
    const space = this.#v8
      .getHeapSpaceStatistics()
      .find(({ space_name }) => space_name === 'new_space')
    if ((space?.space_size ?? 0) >= enough) this.#hold(newSpace)
  }

  /** Code that is kept compiled is good only under the flags it was made with: they are given back. */
  end(): void {
    for (const flag of this.#held) flag.end(this.#v8)
    this.#held.clear()
  }

  #hold(flag: HeapFlag): void {
    if (this.#held.has(flag)) return
    this.#held.add(flag)
    flag.hold(this.#v8)
  }
}

/**
 * Does what may go over a million objects in little memory.
 * @param work calls what it is given again and again
 */
export const withSmallHeap = async <T>(work: (look: () => void) => Promise<T>): Promise<T> => {
  const heap = new HeapTuning()
  try {
    return await work(() => heap.look())
  } finally {
    heap.end()
  }
}

/** Does such work in little memory, and yields what comes of it. */
export async function* yieldWithSmallHeap<T>(
  work: (look: () => void) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const heap = new HeapTuning()
  try {
    yield* work(() => heap.look())
  } finally {
    heap.end()
  }
}
