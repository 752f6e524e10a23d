/** Findings, vulnerabilities in every state, and dependencies of several package managers. */
import type { FindingRecord, VulnerabilityRecord } from '../../state/features.js'
import type { State } from '../../state/state.js'
import { ago } from '../origin.js'

type Weakness = readonly [
  project: number,
  name: string,
  severity: string,
  report: string,
  state: VulnerabilityRecord['state'] | null,
]

/** A state of null leaves the finding without a vulnerability. */
const weaknesses: readonly Weakness[] = [
  [1, 'Password compared in variable time', 'critical', 'sast', 'detected'],
  [1, 'Outdated TLS library', 'high', 'dependency_scanning', 'confirmed'],
  [1, 'Predictable temporary file', 'medium', 'sast', 'resolved'],
  [1, 'Debug output', 'low', 'sast', 'closed'],
  [1, 'Regular expression without bounds', 'medium', 'sast', null],
  [1, 'Open redirect', 'high', 'sast', null],
  [6, 'Script from another origin', 'low', 'sast', 'detected'],
  [2, 'Buffer of fixed size', 'high', 'sast', 'detected'],
]

const finding = (
  index: number,
  [project_id, name, severity, report_type]: Weakness,
): Omit<FindingRecord, 'id'> => {
  const mark = (index + 1).toString(16).padStart(2, '0')
  return {
    project_id,
    vulnerability_id: null,
    name,
    description: null,
    severity,
    confidence: index % 2 === 0 ? 'medium' : 'high',
    report_type,
    location_fingerprint: mark.repeat(20),
    project_fingerprint: `a${mark}`.repeat(13).slice(0, 40),
    metadata_version: '2.0',
    primary_identifier_id: 100 + index,
    scanner_id: 1,
    uuid: `00000000-0000-5000-8000-0000000000${mark}`,
    raw_metadata: JSON.stringify({ category: report_type, name, severity }),
    created_at: ago(100 - index * 3),
    updated_at: ago(90 - index * 3),
  }
}

const by = (test: boolean, id: number): number | null => (test ? id : null)
const at = (test: boolean, days: number): string | null => (test ? ago(days) : null)

const vulnerability = (
  found: FindingRecord,
  state: VulnerabilityRecord['state'],
): Omit<VulnerabilityRecord, 'id'> => ({
  project_id: found.project_id,
  finding_id: found.id,
  title: found.name,
  description: found.description,
  state,
  severity: found.severity,
  confidence: found.confidence,
  report_type: found.report_type,
  author_id: 2,
  updated_by_id: by(state !== 'detected', 3),
  last_edited_by_id: null,
  closed_by_id: by(state === 'closed', 3),
  dismissed_by_id: by(state === 'closed', 3),
  resolved_by_id: by(state === 'resolved', 3),
  start_date: null,
  due_date: null,
  created_at: found.created_at,
  updated_at: found.updated_at,
  last_edited_at: null,
  closed_at: at(state === 'closed', 20),
  dismissed_at: at(state === 'closed', 20),
  resolved_at: at(state === 'resolved', 15),
  resolved_on_default_branch: state === 'resolved',
})

type Dependency = readonly [
  project: number,
  name: string,
  version: string,
  manager: string,
  file: string,
  vulnerabilities?: readonly (readonly [string, string])[],
]

const dependencies: readonly Dependency[] = [
  [1, 'left-pad', '1.3.0', 'npm', 'package-lock.json'],
  [1, 'tls-lite', '0.9.1', 'npm', 'package-lock.json', [['Outdated TLS library', 'high']]],
  [1, 'yaml-reader', '2.0.0', 'yarn', 'tools/yarn.lock', [['Endless loop', 'medium']]],
  [1, 'requests-light', '4.1.2', 'pip', 'scripts/requirements.txt'],
  [7, 'rails-like', '7.0.1', 'bundler', 'Gemfile.lock', [['Mass assignment', 'critical']]],
  [7, 'money-math', '1.0.0', 'bundler', 'Gemfile.lock'],
  [4, 'flag-parser', '0.4.0', 'go', 'go.sum'],
]

export const seedSecurity = (state: State): void => {
  for (const [index, weakness] of weaknesses.entries()) {
    const found = state.findings.add(finding(index, weakness))
    const [, , , , condition] = weakness
    if (condition !== null)
      state.findings.change(found.id, {
        vulnerability_id: state.vulnerabilities.add(vulnerability(found, condition)).id,
      })
  }
  for (const [project_id, name, version, package_manager, file, known = []] of dependencies)
    state.dependencies.add({
      project_id,
      name,
      version,
      package_manager,
      dependency_file_path: file,
      vulnerabilities: known.map(([title, severity]) => ({ name: title, severity })),
    })
}
