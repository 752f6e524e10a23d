/**
 * Text that comes from outside (a file that is named, the environment, a program) as a value that no message can
 * quote: it is a symbol, which the compiler takes neither in a template nor for a string. At run time a template
 * throws, and JSON leaves it out.
 */
import { formatCount } from '../text.js'

/** A text that is held: whoever needs it says so with `openHeld`. */
export type HeldText = symbol

const texts = new WeakMap<HeldText, string>()

/** Holds a text. */
export const holdText = (text: string): HeldText => {
  const held = Symbol('held text')
  texts.set(held, text)
  return held
}

/** The text itself: to check, hash or send it, never to quote it. */
export const openHeld = (held: HeldText): string => {
  const text = texts.get(held)
  if (text === undefined) throw new TypeError('this symbol holds no text')
  return text
}

/** What a message says of a text instead of it. */
export const textSize = (text: string): string =>
  text === '' ? 'an empty value' : `a value of ${formatCount(text.length, 'character')}`

/** What a message says of a held text instead of it. */
export const heldSize = (held: HeldText): string => textSize(openHeld(held))
