/**
 * Provides a simulated terminal: lines run in the process of the test, which sends keys and reads the screen. `terminal.ts` has what
 * only a real terminal can do (hanging up, suspending a program, the mode that is left behind).
 */
import { clearLine, clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { Terminal as Emulator, type IBufferCell } from '@xterm/headless'
import { type Io, type OutputStream, runWithIo } from '../../src/base/io.js'
import { createLineIo, type LineIo } from '../../src/base/line-io.js'
import { splitCommand } from '../../src/base/shell-words.js'
import { main } from '../../src/main.js'
import { createConfiguration, createFolder, getCleanEnv } from './program.js'
import type { Terminal } from './terminal.js'

/** A line as typed or as words, and the targets of its standard streams if they are not the screen. */
export type ScreenLine = string | readonly string[] | RedirectedLine

interface RedirectedLine {
  readonly line: string | readonly string[]
  readonly stdout?: (screen: Writable) => LineOutput
  readonly stderr?: Writable
}

/** A redirected output of a line. */
interface LineOutput {
  readonly stream: Writable
  readonly kind: 'device' | 'file' | 'pipe'
}

export interface ScreenOptions {
  /** Added to the variables of the machine. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Zero if the terminal does not know its width. */
  readonly columns?: number
  readonly rows?: number
  readonly now?: () => Date
  /** Further changes to the `Io` of the lines. */
  readonly io?: Partial<Io>
  /** Text on the screen before the first line begins. */
  readonly before?: string
  /** Text before the exit code of the last line, which is the last thing on the screen. */
  readonly says?: string
}

export interface Screen extends Terminal {
  /** Resolves to the exit code of the last line once that has ended. */
  readonly ended: Promise<number>
  written(): string
  /** True while standard input is in raw mode, as at a prompt. */
  isRaw(): boolean
  /** Sends the line a signal. */
  send(signal: NodeJS.Signals): void
  /** Closes the terminal: it can neither be read nor written. With "unreadable", reads fail before a signal comes. */
  hangUp(heard?: 'told' | 'unreadable'): void
}

/** Milliseconds to wait for a wanted screen: far more than any takes, so that a busy machine does not fail a test. */
const patience = 25_000

const defaultSize = { columns: 120, rows: 40 }

const keys: Readonly<Record<string, string>> = {
  Enter: '\r',
  Tab: '\t',
  Space: ' ',
  BSpace: '\x7f',
  Escape: '\x1b',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
  Left: '\x1b[D',
}

/** Returns what a terminal sends for a key by its tmux name. */
const toBytes = (key: string): string => {
  const [, letter] = /^C-([a-z])$/.exec(key) ?? []
  if (letter !== undefined) return String.fromCharCode(letter.charCodeAt(0) - 96)
  const bytes = keys[key] ?? (key.length === 1 ? key : undefined)
  if (bytes === undefined) throw new Error(`screen.ts knows no key ${key}`)
  return bytes
}

/** A keyboard in line mode: it echoes, and handles Ctrl-C and Ctrl-D as the system does, until a program makes it raw. */
class Keyboard extends Readable {
  readonly isTTY = true
  isRaw = false
  #line = ''
  readonly #echo: (text: string) => void
  readonly #interrupt: () => void

  constructor(echo: (text: string) => void, interrupt: () => void) {
    super()
    this.#echo = echo
    this.#interrupt = interrupt
  }

  override _read(): void {}

  setRawMode(raw: boolean): this {
    this.isRaw = raw
    if (raw) this.#deliver()
    return this
  }

  feed(text: string): void {
    if (this.destroyed || this.readableEnded) return
    if (this.isRaw) this.push(text)
    else for (const character of text) this.#take(character)
  }

  #deliver(): void {
    if (this.#line !== '') this.push(this.#line)
    this.#line = ''
  }

  #take(character: string): void {
    if (character === '\x03') {
      this.#line = ''
      this.#echo('^C')
      this.#interrupt()
    } else if (character === '\x04') {
      if (this.#line === '') this.push(null)
      else this.#deliver()
    } else if (character === '\r') {
      this.#line += '\n'
      this.#echo('\n')
      this.#deliver()
    } else {
      this.#line += character
      this.#echo(character)
    }
  }
}

/** Creates a stream that writes to the terminal at once, as those of the system do. */
const createOutput = (
  write: (bytes: Buffer) => void,
  size: { readonly columns: number; readonly rows: number },
): OutputStream => {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk)
      done()
    },
  })
  return Object.assign(stream, size, {
    isTTY: true,
    // As Node marks its own streams, so that a pipe into this one does not end it.
    _isStdio: true,
    getWindowSize: () => [size.columns, size.rows],
    getColorDepth: () => 8,
    hasColors: () => true,
    cursorTo: (x: number, y?: number) => cursorTo(stream, x, y),
    moveCursor: (dx: number, dy: number) => moveCursor(stream, dx, dy),
    clearLine: (direction: -1 | 0 | 1) => clearLine(stream, direction),
    clearScreenDown: () => clearScreenDown(stream),
  })
}

