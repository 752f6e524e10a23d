/** `deploy-keys add` (`catalogue/reference/deploy-keys.md`): the key is checked before it is sent. */
import { deployKeys } from '../../catalogue/areas/deploy-keys.js'
import { define, type GivenBy } from '../define.js'
import type { Services } from '../services.js'
import type { Operation, Plan } from '../types.js'
import { publicKey } from './public-key.js'

/** A request with its key checked. One of --param passes unchecked; one that was asked for has no flag. */
const checked = (plan: Plan): Plan => {
  const { key } = plan.values
  if (key === undefined) return plan
  return { ...plan, values: { ...plan.values, key: publicKey(String(key)) } }
}

const adding = async (
  { place }: Services,
  given: GivenBy<Record<never, never>, typeof deployKeys.add>,
): Promise<Operation> => {
  const text = given.flags.key ?? given.input?.key
  const key = text === '-' ? await place.stdin.text() : text
  return { preset: key === undefined ? {} : { key }, complete: checked, done: 'added' }
}

export const add = define({
  of: [deployKeys.add],
  description: [
    'The key is public: --key takes it as it stands, from @file, or from standard input with -. Its type, encoding and length are checked before it is sent.',
  ],
  examples: [
    'deploy-keys add --title ci --key @ci.pub --project platform/app',
    'deploy-keys add --title robot --key @robot.pub --can-push --project web/site',
  ],
  operation: adding,
})
