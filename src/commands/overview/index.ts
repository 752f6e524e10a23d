/** `svcctl overview`: one page of what an administrator looks at first. */
import { list } from '../../catalogue/params.js'
import { exitCodes } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import type { Services } from '../services.js'
import { pageOf } from './page.js'
import { parts } from './parts/index.js'
import { isWhole, type Overview, overviewOf, recordOf, rowsOf } from './reading.js'

const flags = {
  parts: list('enum', 'only these parts', { values: parts.map(({ name }) => name) }),
} as const

const print = async ({ answer }: Services, overview: Overview): Promise<void> => {
  if (answer.reader === 'programs') return answer.print(recordOf(overview))
  await answer.printMany([recordOf(overview)], {
    people: {
      page: () => pageOf(overview, answer),
      rows: () => rowsOf(overview),
      columns: ['part', 'item', 'value', 'state'],
      sheets: true,
    },
    columns: ['part', 'item', 'value', 'state'],
  })
}

const run = async (services: Services, given: GivenBy<typeof flags>): Promise<void> => {
  const { answer, person } = services
  const { parts: wanted } = given.flags
  const meant = parts.filter(({ name }) => wanted === undefined || wanted.includes(name))
  const overview = await person.progress('looking', () => overviewOf(services, meant))
  await print(services, overview)
  if (!isWhole(overview)) answer.exit(exitCodes.partial)
}

export const overview = define({
  summary: 'Show on one page what an administrator looks at first',
  description: [
    'Runners by type and state; jobs that wait, in every project that this user sees, and the oldest of them; certificates of Pages domains by time left; replication, a site a line; projects by storage, which leave one as its moves end; the tokens of the profiles. The parts are read side by side.',
    'A part that this user may not read, or that fails, says so in its place and does not end the page: exit 8. What the instance does not have is said as well, and is no failure. Alerts and moves under way are not shown: the API has no list of them.',
  ],
  flags,
  looks: true,
  watches: true,
  examples: [
    'overview',
    'overview --parts runners,jobs',
    "overview -o json | jq '.runners.by_state'",
  ],
  run,
})
