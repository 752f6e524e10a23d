/** `members where`: every group and project that a user belongs to, and how. */
import { members } from '../../catalogue/areas/members.js'
import { boolean } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import type { Argument } from '../../engine/command/types.js'
import { usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { Memberships, soughtBy } from './memberships.js'
import { textOfPlace } from './places.js'

/** The user whom a command is about. */
export const userArgument: Argument = {
  name: 'user',
  required: true,
  variadic: false,
  help: 'ID or username',
  param: { type: 'string', help: 'ID or username', completes: 'user' },
}

const flags = {
  direct: boolean('list only direct memberships'),
} as const

const columns = ['membership', 'access_level', 'expires_at'] as const

const run = async (services: Services, given: GivenBy<typeof flags>): Promise<void> => {
  const { answer } = services
  const [user = ''] = given.args
  if (user === '') throw usage('members where requires a user', 'Pass an ID or a username.')
  const sought = soughtBy(user)
  const found = new Memberships(services, sought, given.flags.direct === true)
  const records = async function* () {
    for await (const { place, membership, member } of found.each())
      yield { of: textOfPlace(place), record: { ...member, membership } }
  }
  await answer.printMany(records(), { endpoint: members.listOfGroup, parent: 'of', columns })
  await answer.flush()
  await found.tell()
}

export const where = define({
  summary: 'List all memberships of a user',
  description: [
    'Searches every project that you can see, including archived ones, and every group of their namespaces or of the instance’s list of groups. The last line shows what was searched. The exit code is 8 if a part could not be read.',
    'You can pipe the output into other commands: members where dov --direct | svcctl members update - --access-level reporter.',
  ],
  args: [userArgument],
  flags,
  endpoints: [],
  readOnly: true,
  examples: ['members where ben', 'members where 8 --direct -o csv'],
  run,
})
