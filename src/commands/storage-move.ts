/**
 * Implements `storage-move schedule`, which moves all projects, snippets or groups of a storage (`catalogue/reference/storage-move.md`).
 */

import { getTimeAfter, poll } from '../base/async.js'
import { quoteWord } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { projects } from '../catalogue/areas/projects.js'
import { boolean, seconds } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { addInstanceFlags } from '../engine/command/globals.js'
import type { Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { Failure, usage } from '../errors.js'
import { type Arguments, define } from './define.js'

const kinds = ['projects', 'snippets', 'groups'] as const

/** Waits until no project is left on the source storage. */
const waitUntilEmpty = async (context: Context, source: string, timeout: number): Promise<void> => {
  const { instance, ui, place } = context
  let left = 0
  await ui.showProgress(`waiting until ${source} is empty`, async (say) => {
    const checkEmpty = async (): Promise<true | undefined> => {
      const input = { repository_storage: source, simple: true }
      left = (await instance.readRecords(projects.list, input)).length
      if (left > 0) say(`${formatCount(left, 'project')} left on ${source}`)
      return left === 0 ? true : undefined
    }
    if ((await poll(checkEmpty, getTimeAfter(timeout, place.clock), place.clock)) === true) return
    throw new Failure('failed', `${left} projects were still on ${source} after ${timeout} s`, {
      hint: `The moves continue. Check them with: ${addInstanceFlags(`svcctl projects list --repository-storage ${quoteWord(source)}`, place.globals)}. Schedule failed moves again.`,
    })
  })
  ui.note(`no projects left on ${source}`)
}

const flags = {
  wait: boolean('wait until no projects are left on the source storage'),
  'wait-timeout': seconds('seconds to wait', { min: 1, default: 3600 }),
} as const

async function* scheduleMoves(context: Context, given: Arguments<typeof flags>): Rows {
  const [kind] = given.args
  if (kind === undefined || !kinds.some((k) => k === kind))
    throw usage(
      `storage-move schedule requires one of ${kinds.join(', ')}${kind === undefined ? '' : `, not "${kind}"`}`,
    )
  const wait = given.flags.wait === true
  if (wait && kind !== 'projects')
    throw usage(`--wait works for projects only: the API cannot list ${kind} by storage`)
  let source = ''
  const complete = (plan: Plan): Plan => {
    source = String(plan.values.source_storage_name)
    return plan
  }
  const allGiven = { ...given, args: [], flags: { ...given.flags, [kind]: true } }
  yield* context.write(await context.planActions(allGiven, { complete }), {
    loses: {
      describePlan: ({ values, endpoint }) =>
        [
          `moving all ${kind} from ${source} to ${String(values.destination_storage_name)}`,
          ...(endpoint.notes ?? []).slice(1),
        ].join('\n  '),
    },
    done: 'scheduled',
  })
  if (wait && context.sends) await waitUntilEmpty(context, source, given.flags['wait-timeout'])
}

export const schedule = define({
  summary: 'Move all projects, snippets or groups of a storage',
  args: [
    {
      name: 'projects|snippets|groups',
      required: true,
      variadic: false,
      help: 'what to move',
    },
  ],
  flags,
  without: [...kinds],
  rows: scheduleMoves,
})
