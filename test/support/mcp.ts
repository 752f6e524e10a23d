/** Runs `mcp serve` in the process of the test, and talks to it with the official client, line by line as over pipes. */
import { deepStrictEqual } from 'node:assert'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { createInnerRuns } from '../../src/answer/execute.js'
import { LineRun } from '../../src/answer/line-run.js'
import type { AnswerOptions } from '../../src/answer/options.js'
import { printRows } from '../../src/answer/print-rows.js'
import type { RunAnswer } from '../../src/answer/run-answer.js'
import { processIo } from '../../src/base/io.js'
import { parseTokens } from '../../src/cli/words/tree.js'
import { loadCommandByWords } from '../../src/commands/index.js'
import type { Context } from '../../src/engine/command/context.js'
import { createWordsLoader } from '../../src/engine/command/load-words.js'
import type { Given } from '../../src/engine/command/types.js'
import { ChosenRecords } from '../../src/engine/options.js'
import { parseGlobals } from '../../src/engine/plan/given.js'
import type { Rows } from '../../src/engine/rows.js'
import { getFormat } from '../../src/output/formats.js'
import { createFolder } from './program.js'

/** Creates a queue of chunks with an async iterator that waits for each chunk until the queue ends. */
const createQueue = () => {
  const waiting: Uint8Array[] = []
  let wake = (): void => {}
  let ended = false
  return {
    push: (chunk: string | Uint8Array): void => {
      waiting.push(Buffer.from(chunk))
      wake()
    },
    end: (): void => {
      ended = true
      wake()
    },
    async *chunks(): AsyncGenerator<Uint8Array> {
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

const refuseText = (): never => {
  throw new Error('the server reads bytes')
}

interface ToolResult {
  readonly data: Readonly<Record<string, unknown>> & { readonly records: readonly unknown[] }
  readonly cursor?: string
  readonly cut?: boolean
  readonly command_line?: string
  readonly plan?: string
  readonly applied?: boolean
  readonly error?: { readonly category: string }
}

export interface McpServer {
  readonly client: Client
  /** All that the server has written, by line. */
  readonly written: readonly string[]
  /** Sends a chunk unchanged. */
  readonly raw: (chunk: string | Uint8Array) => void
  readonly call: (
    name: string,
    input?: Record<string, unknown>,
  ) => Promise<ToolResult & { readonly isError: boolean; readonly text: string }>
  /** Ends the server's input. Resolves once the server has ended. */
  readonly close: () => Promise<void>
  /** Sends a signal to the server. */
  readonly stop: () => Promise<void>
}

export interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Global flags, by name. */
  readonly globals?: Readonly<Record<string, string>>
  /** Called before each write to standard output. */
  readonly writing?: () => Promise<void>
  readonly flags?: {
    readonly toolsets?: readonly string[]
    readonly drift?: readonly string[]
    readonly 'allow-write'?: true
  }
}

/** Opens the context of the command with test streams, and with a configuration folder of its own unless one is named. */
export const openContext = async (
  { env: more, globals = {} }: ServeOptions,
  { chunks }: Pick<ReturnType<typeof createQueue>, 'chunks'> = createQueue(),
  write: RunAnswer['write'] = async () => {},
  signal: AbortSignal = new AbortController().signal,
) => {
  const serve = await loadCommandByWords('mcp', 'serve')
  if (serve?.rows === undefined) throw new Error('there is no mcp serve')
  const env = { SVC_CONFIG_DIR: createFolder(), ...more }
  const command = { ...serve, rows: serve.rows, loadWords: createWordsLoader([], env) }
  const flags = new Map(Object.entries(globals).map(([name, text]) => [name, [text]]))
  const raw = { args: [], flags }
  const options: AnswerOptions = {
    command,
    globals: parseGlobals(command, raw, env, { now: new Date() }),
    format: getFormat('json'),
    io: processIo,
    env,
    signal,
    stdin: {
      open: refuseText,
      hasTerminal: async () => false,
      text: async () => '',
      readChunks: refuseText,
      readBytes: chunks,
      endsSoon: async () => false,
    },
    listed: false,
    journaling: { source: 'arguments', raw, digests: new Map(), names: {} },
    chosen: new ChosenRecords(),
    createInnerRuns: (sharing) =>
      createInnerRuns(options, sharing, (tokens) => parseTokens(tokens, processIo.env)),
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
  // A run listens for errors of standard output until its process ends. This process has many runs, so they are removed here.
  const listening = process.stdout.listeners('error').filter((one) => !heard.includes(one))
  const close = async (): Promise<void> => {
    await running.close()
    for (const one of listening) process.stdout.off('error', one as () => void)
  }
  const { rows } = command
  const run = (of: Context, given: Given): Promise<void> => printRows(rows(of, given), { answer })
  return { run, context, close }
}

/** Starts the server with the flags of the line. */
export const startServer = async (how: ServeOptions = {}) => {
  const [streams, written, stop]: [ReturnType<typeof createQueue>, string[], AbortController] = [
    createQueue(),
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

/** Starts the server, and initializes a client. */
export const serve = async (how: ServeOptions = {}): Promise<McpServer> => {
  const { transport, ended, streams, written, stop } = await startServer(how)
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
      // Clients show one of the two, so each must be the whole answer.
      deepStrictEqual([JSON.parse(text), more], [structuredContent, []])
      return { ...(structuredContent as ToolResult), isError: isError === true, text }
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
