/**
 * A flag of V8, which counts for the whole process: the program sets it where the process is its own, `svcctl/client` and `svcctl/run` never do.
 * It is given back: code that is kept compiled is good only under the flags it was made with.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'
import { hasOwnProcess } from '../../base/io.js'

// V8 optimises undici's WebAssembly parser in the background, and a process waits for that at its exit (Node 24 does not): it
// takes 0.12 s of processor time, as much as all the rest of a request. With a larger budget that begins after some hundred
// pages instead of the first. What counts is the budget when the parser is compiled, at the first connection.

/** Bytes of WebAssembly to run before V8 optimises it: those of some hundred pages, and V8's own. */
const budgets = { quiet: 2 ** 31 - 1, usual: process.versions.v8 < '12' ? 1_800_000 : 13_000_000 }

const setBudget = (bytes: number): void => setFlagsFromString(`--wasm-tiering-budget=${bytes}`)

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
