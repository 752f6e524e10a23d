/** Answers that are kept for as long as they may be asked for again. */

/** Each question is asked once; who asks meanwhile waits for the same answer. */
export class AskedOnce {
  readonly #answers = new Map<string, Map<string, Promise<unknown>>>()

  /**
   * The answer to a question about something.
   * @param ask never called twice for a question; its type goes with the question
   */
  ask<T>(about: string, question: string, ask: () => Promise<T>): Promise<T> {
    const questions = this.#answers.get(about) ?? new Map<string, Promise<unknown>>()
    this.#answers.set(about, questions)
    const known = questions.get(question)
    if (known !== undefined) return known as Promise<T>
    const answer = ask()
    questions.set(question, answer)
    return answer
  }

  /** All answers about something. */
  forget(about: string): void {
    this.#answers.delete(about)
  }
}

/** Works on items, at most so many at once. */
export const sideBySide = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width = 32,
): Promise<readonly R[]> => {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      const item = items[index]
      if (item !== undefined) results[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
