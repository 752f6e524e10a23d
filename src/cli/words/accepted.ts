/** Verbs of other tools that are accepted and not shown in help. */

/** The verbs that a word of another tool may mean. It is accepted if an area has exactly one of them, and no verb of that name. */
const acceptedVerbs: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  view: ['get'],
  show: ['get'],
  rm: ['remove', 'delete'],
}

/** Finds the verb that a word of another tool means; undefined if there is none, or more than one. */
export const findAccepted = (word: string, verbs: readonly string[]): string | undefined => {
  const wanted = Object.hasOwn(acceptedVerbs, word) ? (acceptedVerbs[word] ?? []) : []
  const [verb, ...others] = wanted.filter((one) => verbs.includes(one))
  return others.length === 0 ? verb : undefined
}