/** Returns the escape that gives text the look of a cell. */
const toEscape = (cell: IBufferCell): string => {
  const colour = (
    isDefault: boolean,
    isPalette: boolean,
    value: number,
    from: number,
  ): string[] => {
    if (isDefault) return []
    if (!isPalette) throw new Error('screen.ts tells no colours but those of a palette')
    if (value < 8) return [String(from + value)]
    return value < 16 ? [String(from + 52 + value)] : [`${from + 8};5;${value}`]
  }
  const codes = [
    ...(cell.isBold() ? ['1'] : []),
    ...(cell.isDim() ? ['2'] : []),
    ...(cell.isItalic() ? ['3'] : []),
    ...(cell.isUnderline() ? ['4'] : []),
    ...(cell.isInverse() ? ['7'] : []),
    ...colour(cell.isFgDefault(), cell.isFgPalette(), cell.getFgColor(), 30),
    ...colour(cell.isBgDefault(), cell.isBgPalette(), cell.getBgColor(), 40),
  ]
  return `\x1b[0m${codes.length === 0 ? '' : `\x1b[${codes.join(';')}m`}`
}

/** Draws the output of a terminal, and wakes those who wait for a change. */
class Picture {
  readonly #emulator: Emulator
  readonly #chunks: Buffer[] = []
  #waiting: (() => void)[] = []

  constructor(columns: number, rows: number) {
    this.#emulator = new Emulator({
      cols: columns,
      rows,
      convertEol: true,
      scrollback: 0,
      allowProposedApi: true,
    })
  }

  readonly write = (bytes: Buffer): void => {
    this.#chunks.push(bytes)
    this.#emulator.write(bytes, this.wake)
  }

  readonly wake = (): void => {
    for (const go of this.#waiting.splice(0)) go()
  }

  /** Settles at the next change of the screen or the next `wake`. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  get written(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  /** Returns the rows once all output is drawn. */
  async rows(inColour = false): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#emulator.write('', resolve)
    })
    const rows = Array.from({ length: this.#emulator.rows }, (_, row) =>
      inColour ? this.#coloured(row) : this.#plain(row),
    )
    return rows.map((row) => `${row}\n`).join('')
  }

  close(): void {
    this.#emulator.dispose()
  }

  #lineAt(row: number) {
    const { active } = this.#emulator.buffer
    return active.getLine(active.baseY + row)
  }

  #plain(row: number): string {
    return this.#lineAt(row)?.translateToString(true).trimEnd() ?? ''
  }

  #coloured(row: number): string {
    const line = this.#lineAt(row)
    const length = this.#plain(row).length
    let text = ''
    let look = '\x1b[0m'
    for (let column = 0, shown = 0; shown < length; column++) {
      const cell = line?.getCell(column)
      if (cell === undefined) break
      const code = toEscape(cell)
      const characters = cell.getWidth() === 0 ? '' : cell.getChars() || ' '
      text += code === look ? characters : `${code}${characters}`
      look = code
      shown += characters.length
    }
    return look === '\x1b[0m' ? text : `${text}\x1b[0m`
  }
}

/** The terminal, variables, folder and options of a line. */
interface LinePlace {
  readonly picture: Picture
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly options: ScreenOptions
  readonly size: { readonly columns: number; readonly rows: number }
}

/** A line that owns the terminal. */
interface RunningLine {
  readonly line: LineIo
  readonly keyboard: Keyboard
}

const isRedirected = (line: ScreenLine): line is RedirectedLine =>
  typeof line === 'object' && 'line' in line

const startLine = (
  given: ScreenLine,
  { picture, env, cwd, options, size }: LinePlace,
): RunningLine => {
  const { line, stdout, stderr } = isRedirected(given) ? given : { line: given }
  const running = createLineIo(typeof line === 'string' ? splitCommand(line) : line, { env, cwd })
  const { io, interrupt } = running
  const keyboard = new Keyboard((text) => picture.write(Buffer.from(text)), interrupt)
  const output = createOutput(picture.write, size)
  const answer = stdout?.(output)
  const changes: Partial<Io> = {
    stdin: keyboard,
    stdout: answer?.stream ?? output,
    stderr: stderr ?? createOutput(picture.write, size),
    ...(options.now === undefined ? {} : { now: options.now }),
    ...options.io,
    typed: async () => true,
    hasTerminal: async () => true,
    mayBeTerminal: (stream) =>
      stream === 'stderr' || answer === undefined || answer.kind === 'device',
    isPiped: () => answer?.kind === 'pipe',
    writeNow: (bytes) => {
      io.stdout.write(bytes)
      return bytes.length
    },
  }
  Object.assign(io, changes)
  return { line: running, keyboard }
}

