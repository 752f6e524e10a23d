/** Prints notes, warnings and failures on standard error, beside the answer. */
import { redactSecrets } from '../base/secrets/scrub.js'
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

/** A stream for standard error; written to without waiting. */
interface NoteStream extends Screen {
  write(text: string): unknown
}

export interface Notes {
  /** Prints a line for people, or several. Quoted text in a line cannot begin another. Silenced by --quiet. */
  note(text: string | readonly string[]): void
  /** Prints a warning; silenced by --quiet. */
  warn(text: string): void
  /**
   * Prints a failure in full; never silenced.
   * @param of which of several objects failed; the hint for failures of one kind is printed with the first
   */
  report(failure: Failure, of?: string): void
}

interface NoteOptions {
  readonly stream: NoteStream
  readonly style: Style
  readonly quiet?: boolean
  /** Failures as one JSON object a line. */
  readonly json?: boolean
  /** The profile that all output is about, if there are several: each line begins with it. */
  readonly of?: string
}

/** A space inside of a command, which is copied and so must not be broken. */
const held = '\u00a0'

/** Formats a line without the secrets that were sent, folded to the terminal after an indent. Commands in backticks stay whole. */
const foldLine = (line: string, style: Style, indent: number): string[] => {
  const shown = style.visible(redactSecrets(line))
  if (!style.terminal) return [shown]
  const whole = shown.replace(/`[^`]*`/g, (command) => command.replaceAll(' ', held))
  return style.wrap(whole, style.width - indent, true).map((part) => part.replaceAll(held, ' '))
}

/** Folds each line of a text. */
const foldLines = (text: string, style: Style, indent: number): string[] =>
  redactSecrets(text)
    .split(/\r\n|\n/)
    .flatMap((line) => foldLine(line, style, indent))

/** Formats a failure as text: what went wrong, what was tried, what to do next. Ends in a line break. */
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

/** Returns the failure of one of several objects, with its name. */
const nameFailure = ({ category, message, details }: Failure, name: string): Failure =>
  new Failure(category, `${name}: ${message}`, details)

/** Returns a failure without the details that others like it have shown. */
const shortenFailure = ({ category, message, details }: Failure): Failure => {
  const { hint: _, request: __, ...others } = details
  return new Failure(category, message, others)
}

/** Formats a failure as one JSON object on one line. */
const formatFailureJson = (
  failure: Failure,
  style: Pick<Style, 'visible'>,
  profile?: string,
): string => {
  const said = profile === undefined ? failure : { profile, ...failure.toJSON() }
  const clean = (_: string, value: unknown) =>
    typeof value === 'string' ? redactSecrets(value) : value
  return `${style.visible(JSON.stringify(said, clean))}\n`
}

/** Puts the profile that a text is about before each of its lines. */
export const labelLines = (profile: string, text: string): string =>
  text.replace(/^(?=.)/gm, `${profile}: `)

/** The notes of a run. */
export const createNotes = ({ stream, style: whole, quiet, json, of: one }: NoteOptions): Notes => {
  const style = one === undefined ? whole : { ...whole, width: whole.width - one.length - 2 }
  const put = (text: string): void => {
    printAside(true, () => sayTo(stream, text))
  }
  const say = (text: string): void => put(one === undefined ? text : labelLines(one, text))
  const known = new Set<string>()
  /** True if a failure of this category, with the same hint, was reported before. */
  const isKnown = ({ category, details }: Failure): boolean => {
    const kind = `${category} ${details.hint ?? ''}`
    if (known.has(kind)) return true
    known.add(kind)
    return false
  }
  const described = (failure: Failure, of: string | undefined): Failure => {
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
      if (json === true) put(formatFailureJson(described(failure, of), style, one))
      else say(formatFailure(described(failure, of), style))
    },
  }
}

/** Prints what ended a run on standard error. */
export const printError = async (
  failure: Failure,
  options: { json: boolean; env: Env; color?: ColorFlag; stream?: NoteStream },
): Promise<void> => {
  const { json, env, color, stream = getStandardError() } = options
  const style = await createStyle(stream, env, color)
  createNotes({ stream, style, json }).report(failure)
}

/** The ways in which work may show its progress: redrawn in place, as one plain line, or not at all. */
export type Liveness = 'live' | 'line' | 'off'

/**
 * Decides how progress is shown: to a person at a terminal, never in a pipe, in CI or under --quiet.
 * A terminal that does not know its width (`script`, serial lines) cannot be drawn over: the spinner would count
 * endlessly many lines.
 */
export const getLiveness = (stream: Screen, env: Env, quiet: boolean): Liveness => {
  if (quiet || stream.isTTY !== true || isCi(env)) return 'off'
  return isAccessible(env) || env.TERM === 'dumb' || stream.columns === 0 ? 'line' : 'live'
}
