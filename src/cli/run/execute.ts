/** One command from its parsed flags to its exit code. */
import { hasForm } from '../../commands/derive/index.js'
import type { Globals } from '../../commands/globals.js'
import type { Command } from '../../commands/types.js'
import { standardInput } from '../../terminal/streams/standard.js'
import type { ColorFlag } from '../../terminal/text/color.js'
import { fromStdin, givenOf, globalsOf } from '../plan/given.js'
import { namedParents, type Parents, parentsIn, withoutParents } from '../plan/parents.js'
import type { Raw } from '../words/line.js'
import { fieldNotes } from './answer/fields.js'
import { createRun, type Running } from './context.js'
import { outputFormat } from './format.js'
import { Printed } from './instance/unsent.js'
import { checkRehearsal } from './rehearsal.js'
import { runDerived } from './run.js'
import { watch } from './watch.js'
import { besideIds, checkSelection, selectionList } from './where/from.js'

/** Reads standard input once, whole. */
const stdinOnce = (): (() => Promise<string>) => {
  let text: Promise<string> | undefined
  const read = async (): Promise<string> => {
    const chunks: Buffer[] = []
    for await (const chunk of standardInput()) chunks.push(Buffer.from(chunk as Uint8Array))
    return Buffer.concat(chunks).toString('utf8')
  }
  return () => {
    text ??= read()
    return text
  }
}

/** What a run has decided before it begins, for whoever tells of its failure. */
export interface Decided {
  /** Failures are JSON. */
  readonly json: boolean
  readonly color?: ColorFlag
}

interface Acting {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Globals
  readonly signal: AbortSignal
  readonly stdin: () => Promise<string>
  readonly parents: Parents | undefined
  readonly running: Running
}

/** What parents are looked for by: where the verb's objects have none, those of the list they come from. */
const spreadBy = async (command: Command, { select }: Globals): Promise<Command> => {
  const own = select === undefined || hasForm(command, 'project') || hasForm(command, 'group')
  return own ? command : ((await selectionList(command)) ?? command)
}

/** Parents that come with their objects from standard input. */
const pipedParents = async ({ command, raw, stdin, parents, globals }: Acting) => {
  if (parents !== undefined || !fromStdin(raw)) return undefined
  if (globals.select !== undefined) throw besideIds()
  const slots = await (await import('../plan/piped-parents.js')).ownedSlots(command, raw, stdin)
  const [first] = slots ?? []
  if (slots === undefined || first === undefined) return undefined
  return { slots, raw: { ...raw, args: [] }, parents: namedParents(first) }
}

/** What the line asks for, done: once, again and again, or for each of several parents. */
const act = async (acting: Acting): Promise<void> => {
  const all = { ...acting, ...(await pipedParents(acting)) }
  const { command, raw, globals, stdin, parents, running } = all
  const { services, rounds } = running
  const { person } = services
  const asked = await givenOf(command, parents === undefined ? raw : withoutParents(raw), {
    ...(parents === undefined ? {} : { project: '' }),
    env: process.env,
    stdin,
    note: (text) => person.note(text),
    warn: (text) => person.warn(text),
  })
  const selection = await running.selection(asked)
  const action = command.run ?? runDerived
  const { watch: seconds, curl } = globals
  if (parents !== undefined) {
    const { runOverParents } = await import('./parents/index.js')
    const selecting = selection === undefined ? {} : { selection }
    return runOverParents({ ...all, ...selecting, parents, given: asked, action })
  }
  const given = selection === undefined ? asked : await selection.of(asked)
  if (given === undefined) return
  if (seconds === undefined || curl) await action(services, given)
  else await watch(services, seconds, rounds, () => action(services, given))
}

/**
 * Runs a command.
 * @param decided is told how a failure is to be told
 * @returns the exit code
 * @throws Failure for whatever ended it
 */
export const execute = async (
  command: Command,
  raw: Raw,
  signal: AbortSignal,
  decided: (how: Decided) => void,
): Promise<number> => {
  const stdin = stdinOnce()
  const early: string[] = []
  const globals = globalsOf(raw, process.env, (text) => early.push(text))
  const { color } = globals
  const format = outputFormat(globals, process.env)
  decided({ json: format.json === true, ...(color === undefined ? {} : { color }) })
  checkSelection(command, globals)
  const parents = parentsIn(await spreadBy(command, globals), raw)
  const running = await createRun({
    command,
    globals,
    format,
    env: process.env,
    signal,
    stdin,
    listed: parents !== undefined || globals.select !== undefined || fromStdin(raw),
  })
  const { services, exitCode, close } = running
  const { person } = services
  let failed: unknown
  try {
    for (const text of early) person.note(text)
    checkRehearsal({ command, globals })
    if (globals.fields !== undefined)
      for (const text of await fieldNotes(command, globals.fields)) person.note(text)
    await act({ command, raw, globals, signal, stdin, parents, running })
  } catch (error) {
    if (!(error instanceof Printed)) failed = error
  }
  // An output that cannot be ended must not hide what ended the run.
  await close().catch((error: unknown) => {
    failed ??= error
  })
  if (failed !== undefined) throw failed
  return exitCode()
}
