/** The operators of conditions. */

/** The longest first: that one wins. */
export const ops = ['!=', '!~', '<=', '>=', '=', '~', '<', '>'] as const
export type Op = (typeof ops)[number]

/** True if it asks which of two values comes first. */
export const isOrderOperator = (op: Op): boolean => op.startsWith('<') || op.startsWith('>')

/** For each operator the one that holds where it does not. */
export const opposites: Readonly<Record<Op, Op>> = {
  '=': '!=',
  '!=': '=',
  '~': '!~',
  '!~': '~',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}
