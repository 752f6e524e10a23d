/** Finds the verb that a word of another tool stands for. Such words are accepted and not shown. */

/** The verbs that a word of another tool can stand for. It is accepted if the area has exactly one of them. */
const acceptedVerbs: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  view: ['get'],
  show: ['get'],
  rm: ['remove', 'delete'],
}

/** Finds the verb for a word of another tool; undefined if the area has none of its verbs, or several. */
export const findAccepted = (word: string, verbs: readonly string[]): string | undefined => {
  const wanted = Object.hasOwn(acceptedVerbs, word) ? (acceptedVerbs[word] ?? []) : []
  const [verb, ...others] = wanted.filter((one) => verbs.includes(one))
  return others.length === 0 ? verb : undefined
}
