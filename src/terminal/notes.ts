/** What is said beside the answer, on standard error: notes, warnings, failures. */
import { scrub } from '../base/secrets/scrub.js'
import { Failure } from '../errors.js'
import { aside, say as sayTo, standardError } from './standard.js'
import {
  accessible,
  type ColorFlag,
  createStyle,
  type Env,
  inCi,
  type Screen,
  type Style,
} from './style.js'

/** A stream for standard error; written to without waiting. */
interface NoteStream extends Screen {
  write(text: string): unknown
}

export interface Notes {
  /** A line for people, or several: whoever is quoted in one cannot begin another. Silenced by --quiet. */
  note(text: string | readonly string[]): void
  /** A line that tells of a risk; silenced by --quiet. */
  warn(text: string): void
  /**
   * A failure, in full; never silenced.
   * @param of which of several objects failed; what to do about failures of one kind is said with the first
   */
  report(failure: Failure, of?: string): void
}

interface NoteOptions {
  readonly stream: NoteStream
  readonly style: Style
  readonly quiet?: boolean
  /** Failures as one JSON object a line. */
  readonly json?: boolean
  /** The profile of which all is said, where there are several: each line begins with it. */
  readonly of?: string
}

/** A space inside of a command, which is copied and so must not be broken. */
const held = '\u00a0'

/**
 * A line as it is shown, without what was sent as a secret, folded to the terminal behind an
 * indent; commands in backticks stay whole.
 */
const folded = (line: string, style: Style, indent: number): string[] => {
  const shown = style.visible(scrub(line))
  if (!style.terminal) return [shown]
  const whole = shown.replace(/`[^`]*`/g, (command) => command.replaceAll(' ', held))
  return style.wrap(whole, style.width - indent, true).map((part) => part.replaceAll(held, ' '))
}

/** The same of each line of a text. */
const lines = (text: string, style: Style, indent: number): string[] =>
  scrub(text)
    .split(/\r\n|\n/)
    .flatMap((line) => folded(line, style, indent))

/** A failure as text: what went wrong, what was tried, what to do next. Ends in a line break. */
export const failureText = (failure: Failure, style: Style): string => {
  const { request, hint, requestId, unknownOutcome } = failure.details
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['tried', request],
    ['outcome', unknownOutcome === true ? 'unknown: it may have been carried out' : undefined],
    ['request id', requestId],
    ['hint', hint],
  ]
  const [first = '', ...more] = lines(failure.message, style, 'svcctl: '.length)
  const text = [`${style.paint('svcctl:', 'bad')} ${first}`, ...more.map((line) => `    ${line}`)]
  for (const [name, value] of facts) {
    if (value === undefined) continue
    const [head = '', ...rest] = lines(value, style, `  ${name}: `.length)
    text.push(`  ${style.bold(`${name}:`)} ${head}`, ...rest.map((line) => `    ${line}`))
  }
  return `${text.join('\n')}\n`
}

/** The failure of one of several objects. */
const ofOne = ({ category, message, details }: Failure, name: string): Failure =>
  new Failure(category, `${name}: ${message}`, details)

/** Without what was said of others like it. */
const shortened = ({ category, message, details }: Failure): Failure => {
  const { hint: _, request: __, ...others } = details
  return new Failure(category, message, others)
}

/** A failure as one JSON object on one line. */
const failureJson = (failure: Failure, style: Pick<Style, 'visible'>, profile?: string): string => {
  const said = profile === undefined ? failure : { profile, ...failure.toJSON() }
  const clean = (_: string, value: unknown) => (typeof value === 'string' ? scrub(value) : value)
  return `${style.visible(JSON.stringify(said, clean))}\n`
}

/** A text each line of which begins with the profile that it is about. */
export const ledBy = (profile: string, text: string): string =>
  text.replace(/^(?=.)/gm, `${profile}: `)

/** The notes of a run. */
export const createNotes = ({ stream, style: whole, quiet, json, of: one }: NoteOptions): Notes => {
  const style = one === undefined ? whole : { ...whole, width: whole.width - one.length - 2 }
  const put = (text: string): void => {
    aside(true, () => sayTo(stream, text))
  }
  const say = (text: string): void => put(one === undefined ? text : ledBy(one, text))
  const known = new Set<string>()
  /** Whether failures of this kind, with the same hint, were told of before. */
  const isKnown = ({ category, details }: Failure): boolean => {
    const kind = `${category} ${details.hint ?? ''}`
    if (known.has(kind)) return true
    known.add(kind)
    return false
  }
  const described = (failure: Failure, of: string | undefined): Failure => {
    if (of === undefined) return failure
    const named = ofOne(failure, of)
    return json !== true && isKnown(failure) ? shortened(named) : named
  }
  return {
    note: (text) => {
      if (quiet === true) return
      say(
        `${[text]
          .flat()
          .flatMap((line) => folded(line, style, 0))
          .join('\n')}\n`,
      )
    },
    warn: (text) => {
      if (quiet !== true)
        say(
          `${style.paint('warning:', 'warn')} ${folded(text, style, 'warning: '.length).join('\n')}\n`,
        )
    },
    report: (failure, of) => {
      if (json === true) put(failureJson(described(failure, of), style, one))
      else say(failureText(described(failure, of), style))
    },
  }
}

/** Prints what ended a run on standard error. */
export const printError = async (
  failure: Failure,
  options: { json: boolean; env: Env; color?: ColorFlag; stream?: NoteStream },
): Promise<void> => {
  const { json, env, color, stream = standardError() } = options
  const style = await createStyle(stream, env, color)
  createNotes({ stream, style, json }).report(failure)
}

/** How long work may show itself: redrawn in place, as one plain line, or not at all. */
export type Liveness = 'live' | 'line' | 'off'

/**
 * Progress is for a person at a terminal: never in a pipe, in CI or under --quiet. One that does not know its width (`script`,
 * serial lines) cannot be drawn over: the spinner would count endlessly many lines.
 */
export const getLiveness = (stream: Screen, env: Env, quiet: boolean): Liveness => {
  if (quiet || stream.isTTY !== true || inCi(env)) return 'off'
  return accessible(env) || env.TERM === 'dumb' || stream.columns === 0 ? 'line' : 'live'
}
