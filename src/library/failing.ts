/** What is thrown to other people's programs: no hints, whose words are commands and flags, and no credentials. */
import { scrubbed } from '../base/secrets/scrub.js'
import { Failure } from '../errors.js'

const plain = (error: unknown): unknown => {
  const clean = scrubbed(error)
  if (!(clean instanceof Failure)) return clean
  const { hint: _hint, advice: _advice, cause: _cause, ...details } = clean.details
  return new Failure(clean.category, clean.message, details)
}

/** Does something, and throws what is meant for other programs. */
export const throwing = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw plain(error)
  }
}

/** The same for what is done at once. */
export const throwingNow = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw plain(error)
  }
}

/** The same for what comes piece by piece. */
export async function* throwingFrom<T>(pieces: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* pieces
  } catch (error) {
    throw plain(error)
  }
}
