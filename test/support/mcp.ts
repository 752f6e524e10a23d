/** `mcp serve` in this process, spoken to by the official client, line by line as over pipes. */
import { deepStrictEqual } from 'node:assert'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { createInnerRuns } from '../../src/answer/execute.js'
import { LineRun } from '../../src/answer/line-run.js'
import type { AnswerOptions } from '../../src/answer/options.js'
import { printRows } from '../../src/answer/print-rows.js'
import type { RunAnswer } from '../../src/answer/run-answer.js'
import { parseTokens } from '../../src/cli/words/tree.js'
import { loadCommandByWords } from '../../src/commands/index.js'
import type { Context } from '../../src/engine/command/context.js'
import { createWordsLoader } from '../../src/engine/command/load-words.js'
import type { Given } from '../../src/engine/command/types.js'
import { ChosenRecords } from '../../src/engine/options.js'
import { parseGlobals } from '../../src/engine/plan/given.js'
import type { Rows } from '../../src/engine/rows.js'
import { getFormat } from '../../src/output/formats.js'
import { folder } from './program.js'

/** Pieces of text that come when they come, until they end. */
const piped = () => {
  const waiting: string[] = []
  let wake = (): void => {}
  let ended = false
  return {
    push: (text: string): void => {
      waiting.push(text)
      wake()
    },
    end: (): void => {
      ended = true
      wake()
    },
    async *chunks(): AsyncGenerator<string> {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (ended) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

interface Structured {
  readonly data: Readonly<Record<string, unknown>> & { readonly records: readonly unknown[] }
  readonly cursor?: string
  readonly cut?: boolean
  readonly command_line?: string
  readonly plan?: string
  readonly applied?: boolean
  readonly error?: { readonly category: string }
}

export interface Served {
  readonly client: Client
  /** Whatever the server wrote, a line each. */
  readonly written: readonly string[]
  /** Sends this as it is. */
  readonly raw: (text: string) => void
  readonly call: (
    name: string,
    input?: Record<string, unknown>,
  ) => Promise<Structured & { readonly isError: boolean; readonly text: string }>
  /** The client's end of file. Resolves once the server ended. */
  readonly close: () => Promise<void>
  /** A signal comes. */
  readonly stop: () => Promise<void>
}

export interface ServeHow {
  readonly env?: Readonly<Record<string, string>>
  /** Global flags, by name. */
  readonly globals?: Readonly<Record<string, string>>
  /** Called before anything is written. */
  readonly writing?: () => Promise<void>
  readonly flags?: {
    readonly toolsets?: readonly string[]
    readonly drift?: readonly string[]
    readonly 'allow-write'?: true
  }
}

/** The context of the command, its standard streams replaced; unless a configuration is named, in one of its own. */
export const openContext = async (
  { env: more, globals = {} }: ServeHow,
  { chunks }: Pick<ReturnType<typeof piped>, 'chunks'> = piped(),
  write: RunAnswer['write'] = async () => {},
  signal: AbortSignal = new AbortController().signal,
) => {
  const serve = await loadCommandByWords('mcp', 'serve')
  if (serve?.rows === undefined) throw new Error('there is no mcp serve')
  const env = { SVC_CONFIG_DIR: folder(), ...more }
  const command = { ...serve, rows: serve.rows, loadWords: createWordsLoader([], env) }
  const flags = new Map(Object.entries(globals).map(([name, text]) => [name, [text]]))
  const raw = { args: [], flags }
  const options: AnswerOptions = {
    command,
    globals: parseGlobals(command, raw, env, () => {}),
    format: getFormat('json'),
    env,
    signal,
    stdin: { text: async () => '', readChunks: chunks, endsSoon: async () => false },
    listed: false,
    journaling: { source: 'arguments', raw, digests: new Map(), names: {} },
    chosen: new ChosenRecords(),
    createInnerRuns: (sharing) => createInnerRuns(options, sharing, parseTokens),
  }
  const heard = process.stdout.listeners('error')
  const running = await LineRun.open(options)
  const answer = {
    terminal: false,
    write,
    flush: async () => {},
    applyStages: (rows: Rows) => rows,
  } as unknown as RunAnswer
  const context = Object.assign(running.context, { answer })
  // A run listens to the end of its process: here there are many of them in one.
  const listening = process.stdout.listeners('error').filter((one) => !heard.includes(one))
  const close = async (): Promise<void> => {
    await running.close()
    for (const one of listening) process.stdout.off('error', one as () => void)
  }
  const { rows } = command
  const run = (of: Context, given: Given): Promise<void> => printRows(rows(of, given), { answer })
  return { run, context, close }
}

/** Starts the server; its flags are those of the line. */
export const serving = async (how: ServeHow = {}) => {
  const [streams, written, stop]: [ReturnType<typeof piped>, string[], AbortController] = [
    piped(),
    [],
    new AbortController(),
  ]
  let told = (_message: JSONRPCMessage): void => {}
  const write = async (chunk: string | Uint8Array): Promise<void> => {
    await how.writing?.()
    for (const line of String(chunk).split('\n').filter(Boolean)) {
      written.push(line)
      const message = JSONRPCMessageSchema.safeParse(JSON.parse(line))
      if (message.success) told(message.data)
    }
  }
  const { run, context, close } = await openContext(how, streams, write, stop.signal)
  const ended = run(context, { args: [], flags: { ...how.flags }, extra: {} }).finally(close)
  const transport: Transport = {
    start: async () => {
      told = (message) => transport.onmessage?.(message)
    },
    send: async (message) => streams.push(`${JSON.stringify(message)}\n`),
    close: async () => transport.onclose?.(),
  }
  return { transport, ended, streams, written, stop }
}

/** Starts it, and says hello to it. */
export const serve = async (how: ServeHow = {}): Promise<Served> => {
  const { transport, ended, streams, written, stop } = await serving(how)
  const client = new Client({ name: 'test', version: '1' })
  await Promise.race([client.connect(transport), ended])
  return {
    client,
    written,
    raw: streams.push,
    call: async (name, input = {}) => {
      const { structuredContent, isError, content } = await client.callTool({
        name,
        arguments: input,
      })
      const [first, ...more] = content as readonly { readonly text: string }[]
      const { text = '' } = first ?? {}
      // Whichever of the two a client shows, it is the whole answer.
      deepStrictEqual([JSON.parse(text), more], [structuredContent, []])
      return { ...(structuredContent as Structured), isError: isError === true, text }
    },
    close: async () => {
      streams.end()
      await ended
    },
    stop: async () => {
      stop.abort()
      await ended
    },
  }
}
