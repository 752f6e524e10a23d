/** What a run shows and asks: answers on standard output, everything else on standard error. */
import { writes } from '../../../catalogue/endpoint.js'
import { secretsOf } from '../../../catalogue/secret-fields.js'
import { named } from '../../../commands/derive/index.js'
import type { Context, Emit, Outcome } from '../../../commands/types.js'
import type { Failure } from '../../../errors.js'
import type { Exchange } from '../../../http/types.js'
import { openDocument, openWriter } from '../../../output/index.js'
import type { Asked, Hidden, Writer } from '../../../output/types.js'
import { createPrompts, interactive as isInteractive } from '../../../terminal/questions/prompts.js'
import { aside } from '../../../terminal/streams/line.js'
import { createMeter } from '../../../terminal/streams/meter.js'
import { createNotes, livenessOf } from '../../../terminal/streams/notes.js'
import { openPager } from '../../../terminal/streams/pager.js'
import { progress } from '../../../terminal/streams/progress.js'
import {
  say,
  standardError,
  standardInput,
  standardOutput,
} from '../../../terminal/streams/standard.js'
import { openStdout } from '../../../terminal/streams/stdout.js'
import { printable, visibleLines } from '../../../terminal/text/escape.js'
import { styleOf } from '../../../terminal/text/style.js'
import type { RunOptions } from '../context.js'
import { confirmer } from '../person/confirm.js'
import { roundsOf } from '../rounds.js'
import { traceText } from '../trace.js'
import { isList, printedValue } from './outcome.js'

const encoder = new TextEncoder()

/** Columns that the command chose, else the catalogue's. */
const columnsOf = (emit: Emit): Pick<Asked, 'columns'> => {
  const columns = emit.columns ?? emit.endpoint?.columns
  return columns === undefined ? {} : { columns }
}

