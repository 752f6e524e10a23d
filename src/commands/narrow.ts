/** Tables that have fewer columns on a narrow terminal, so that each record is one line of it. */
import type { AnswerService } from '../engine/command/services.js'

/** Columns of a terminal from which on the usual columns have room. */
const wideTerminal = 100

/** True on a terminal where the usual columns would be cut or stand below each other. A screen reader gets all of them. */
export const isNarrow = ({ terminal, width, text }: AnswerService): boolean =>
  terminal && !text.accessible && width < wideTerminal
