/**
 * Serves the endpoints that read vulnerabilities, create them from findings, and change their states
 * (`catalogue/reference/vulnerabilities.md`).
 */
import { vulnerabilities } from '../../catalogue/areas/vulnerabilities.js'
import { ListedVulnerability, Vulnerability } from '../../catalogue/shapes/vulnerability.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { showDescribedProject, toShape } from '../present/common.js'
import { badRequest, createUnchangedReply, forbidden, notFound } from '../reply.js'
import { resource } from '../resource.js'
import { getRoleLevel } from '../rules/access.js'
import type { FindingRecord, VulnerabilityRecord } from '../state/features.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const showFinding = ({ description: _, ...shown }: FindingRecord) => shown

const requireProject = (call: Call, { project_id }: VulnerabilityRecord): ProjectRecord => {
  const project = call.state.projects.get(project_id)
  if (project === undefined) throw notFound('Vulnerability')
  return project
}

const severities = ['critical', 'high', 'medium', 'low', 'unknown', 'info']

/** Returns the rank of a vulnerability by its severity. The most severe ones sort first. */
const rankSeverity = ({ severity }: VulnerabilityRecord): number => {
  const at = severities.indexOf(severity)
  return at === -1 ? severities.length : at
}

/** The project whose vulnerabilities are listed; all projects if it is absent. */
interface Place {
  readonly project?: ProjectRecord
}

const records = resource({
  table: 'vulnerabilities',
  what: 'Vulnerability',
  parent: (call, { project_id }: { readonly project_id?: string | number }): Place =>
    project_id === undefined
      ? {}
      : { project: call.requireProject(project_id, { role: 'developer' }) },
  holds: ({ project_id }, { project }) => project === undefined || project_id === project.id,
  sees: (call, record) => call.canSeeProject(requireProject(call, record)),
  key: ['id'],
  order: ['asc', (record) => [rankSeverity(record)]],
  refuse: (call, record) => {
    if (call.getProjectLevel(requireProject(call, record)) < getRoleLevel('developer'))
      throw forbidden()
  },
  present: (call, record) => {
    const { id, name, path_with_namespace, name_with_namespace } = requireProject(call, record)
    const project = { id, name, full_path: path_with_namespace, full_name: name_with_namespace }
    return toShape(Vulnerability, record, { project })
  },
  presentListed: (call, record) => {
    const project = requireProject(call, record)
    const finding = call.state.findings.get(record.finding_id)
    return toShape(ListedVulnerability, record, {
      project: showDescribedProject(project),
      project_default_branch: project.default_branch,
      finding: finding && showFinding(finding),
    })
  },
})

type Target = VulnerabilityRecord['state']

/** Changes the state of a vulnerability. It stores the user and the time of this state, and removes those of other states. */
const changeState = (call: Call, v: VulnerabilityRecord, state: Target): void => {
  const now = call.clock.iso()
  const user = call.requireUser().id
  const closed = state === 'closed'
  const resolved = state === 'resolved'
  call.state.vulnerabilities.change(v.id, {
    state,
    updated_at: now,
    updated_by_id: user,
    closed_at: closed ? now : null,
    closed_by_id: closed ? user : null,
    dismissed_at: closed ? now : null,
    dismissed_by_id: closed ? user : null,
    resolved_at: resolved ? now : null,
    resolved_by_id: resolved ? user : null,
  })
}

const createTransition =
  (state: Target) =>
  (call: Call, { id }: { readonly id: number }) => {
    const record = records.managed(call, { id })
    if (record.state === state) return createUnchangedReply()
    changeState(call, record, state)
    return records.present(call, record, {})
  }

const create = (call: Call, project: ProjectRecord, findingId: string) => {
  const source = /^\d+$/.test(findingId) ? call.state.findings.get(Number(findingId)) : undefined
  if (source?.project_id !== project.id || source.vulnerability_id !== null)
    throw badRequest({
      base: ['finding is not found or is already attached to a vulnerability'],
    })
  const now = call.clock.iso()
  const record = call.state.vulnerabilities.add({
    project_id: project.id,
    finding_id: source.id,
    title: source.name,
    description: source.description,
    state: 'detected',
    severity: source.severity,
    confidence: source.confidence,
    report_type: source.report_type,
    author_id: call.requireUser().id,
    updated_by_id: null,
    last_edited_by_id: null,
    closed_by_id: null,
    dismissed_by_id: null,
    resolved_by_id: null,
    start_date: null,
    due_date: null,
    created_at: now,
    updated_at: now,
    last_edited_at: null,
    closed_at: null,
    dismissed_at: null,
    resolved_at: null,
    resolved_on_default_branch: false,
  })
  call.state.findings.change(source.id, { vulnerability_id: record.id, updated_at: now })
  return records.present(call, record, { project })
}

export const served = serve(vulnerabilities, {
  list: (call, { id }) => records.list(call, { project_id: id }),
  create: (call, { id, finding_id }) =>
    create(call, call.requireProject(id, { role: 'developer' }), finding_id),
  get: (call, input) => records.present(call, records.managed(call, input), {}),
  confirm: createTransition('confirmed'),
  resolve: createTransition('resolved'),
  dismiss: createTransition('closed'),
  revert: createTransition('detected'),
})
