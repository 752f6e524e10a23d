/** What to look for in bytes: the words that names of secrets end in, or have in them. */
import { type OwnNames, type SecrecyOf, secrecyIn, variableNames } from '../../base/secrets/mask.js'
import { lastLetters } from '../../base/secrets/names.js'
import type { Words } from '../../catalogue/words.js'

/** What of an instance's words says which fields are secret: under either name. */
export type OwnSecrets = OwnNames & Pick<Words, 'secretEndings'>

/** What names of secrets end in, without case: for a search that only looks for suspects. */
export const endingsOf = (declared: ReadonlySet<string>, words?: OwnSecrets): readonly string[] => {
  const names = [...declared, ...variableNames]
  return [
    ...lastLetters,
    ...names,
    ...(words === undefined ? [] : [...words.secretEndings, ...names.map(words.name)]),
  ]
}

/** Whether a name is a reason to look at its record. */
export const isSuspect = (secrecyOf: SecrecyOf, name: string): boolean =>
  secrecyOf(name) === 'value' || secrecyIn(secrecyOf, name) !== undefined

/** How secret the place under a dotted name is: as much as the most secret name on the way. */
export const secrecyAt = (secrecyOf: SecrecyOf, path: string): ReturnType<typeof secrecyIn> => {
  const found = [path, ...path.split('.')].map((name) => secrecyIn(secrecyOf, name))
  return found.find((one) => one === 'declared') ?? found.find((one) => one !== undefined)
}
