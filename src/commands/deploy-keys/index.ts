/** `deploy-keys add` (`catalogue/reference/deploy-keys.md`): the key is checked before it is sent. */
import { deployKeys } from '../../catalogue/areas/deploy-keys.js'
import { define, type GivenBy } from '../define.js'
import type { Services } from '../services.js'
import { publicKey } from './public-key.js'

const run = async (
  { instance, place }: Services,
  given: GivenBy<Record<never, never>, typeof deployKeys.add>,
): Promise<void> => {
  const text = given.flags.key ?? given.input?.key
  const key = text === '-' ? await place.stdin.text() : text
  const plan = await instance.plan(given, key === undefined ? {} : { key })
  // A key of --param passes unchecked; one that was asked for has no flag either.
  const { key: asked } = plan.values
  const values =
    asked === undefined ? plan.values : { ...plan.values, key: publicKey(String(asked)) }
  await instance.many([{ ...plan, values }], { done: 'added' })
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
  run,
})
