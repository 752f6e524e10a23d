/**
 * A terminal that is a value: lines run in the process of the test, keys in, the screen out. What only the terminal of a system has
 * (hanging up, suspending a program, the mode that one leaves behind) takes `terminal.ts`.
 */
import { clearLine, clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { Terminal as Emulator, type IBufferCell } from '@xterm/headless'
import { type Io, type OutputStream, runWithIo } from '../../src/base/io.js'
import { createLineIo, type LineIo } from '../../src/base/line-io.js'
import { splitCommand } from '../../src/base/shell-words.js'
import { main } from '../../src/main.js'
import { clean, configuration, folder } from './program.js'
import type { Terminal } from './terminal.js'

/** A line as it is typed, or its words; and where its standard streams lead, when that is elsewhere than to the screen. */
export type ScreenLine = string | readonly string[] | RedirectedLine

interface RedirectedLine {
  readonly line: string | readonly string[]
  readonly stdout?: (screen: Writable) => LineOutput
  readonly stderr?: Writable
}

/** Where an answer goes that is not for the screen. */
interface LineOutput {
  readonly stream: Writable
  readonly kind: 'device' | 'file' | 'pipe'
}

export interface ScreenOptions {
  /** Variables of the lines, beside those of the machine. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** None where the terminal does not know its width. */
  readonly columns?: number
  readonly rows?: number
  readonly now?: () => Date
  /** What else of a line's surroundings is another. */
  readonly io?: Partial<Io>
  /** What stands on the screen before the first line begins. */
  readonly before?: string
  /** What stands before the exit code of the last line, which is the last thing on the screen. */
  readonly says?: string
}

export interface Screen extends Terminal {
  /** The exit code of the last line, when that has ended. */
  readonly ended: Promise<number>
  /** All that was written to the terminal. */
  written(): string
  /** How standard input stands: raw while a question is asked. */
  isRaw(): boolean
  /** Sends the line a signal. */
  send(signal: NodeJS.Signals): void
  /** Nobody is there any more: the terminal can neither be read nor written. Reads may fail before anything else tells of it. */
  hangUp(heard?: 'told' | 'unreadable'): void
}

/** How long a wanted screen is waited for: far longer than any takes, so that a busy machine is no failure. */
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

/** A keyboard: line by line, echoed, with Ctrl-C and Ctrl-D as the system has them, until a program makes it raw. */
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
    // As Node marks its own: whoever pipes into such a stream does not end it.
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

/** What a terminal shows, and who waits for it to change. */
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

  /** Settles when something is drawn, or whoever waits is woken. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  get written(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  /** Returns the rows, once all that was written is drawn. */
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

/** Where a line runs. */
interface Place {
  readonly picture: Picture
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly options: ScreenOptions
  readonly size: { readonly columns: number; readonly rows: number }
}

/** A line that has the terminal. */
interface RunningLine {
  readonly line: LineIo
  readonly keyboard: Keyboard
}

const isRedirected = (line: ScreenLine): line is RedirectedLine =>
  typeof line === 'object' && 'line' in line

const startLine = (given: ScreenLine, { picture, env, cwd, options, size }: Place): RunningLine => {
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

/** Makes the reads of a terminal fail, of which only what reads it hears. */
const loseKeyboard = ({ keyboard }: RunningLine): void => {
  if (keyboard.isRaw) keyboard.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }))
}

/** Takes the terminal from a line, as the system does it: what reads it fails, and a signal tells of it. */
const hangUpLine = (running: RunningLine): void => {
  const { line } = running
  Object.assign(line.io, { hasHungUp: () => true })
  loseKeyboard(running)
  line.interrupt('SIGHUP')
}

const createSink = (write: (chunk: Buffer) => void): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk)
      done()
    },
  })

/** Nothing that is written is kept, as in `> /dev/null`. */
export const toNowhere = (): LineOutput => ({ stream: createSink(() => {}), kind: 'device' })

/** All that is written is collected, as in `> FILE`. */
export const toFile = (chunks: Buffer[]) => (): LineOutput => ({
  stream: createSink((chunk) => chunks.push(chunk)),
  kind: 'file',
})

/** Another program reads each line and writes it to the terminal, with a text before it, as `| sed` does. */
export const throughReader =
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

/** Waits for a screen that is as wanted. @throws Error with the screen, when the lines have ended without it */
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

const placeOf = (picture: Picture, options: ScreenOptions): Place => {
  const { env, cwd = folder(), columns = defaultSize.columns, rows = defaultSize.rows } = options
  const whole = {
    ...clean(),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration(),
    ...env,
  }
  return { picture, env: whole, cwd, options, size: { columns, rows } }
}

/** Lines that run one after the other. */
class Shell {
  readonly #place: Place
  #current: RunningLine | undefined
  over = false
  readonly ended: Promise<number>

  constructor(lines: readonly ScreenLine[], place: Place) {
    this.#place = place
    this.ended = this.#runAll(lines).finally(() => {
      this.over = true
      this.#current = undefined
      place.picture.wake()
    })
    this.ended.catch(() => {})
  }

  /** Does something that the line hears of, which it does with what it has of its surroundings. */
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

/** Runs lines, one after the other, at a terminal of their own. */
export const openScreen = (lines: readonly ScreenLine[], options: ScreenOptions): Screen => {
  const { columns = defaultSize.columns, rows = defaultSize.rows } = options
  const picture = new Picture(columns || 80, rows)
  const shell = new Shell(lines, placeOf(picture, options))
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
    hangUp: (heard = 'told') => shell.tell(heard === 'told' ? hangUpLine : loseKeyboard),
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
