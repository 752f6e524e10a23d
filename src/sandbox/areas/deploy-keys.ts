/** Deploy keys (`catalogue/reference/deploy-keys.md`): one key may open several projects, each with its own rights. */

import { readPublicKey } from '../../base/public-key.js'
import { DeployKey, type deployKeys, InstanceDeployKey } from '../../catalogue/areas/deploy-keys.js'
import type { CheckedOf } from '../../catalogue/inferred.js'
import type { Call } from '../call.js'
import type { Handlers } from '../handlers.js'
import { presentAs } from '../present/shape.js'
import { badRequest, invalid, lazily, notFound } from '../reply.js'
import { getRoleLevel } from '../rules/people/access.js'
import type { DeployKeyRecord } from '../state/features.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const ofInstance = (record: DeployKeyRecord) => presentAs(InstanceDeployKey, record, {})

const joinOf = (record: DeployKeyRecord, project: ProjectRecord) =>
  record.projects.find((p) => p.project_id === project.id)

const ofProject = (project: ProjectRecord) => (record: DeployKeyRecord) =>
  presentAs(DeployKey, record, { can_push: joinOf(record, project)?.can_push === true })

const managed = (call: Call, id: string | number): ProjectRecord =>
  call.project(id, { role: 'maintainer' })

/** Opens another project with a key. */
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

/** Whether the acting user maintains a project that the key opens already. */
const accessible = (call: Call, record: DeployKeyRecord): boolean =>
  record.projects.some(({ project_id }) => {
    const project = call.state.projects.get(project_id)
    return project !== undefined && call.projectLevel(project) >= getRoleLevel('maintainer')
  })

const joined = (call: Call, project: ProjectRecord, id: number): DeployKeyRecord => {
  const record = call.state.deployKeys.get(id)
  if (record === undefined || joinOf(record, project) === undefined) throw notFound('Deploy Key')
  return record
}

/** The instance's least size of a kind of key: -1 forbids it. */
const checkStrength = (call: Call, family: string, bits: number): void => {
  const name = `${family}_key_restriction`
  const least = Number(call.state.settings.value[name] ?? 0)
  if (least === -1) throw badRequest({ key: ['type is forbidden.'] })
  if (bits < least) throw badRequest({ key: [`must be at least ${least} bits`] })
}

const checkTitle = (title: string | undefined): void => {
  if (title !== undefined && title.trim() === '') throw badRequest({ title: ["can't be blank"] })
  if ((title?.length ?? 0) > 255)
    throw badRequest({ title: ['is too long (maximum is 255 characters)'] })
}

const add = (
  call: Call,
  { id, title, key, can_push = false }: CheckedOf<(typeof deployKeys)['add']>,
) => {
  const project = managed(call, id)
  const present = ofProject(project)
  const parsed = readPublicKey(key)
  if (parsed === undefined) throw badRequest({ key: ['is invalid'] })
  checkTitle(title)
  checkStrength(call, parsed.family, parsed.bits)
  const known = call.state.deployKeys.find(
    (record) => readPublicKey(record.key)?.identity === parsed.identity,
  )
  if (known === undefined)
    return present(
      call.state.deployKeys.add({
        title,
        key: key.trim(),
        created_at: call.clock.iso(),
        user_id: call.signedIn().id,
        projects: [{ project_id: project.id, can_push }],
      }),
    )
  if (joinOf(known, project) !== undefined) return present(known)
  if (!accessible(call, known))
    throw badRequest({ 'deploy_key.fingerprint': ['has already been taken'] })
  join(call, known, project, can_push)
  return present(known)
}

const update = (call: Call, input: CheckedOf<(typeof deployKeys)['update']>) => {
  const project = managed(call, input.id)
  const record = joined(call, project, input.key_id)
  if (input.title === undefined && input.can_push === undefined)
    throw invalid('title, can_push are missing, at least one parameter must be provided')
  checkTitle(input.title)
  call.state.deployKeys.change(record.id, {
    title: input.title,
    projects: record.projects.map((one) =>
      one.project_id === project.id ? { ...one, can_push: input.can_push ?? one.can_push } : one,
    ),
    updated_at: call.clock.iso(),
  })
  return ofProject(project)(record)
}

const remove = (call: Call, project: ProjectRecord, id: number): void => {
  const record = joined(call, project, id)
  call.unmodified(record)
  const projects = record.projects.filter((p) => p.project_id !== project.id)
  if (projects.length === 0) call.state.deployKeys.remove(id)
  else call.state.deployKeys.change(id, { projects })
}

const enable = (call: Call, project: ProjectRecord, id: number): DeployKeyRecord => {
  const record = call.state.deployKeys.get(id)
  if (record === undefined || !accessible(call, record)) throw notFound('Deploy Key')
  if (joinOf(record, project) !== undefined) return record
  join(call, record, project)
  return record
}

export const handlers: Handlers<typeof deployKeys> = {
  listAll: (call) => {
    call.admin()
    return lazily(call.state.deployKeys.all(), ofInstance)
  },
  list: (call, { id }) => {
    const project = managed(call, id)
    const keys = call.state.deployKeys.filter((key) => joinOf(key, project) !== undefined)
    return lazily(keys, ofProject(project))
  },
  get: (call, { id, key_id }) => {
    const project = managed(call, id)
    return ofProject(project)(joined(call, project, key_id))
  },
  add,
  update,
  delete: (call, { id, key_id }) => {
    remove(call, managed(call, id), key_id)
    return undefined
  },
  enable: (call, { id, key_id }) => {
    const project = managed(call, id)
    return ofProject(project)(enable(call, project, key_id))
  },
}
