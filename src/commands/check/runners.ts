/** `check runners`: whether there is somebody to run jobs. */
import { runners } from '../../catalogue/areas/runners.js'
import { group, list, oneOf, project } from '../../catalogue/params.js'
import type { InstanceService } from '../../engine/command/services.js'
import { usage } from '../../errors.js'
import type { GivenBy } from '../define.js'
import { countedStates, countsText, runnerState } from '../glance/runners.js'
import { firstOf, several } from '../glance/words.js'
import { checkFact } from './types.js'

const flags = {
  project: { ...project('those of this project, in place of the whole instance'), short: 'P' },
  group: { ...group('those of this group and its ancestors'), short: 'G' },
  type: oneOf(['instance_type', 'group_type', 'project_type'], 'only runners of this type'),
  'tag-list': list('string', 'only runners with all of these tags'),
} as const

const mostNamed = 5

const runnersOf = (
  instance: Pick<InstanceService, 'records'>,
  { flags: { project: id, group: of, type, 'tag-list': tags } }: GivenBy<typeof flags>,
) => {
  if (id !== undefined && of !== undefined) throw usage('--project and --group exclude each other')
  const chosen = {
    type,
    tag_list: tags,
  }
  if (id !== undefined) return instance.records(runners.listOfProject, { id, ...chosen })
  if (of !== undefined) return instance.records(runners.listOfGroup, { id: of, ...chosen })
  return instance.records(runners.listAll, chosen)
}

export const runnersCheck = checkFact({
  name: 'runners',
  summary: 'Check whether runners are there for the jobs',
  description: [
    'Of all runners of the instance, a project or a group: how many of those that are not paused are online. None at all is critical.',
  ],
  examples: [
    'check runners',
    'check runners --warn 90% --crit 50%',
    'check runners -P platform/app --format nagios',
  ],
  measures: {
    online: {
      unit: 'percent',
      example: '80%',
      bad: 'below',
      help: 'share of runners online, of those that are not paused',
    },
    offline: {
      unit: 'count',
      example: '5',
      bad: 'above',
      help: 'number of runners that are not online though not paused',
    },
  },
  label: 'runner',
  levels: { warn: ['0'] },
  flags,
  read: async ({ instance }, given) => {
    const all = await runnersOf(instance, given)
    const awake = all.filter((runner) => runnerState(runner) !== 'paused')
    const absent = awake.filter((runner) => runnerState(runner) !== 'online')
    const online = awake.length - absent.length
    const names = absent.map(({ id, description }) => description || `runner ${id}`)
    const text = `${absent.length} of ${several(awake.length, 'runner')} not online: ${firstOf(names, mostNamed)}`
    return {
      samples: [
        {
          measure: 'online',
          value: awake.length === 0 ? undefined : (100 * online) / awake.length,
          text: awake.length === 0 ? 'no share can be told: no runner is awake' : text,
        },
        { measure: 'offline', value: absent.length, text },
      ],
      findings:
        online > 0
          ? []
          : [
              {
                level: 'critical',
                text: all.length === 0 ? 'there is no runner' : 'no runner is online',
              },
            ],
      fine: `${several(all.length, 'runner')}: ${countsText(countedStates(all))}`,
    }
  },
})
