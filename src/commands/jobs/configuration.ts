/**
 * What the configuration says of a job: its stage among the others, what it needs, its resource group. No job
 * shows that. It is read as it stands at the head of the default branch, which the answer says.
 */
import { isObject, textOf } from '../../base/objects.js'
import { ci } from '../../catalogue/areas/ci.js'
import type { InstanceService } from '../services.js'

export interface JobConfiguration {
  readonly stages: readonly string[]
  /** What it names under `needs`; undefined where it waits for whole stages. */
  readonly needs?: readonly string[]
  readonly resourceGroup?: string
  /** The jobs of the same resource group, itself among them. */
  readonly besides: readonly string[]
}

const usual = ['.pre', 'build', 'test', 'deploy', '.post']

/** `unit 2/3` and `unit: [a, b]` are of the job `unit`. */
export const familyOf = (name: string): string =>
  name.replace(/ \d+\/\d+$/, '').replace(/: \[.*\]$/, '')

const stagesIn = (stages: unknown): readonly string[] =>
  Array.isArray(stages) ? ['.pre', ...stages.map(String), '.post'] : usual

const needsIn = (needs: unknown): readonly string[] | undefined =>
  Array.isArray(needs)
    ? needs.flatMap((one) => textOf(isObject(one) ? one.job : one) ?? [])
    : undefined

const groupIn = (job: unknown): string | undefined =>
  isObject(job) ? textOf(job.resource_group) : undefined

/** What a configuration says of a job; undefined where it has none of that name. */
const configurationIn = (whole: unknown, name: string): JobConfiguration | undefined => {
  const family = familyOf(name)
  if (!isObject(whole)) return undefined
  const job = whole[family]
  if (!isObject(job)) return undefined
  const [needs, group] = [needsIn(job.needs), groupIn(job)]
  return {
    stages: stagesIn(whole.stages),
    needs,
    resourceGroup: group,
    besides:
      group === undefined
        ? []
        : Object.keys(whole).filter((other) => groupIn(whole[other]) === group),
  }
}

/** @throws Failure where it is not shown */
export const configurationOf = async (
  instance: Pick<InstanceService, 'call'>,
  project: string | number,
  name: string,
): Promise<JobConfiguration | undefined> => {
  const { data } = await instance.call(ci.lintHead, { id: project })
  const { parse } = await import('yaml')
  try {
    return configurationIn(parse(data?.merged_yaml ?? ''), name)
  } catch {
    // Tags of its own, or cut: nothing is known of it.
    return undefined
  }
}
