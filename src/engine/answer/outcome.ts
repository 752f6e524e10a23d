/** What the outcome of a call shows. */
import { builtOf } from '../../base/json/built.js'
import type { PlanAnswer } from '../command/services.js'

export const showsNothing = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined && value === undefined

/** The value as it is printed: with its numbers as they came. */
export const printedValue = ({ bytes, value }: PlanAnswer): unknown =>
  bytes === undefined ? value : builtOf(bytes)

const bracket = 0x5b

export const isList = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined ? Array.isArray(value) : bytes.find((byte) => byte > 0x20) === bracket
