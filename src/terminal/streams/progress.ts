/** Long work shows that it goes on: a spinner, with a bar when the total is known. */

import { visible } from '../text/escape.js'
import { bar } from '../text/style.js'
import { roughWidths } from '../text/width.js'
import { aside, setLiveLine } from './line.js'
import type { Liveness } from './notes.js'
import { say as sayTo, standardError } from './standard.js'

/** Says how far the work is; `fraction` from 0 to 1 where the total is known. */
export type Say = (text: string, fraction?: number) => void

export interface ProgressOptions {
  readonly liveness: Liveness
  readonly stream?: NodeJS.WriteStream
  /** Milliseconds that pass before anything is shown. */
  readonly delay?: number
}

/** Long is what has not answered within half a second. */
export const defaultDelay = 500
const barWidth = 24
/** The spinner itself and the space after it, and one column that stays free. */
const besides = 3

/** The text of the live line, cut to the terminal. */
export const progressLine = (
  text: string,
  fraction: number | undefined,
  columns: number,
): string => {
  const percent = `${Math.floor((fraction ?? 0) * 100)} %`.padStart(5)
  const head = fraction === undefined ? '' : `${bar(fraction, barWidth)} ${percent}  `
  return roughWidths.truncate(head + visible(text), columns - besides)
}

/** The line while it is drawn. */
export interface SpinningLine {
  say(text: string, fraction?: number): void
  stop(): void
  /** Stopped, by whoever needed the terminal. */
  readonly gone: boolean
}

/** Starts to draw the line. */
export const spin = async (stream: NodeJS.WriteStream): Promise<SpinningLine> => {
  const { default: ora } = await import('ora')
  const columns = stream.columns ?? 80
  const spinner = ora({ stream, discardStdin: false, isEnabled: true, color: false })
  spinner.start()
  const stop = (): void => {
    setLiveLine(undefined)
    spinner.stop()
  }
  setLiveLine({ clear: () => spinner.clear(), draw: () => spinner.render(), leave: stop })
  return {
    say: (text, fraction) => {
      spinner.text = progressLine(text, fraction, columns)
    },
    get gone() {
      return !spinner.isSpinning
    },
    stop,
  }
}

/**
 * Does the work and shows that it goes on, from `delay` on, so that what is quick shows nothing.
 * @param work is handed a function to say how far it is
 * @returns what the work returns; throws what it throws, the line gone in both cases
 */
export const progress = async <T>(
  text: string,
  work: (say: Say) => Promise<T>,
  options: ProgressOptions,
): Promise<T> => {
  const { liveness, stream = standardError(), delay = defaultDelay } = options
  if (liveness === 'off') return work(() => {})
  if (liveness === 'line') {
    const told = setTimeout(() => aside(true, () => sayTo(stream, `${visible(text)} …\n`)), delay)
    return work(() => {}).finally(() => clearTimeout(told))
  }
  let latest: readonly [string, number?] = [text]
  let shown: Promise<SpinningLine> | undefined
  let current: SpinningLine | undefined
  const timer = setTimeout(() => {
    shown = spin(stream)
    shown.then(
      (spinner) => {
        current = spinner
        spinner.say(...latest)
      },
      () => {},
    )
  }, delay)
  try {
    return await work((said, fraction) => {
      latest = fraction === undefined ? [said] : [said, fraction]
      current?.say(said, fraction)
    })
  } finally {
    clearTimeout(timer)
    ;(await shown?.catch(() => undefined))?.stop()
  }
}
