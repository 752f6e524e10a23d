/** Integrations of a project, under both spellings of the path. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { integrationParameters } from '../integration-families.js'
import { project, string } from '../params.js'
import { Bool, Int, maybe, Obj, Str, Timestamp, Union, Unknown } from '../shapes/common.js'

/** Instances spell these flags as `true`, `"true"`, `"1"` or `1`. */
const Flag = Union([Bool(), Str(), Int()])

const listed = {
  id: Int(),
  title: Str(),
  slug: Str(),
  created_at: Timestamp,
  updated_at: Timestamp,
  active: Flag,
  commit_events: Flag,
  push_events: Flag,
  issues_events: Flag,
  confidential_issues_events: Flag,
  merge_requests_events: Flag,
  tag_push_events: Flag,
  note_events: Flag,
  confidential_note_events: Flag,
  pipeline_events: Flag,
  wiki_page_events: Flag,
  job_events: Flag,
  comment_on_event_enabled: Flag,
}

export const IntegrationSummary = Obj(listed, { title: 'Integration summary' })
/** What create, edit and get answer with is not documented; instances add the properties. */
const Integration = Obj({ ...listed, properties: maybe(Unknown()) }, { title: 'Integration' })

const slug = string('integration slug', { completes: 'integration' })
const ofProject = { id: project() } as const
const ofSlug = { id: project(), slug } as const
const columns = ['slug', 'id', 'title', 'active', 'updated_at'] as const
const access = 'Maintainers and Owners of the project'
const legacy = {
  flag: 'legacy-path',
  help: 'use the path /services (service versions before 14.4)',
} as const
const legacyNote = 'The alias /services is for service versions before 14.4.'

const listing = {
  summary: 'List the active integrations of a project',
  command: 'list',
  path: ofProject,
  params: {},
  columns,
  lists: 'integration',
  access,
} as const
const reading = {
  summary: 'Show the settings of an integration',
  command: 'get',
  args: ['slug'],
  path: ofSlug,
  params: {},
  access,
} as const
const writing = {
  summary: 'Enable or change an integration',
  command: 'update',
  selects: { list: 'integrations list' },
  changes: true,
  brings: true,
  args: ['slug'],
  path: ofSlug,
  params: integrationParameters,
  echo: 'properties',
  access,
  notes: [
    'The accepted and required parameters depend on the integration’s family.',
    'For an integration of another family, set its parameters with --param.',
  ],
} as const
const deleting = {
  summary: 'Delete an integration',
  command: 'delete',
  selects: { list: 'integrations list' },
  args: ['slug'],
  path: ofSlug,
  params: {},
  access,
  done: 'deleted',
  irreversible: 'the instance never shows its secrets, so they cannot be recorded',
  destructive: 'The integration is disabled and its settings are deleted.',
} as const

export const integrations = {
  list: endpoint('GET /projects/:id/integrations', many(IntegrationSummary), listing),
  get: endpoint('GET /projects/:id/integrations/:slug', one(Integration), reading),
  update: endpoint('PUT /projects/:id/integrations/:slug', one(Integration), {
    ...writing,
    inverse: 'delete',
  }),
  delete: endpoint('DELETE /projects/:id/integrations/:slug', empty, deleting),
  listServices: endpoint('GET /projects/:id/services', many(IntegrationSummary), {
    ...listing,
    when: legacy,
    successor: 'Newer instances have /integrations: omit --legacy-path',
    notes: [legacyNote],
  }),
  getService: endpoint('GET /projects/:id/services/:slug', one(Integration), {
    ...reading,
    when: legacy,
    successor: 'Newer instances have /integrations: omit --legacy-path',
    notes: [legacyNote],
  }),
  updateService: endpoint('PUT /projects/:id/services/:slug', one(Integration), {
    ...writing,
    inverse: 'deleteService',
    when: legacy,
    successor: 'Newer instances have /integrations: omit --legacy-path',
    notes: [...writing.notes, legacyNote],
  }),
  deleteService: endpoint('DELETE /projects/:id/services/:slug', empty, {
    ...deleting,
    when: legacy,
    successor: 'Newer instances have /integrations: omit --legacy-path',
    notes: [legacyNote],
  }),
} as const
