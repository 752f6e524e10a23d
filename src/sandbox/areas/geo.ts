/** Serves the endpoints of Geo nodes, for administrators on a primary node (`catalogue/reference/geo.md`). */
import { blobKinds, GeoNode, GeoNodeStatus, geo, geoKinds } from '../../catalogue/areas/geo.js'
import type { ResultOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { apiRoot, revision } from '../call.js'
import { serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { badRequest, forbidden } from '../reply.js'
import { resource } from '../resource.js'
import type { GeoNodeRecord } from '../state/features.js'

// The status of a node, computed from its measured values.

type Status = ResultOf<typeof geo.status>[number]
type SyncCounts = { readonly count: number; readonly synced: number; readonly failed: number }
type Measure = (measured: SyncCounts) => number | string

const formatPercent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(2)}%`

/** The functions that compute the fields of a kind of data, by the end of the field's name. */
const measures: Readonly<Record<string, Measure>> = {
  count: ({ count }) => count,
  synced_count: ({ synced }) => synced,
  failed_count: ({ failed }) => failed,
  synced_in_percentage: ({ synced, count }) => formatPercent(synced, count),
  synced_missing_on_primary_count: () => 0,
  checked_count: ({ synced }) => synced,
  checked_in_percentage: ({ synced, count }) => formatPercent(synced, count),
  checksum_total_count: ({ count }) => count,
  checksummed_count: ({ count }) => count,
  checksum_failed_count: () => 0,
  checksummed_in_percentage: ({ count }) => formatPercent(count, count),
  registry_count: ({ synced, failed }) => synced + failed,
  verification_total_count: ({ synced }) => synced,
  verified_count: ({ synced }) => synced,
  verification_failed_count: ({ failed }) => failed,
  verified_in_percentage: ({ synced, count }) => formatPercent(synced, count),
  checksum_mismatch_count: () => 0,
  retrying_verification_count: ({ failed }) => failed,
}
/** The functions for kinds of data of the newer replication framework, which verifies exactly what it has copied. */
const measuresOfBlobs: typeof measures = {
  ...measures,
  verification_failed_count: () => 0,
  verified_in_percentage: ({ synced }) => formatPercent(synced, synced),
}

const nothing: SyncCounts = { count: 0, synced: 0, failed: 0 }

/** Computes a field of a status whose name begins with a kind of data; undefined for other fields. */
const measureField = ({ status }: GeoNodeRecord, field: string): number | string | undefined => {
  const kind = geoKinds.find((name) => field.startsWith(`${name}_`))
  if (kind === undefined) return undefined
  const table = blobKinds.some((name) => name === kind) ? measuresOfBlobs : measures
  return table[field.slice(kind.length + 1)]?.(status.kinds[kind] ?? nothing)
}

const getStatus = (call: Call, node: GeoNodeRecord) => {
  const { status, oauth_application } = node
  const healthy = status.healthy && oauth_application
  const slots = status.replication_slots_count
  const counts: Record<string, unknown> = {}
  for (const field of Object.keys(GeoNodeStatus.properties))
    counts[field] = measureField(node, field)
  return toShape(
    GeoNodeStatus,
    { ...(counts as Status), ...status },
    {
      geo_node_id: node.id,
      healthy,
      health: oauth_application
        ? status.health
        : 'This node is missing its OAuth application: repair its authentication.',
      health_status: healthy ? status.health_status : 'Unhealthy',
      missing_oauth_application: !oauth_application,
      version: call.version,
      revision,
      projects_count: call.state.projects.size,
      replication_slots_used_in_percentage: formatPercent(
        status.replication_slots_used_count,
        slots,
      ),
    },
  )
}

/** Creates the measured values of a node that has not replicated anything yet. */
const createUnmeasured = (now: Date): GeoNodeRecord['status'] => {
  const seconds = Math.floor(now.getTime() / 1000)
  return {
    healthy: true,
    health: 'Healthy',
    health_status: 'Healthy',
    db_replication_lag_seconds: null,
    last_event_id: 0,
    last_event_timestamp: seconds,
    cursor_last_event_id: 0,
    cursor_last_event_timestamp: seconds,
    last_successful_status_check_timestamp: seconds,
    replication_slots_count: 0,
    replication_slots_used_count: 0,
    replication_slots_max_retained_wal_bytes: null,
    kinds: {},
  }
}

const showNode = (call: Call, node: GeoNodeRecord) => {
  const self = `${call.base}${apiRoot}/geo_nodes/${node.id}`
  return toShape(GeoNode, node, {
    internal_url: node.internal_url ?? node.url,
    web_edit_url: call.getWebUrl(`admin/geo/nodes/${node.id}/edit`),
    web_geo_projects_url: node.primary
      ? undefined
      : new URL('admin/geo/replication/projects', node.url).toString(),
    _links: { self, status: `${self}/status`, repair: `${self}/repair` },
  })
}

/** Returns the acting administrator. @throws Refusal if this instance is not the primary node */
const requirePrimary = (call: Call) => {
  const user = call.requireAdmin()
  const current = call.state.geoNodes.find((n) => n.current)
  if (current !== undefined && !current.primary)
    throw forbidden('This is only available on a primary node')
  return user
}

/** Checks a URL, and adds the slash at its end with which instances store it. @throws Refusal 400 */
const checkAddress = (name: string, text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw badRequest({ [name]: ['is blocked: Only allowed schemes are http, https'] })
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

/** Checks a node against the others. @throws Refusal 400 if its name or URL is taken, or if it is a second primary node */
const checkOthers = (call: Call, node: Partial<GeoNodeRecord>, id?: number): void => {
  for (const other of call.state.geoNodes.filter((n) => n.id !== id)) {
    if (other.name === node.name) throw badRequest({ name: ['has already been taken'] })
    if (other.url === node.url) throw badRequest({ url: ['has already been taken'] })
    if (node.primary === true && other.primary)
      throw badRequest({ primary: ['node already exists'] })
  }
}

const checkNode = (call: Call, given: Partial<GeoNodeRecord>, node?: GeoNodeRecord): void => {
  checkOthers(call, given, node?.id)
  if ((given.primary ?? node?.primary) === true && given.enabled === false)
    throw badRequest({ enabled: ['primary node cannot be disabled'] })
}

const nodes = resource({
  table: 'geoNodes',
  what: 'GeoNode',
  parent: (call, _: object) => call.requireAdmin(),
  managed: requirePrimary,
  holds: () => true,
  key: ['id'],
  present: showNode,
  attributes: geo.create.params,
  changes: geo.update.params,
  accept: (call, { url, internal_url: inner, ...plain }, _, node) => {
    const given: Partial<GeoNodeRecord> = {
      ...plain,
      url: url && checkAddress('url', url),
      internal_url: inner === '' ? null : inner && checkAddress('internal_url', inner),
    }
    checkNode(call, given, node)
    return given
  },
  defaults: (call) => ({
    internal_url: null,
    current: false,
    selective_sync_type: null,
    selective_sync_shards: [],
    selective_sync_namespace_ids: [],
    minimum_reverification_interval: 7,
    clone_protocol: 'http',
    oauth_application: true,
    status: createUnmeasured(call.clock.now()),
    updated_at: call.clock.iso(),
  }),
})

export const served = serve(geo, {
  create: nodes.create,
  list: nodes.list,
  get: nodes.get,
  update: nodes.update,
  delete: nodes.delete,
  repair: (call, input) => {
    const node = nodes.managed(call, input)
    call.state.geoNodes.change(node.id, { oauth_application: true, updated_at: call.clock.iso() })
    return showNode(call, node)
  },
  status: (call) => {
    call.requireAdmin()
    return call.state.geoNodes.all().map((node) => getStatus(call, node))
  },
})
