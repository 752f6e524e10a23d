/**
 * The process's own streams: nothing outside of this room touches them. Standard error is best
 * effort: what cannot be said there is not said, and the work and its exit code are the same. Standard
 * input is read once.
 */
import type { BigIntStats } from 'node:fs'
import { createLineState, currentIo, type InputStream, type OutputStream } from '../base/io.js'
import { TextReader } from '../base/utf8.js'
import { Failure, getErrorCode } from '../errors.js'

// The one line of a terminal that is redrawn: whoever prints makes room for it first.

interface LiveLine {
  /** Takes it off the screen. */
  clear(): void
  /** Draws it again. */
  draw(): void
  /** Ends it. */
  leave(): void
}

const screen = createLineState((): { live: LiveLine | undefined; open: boolean } => ({
  live: undefined,
  open: false,
}))

/** Registers the live line; undefined when it is gone. */
export const setLiveLine = (line: LiveLine | undefined): void => {
  screen().live = line
}

/** Clears the live line, if there is one; its owner draws it again. */
export const clearLine = (): void => screen().live?.clear()

/** Whether the terminal stands within a line of the answer, where nothing else may be drawn. */
export const withinLine = (): boolean => screen().open

/**
 * Prints on the terminal, the live line out of the way: below what was printed, or gone for good where
 * that does not end its line.
 */
export const aside = <T>(ends: boolean, print: () => T): T => {
  const state = screen()
  if (ends) state.live?.clear()
  else state.live?.leave()
  state.open = !ends
  const printed = print()
  if (ends) state.live?.draw()
  return printed
}

/**
 * Takes the live line off for good before the answer goes into a pipe: its reader may write to the same terminal, at a time
 * that nobody here knows.
 */
export const leaveLine = (): void => {
  const state = screen()
  state.live?.leave()
  state.open = true
}

/** A stream that text can be written to. */
interface TextSink {
  write(text: string): unknown
}

const failed = new WeakSet<object>()
const heard = new WeakSet<object>()

/** The stream, its errors (a closed pipe, a full disk, a terminal that hung up) taken for its end. */
const bestEffort = <S extends NodeJS.WritableStream>(stream: S): S => {
  if (heard.has(stream)) return stream
  heard.add(stream)
  stream.on('error', () => failed.add(stream))
  return stream
}

/** Standard error. */
export const standardError = (): OutputStream => bestEffort(currentIo().stderr)

/** Standard output: to be written to through `openStdout`. */
export const standardOutput = (): OutputStream => currentIo().stdout

/**
 * Whether standard output may be a terminal, which only its stream knows for certain. Opening that takes
 * as long as making a page of help: a pipe or a file is written to without it.
 */
export const mayBeTerminal = (): boolean => currentIo().mayBeTerminal()

/** The regular file that standard input is read from; undefined where it is something else. */
export const standardInputFile = (): BigIntStats | undefined => currentIo().inputFile()

/** Whether standard output is a pipe or a socket, so that another program reads it. */
export const isPiped = (): boolean => currentIo().isPiped()

/** Set where a terminal failed to be read: it is about to hang up. */
const input = createLineState(() => ({ lost: false }))

/**
 * Standard input. Opening it takes milliseconds. A terminal that cannot be read any more has ended: the error would reach the
 * readline of a prompt, where nobody can listen to it.
 */
export const standardInput = (): InputStream => {
  const { stdin } = currentIo()
  const state = input()
  if (heard.has(stdin)) return stdin
  heard.add(stdin)
  if (!stdin.isTTY) return stdin
  const destroy = stdin.destroy.bind(stdin)
  stdin.destroy = (error) => {
    if (getErrorCode(error) !== 'EIO') return destroy(error)
    state.lost = true
    stdin.push(null)
    return stdin
  }
  return stdin
}

/** What shells report of a process that ended by SIGQUIT. */
const quit = 131

/**
 * Has the process end, once its work is done, by the signal that interrupted it: then the shell that
 * started it ends its loop, too. Where its terminal hung up Node would abort while it tidies that up; it
 * ends by SIGHUP instead. A core file would hold the token, so that SIGQUIT is told by the exit code alone.
 * @param signal what interrupted the work; undefined where nothing did
 */
export const endBy = (signal: NodeJS.Signals | undefined): void => {
  const io = currentIo()
  const state = input()
  io.onExit(() => {
    // Reads fail a moment before writes do.
    const end = state.lost || io.hasHungUp() ? 'SIGHUP' : signal
    if (end === 'SIGQUIT') io.exitCode = quit
    if (end === undefined || end === 'SIGQUIT' || process.platform === 'win32') return
    io.endBy(end)
  })
}

