/** One command from its parsed flags to its exit code. */
import type { Command } from '../commands/types.js'
import { createRun, Printed } from './context.js'
import { fieldNotes } from './fields.js'
import { fromStdin, givenOf, globalsOf } from './given.js'
import type { Raw } from './leaf.js'
import { runDerived } from './run.js'
import { watch } from './watch.js'

/** Reads standard input once, whole. */
const stdinOnce = (): (() => Promise<string>) => {
  let text: Promise<string> | undefined
  const read = async (): Promise<string> => {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
    return Buffer.concat(chunks).toString('utf8')
  }
  return () => {
    text ??= read()
    return text
  }
}

/**
 * Runs a command.
 * @returns the exit code
 * @throws Failure for whatever ended it
 */
export const execute = async (command: Command, raw: Raw, signal: AbortSignal): Promise<number> => {
  const stdin = stdinOnce()
  const early: string[] = []
  const globals = globalsOf(raw, process.env, (text) => early.push(text))
  const { ctx, exitCode, rounds, close } = await createRun({
    command,
    globals,
    env: process.env,
    signal,
    stdin,
    listed: fromStdin(raw),
  })
  try {
    for (const text of early) ctx.note(text)
    const { note, warn } = ctx
    if (globals.fields !== undefined)
      for (const text of await fieldNotes(command, globals.fields)) note(text)
    const given = await givenOf(command, raw, { env: process.env, stdin, note, warn })
    const action = command.run ?? runDerived
    const { watch: seconds, curl } = globals
    if (seconds === undefined || curl) await action(ctx, given)
    else await watch(ctx, seconds, rounds, () => action(ctx, given))
  } catch (error) {
    if (!(error instanceof Printed)) throw error
  } finally {
    await close()
  }
  return exitCode()
}
