/** Replication nodes (`catalogue/reference/geo.md`): administrators, on a primary node. */
import type { geo } from '../../catalogue/areas/geo.js'
import type { CheckedOf, ResultOf } from '../../catalogue/inferred.js'
import {
  blobKinds,
  fileKinds,
  type GeoKind,
  gitKinds,
  registryKinds,
} from '../../catalogue/shapes/geo.js'
import type { Call } from '../call.js'
import { apiRoot } from '../call.js'
import type { Handlers } from '../handlers.js'
import { resource } from '../handlers.js'
import { badRequest, forbidden } from '../reply.js'
import type { GeoNodeRecord } from '../state/features.js'

// The status of a replication node (`catalogue/reference/geo.md`), derived from what was measured.

type Status = ResultOf<typeof geo.status>[number]
type Measured = { readonly count: number; readonly synced: number; readonly failed: number }

const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(2)}%`

const synced = ({ count, synced, failed }: Measured) => ({
  count,
  synced_count: synced,
  failed_count: failed,
  synced_in_percentage: percent(synced, count),
})

const git = (m: Measured) => ({
  ...synced(m),
  checked_count: m.synced,
  checked_in_percentage: percent(m.synced, m.count),
  checksummed_count: m.count,
  checksum_failed_count: 0,
  checksummed_in_percentage: percent(m.count, m.count),
  verified_count: m.synced,
  verification_failed_count: m.failed,
  verified_in_percentage: percent(m.synced, m.count),
  checksum_mismatch_count: 0,
  retrying_verification_count: m.failed,
})

const blobs = (m: Measured) => ({
  ...synced(m),
  checksum_total_count: m.count,
  checksummed_count: m.count,
  checksum_failed_count: 0,
  registry_count: m.synced + m.failed,
  verification_total_count: m.synced,
  verified_count: m.synced,
  verification_failed_count: 0,
  verified_in_percentage: percent(m.synced, m.synced),
})

const nothing: Measured = { count: 0, synced: 0, failed: 0 }

/** The fields of several data kinds, each name with its kind before it. */
const each = (
  node: GeoNodeRecord,
  kinds: readonly GeoKind[],
  fields: (measured: Measured) => Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(fields(node.status.kinds[kind] ?? nothing)).map(([name, value]) => [
        `${kind}_${name}`,
        value,
      ]),
    ),
  )

const counts = (node: GeoNodeRecord): Record<string, unknown> => ({
  ...each(node, fileKinds, (m) => ({ ...synced(m), synced_missing_on_primary_count: 0 })),
  ...each(node, registryKinds, synced),
  ...each(node, gitKinds, git),
  ...each(node, blobKinds, blobs),
})

/** All documented fields, in the order of the documents. */
const getStatus = (call: Call, node: GeoNodeRecord): Status => {
  const { status, oauth_application } = node
  const { version, revision } = call.state.config.value
  const healthy = status.healthy && oauth_application
  const slots = status.replication_slots_count
  return {
    geo_node_id: node.id,
    healthy,
    health: oauth_application
      ? status.health
      : 'This node is missing its OAuth application: repair its authentication.',
    health_status: healthy ? status.health_status : 'Unhealthy',
    missing_oauth_application: !oauth_application,
    db_replication_lag_seconds: status.db_replication_lag_seconds,
    last_event_id: status.last_event_id,
    last_event_timestamp: status.last_event_timestamp,
    cursor_last_event_id: status.cursor_last_event_id,
    cursor_last_event_timestamp: status.cursor_last_event_timestamp,
    last_successful_status_check_timestamp: status.last_successful_status_check_timestamp,
    version,
    revision,
    projects_count: call.state.projects.size,
    replication_slots_count: slots,
    replication_slots_used_count: status.replication_slots_used_count,
    replication_slots_used_in_percentage: percent(status.replication_slots_used_count, slots),
    replication_slots_max_retained_wal_bytes: status.replication_slots_max_retained_wal_bytes,
    ...counts(node),
  } as Status
}

/** What is measured of a node that has not replicated anything yet. */
const unmeasured = (now: Date): GeoNodeRecord['status'] => {
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

type Update = Omit<CheckedOf<(typeof geo)['update']>, 'id'>

const present = (call: Call, node: GeoNodeRecord) => {
  const { oauth_application: _app, status: _status, updated_at: _at, internal_url, ...shown } = node
  const self = `${call.base}${apiRoot}/geo_nodes/${node.id}`
  return {
    ...shown,
    internal_url: internal_url ?? node.url,
    web_edit_url: call.url(`admin/geo/nodes/${node.id}/edit`),
    ...(node.primary
      ? {}
      : { web_geo_projects_url: new URL('admin/geo/replication/projects', node.url).toString() }),
    _links: { self, status: `${self}/status`, repair: `${self}/repair` },
  }
}

/** Changes go to the primary node: this instance is the current one. */
const onPrimary = (call: Call) => {
  const user = call.admin()
  const current = call.state.geoNodes.find((n) => n.current)
  if (current !== undefined && !current.primary)
    throw forbidden('This is only available on a primary node')
  return user
}

const nodes = resource({
  what: 'GeoNode',
  parent: (call, _: object) => call.admin(),
  managed: onPrimary,
  all: ({ state }) => state.geoNodes.all(),
  isNamed: (node, { id }: { readonly id: number }) => node.id === id,
  present,
  remove: ({ state }, { id }) => state.geoNodes.remove(id),
})

/** URLs end with a slash, as instances store them. */
const address = (name: string, text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw badRequest({ [name]: ['is blocked: Only allowed schemes are http, https'] })
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

/** Name and URL are unique, and one node at most is primary. */
const checkOthers = (call: Call, node: Partial<GeoNodeRecord>, id?: number): void => {
  for (const other of call.state.geoNodes.filter((n) => n.id !== id)) {
    if (other.name === node.name) throw badRequest({ name: ['has already been taken'] })
    if (other.url === node.url) throw badRequest({ url: ['has already been taken'] })
    if (node.primary === true && other.primary)
      throw badRequest({ primary: ['node already exists'] })
  }
  if (node.name?.trim() === '') throw badRequest({ name: ["can't be blank"] })
}

const capacities = [
  'files_max_capacity',
  'repos_max_capacity',
  'verification_max_capacity',
  'container_repositories_max_capacity',
] as const

const checkNumbers = (input: Partial<Update>): void => {
  for (const name of capacities)
    if ((input[name] ?? 0) < 0) throw badRequest({ [name]: ['must be greater than or equal to 0'] })
  const interval = input.minimum_reverification_interval
  if (interval !== undefined && interval < 1)
    throw badRequest({ minimum_reverification_interval: ['must be greater than or equal to 1'] })
}

/** What was given, in the form in which it is kept. */
const attributes = (input: Partial<Update>): Partial<GeoNodeRecord> => {
  const { internal_url, selective_sync_shards, selective_sync_namespace_ids, ...plain } = input
  return {
    ...plain,
    ...(input.url === undefined ? {} : { url: address('url', input.url) }),
    ...(internal_url === undefined
      ? {}
      : { internal_url: internal_url === '' ? null : address('internal_url', internal_url) }),
    ...(selective_sync_shards === undefined
      ? {}
      : { selective_sync_shards: [...selective_sync_shards] }),
    ...(selective_sync_namespace_ids === undefined
      ? {}
      : { selective_sync_namespace_ids: [...selective_sync_namespace_ids] }),
  }
}

/** What has a default, and is never missing. */
const standingOf = (input: CheckedOf<(typeof geo)['create']>) => ({
  primary: input.primary,
  enabled: input.enabled,
  files_max_capacity: input.files_max_capacity,
  repos_max_capacity: input.repos_max_capacity,
  verification_max_capacity: input.verification_max_capacity,
  container_repositories_max_capacity: input.container_repositories_max_capacity,
  sync_object_storage: input.sync_object_storage,
})

const create = (call: Call, input: CheckedOf<(typeof geo)['create']>) => {
  onPrimary(call)
  checkNumbers(input)
  const given = attributes(input)
  checkOthers(call, given)
  if (given.primary === true && given.enabled === false)
    throw badRequest({ enabled: ['primary node cannot be disabled'] })
  const node = call.state.geoNodes.add({
    name: input.name,
    url: address('url', input.url),
    internal_url: null,
    current: false,
    selective_sync_type: null,
    selective_sync_shards: [],
    selective_sync_namespace_ids: [],
    minimum_reverification_interval: 7,
    clone_protocol: 'http',
    oauth_application: true,
    status: unmeasured(call.clock.now()),
    ...given,
    ...standingOf(input),
    updated_at: call.clock.iso(),
  })
  return present(call, node)
}

const update = (call: Call, { id, ...input }: CheckedOf<(typeof geo)['update']>) => {
  const node = nodes.managed(call, { id })
  checkNumbers(input)
  const given = attributes(input)
  checkOthers(call, given, id)
  if ((given.primary ?? node.primary) && given.enabled === false)
    throw badRequest({ enabled: ['primary node cannot be disabled'] })
  call.state.geoNodes.change(id, { ...given, updated_at: call.clock.iso() })
  return present(call, node)
}

export const handlers: Handlers<typeof geo> = {
  create,
  list: nodes.list,
  get: nodes.get,
  update,
  delete: nodes.delete,
  repair: (call, input) => {
    const node = nodes.managed(call, input)
    call.state.geoNodes.change(node.id, { oauth_application: true, updated_at: call.clock.iso() })
    return present(call, node)
  },
  status: (call) => {
    call.admin()
    return call.state.geoNodes.all().map((node) => getStatus(call, node))
  },
}
