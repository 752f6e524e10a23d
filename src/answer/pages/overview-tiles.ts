/** Draws the tiles of the overview: a number for each part, with a verdict. */

import { sumNumbers } from '../../base/collections.js'
import { formatSpan } from '../../base/screen-text.js'
import { formatCount, groupDigits } from '../../base/text.js'
import type { RunnerCounts } from '../../commands/health.js'
import { describeCertificates } from '../../commands/overview-parts.js'
import { expiryLimits, type OverviewRecord } from '../../commands/overview-record.js'
import { emptyText } from '../../output/cell.js'
import type { Markup } from '../../output/html/markup.js'
import { renderTiles, type Tile } from '../../output/html/page-parts.js'

/** The parts of the overview, each with the title of its tile and of its section. */
export const partTitles = {
  runners: ['Runners', 'Runners'],
  jobs: ['Jobs waiting', 'Jobs waiting'],
  certificates: ['Certificates', 'Pages certificates'],
  replication: ['Replication', 'Replication'],
  storages: ['Projects', 'Projects by storage'],
  tokens: ['Tokens', 'Tokens of the profiles'],
} as const
export type PartName = keyof typeof partTitles
export const partNames = Object.keys(partTitles) as readonly PartName[]

const badges = {
  'act now': ['bad', '✗ act now'],
  attention: ['warn', '! attention'],
  fine: ['good', '✓ fine'],
} as const

/** Returns the level of a part's most urgent finding; `fine` if there is none. */
const getLevel = ({ findings }: OverviewRecord, name: PartName): keyof typeof badges =>
  findings.find(({ part }) => part === name)?.level ?? 'fine'

/** A replication site. */
export type Site = NonNullable<OverviewRecord['replication']>[number]

/** Returns the percentage of active runners that are online; undefined if none is active. */
export const getOnlinePercentage = (counts: RunnerCounts): number | undefined => {
  const active = sumNumbers(Object.values(counts)) - counts.paused
  return active === 0 ? undefined : Math.round((100 * counts.online) / active)
}

type TileText = Pick<Tile, 'value' | 'unit' | 'lines' | 'share'>

const describeRunnerTile = ({ runners }: OverviewRecord): TileText | undefined => {
  if (runners === undefined || runners === null) return undefined
  const { by_state: states, total } = runners
  const share = getOnlinePercentage(states)
  const active = total - states.paused
  const others = [
    ...(states.offline > 0 ? [`${states.offline} offline`] : []),
    ...(states.not_connected > 0 ? [`${states.not_connected} not connected`] : []),
    ...(states.paused > 0 ? [`${states.paused} paused`] : []),
  ].join(', ')
  const text = `${groupDigits(states.online)} of ${groupDigits(active)} active`
  return {
    value: share === undefined ? emptyText : `${share} %`,
    unit: 'online',
    lines: [others === '' ? text : `${text}; ${others}`],
    share: share === undefined ? undefined : share / 100,
  }
}

const describeJobTile = ({ jobs }: OverviewRecord): TileText | undefined => {
  if (jobs === undefined || jobs === null) return undefined
  const { waiting, by_project: projects, projects_looked_at: looked, oldest } = jobs
  const waited = oldest?.waited_seconds
  const span =
    waited === undefined || waited === null ? '' : `; the oldest for ${formatSpan(waited)}`
  return {
    value: groupDigits(waiting),
    lines: [
      `in ${groupDigits(Object.keys(projects).length)} of ${groupDigits(looked)} projects${span}`,
    ],
  }
}

const describeCertificateTile = ({ certificates: part }: OverviewRecord): TileText | undefined => {
  if (part === undefined || part === null) return undefined
  const due = Object.entries(part.by_time_left).filter(([name]) => name !== 'later')
  return {
    value: groupDigits(sumNumbers(due.map(([, count]) => count))),
    unit: 'to renew',
    lines: [describeCertificates(part)],
  }
}

export const describeSite = ({ synced_percent: share, lag_seconds: lag, failed }: Site): string =>
  [
    ...(share === undefined ? [] : [`${share.toFixed(1)} %`]),
    ...(lag === undefined ? [] : [`${formatSpan(lag)} behind`]),
    ...(failed === undefined || failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ')

const describeSiteTile = ({ replication }: OverviewRecord): TileText | undefined => {
  if (replication === undefined || replication === null) return undefined
  const healthy = replication.filter((site) => site.healthy === true)
  const others = replication.filter((site) => site.healthy !== true)
  return {
    value: `${healthy.length} of ${replication.length}`,
    unit: 'healthy',
    lines: others.map((site) => `${site.name}: ${describeSite(site)}`),
    share: replication.length === 0 ? undefined : healthy.length / replication.length,
  }
}

const describeStorageTile = ({ storages }: OverviewRecord): TileText | undefined => {
  if (storages === undefined || storages === null) return undefined
  const closed = storages.filter(({ weight }) => weight === 0).map(({ storage }) => storage)
  const text = `on ${formatCount(storages.length, 'storage')}`
  return {
    value: groupDigits(sumNumbers(storages.map(({ projects }) => projects))),
    lines: [closed.length === 0 ? text : `${text}; ${closed.join(', ')} takes no new ones`],
  }
}

const describeTokenTile = ({ tokens }: OverviewRecord): TileText | undefined => {
  if (tokens === undefined || tokens === null) return undefined
  const texts = tokens.flatMap(({ profile, works, left_seconds: left, renews }) => {
    if (works === false) return [`${profile} is invalid`]
    if (left === undefined || renews === true || left > expiryLimits.soon) return []
    return [
      `${profile} ${left < 0 ? 'ended' : 'ends in'} ${formatSpan(left)}${left < 0 ? ' ago' : ''}`,
    ]
  })
  const working = tokens.filter(({ works }) => works === true).length
  return {
    value: `${working} of ${tokens.length}`,
    unit: working === 1 ? 'works' : 'work',
    lines: texts.length === 0 ? [] : [texts.join('; ')],
  }
}

const tileTexts: Readonly<Record<PartName, (record: OverviewRecord) => TileText | undefined>> = {
  runners: describeRunnerTile,
  jobs: describeJobTile,
  certificates: describeCertificateTile,
  replication: describeSiteTile,
  storages: describeStorageTile,
  tokens: describeTokenTile,
}

/** Draws the tiles. @param prefix the beginning of the names of the sections that they link to */
export const drawTiles = (record: OverviewRecord, prefix: string): Markup =>
  renderTiles(
    partNames.flatMap((name): readonly Tile[] => {
      if (record[name] === undefined) return []
      const text = tileTexts[name](record)
      const common = { name: partTitles[name][0], href: `#${prefix}${name}` }
      if (text === undefined)
        return [
          { ...common, value: emptyText, tone: 'quiet', badge: `${emptyText} not read`, lines: [] },
        ]
      const [tone, word] = badges[getLevel(record, name)]
      return [{ ...common, ...text, tone, badge: word }]
    }),
  )
