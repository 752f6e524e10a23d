/** Serves the endpoint that receives alerts from monitoring tools (`catalogue/reference/alerts.md`). */
import { createHash, timingSafeEqual } from 'node:crypto'
import { alertSeverities, alerts } from '../../catalogue/areas/alerts.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { notFound, unauthorized } from '../reply.js'
import type { AlertEndpointRecord, AlertRecord } from '../state/features.js'

type Payload = Readonly<Record<string, unknown>>
type Input = CheckedOf<(typeof alerts)['send']>

/** The parameters that are parts of the URL, not of the payload. */
const fromAddress = ['endpoint_project', 'endpoint_identifier']

/** Returns the key of the request: a Bearer token, or the password of Basic authentication. */
const getSentKey = (call: Call): string => {
  const header = call.sent.headers.authorization
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S+)\s*$/.exec(String(header ?? '')) ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return ''
  const [user, ...key] = Buffer.from(value, 'base64').toString('utf8').split(':')
  return user === '' ? key.join(':') : ''
}

const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest()

const requireEndpoint = (call: Call): AlertEndpointRecord => {
  const { endpoint_project, endpoint_identifier } = call.sent.params
  const project = call.findProject(String(endpoint_project))
  const endpoint = call.state.alertEndpoints.find({
    project_id: project?.id,
    identifier: String(endpoint_identifier),
    active: true,
  })
  if (endpoint === undefined) throw notFound()
  const key = getSentKey(call)
  if (key === '' || !timingSafeEqual(computeDigest(key), computeDigest(endpoint.key)))
    throw unauthorized()
  return endpoint
}

const getPayload = (call: Call): Payload =>
  Object.fromEntries(
    Object.entries(call.sent.params).filter(([name]) => !fromAddress.includes(name)),
  )

const readPath = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Payload)[key] : undefined),
    value,
  )

/** Returns the properties of an alert. If the endpoint maps a property, its value comes from the mapped path in the payload. */
const applyMapping = (endpoint: AlertEndpointRecord, input: Input, payload: Payload): Input => {
  const found = Object.entries(endpoint.mapping).flatMap(([name, path]) => {
    const value = readPath(payload, path)
    return value === undefined || value === null ? [] : [[name, String(value)]]
  })
  return { ...input, ...Object.fromEntries(found) }
}

const getSeverity = (text: string | undefined): string => {
  const known = alertSeverities.find((severity) => severity === text?.toLowerCase())
  return known ?? alerts.send.params.severity.default
}

/** Sorts the keys of all objects, so that equal payloads have equal texts. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, v]) => [key, sortKeys(v)]))
}

const toTexts = (value: string | readonly string[] | undefined): string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : [...value]

/** Returns the fingerprint of an alert: the one that was sent, or a digest of the payload without times and hosts. */
const getFingerprint = (input: Input, payload: Payload): string => {
  const own = toTexts(input.fingerprint)
  const { start_time: _start, end_time: _end, hosts: _hosts, ...rest } = payload
  const material = own.length > 0 ? own.join('\n') : JSON.stringify(sortKeys(rest))
  return createHash('sha1').update(material).digest('hex')
}

const toMoment = (text: string | undefined, call: Call): string =>
  text === undefined || Number.isNaN(Date.parse(text))
    ? call.clock.iso()
    : new Date(text).toISOString()

const createAlert = (
  call: Call,
  endpoint: AlertEndpointRecord,
  input: Input,
  payload: Payload,
): AlertRecord => {
  const now = call.clock.iso()
  const { project_id } = endpoint
  const before = call.state.alerts.filter({ project_id })
  return call.state.alerts.add({
    iid: Math.max(0, ...before.map((a) => a.iid)) + 1,
    project_id,
    endpoint_id: endpoint.id,
    title: input.title,
    description: input.description ?? null,
    severity: getSeverity(input.severity),
    state: 'triggered',
    started_at: toMoment(input.start_time, call),
    ended_at: null,
    service: input.service ?? null,
    monitoring_tool: input.monitoring_tool ?? null,
    hosts: toTexts(input.hosts),
    environment: input.svc_environment_name ?? null,
    fingerprint: getFingerprint(input, payload),
    events: 1,
    payload,
    issue_id: null,
    created_at: now,
    updated_at: now,
  })
}

const resolveAlert = (
  call: Call,
  endpoint: AlertEndpointRecord,
  alert: AlertRecord,
  end: string,
) => {
  const now = call.clock.iso()
  const ended_at = toMoment(end, call)
  call.state.alerts.change(alert.id, { state: 'resolved', ended_at, updated_at: now })
  const incident = endpoint.auto_close_incident ? call.state.issues.get(alert.issue_id) : undefined
  if (incident === undefined || incident.state === 'closed') return
  call.state.issues.change(incident.id, { state: 'closed', closed_at: now, updated_at: now })
}

/** Stores an alert. It adds a new one, counts the repetition of an open one, or resolves an open one that has an end time. */
const storeAlert = (call: Call, endpoint: AlertEndpointRecord, sent: Input): AlertRecord => {
  const payload = getPayload(call)
  const input = applyMapping(endpoint, sent, payload)
  const fingerprint = getFingerprint(input, payload)
  const { project_id } = endpoint
  const open = call.state.alerts.find({ project_id, state: 'triggered', fingerprint })
  const alert = open ?? createAlert(call, endpoint, input, payload)
  if (input.end_time !== undefined && input.end_time !== '')
    resolveAlert(call, endpoint, alert, input.end_time)
  else if (open !== undefined)
    call.state.alerts.change(open.id, { events: open.events + 1, updated_at: call.clock.iso() })
  return alert
}

export const served = serve(alerts, {
  send: (call, input) => {
    const { iid, title } = storeAlert(call, requireEndpoint(call), input)
    return [{ iid, title }]
  },
})