export const createScreen = async ({ globals, format, env, command, signal }: RunOptions) => {
  const stdout = standardOutput()
  const stderr = standardError()
  const style = await styleOf(stdout, env, globals.color)
  const quiet = globals.quiet
  const said = createNotes({
    stream: stderr,
    style: await styleOf(stderr, env, globals.color),
    quiet,
    json: format.json === true,
  })
  const plain = openStdout(stdout)
  // What a write answers stays on the screen, beside what was typed.
  const reads = !Object.values(command.endpoints).some(writes)
  const paged =
    globals.pager &&
    style.terminal &&
    globals.watch === undefined &&
    command.lasts !== true &&
    reads
  const shown = roundsOf(globals, env, format, style, plain)
  const notes = shown.notes(said)
  // A watch shows by itself that it goes on.
  const liveness = livenessOf(stderr, env, quiet || globals.watch !== undefined)
  const meter = createMeter({ name: named(command), liveness, stream: stderr })
  const out = paged
    ? openPager({
        stdout: plain,
        rows: stdout.rows ?? 24,
        columns: style.width,
        env,
        started: () => void meter.hold(),
      })
    : shown.out
  // Only a person at a screen can type; elsewhere terminals are not even loaded.
  const typed = stderr.isTTY && (await import('node:tty')).isatty(0)
  const interactive = (): boolean => isInteractive({ stdin: { isTTY: typed }, stderr }, env)
  const prompts = createPrompts(
    {
      // Opened when a question is asked: it takes milliseconds.
      get input() {
        return standardInput()
      },
      output: stderr,
      signal,
    },
    env,
  )

  /** The fields asked for; rows begin with the column that leads all the same. */
  const fieldsOf = ({ lead }: Emit): Pick<Asked, 'fields'> => {
    const { fields } = globals
    if (fields === undefined) return {}
    const leads = lead !== undefined && format.reader !== 'programs' && !fields.includes(lead)
    return { fields: leads ? [lead, ...fields] : fields }
  }

  const view = (many: boolean, emit: Emit): Asked => ({
    many,
    ...columnsOf(emit),
    ...fieldsOf(emit),
    ...(command.made === undefined ? {} : { made: command.made }),
    terminal: style.terminal,
    width: shown.width,
    color: style.color,
    now: new Date(),
    style,
    ...(emit.people === undefined ? {} : { people: emit.people }),
    csvRaw: globals.csvRaw,
  })
  /** Shown whole is what was asked for: by everybody's flag, or by the command itself. */
  const hidden = ({ endpoint, reveal }: Emit): Hidden =>
    globals.showSecrets || reveal === true ? 'nothing' : secretsOf(endpoint)
  /** The one door of text that no format wrote, and of bytes that are shown instead of kept. */
  const decoder = new TextDecoder()
  const write = (chunk: string | Uint8Array): Promise<void> => {
    if (typeof chunk === 'string')
      return out.write(style.terminal ? visibleLines(chunk) : printable(chunk))
    return out.write(style.terminal ? visibleLines(decoder.decode(chunk, { stream: true })) : chunk)
  }

  const writer = (many: boolean, emit: Emit): Promise<Writer> =>
    openWriter(format, out, view(many, emit), hidden(emit))

  const print = async (value: unknown, emit: Emit = {}): Promise<void> => {
    if (emit.noted === true && format.reader === 'people') return
    const open = await writer(false, emit)
    await open.record(value)
    await open.close()
  }
  const printDocument = async (value: unknown): Promise<void> => {
    const open = await openDocument(format, out, view(false, {}))
    await open.record(value)
    await open.close()
  }
  const printMany = async (
    values: Iterable<unknown> | AsyncIterable<unknown>,
    emit: Emit = {},
  ): Promise<void> => {
    const open = await writer(true, emit)
    for await (const value of values) await open.record(value)
    await open.close()
  }
  /** An answer's bytes are passed on as they came; a format that needs fields parses them itself. */
  const printAnswer = async (
    plan: Pick<Emit, 'endpoint'>,
    outcome: Outcome,
    emit: Emit = {},
  ): Promise<void> => {
    const { endpoint } = plan
    const full = { ...(endpoint === undefined ? {} : { endpoint }), ...emit }
    if (format.lists !== true && isList(outcome)) {
      const items = printedValue(outcome)
      if (Array.isArray(items)) return printMany(items, full)
    }
    const open = await writer(false, full)
    await open.raw([outcome.bytes ?? encoder.encode(JSON.stringify(outcome.value))])
    await open.close()
  }

  const afterwards: (() => void)[] = []

  const services = {
    reader: format.reader,
    terminal: style.terminal,
    width: shown.width,
    print,
    printDocument,
    printMany,
    printAnswer,
    write,
    flush: () => plain.end(),
    safe: style.visible,
    strong: style.bold,
    mark: style.mark,
    bar: style.bar,
    hanging: (text: string, indent: number) =>
      style.wrap(style.visible(text), shown.width - indent).join(`\n${' '.repeat(indent)}`),
    note: notes.note,
    warn: notes.warn,
    report: (failure: Failure) => notes.report(failure),
    ask: async (question: string, initial?: string) =>
      interactive() ? prompts.text(question, initial) : undefined,
    askSecret: async (question: string) => (interactive() ? prompts.secret(question) : undefined),
    tally: (total) => meter.begin(total),
    progress: async (text, work) => {
      const release = meter.hold()
      try {
        return await progress(text, work, { liveness })
      } finally {
        release()
      }
    },
  } satisfies Partial<Context>

  return {
    services,
    meter,
    interactive,
    prompts,
    writer,
    confirm: confirmer({ globals, interactive, notes, prompts }),
    say: (text: string, level: 'info' | 'verbose') => {
      if (level === 'info' || globals.verbose > 0) notes.note(text)
    },
    trace: (exchange: Exchange) => {
      if (globals.verbose === 0) return
      const text = traceText(exchange, globals.verbose, style.visible)
      aside(true, () => say(stderr, text))
    },
    rounds: shown.rounds,
    later: (text: string, level: 'note' | 'warn' = 'note') => {
      afterwards.push(() => notes[level](text))
    },
    close: async (): Promise<void> => {
      await out.end()
      for (const say of afterwards) say()
    },
  }
}