/** Makes the reads of a raw terminal fail, without a signal. */
const failReads = ({ keyboard }: RunningLine): void => {
  if (keyboard.isRaw) keyboard.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }))
}

/** Hangs up the terminal of a line, as the system does: reads fail, and the line gets SIGHUP. */
const sendHangup = (running: RunningLine): void => {
  const { line } = running
  Object.assign(line.io, { hasHungUp: () => true })
  failReads(running)
  line.interrupt('SIGHUP')
}

const createSink = (write: (chunk: Buffer) => void): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk)
      done()
    },
  })

/** Discards all output, as in `> /dev/null`. */
export const createNullOutput = (): LineOutput => ({ stream: createSink(() => {}), kind: 'device' })

/** Collects all output, as in `> FILE`. */
export const createFileOutput = (chunks: Buffer[]) => (): LineOutput => ({
  stream: createSink((chunk) => chunks.push(chunk)),
  kind: 'file',
})

/** Writes each line to the terminal with a text before it, as in `| sed`. */
export const pipeToScreen =
  (before: string) =>
  (screen: Writable): LineOutput => ({
    stream: createSink((chunk) => screen.write(chunk.toString().replace(/^(?=.)/gm, before))),
    kind: 'pipe',
  })

/** Returns a stream to a full disk. */
export const openFullDisk = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })),
  })

/** Waits until the screen matches. @throws Error with the screen if the lines end before */
const waitFor = async (
  picture: Picture,
  wanted: Parameters<Terminal['until']>[0],
  isOver: () => boolean,
): Promise<string> => {
  let late = false
  const timer = setTimeout(() => {
    late = true
    picture.wake()
  }, patience)
  try {
    for (;;) {
      const change = picture.nextChange()
      const last = late || isOver()
      const shown = await picture.rows()
      if (typeof wanted === 'function' ? wanted(shown) : wanted.test(shown)) return shown
      if (last) throw new Error(`never ${String(wanted)} on the screen:\n${shown}`)
      await change
    }
  } finally {
    clearTimeout(timer)
  }
}

const createPlace = (picture: Picture, options: ScreenOptions): LinePlace => {
  const {
    env,
    cwd = createFolder(),
    columns = defaultSize.columns,
    rows = defaultSize.rows,
  } = options
  const whole = {
    ...getCleanEnv(),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? createConfiguration(),
    ...env,
  }
  return { picture, env: whole, cwd, options, size: { columns, rows } }
}

/** Runs lines one after the other. */
class Shell {
  readonly #place: LinePlace
  #current: RunningLine | undefined
  over = false
  readonly ended: Promise<number>

  constructor(lines: readonly ScreenLine[], place: LinePlace) {
    this.#place = place
    this.ended = this.#runAll(lines).finally(() => {
      this.over = true
      this.#current = undefined
      place.picture.wake()
    })
    this.ended.catch(() => {})
  }

  /** Runs an action on the current line with that line's `Io`. */
  tell(work: (running: RunningLine) => void): void {
    const running = this.#current
    if (running !== undefined) void runWithIo(running.line.io, async () => work(running))
  }

  isRaw(): boolean {
    return this.#current?.keyboard.isRaw === true
  }

  async #runAll(lines: readonly ScreenLine[]): Promise<number> {
    const { before = '', says = 'exit' } = this.#place.options
    if (before !== '') this.#put(before)
    let code = 0
    for (const line of lines) {
      const running = startLine(line, this.#place)
      this.#current = running
      await main(running.line.io)
      code = running.line.finish()
    }
    this.#put(`${says} ${code}\n`)
    return code
  }

  #put(text: string): void {
    this.#place.picture.write(Buffer.from(text))
  }
}

/** Runs lines one after the other in a terminal of their own. */
export const openScreen = (lines: readonly ScreenLine[], options: ScreenOptions): Screen => {
  const { columns = defaultSize.columns, rows = defaultSize.rows } = options
  const picture = new Picture(columns || 80, rows)
  const shell = new Shell(lines, createPlace(picture, options))
  const feed = (text: string): void => shell.tell(({ keyboard }) => keyboard.feed(text))
  return {
    ended: shell.ended,
    type: feed,
    press: (...names) => names.map(toBytes).forEach(feed),
    screen: () => picture.rows(),
    coloured: () => picture.rows(true),
    written: () => picture.written,
    isRaw: () => shell.isRaw(),
    send: (signal) => shell.tell(({ line }) => line.interrupt(signal)),
    hangUp: (heard = 'told') => shell.tell(heard === 'told' ? sendHangup : failReads),
    until: (wanted) => waitFor(picture, wanted, () => shell.over),
    close: async () => {
      shell.tell(({ line, keyboard }) => {
        line.interrupt()
        keyboard.destroy()
      })
      await shell.ended.catch(() => {})
      picture.close()
    },
  }
}
