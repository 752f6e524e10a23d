/** Serves the settings of error tracking and the keys of its clients (`catalogue/reference/error-tracking.md`). */
import {
  ClientKey,
  ErrorTrackingSettings,
  errorTracking,
} from '../../catalogue/areas/error-tracking.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import { apiRoot, type Call } from '../call.js'
import { getManagedProject, serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { notFound } from '../reply.js'
import { resource } from '../resource.js'
import type { ClientKeyRecord, ErrorTrackingRecord } from '../state/features.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const showSettings = (record: ErrorTrackingRecord) => toShape(ErrorTrackingSettings, record, {})

/** Returns the URL to which clients send errors. It contains the key. */
const buildDsn = (call: Call, { public_key, project_id }: ClientKeyRecord): string => {
  const address = new URL(`${apiRoot}/error_tracking/collector/${project_id}`, call.base)
  address.username = public_key
  return address.toString()
}

const keys = resource({
  table: 'clientKeys',
  what: 'Client Key',
  parent: getManagedProject,
  key: ['key_id'],
  present: (call, key) => toShape(ClientKey, key, { errsvc_dsn: buildDsn(call, key) }),
  defaults: (call, { id }) => ({
    project_id: id,
    active: true,
    public_key: `key_${call.clock.createSecret(16, 'hex')}`,
    created_at: call.clock.iso(),
  }),
})

const findSettings = (call: Call, project: ProjectRecord): ErrorTrackingRecord | undefined =>
  call.state.errorTracking.find({ project_id: project.id })

/** Enables or disables error tracking. A project must have a configuration, unless it uses the integrated backend. */
const update = (call: Call, input: CheckedOf<(typeof errorTracking)['update']>) => {
  const project = getManagedProject(call, input)
  const { active, integrated } = input
  const known = findSettings(call, project)
  if (known === undefined && integrated !== true) throw notFound('Error Tracking Setting')
  const record =
    known ??
    call.state.errorTracking.add({
      project_id: project.id,
      active,
      project_name: project.name,
      errsvc_external_url: '',
      api_url: '',
      integrated: true,
    })
  call.state.errorTracking.change(record.id, { active, integrated })
  return showSettings(record)
}

export const served = serve(errorTracking, {
  get: (call, input) => {
    const record = findSettings(call, getManagedProject(call, input))
    if (record === undefined) throw notFound('Error Tracking Setting')
    return showSettings(record)
  },
  update,
  keysList: keys.list,
  keysCreate: keys.create,
  keysDelete: keys.delete,
})