/** Whether nobody hears what is said there any more. */
export const isGone = (stream: object): boolean =>
  failed.has(stream) || ('destroyed' in stream && stream.destroyed === true)

/** Says it, as far as anybody hears. */
export const say = (stream: TextSink, text: string): void => {
  if (isGone(stream)) return
  try {
    stream.write(text)
  } catch {
    // Files are written at once, and throw.
    failed.add(stream)
  }
}

/** To standard output, past its stream: opening that takes longer than all the rest of a TAB. */
export const answerAtOnce = (text: string): void => {
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length; ) at += currentIo().writeNow(bytes.subarray(at))
  } catch {
    // Nobody reads it.
  }
}

// Standard input of a run: whole, or as it comes.

/** So much is looked at to see what it is. */
const headSize = 1 << 16

/** A pipe that closes within so many milliseconds is an input that ends: a program that prints a list is done by then. */
const soon = 1000
/** So many characters of a pipe are held at most to see whether it closes. */
const maxAhead = 1 << 24

export class StandardInput {
  #chunks: AsyncIterator<Buffer> | undefined
  readonly #reader = new TextReader('standard input')
  /** Read, and not given yet. */
  #head = ''
  /** What was read behind the head, and what is being read. */
  readonly #ahead: string[] = []
  #pending: Promise<string | undefined> | undefined
  #ended = false
  #text: Promise<string> | undefined
  readonly #signal: AbortSignal | undefined

  /**
   * @param signal ends the wait for what may never come
   * @param text all of it, where it is known
   */
  constructor(signal?: AbortSignal, text?: string) {
    this.#signal = signal
    this.#head = text ?? ''
    this.#ended = text !== undefined
  }

  /** All of it. */
  readonly text = (): Promise<string> => {
    this.#text ??= this.#whole()
    return this.#text
  }

  /** How it begins: its first line, as far as that is not too long. */
  async head(): Promise<string> {
    const isThere = (): boolean =>
      this.#head.length >= headSize || this.#head.trimStart().includes('\n')
    while ((!this.#ended || this.#ahead.length > 0) && !isThere()) {
      const chunk = await this.#take()
      if (chunk !== undefined) this.#head += chunk
    }
    return this.#head
  }

  /** As it comes. */
  async *chunks(): AsyncGenerator<string> {
    const head = await this.head()
    this.#head = ''
    if (head !== '') yield head
    for (let chunk = await this.#take(); chunk !== undefined; chunk = await this.#take())
      yield chunk
  }

  /** Whether all of it can be read before anything is done: it is a file, or a pipe that closes within a second. */
  async endsSoon(): Promise<boolean> {
    if (this.#ended || standardInputFile() !== undefined) return true
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), soon)
    const tooLate = new Promise<undefined>((resolve) => {
      late.signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    try {
      for (let held = 0; !this.#ended && held < maxAhead; ) {
        this.#pending ??= this.#next()
        // Whoever reads on hears of what broke it.
        this.#pending.catch(() => {})
        const chunk = await Promise.race([this.#pending, tooLate])
        if (late.signal.aborted) return this.#ended
        this.#pending = undefined
        this.#ahead.push(chunk ?? '')
        held += chunk?.length ?? 0
      }
      return this.#ended
    } finally {
      clearTimeout(timer)
    }
  }

  /** Nobody waits for what may never come. */
  close(): void {
    if (this.#chunks !== undefined && !this.#ended) standardInput().destroy()
  }

  /** The next piece, whether or not it was read before. */
  async #take(): Promise<string | undefined> {
    const chunk = this.#ahead.shift()
    if (chunk !== undefined) return chunk
    const pending = this.#pending
    this.#pending = undefined
    return pending ?? this.#next()
  }

  async #next(): Promise<string | undefined> {
    if (this.#ended) return undefined
    this.#chunks ??= this.#open()
    const step = await this.#chunks.next()
    if (step.done !== true) return this.#reader.write(Buffer.from(step.value))
    this.#ended = true
    return this.#reader.end()
  }

  #open(): AsyncIterator<Buffer> {
    const stdin = standardInput()
    const stop = (): void => {
      // Nobody would hear of it behind its end.
      if (!this.#ended) stdin.destroy(new Failure('interrupted', 'interrupted'))
    }
    if (this.#signal?.aborted === true) stop()
    else this.#signal?.addEventListener('abort', stop, { once: true })
    return stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async #whole(): Promise<string> {
    const texts: string[] = []
    for await (const chunk of this.chunks()) texts.push(chunk)
    return texts.join('')
  }
}
