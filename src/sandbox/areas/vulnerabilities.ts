/** Serves the endpoints that create vulnerabilities from findings and change their states (`catalogue/reference/vulnerabilities.md`). */
import { vulnerabilities } from '../../catalogue/areas/vulnerabilities.js'
import { ListedVulnerability, Vulnerability } from '../../catalogue/shapes/vulnerability.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { showDescribedProject, toShape } from '../present/common.js'
import { badRequest, createLazyList, createUnchangedReply, forbidden, notFound } from '../reply.js'
import { getRoleLevel } from '../rules/access.js'
import type { FindingRecord, VulnerabilityRecord } from '../state/features.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const showSingle = (v: VulnerabilityRecord, project: ProjectRecord) =>
  toShape(Vulnerability, v, {
    project: {
      id: project.id,
      name: project.name,
      full_path: project.path_with_namespace,
      full_name: project.name_with_namespace,
    },
  })

const showFinding = ({ description: _, ...shown }: FindingRecord) => shown

const createListed = (call: Call, project: ProjectRecord) => (v: VulnerabilityRecord) => {
  const record = call.state.findings.get(v.finding_id)
  return toShape(ListedVulnerability, v, {
    project: showDescribedProject(project),
    project_default_branch: project.default_branch,
    finding: record && showFinding(record),
  })
}

/** Finds a vulnerability and its project. @throws Refusal if the acting user may not use the project's security dashboard */
const findVisible = (call: Call, id: number) => {
  const record = call.state.vulnerabilities.get(id)
  const project = call.state.projects.get(record?.project_id)
  if (record === undefined || project === undefined || !call.canSeeProject(project))
    throw notFound('Vulnerability')
  if (call.getProjectLevel(project) < getRoleLevel('developer')) throw forbidden()
  return { record, project }
}

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
    const { record, project } = findVisible(call, id)
    if (record.state === state) return createUnchangedReply()
    changeState(call, record, state)
    return showSingle(record, project)
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
  return showSingle(record, project)
}

const severities = ['critical', 'high', 'medium', 'low', 'unknown', 'info']

/** Returns the rank of a vulnerability by its severity. The most severe ones sort first. */
const rankSeverity = ({ severity }: VulnerabilityRecord): number => {
  const at = severities.indexOf(severity)
  return at === -1 ? severities.length : at
}

export const served = serve(vulnerabilities, {
  list: (call, { id }) => {
    const project = call.requireProject(id, { role: 'developer' })
    const rows = call.state.vulnerabilities.filter((v) => v.project_id === project.id)
    rows.sort((a, b) => rankSeverity(a) - rankSeverity(b) || a.id - b.id)
    return createLazyList(rows, createListed(call, project))
  },
  create: (call, { id, finding_id }) =>
    create(call, call.requireProject(id, { role: 'developer' }), finding_id),
  get: (call, { id }) => {
    const { record, project } = findVisible(call, id)
    return showSingle(record, project)
  },
  confirm: createTransition('confirmed'),
  resolve: createTransition('resolved'),
  dismiss: createTransition('closed'),
  revert: createTransition('detected'),
})
