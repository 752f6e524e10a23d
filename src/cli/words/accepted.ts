/** Names of verbs that are accepted and shown nowhere: those of other tools. */

/** Words of other tools that stand for a verb where an area has exactly one of these and none of that name. */
const acceptedVerbs: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  view: ['get'],
  show: ['get'],
  rm: ['remove', 'delete'],
}

/** The verb of the same depth that another tool's word stands for; undefined where it stands for none. */
export const findAccepted = (word: string, verbs: readonly string[]): string | undefined => {
  const wanted = Object.hasOwn(acceptedVerbs, word) ? (acceptedVerbs[word] ?? []) : []
  const [verb, ...others] = wanted.filter((one) => verbs.includes(one))
  return others.length === 0 ? verb : undefined
}
