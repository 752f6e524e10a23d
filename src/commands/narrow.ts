/** Decides whether a table has fewer columns because the terminal is narrow, so that each record fits on one line. */
import type { AnswerService } from '../engine/command/context.js'

/** The width of a terminal, in characters, that has room for the usual columns. */
const wideTerminal = 100

/** True on a terminal that is too narrow for the usual columns. Screen readers always get all columns. */
export const isNarrow = ({ terminal, width, text }: AnswerService): boolean =>
  terminal && !text.accessible && width < wideTerminal
