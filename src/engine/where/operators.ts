/** Declares the operators of conditions. */

/** The operators, the longest first, so that the parser does not stop at a prefix. */
export const ops = ['!=', '!~', '<=', '>=', '=', '~', '<', '>'] as const
/** An operator that people write. */
export type WrittenOp = (typeof ops)[number]

/**
 * The negated orders, the longest first. Only the opposite of a condition has them, because they also hold for values without an order,
 * and for a list only if no element is in the order.
 */
export const negatedOrders = ['!<=', '!>=', '!<', '!>'] as const
export type Op = WrittenOp | (typeof negatedOrders)[number]

/** True for an operator that compares which of two values is greater. */
export const isOrderOperator = (op: Op): boolean => /^!?[<>]/.test(op)

/** Returns the operator that holds for a present field exactly if the other one does not. */
export const negateOperator = (op: Op): Op => (op.startsWith('!') ? op.slice(1) : `!${op}`) as Op

/** The operators with the opposite meaning, as people write them. */
export const opposites: Readonly<Record<WrittenOp, WrittenOp>> = {
  '=': '!=',
  '!=': '=',
  '~': '!~',
  '!~': '~',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}
