/** How a number of JSON goes on, byte by byte. */
import { letterE, minus, nine, plus, point, zero } from './signs.js'

// How far a number has come; it may end after a zero, a digit, a decimal and a power.
export const signed = 0
export const zeroed = 1
export const digits = 2
const pointed = 3
const decimals = 4
const raised = 5
const raisedSigned = 6
const power = 7
export const mayEnd = [false, true, true, false, true, false, false, true]

/** Upper and lower case differ in this bit. */
const caseBit = 0x20
const powers = [letterE, letterE & ~caseBit]
/** By phase: what a zero, another digit, the point, a letter for powers and a sign lead to. */
const leads: readonly (readonly [number, number, number, number, number])[] = [
  [zeroed, digits, -1, -1, -1],
  [-1, -1, pointed, raised, -1],
  [digits, digits, pointed, raised, -1],
  [decimals, decimals, -1, -1, -1],
  [decimals, decimals, -1, raised, -1],
  [power, power, -1, -1, raisedSigned],
  [power, power, -1, -1, -1],
  [power, power, -1, -1, -1],
]
const table = new Int8Array(leads.length << 8).fill(-1)
for (const [phase, [onZero, onDigit, onPoint, onPower, onSign]] of leads.entries()) {
  for (let byte = zero; byte <= nine; byte++)
    table[(phase << 8) | byte] = byte === zero ? onZero : onDigit
  table[(phase << 8) | point] = onPoint
  for (const byte of powers) table[(phase << 8) | byte] = onPower
  for (const byte of [plus, minus]) table[(phase << 8) | byte] = onSign
}

/** The phase of a number after another byte; -1 where the byte is not of the number. */
export const numberGoesOn = (phase: number, byte: number): number =>
  table[(phase << 8) | byte] as number
