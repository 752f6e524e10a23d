/**
 * V8 optimises what has run often enough; in a long list that is all there is, 160 functions in a
 * second, on the processor that the instance's answers need, too. Most of them run once a page.
 */

/** Bytes of code to run before a function is optimised: V8's own, and enough to leave those out. */
const budgets = { usual: 66 << 10, unhurried: 528 << 10 }

/** Lists that are being read. */
let lists = 0

const none = (): void => {}

/**
 * Has V8 optimise later until the function that it gives is called. Code that Node and the launcher
 * keep compiled is good only under the flags it was made with: for when all is loaded, and given back
 * as V8 had it.
 */
export const unhurried = async (): Promise<() => void> => {
  // That of Node 20; later ones count otherwise.
  if (!process.versions.v8.startsWith('11.3.')) return none
  const { setFlagsFromString } = await import('node:v8')
  const set = (budget: number): void => setFlagsFromString(`--interrupt-budget=${budget}`)
  if (lists++ === 0) set(budgets.unhurried)
  return () => {
    if (--lists === 0) set(budgets.usual)
  }
}
