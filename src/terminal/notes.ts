/** Prints notes, warnings and failures on standard error. */
import type { Io } from '../base/io.js'
import { redactSecrets } from '../base/secrets/redact.js'
import { Failure } from '../errors.js'
import { getStandardError, printAside, writeQuietly as sayTo } from './standard.js'
import {
  type ColorFlag,
  createStyle,
  type Env,
  isAccessible,
  isCi,
  type Screen,
  type Style,
} from './style.js'

/** A stream for standard error. Writes are not awaited. */
interface NoteStream extends Screen {
  write(text: string): unknown
}

export interface Notes {
  /** Prints one or several lines; silenced by --quiet. Text from outside cannot start a new line. */
  note(text: string | readonly string[]): void
  /** Prints a warning; silenced by --quiet. */
  warn(text: string): void
  /**
   * Prints a failure in full; never silenced.
   * @param of the name of the failed object, if there are several; the hint of similar failures is printed once
   */
  report(failure: Failure, of?: string): void
}

/** One of several instances, snapshots or resumed runs: its name, and the key of its name in JSON. */
export interface NoteSubject {
  readonly column: string
  readonly name: string
}

interface NoteOptions {
  readonly io: Io
  readonly stream: NoteStream
  readonly style: Style
  readonly quiet?: boolean
  /** True to print failures as one JSON object a line. */
  readonly json?: boolean
  /** The subject whose name precedes each line, if the output is about several. */
  readonly of?: NoteSubject | undefined
}

/** A non-breaking space: commands are copied, so they must not be wrapped. */
const unbrokenSpace = '\u00a0'

/** Masks secrets in a line and wraps it to the terminal after an indent. Commands in backticks are not broken. */
const foldLine = (line: string, style: Style, indent: number): string[] => {
  const shown = style.visible(redactSecrets(line))
  if (!style.terminal) return [shown]
  const whole = shown.replace(/`[^`]*`/g, (command) => command.replaceAll(' ', unbrokenSpace))
  return style
    .wrap(whole, style.width - indent, true)
    .map((part) => part.replaceAll(unbrokenSpace, ' '))
}

/** Wraps each line of a text. */
const foldLines = (text: string, style: Style, indent: number): string[] =>
  redactSecrets(text)
    .split(/\r\n|\n/)
    .flatMap((line) => foldLine(line, style, indent))

/**
 * Formats a failure as text: the message, the request, the outcome, the request ID and the hint. Ends in a line break.
 */
export const formatFailure = (failure: Failure, style: Style): string => {
  const { request, hint, requestId, unknownOutcome } = failure.details
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['tried', request],
    ['outcome', unknownOutcome === true ? 'unknown: it may have been carried out' : undefined],
    ['request id', requestId],
    ['hint', hint],
  ]
  const [first = '', ...more] = foldLines(failure.message, style, 'svcctl: '.length)
  const text = [`${style.paint('svcctl:', 'bad')} ${first}`, ...more.map((line) => `    ${line}`)]
  for (const [name, value] of facts) {
    if (value === undefined) continue
    const [head = '', ...rest] = foldLines(value, style, `  ${name}: `.length)
    text.push(`  ${style.bold(`${name}:`)} ${head}`, ...rest.map((line) => `    ${line}`))
  }
  return `${text.join('\n')}\n`
}

/** Adds the name of its object to a failure. */
const nameFailure = ({ category, message, details }: Failure, name: string): Failure =>
  new Failure(category, `${name}: ${message}`, details)

/** Removes the details from a failure that a similar one already showed. */
const shortenFailure = ({ category, message, details }: Failure): Failure => {
  const { hint: _, request: __, ...others } = details
  return new Failure(category, message, others)
}

/** Formats a failure as one line of JSON. */
const formatFailureJson = (
  failure: Failure,
  style: Pick<Style, 'visible'>,
  of: NoteSubject | undefined,
): string => {
  const record = of === undefined ? failure : { [of.column]: of.name, ...failure.toJSON() }
  const clean = (_: string, value: unknown) =>
    typeof value === 'string' ? redactSecrets(value) : value
  return `${style.visible(JSON.stringify(record, clean))}\n`
}

/** Puts a name before each line of a text. */
export const labelLines = (name: string, text: string): string =>
  text.replace(/^(?=.)/gm, `${name}: `)

/** Creates the notes of a run. */
export const createNotes = ({
  io,
  stream,
  style: whole,
  quiet,
  json,
  of: one,
}: NoteOptions): Notes => {
  const style = one === undefined ? whole : { ...whole, width: whole.width - one.name.length - 2 }
  const write = (text: string): void => {
    printAside(io, true, () => sayTo(stream, text))
  }
  const say = (text: string): void => write(one === undefined ? text : labelLines(one.name, text))
  const known = new Set<string>()
  /** True if a failure with the same category and hint was reported before. */
  const isKnown = ({ category, details }: Failure): boolean => {
    const kind = `${category} ${details.hint ?? ''}`
    if (known.has(kind)) return true
    known.add(kind)
    return false
  }
  const describe = (failure: Failure, of: string | undefined): Failure => {
    if (of === undefined) return failure
    const named = nameFailure(failure, of)
    return json !== true && isKnown(failure) ? shortenFailure(named) : named
  }
  return {
    note: (text) => {
      if (quiet === true) return
      say(
        `${[text]
          .flat()
          .flatMap((line) => foldLine(line, style, 0))
          .join('\n')}\n`,
      )
    },
    warn: (text) => {
      if (quiet !== true)
        say(
          `${style.paint('warning:', 'warn')} ${foldLine(text, style, 'warning: '.length).join('\n')}\n`,
        )
    },
    report: (failure, of) => {
      if (json === true) write(formatFailureJson(describe(failure, of), style, one))
      else say(formatFailure(describe(failure, of), style))
    },
  }
}

/** Prints the failure that ended a run on standard error. */
export const printError = async (
  failure: Failure,
  options: { io: Io; json: boolean; env: Env; color?: ColorFlag; stream?: NoteStream },
): Promise<void> => {
  const { io, json, env, color, stream = getStandardError(io) } = options
  const style = await createStyle(stream, env, color)
  createNotes({ io, stream, style, json }).report(failure)
}

/** The display of progress: on a redrawn line, as one plain line, or not at all. */
export type Liveness = 'live' | 'line' | 'off'

/**
 * Decides how progress is shown: only to a person at a terminal, not in CI or with --quiet. A terminal of unknown width
 * (`script`, serial lines) is not redrawn, because the spinner would count endlessly many lines.
 */
export const getLiveness = (stream: Screen, env: Env, quiet: boolean): Liveness => {
  if (quiet || stream.isTTY !== true || isCi(env)) return 'off'
  return isAccessible(env) || env.TERM === 'dumb' || stream.columns === 0 ? 'line' : 'live'
}
