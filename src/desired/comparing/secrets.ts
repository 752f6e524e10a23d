/** Secrets that a plan would send must be there; all others need not. */
import { addressText } from '../address.js'
import type { SecretSource } from '../wishes.js'
import type { ComparingOptions, Draft, Mistake } from './types.js'

/** What a draft would send, with where it is said. */
const sentBy = ({ step, changes, address, origin }: Draft) =>
  Object.entries(step.secrets).map(([name, source]: [string, SecretSource]) => ({
    address: addressText({ ...address, attribute: name }),
    source,
    origin: changes.find(({ attribute }) => attribute === name)?.origin ?? origin,
  }))

/** References that cannot be followed, of secrets that would be sent. */
export const secretMistakes = async (
  drafts: readonly Draft[],
  { secrets, checks }: ComparingOptions,
): Promise<readonly Mistake[]> => {
  if (secrets === undefined || checks === true) return []
  const mistakes: Mistake[] = []
  for (const { address, source, origin } of drafts.flatMap(sentBy)) {
    const why = await secrets.missing(source)
    if (why !== undefined) mistakes.push({ origin, text: `${address}: ${why}` })
  }
  return mistakes
}
