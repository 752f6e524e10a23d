/** Declares the operators of conditions. */

/** The operators, the longest first, so that the parser does not stop at a prefix. */
export const ops = ['!=', '!~', '<=', '>=', '=', '~', '<', '>'] as const
export type Op = (typeof ops)[number]

/** True for an operator that compares which of two values is greater. */
export const isOrderOperator = (op: Op): boolean => op.startsWith('<') || op.startsWith('>')

/** The operator that holds exactly if the other one does not. */
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
