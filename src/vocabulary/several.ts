/** Combines the vocabularies of several instances: for the line that they share, and for their one answer. */
import { createNaming, documentedWords, type Words } from '../catalogue/words.js'

/**
 * Merges the vocabularies of several instances. A field is found by any instance's name, its header is a name that all
 * share, and it is secret if it is so on one instance.
 * @returns undefined if no instance has a vocabulary
 */
export const mergeWords = (each: readonly Words[]): Words | undefined => {
  const all = each.filter((words) => words !== documentedWords)
  const [first] = all
  if (first === undefined) return undefined
  const neutral = (own: string): string =>
    all.map((words) => words.neutral(own)).find((name) => name !== own) ?? own
  const name = (documented: string): string => {
    const [shared = documented, ...others] = new Set(each.map((words) => words.name(documented)))
    return others.length === 0 ? shared : documented
  }
  const listOwnNames = (own: string): readonly string[] =>
    [name, ...all.map((words) => words.name)].map((translate) => translate(neutral(own)))
  return {
    ...first,
    ...createNaming({ name, neutral, listOwnNames, family: first.family }),
    values: (of) => [...new Set(all.flatMap((words) => [...words.values(of)]))],
    named: (own) => all.some((words) => words.named(own)),
    secretEndings: [...new Set(all.flatMap(({ secretEndings }) => [...secretEndings]))],
  }
}

/**
 * Combines the vocabulary of one instance with that of all, so that it understands a line that is sent to each. Its own
 * names come first.
 */
export const combineWords = (own: Words = documentedWords, all: Words): Words => {
  const neutral = (name: string): string => {
    const mine = own.neutral(name)
    return mine === name ? all.neutral(name) : mine
  }
  const listOwnNames = (name: string): readonly string[] => [
    own.name(neutral(name)),
    ...all.listOwnNames(name),
  ]
  return { ...own, ...createNaming({ ...own, neutral, listOwnNames }) }
}
