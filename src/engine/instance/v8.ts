/**
 * Delays V8's optimization of undici's parser, to save 0.12 s of processor time in each short run. The flag affects the
 * whole process, so it is only set in a process of the program's own, never by `svcctl/client` or `svcctl/run`. It is
 * reset afterwards, because cached compiled code is only valid with the flags under which it was compiled.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'
import { hasOwnProcess, type Io } from '../../base/io.js'

// V8 optimizes undici's WebAssembly parser in the background, and a process waits for this when it exits (not on Node
// 24). It takes 0.12 s of processor time, as much as the rest of a request. With a larger budget it starts after about
// a hundred pages instead of the first. V8 reads the budget when it compiles the parser, at the first connection.

/**
 * Bytes of WebAssembly that run before V8 optimizes it: `quiet` lasts for about a hundred pages, `usual` is V8's
 * default.
 */
const budgets = { quiet: 2 ** 31 - 1, usual: process.versions.v8 < '12' ? 1_800_000 : 13_000_000 }

const setBudget = (bytes: number): void => setFlagsFromString(`--wasm-tiering-budget=${bytes}`)

const connectionEvents = ['undici:client:connected', 'undici:client:connectError'] as const

let isTuned = false

/** Delays the optimization of undici's parser. Must be called before the first connection. */
export const limitParserOptimization = (io: Io): void => {
  if (isTuned || !hasOwnProcess(io)) return
  isTuned = true
  if (Number.parseInt(process.versions.node, 10) >= 24) return
  const begin = (): void => {
    unsubscribe('undici:client:beforeConnect', begin)
    setBudget(budgets.quiet)
    for (const name of connectionEvents) subscribe(name, end)
  }
  const end = (): void => {
    for (const name of connectionEvents) unsubscribe(name, end)
    setBudget(budgets.usual)
  }
  subscribe('undici:client:beforeConnect', begin)
}
