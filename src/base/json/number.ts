/** How a number of JSON goes on, byte by byte. */

const plus = 0x2b
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
const letterE = 0x65
/** Upper and lower case differ in this bit. */
const caseBit = 0x20

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

/** The phase of a number after another byte; -1 where the byte is not of the number. */
export const numberGoesOn = (phase: number, byte: number): number => {
  if (byte >= zero && byte <= nine) {
    if (phase === signed) return byte === zero ? zeroed : digits
    if (phase === zeroed) return -1
    if (phase === pointed) return decimals
    return phase === raised || phase === raisedSigned ? power : phase
  }
  if (byte === point) return phase === zeroed || phase === digits ? pointed : -1
  if ((byte | caseBit) === letterE)
    return phase === zeroed || phase === digits || phase === decimals ? raised : -1
  return phase === raised && (byte === minus || byte === plus) ? raisedSigned : -1
}
