/** The words of several instances, for the one answer that they write to. */
import type { Words } from '../../../catalogue/words.js'

/** What all of them say, else what the documents say. */
const agreed = (all: readonly string[], otherwise: string): string =>
  all.every((one) => one === all[0]) ? (all[0] ?? otherwise) : otherwise

/**
 * Fields are found by the name that any of them has, headed by one that all have, and secret where they
 * are so for one.
 * @returns undefined where none has words of its own
 */
export const wordsOfAll = (each: readonly (Words | undefined)[]): Words | undefined => {
  const [first, ...others] = each.filter((words) => words !== undefined)
  if (first === undefined) return undefined
  const all = [first, ...others]
  const neutral = (own: string): string =>
    all.map((words) => words.neutral(own)).find((name) => name !== own) ?? own
  return {
    ...first,
    neutral,
    name: (name) =>
      agreed(
        each.map((words) => words?.name(name) ?? name),
        name,
      ),
    each: (name) => all.map((words) => words.name(neutral(name))),
    secret: (own) => all.some((words) => words.secret(own)),
    named: (own) => all.some((words) => words.named(own)),
    secretEndings: [...new Set(all.flatMap(({ secretEndings }) => [...secretEndings]))],
  }
}
