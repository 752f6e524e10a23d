/** Replication, site by site: whether it is well, how far behind, how much of its data is there. */
import { geo } from '../../catalogue/areas/geo.js'
import type { InstanceService } from '../../engine/command/services.js'
import { getReplicationKinds, percent, toFiniteNumber } from '../geo.js'

/** A kind of data on a site. */
interface SyncedKind {
  readonly kind: string
  readonly percent: number
}

export interface GeoSite {
  readonly id: number
  readonly name: string
  /** Undefined where the instance does not say. */
  readonly primary?: boolean
  readonly enabled?: boolean
  readonly healthy?: boolean
  readonly health: string
  readonly lag_seconds?: number
  /** Of everything that is counted, in percent. */
  readonly synced_percent?: number
  /** The kind of which the least is there. */
  readonly least?: SyncedKind
  readonly failed?: number
}

interface Counted {
  readonly count: number
  readonly synced: number
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

const defined = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])

type Status = Readonly<Record<string, unknown>>

/** The share of a site's data that is there, over all kinds, and of the kind that has the least. */
const sharesOf = (status: Status): Pick<GeoSite, 'synced_percent' | 'least' | 'failed'> => {
  // Of what there is nothing of, nothing is missing.
  const kinds = getReplicationKinds(status).filter((kind) => status[`${kind}_count`] !== 0)
  const counted = kinds.flatMap((kind): readonly Counted[] => {
    const count = toFiniteNumber(status[`${kind}_count`])
    const synced = toFiniteNumber(status[`${kind}_synced_count`])
    return count === undefined || synced === undefined ? [] : [{ count, synced }]
  })
  const failed = kinds.flatMap((kind) => defined(toFiniteNumber(status[`${kind}_failed_count`])))
  const [least] = kinds
    .flatMap((kind) => defined(percent(status, kind)).map((share) => ({ kind, percent: share })))
    .toSorted((a, b) => a.percent - b.percent)
  const all = sum(counted.map(({ count }) => count))
  return {
    ...(all === 0
      ? {}
      : { synced_percent: (100 * sum(counted.map(({ synced }) => synced))) / all }),
    least: least && { ...least, kind: least.kind.replaceAll('_', ' ') },
    ...(failed.length === 0 ? {} : { failed: sum(failed) }),
  }
}

const siteOf = (id: number, node: Status | undefined, status: Status | undefined): GeoSite => {
  const { healthy, health, health_status, db_replication_lag_seconds: lag } = status ?? {}
  const told = [health, health_status].find((text) => typeof text === 'string' && text !== '')
  return {
    id,
    name: typeof node?.name === 'string' && node.name !== '' ? node.name : `node ${id}`,
    ...(typeof node?.primary === 'boolean' ? { primary: node.primary } : {}),
    ...(typeof node?.enabled === 'boolean' ? { enabled: node.enabled } : {}),
    ...(typeof healthy === 'boolean' ? { healthy } : {}),
    health: typeof told === 'string' ? told : 'unknown',
    ...(typeof lag === 'number' ? { lag_seconds: lag } : {}),
    ...(status && sharesOf(status)),
  }
}

/**
 * All sites, the primary one first; one without a status stands there as one whose health is not told.
 * @throws Failure as the instance refuses
 */
export const readSites = async (
  instance: Pick<InstanceService, 'records'>,
): Promise<readonly GeoSite[]> => {
  const [nodes, statuses] = await Promise.all([
    instance.records(geo.list, {}),
    instance.records(geo.status, {}),
  ])
  const ids = new Set([...nodes.map(({ id }) => id), ...statuses.map((s) => s.geo_node_id)])
  return [...ids]
    .flatMap((id) => (typeof id === 'number' ? [id] : []))
    .map((id) =>
      siteOf(
        id,
        nodes.find((node) => node.id === id),
        statuses.find((status) => status.geo_node_id === id),
      ),
    )
    .toSorted((a, b) => Number(b.primary === true) - Number(a.primary === true) || a.id - b.id)
}
