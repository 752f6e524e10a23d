/** The one line of a terminal that is redrawn: whoever prints clears it first. */

let clear: (() => void) | undefined

/** Registers what clears the live line; undefined when it is gone. */
export const setLiveLine = (clearing: (() => void) | undefined): void => {
  clear = clearing
}

/** Clears the live line, if there is one; its owner draws it again. */
export const clearLine = (): void => clear?.()
