/** Knows when a person leaves a question without a word: Ctrl-D, or a terminal that hung up. */

type Input = NodeJS.ReadableStream

const guarded = new WeakSet<object>()

/** A terminal that hung up has no mode to go back to; readline tries, and fails where nobody catches it. */
const guardMode = async (input: Input): Promise<void> => {
  const { isatty, ReadStream } = await import('node:tty')
  if (!(input instanceof ReadStream) || guarded.has(input)) return
  guarded.add(input)
  const own = input.setRawMode.bind(input)
  input.setRawMode = (mode) => (isatty(0) ? own(mode) : input)
}

/** Answers arrive a turn after the keyboard is let go. */
const soon = (work: () => void): void => {
  setImmediate(() => setImmediate(work))
}

/**
 * Asks, with a signal that is aborted when the keyboard ends or is let go before the answer: readline
 * closes at Ctrl-D, and then nobody waits for anything any more. Coming back from Ctrl-Z lets go of
 * the keyboard too, and takes it up again.
 * @param signal what else ends the question
 */
export const untilLeft = async <T>(
  input: Input,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  await guardMode(input)
  const left = new AbortController()
  let back = false
  const resumed = (): void => {
    back = true
  }
  const leave = (): void => left.abort()
  const paused = (): void =>
    soon(() => {
      if (back) input.resume()
      else leave()
      back = false
    })
  process.on('SIGCONT', resumed)
  input.on('pause', paused).once('end', leave).once('close', leave)
  try {
    return await ask(signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]))
  } finally {
    process.off('SIGCONT', resumed)
    input.off('pause', paused).off('end', leave).off('close', leave)
  }
}
