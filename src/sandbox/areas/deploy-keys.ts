/**
 * Serves the endpoints of deploy keys. Several projects may use one key, each with its own rights (`catalogue/reference/deploy-keys.md`).
 */

import { readPublicKey } from '../../base/public-key.js'
import { DeployKey, deployKeys, InstanceDeployKey } from '../../catalogue/areas/deploy-keys.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { checkLimits } from '../check.js'
import { getManagedProject, serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { badRequest, createLazyList, notFound } from '../reply.js'
import { resource } from '../resource.js'
import { getRoleLevel } from '../rules/access.js'
import type { DeployKeyRecord } from '../state/features.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const getJoin = (record: DeployKeyRecord, project: ProjectRecord) =>
  record.projects.find((p) => p.project_id === project.id)

const keys = resource({
  table: 'deployKeys',
  what: 'Deploy Key',
  parent: getManagedProject,
  holds: (key, project) => getJoin(key, project) !== undefined,
  key: ['key_id'],
  present: (_, record, project) =>
    toShape(DeployKey, record, { can_push: getJoin(record, project)?.can_push === true }),
  changes: deployKeys.update.params,
  some: true,
  accept: (_, { title, can_push }, project, record) => {
    const projects = record?.projects.map((one) =>
      one.project_id === project.id ? { ...one, can_push: can_push ?? one.can_push } : one,
    )
    return { title, projects }
  },
  remove: ({ state }, record, project) => {
    const projects = record.projects.filter((p) => p.project_id !== project.id)
    if (projects.length === 0) state.deployKeys.remove(record.id)
    else state.deployKeys.change(record.id, { projects })
  },
})

/** Gives a key access to another project. */
const join = (
  call: Call,
  { id, projects }: DeployKeyRecord,
  project: ProjectRecord,
  can_push = false,
) =>
  call.state.deployKeys.change(id, {
    projects: [...projects, { project_id: project.id, can_push }],
    updated_at: call.clock.iso(),
  })

/** True if the acting user maintains one of the projects to which the key has access. */
const canAccess = (call: Call, record: DeployKeyRecord): boolean =>
  record.projects.some(({ project_id }) => {
    const project = call.state.projects.get(project_id)
    return project !== undefined && call.getProjectLevel(project) >= getRoleLevel('maintainer')
  })

/** Checks the size of a key against the instance's minimum for its type, where -1 forbids the type. @throws Refusal 400 */
const checkStrength = (call: Call, family: string, bits: number): void => {
  const name = `${family}_key_restriction`
  const least = Number(call.state.settings.value[name] ?? 0)
  if (least === -1) throw badRequest({ key: ['type is forbidden.'] })
  if (bits < least) throw badRequest({ key: [`must be at least ${least} bits`] })
}

/** Adds a key, or returns its record if it exists already. */
const addKey = (call: Call, input: CheckedOf<(typeof deployKeys)['add']>): DeployKeyRecord => {
  const { title, key, can_push = false } = input
  const project = getManagedProject(call, input)
  const parsed = readPublicKey(key)
  if (parsed === undefined) throw badRequest({ key: ['is invalid'] })
  checkLimits(deployKeys.add.params, input)
  checkStrength(call, parsed.family, parsed.bits)
  const known = call.state.deployKeys.find(
    (record) => readPublicKey(record.key)?.identity === parsed.identity,
  )
  if (known === undefined)
    return call.state.deployKeys.add({
      title,
      key: key.trim(),
      created_at: call.clock.iso(),
      user_id: call.requireUser().id,
      projects: [{ project_id: project.id, can_push }],
    })
  if (getJoin(known, project) !== undefined) return known
  if (!canAccess(call, known))
    throw badRequest({ 'deploy_key.fingerprint': ['has already been taken'] })
  join(call, known, project, can_push)
  return known
}

const enable = (call: Call, input: CheckedOf<(typeof deployKeys)['enable']>) => {
  const project = getManagedProject(call, input)
  const record = call.state.deployKeys.get(input.key_id)
  if (record === undefined || !canAccess(call, record)) throw notFound('Deploy Key')
  if (getJoin(record, project) === undefined) join(call, record, project)
  return keys.get(call, input)
}

export const served = serve(deployKeys, {
  listAll: (call) => {
    call.requireAdmin()
    return createLazyList(call.state.deployKeys.all(), (key) => toShape(InstanceDeployKey, key, {}))
  },
  list: keys.list,
  get: keys.get,
  add: (call, input) => keys.get(call, { ...input, key_id: addKey(call, input).id }),
  update: keys.update,
  delete: keys.delete,
  enable,
})
