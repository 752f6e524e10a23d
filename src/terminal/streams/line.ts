/** The one line of a terminal that is redrawn: whoever prints makes room for it first. */

interface LiveLine {
  /** Takes it off the screen. */
  clear(): void
  /** Draws it again. */
  draw(): void
  /** Ends it. */
  leave(): void
}

let live: LiveLine | undefined
let open = false

/** Registers the live line; undefined when it is gone. */
export const setLiveLine = (line: LiveLine | undefined): void => {
  live = line
}

/** Clears the live line, if there is one; its owner draws it again. */
export const clearLine = (): void => live?.clear()

/** Whether the terminal stands within a line of the answer, where nothing else may be drawn. */
export const withinLine = (): boolean => open

/**
 * Prints on the terminal, the live line out of the way: below what was printed, or gone for good where
 * that does not end its line.
 */
export const aside = <T>(ends: boolean, print: () => T): T => {
  if (ends) live?.clear()
  else live?.leave()
  open = !ends
  const printed = print()
  if (ends) live?.draw()
  return printed
}
