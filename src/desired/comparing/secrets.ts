/** Secrets that a plan would send have to be there when it is done; all others need not. */
import type { PlanFinding } from '../actions.js'
import type { SecretSource } from '../wishes.js'
import type { ComparingOptions, Draft } from './types.js'

/** What a draft would send, with where it is said. */
const sentBy = ({ step, changes, address, origin }: Draft) =>
  Object.entries(step.secrets).map(([name, source]: [string, SecretSource]) => ({
    address: { ...address, attribute: name },
    source,
    origin: changes.find(({ attribute }) => attribute === name)?.origin ?? origin,
  }))

/** References that cannot be followed, of secrets that would be sent: a plan can be made without them. */
export const missingSecrets = async (
  drafts: readonly Draft[],
  { secrets, checks }: ComparingOptions,
): Promise<readonly PlanFinding[]> => {
  if (secrets === undefined || checks === true) return []
  const findings: PlanFinding[] = []
  for (const { address, source, origin } of drafts.flatMap(sentBy)) {
    const why = await secrets.missing(source)
    if (why !== undefined)
      findings.push({ is: 'secret', address, text: `missing secret: ${why}`, origin })
  }
  return findings
}
