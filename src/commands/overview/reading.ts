/** All parts of the overview, asked side by side: what one of them cannot be read ends none of the others. */
import { projects } from '../../catalogue/areas/projects.js'
import { type Failure, survived } from '../../errors.js'
import { isUnoffered, whyUnread } from '../glance/unread.js'
import type { Services } from '../services.js'
import { untold } from './parts/index.js'
import type { OverviewPart, OverviewProject, OverviewSources, ReadPart } from './types.js'

/** What became of a part. */
export interface PartAnswer {
  readonly part: OverviewPart
  readonly read?: ReadPart
  readonly failure?: Failure
  /** Why it is not there. */
  readonly why?: string
  /** False where the instance itself has no such thing. */
  readonly offered: boolean
}

export interface Overview {
  readonly address: string
  readonly at: string
  readonly answers: readonly PartAnswer[]
}

const sourcesOf = (services: Services): OverviewSources => {
  let all: Promise<readonly OverviewProject[]> | undefined
  return {
    ...services,
    projects: () => {
      all ??= services.instance.records(projects.list, {})
      return all
    },
  }
}

const answerOf = async (part: OverviewPart, sources: OverviewSources): Promise<PartAnswer> => {
  try {
    return { part, read: await part.read(sources), offered: true }
  } catch (error) {
    const failure = survived(error)
    if (failure.category === 'usage') throw failure
    return { part, failure, why: whyUnread(failure), offered: !isUnoffered(failure) }
  }
}

/**
 * Reads parts of the overview.
 * @throws Failure where the instance could not be asked for a single one
 */
export const overviewOf = async (
  services: Services,
  parts: readonly OverviewPart[],
): Promise<Overview> => {
  const { baseUrl } = await services.place.session()
  const sources = sourcesOf(services)
  const answers = await Promise.all(parts.map((part) => answerOf(part, sources)))
  const [failed] = answers.flatMap(({ failure }) => failure ?? [])
  // What the profiles say does not make up for an instance that says nothing.
  const told = answers.some(({ part, read }) => part.own !== true && read !== undefined)
  if (failed !== undefined && !told) throw failed
  return { address: baseUrl, at: services.place.clock.now().toISOString(), answers }
}

/** Whether all of it was read that the instance has. */
export const isWhole = ({ answers }: Overview): boolean =>
  answers.every(({ read, offered }) => !offered || (read !== undefined && read.incomplete !== true))

/** The overview as one object. */
export const recordOf = ({ address, at, answers }: Overview) => ({
  address,
  at,
  ...Object.fromEntries(answers.map(({ part, read }) => [part.name, read?.value ?? null])),
  unread: answers.flatMap(({ part, failure, why, offered, read }): readonly object[] => {
    if (failure === undefined)
      return read?.missing === undefined ? [] : [{ part: part.name, why: read.missing, offered }]
    const { category, status } = failure
    return [
      { part: part.name, why, offered, category, ...(status === undefined ? {} : { status }) },
    ]
  }),
  not_in_the_api: untold,
})

/** The overview as rows. */
export const rowsOf = ({ answers }: Overview) =>
  answers.flatMap(({ part, read, why }) => {
    const missing = why ?? read?.missing
    return [
      ...(read?.rows ?? []).map(({ item, value, state = '' }) => ({
        part: part.name,
        item,
        value,
        state,
      })),
      ...(missing === undefined
        ? []
        : [{ part: part.name, item: '', value: missing, state: 'unread' }]),
    ]
  })
