/** Creates the `Io` of a command line that runs inside another program or a test. */
import { AsyncResource } from 'node:async_hooks'
import { constants } from 'node:os'
import { Readable, Writable } from 'node:stream'
import { type Environment, type Io, machineIo, processIo } from './io.js'

/** The source of a line's standard input: a text, or pieces as they arrive. */
export type LineSource = string | Uint8Array | AsyncIterable<string | Uint8Array>

/** Creates a stream that collects its output. */
const collectOutput = () => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, chunks, text: () => Buffer.concat(chunks).toString() }
}

const toReadable = (input: LineSource = ''): Readable =>
  Readable.from(typeof input === 'string' || input instanceof Uint8Array ? [input] : input, {
    objectMode: false,
  })

type Listener<T> = (value: T) => void

/** Keeps listeners until each is released. Each is called in the context of the line that added it. */
const createListeners = <T>() => {
  const listeners = new Set<Listener<T>>()
  const add = (listener: Listener<T>) => {
    const bound: Listener<T> = AsyncResource.bind(listener)
    listeners.add(bound)
    return () => listeners.delete(bound)
  }
  const call = (value: T): void => {
    for (const listener of [...listeners]) listener(value)
  }
  return { add, call }
}

/** Creates the listeners of signals. A signal that comes before its first listener is kept for it: the line is still being loaded. */
const createSignals = () => {
  let early: NodeJS.Signals | undefined
  const listenersBySignal = new Map<
    NodeJS.Signals,
    ReturnType<typeof createListeners<NodeJS.Signals>>
  >()
  const on: Io['onSignal'] = (signal, listener) => {
    const listeners = listenersBySignal.get(signal) ?? createListeners<NodeJS.Signals>()
    listenersBySignal.set(signal, listeners)
    const remove = listeners.add(listener)
    if (early === signal) {
      early = undefined
      listeners.call(signal)
    }
    return remove
  }
  const send = (signal: NodeJS.Signals): void => {
    const listeners = listenersBySignal.get(signal)
    if (listeners === undefined) early = signal
    else listeners.call(signal)
  }
  return { on, send }
}

/** The surroundings that a program gives to a line besides its arguments. */
interface LineIoOptions {
  readonly env: Environment
  /** The folder of the process unless given. */
  readonly cwd?: string | undefined
  readonly input?: LineSource | undefined
}

/** The `Io` of a line that is not a process: there is no terminal, and signals come from the program that runs it. */
export interface LineIo {
  readonly io: Io
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends a signal to the line; by default that of Ctrl-C. */
  readonly interrupt: (signal?: NodeJS.Signals) => void
  /** Calls the listeners for the end of the line. @returns its exit code */
  readonly finish: () => number
}

/** Creates the `Io` of a line inside another program. */
export const createLineIo = (
  argv: readonly string[],
  { env, cwd = processIo.cwd, input }: LineIoOptions,
): LineIo => {
  const [out, err] = [collectOutput(), collectOutput()]
  const exits = createListeners<number>()
  const { on: onSignal, send } = createSignals()
  const io: Io = {
    ...machineIo,
    argv,
    env,
    cwd,
    stdin: toReadable(input),
    stdout: out.stream,
    stderr: err.stream,
    onSignal,
    onExit: exits.add,
    onStall: () => () => {},
    exitCode: undefined,
    endBy: (signal) => {
      io.exitCode = 128 + constants.signals[signal]
    },
    end: () => {},
    typed: async () => false,
    hasTerminal: async () => false,
    inputFile: () => undefined,
    mayBeTerminal: () => false,
    isPiped: () => false,
    writeNow: (bytes) => {
      out.chunks.push(Buffer.from(bytes))
      return bytes.length
    },
    hasHungUp: () => false,
  }
  return {
    io,
    stdout: out.text,
    stderr: err.text,
    interrupt: (signal = 'SIGINT') => send(signal),
    finish: () => {
      exits.call(io.exitCode ?? 0)
      return io.exitCode ?? 0
    },
  }
}
