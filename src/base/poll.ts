/** Looking again and again, at growing intervals, until something is so. */

const first = 500
const longest = 10_000
const growth = 1.5

/** A moment so many seconds from now, in milliseconds of the epoch. */
export const inSeconds = (seconds: number, { now }: Pick<PollPace, 'now'>): number =>
  now().getTime() + seconds * 1000

export interface PollPace {
  readonly now: () => Date
  /** Waits so many milliseconds; throws where it is interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/**
 * Looks at once, and again after half a second, then ever more seldom, at most every ten seconds.
 * @param look what is waited for, or undefined while it is not there
 * @param until when it is too late, in milliseconds of the epoch
 * @returns what came; undefined when the time was over
 */
export const poll = async <T>(
  look: () => Promise<T | undefined>,
  until: number,
  { now, sleep }: PollPace,
): Promise<T | undefined> => {
  for (let wait = first; ; wait = Math.min(wait * growth, longest)) {
    const found = await look()
    if (found !== undefined || now().getTime() >= until) return found
    await sleep(wait)
  }
}
