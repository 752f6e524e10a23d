/**
 * Declares the endpoints of a project's integrations, under both spellings of the path, and the parameters of each family of integrations.
 */
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, oneOf, type Params, project, string } from '../params.js'
import { Bool, Int, maybe, Obj, Str, Timestamp, Union, Unknown } from '../shapes/common.js'

const secret = { secret: true } as const
const createEventFlag = (kind: string) => boolean(`send notifications about ${kind}`)

/** The parameters of all families. */
export const integrationParameters = {
  api_key: string('API key of the other service', secret),
  api_url: string('full URL of the monitoring site', { format: 'url' }),
  bamboo_url: string('root URL of the build server', { format: 'url' }),
  branches_to_be_notified: oneOf(
    ['all', 'default', 'protected', 'default_and_protected'],
    'branches to send notifications for',
    { default: 'default' },
  ),
  build_key: string('key of the build plan'),
  confidential_issues_events: createEventFlag('confidential issues'),
  confidential_note_events: createEventFlag('comments on confidential issues'),
  description: string('description of the tracker'),
  disable_diffs: boolean('leave out diffs'),
  drone_url: string('URL of the CI server', { format: 'url' }),
  enable_ssl_verification: boolean('verify the TLS certificate of the CI server'),
  issues_events: createEventFlag('issues'),
  issues_url: string('URL of an issue in the tracker'),
  merge_requests_events: createEventFlag('merge requests'),
  monitor_env: string('environment tag'),
  monitor_service: string('name of this instance, used to tag data'),
  monitor_site: string('site of the service; use the value of the EU site for the EU'),
  new_issue_url: string('URL of the new-issue form'),
  note_events: createEventFlag('comments'),
  notify_only_broken_pipelines: boolean('send notifications about broken pipelines only'),
  password: string('password on the build server', secret),
  pipeline_events: createEventFlag('pipelines'),
  project_url: string('URL of the project in the other service', { format: 'url' }),
  push_events: createEventFlag('pushes'),
  recipients: string('email addresses, separated by spaces or commas', {
    format: 'spaced',
    items: 'email',
  }),
  restrict_to_branch: string('branches, separated by commas; empty for all', { format: 'csv' }),
  room: string('chat room'),
  send_from_committer_email: boolean('send from the committer’s email address'),
  subdomain: string('subdomain of the other service'),
  tag_push_events: createEventFlag('pushed tags'),
  title: string('title of the tracker'),
  token: string('token of the other service', secret),
  username: string('username on the build server'),
  webhook: string('webhook URL (a secret)', secret),
  wiki_page_events: createEventFlag('wiki pages'),
} as const
type IntegrationParameter = keyof typeof integrationParameters

/** The flags that select the events of an integration. */
export const eventFlags = [
  'commit_events',
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'tag_push_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'job_events',
] as const

export interface IntegrationFamily {
  /** The name in kebab case: the value of `--family`. */
  readonly name: string
  readonly summary: string
  /** The documented slugs of the family. */
  readonly slugs: readonly string[]
  /** The parameters of the family. The mandatory ones have `required`. */
  readonly params: Params
}

interface Members {
  readonly required: readonly IntegrationParameter[]
  readonly optional?: readonly IntegrationParameter[]
  /** The parameters that no longer have an effect in this family, each with its replacement. */
  readonly deprecated?: Partial<Record<IntegrationParameter, string>>
  readonly slugs?: readonly string[]
}

const createFamily = (
  name: string,
  summary: string,
  { required, optional = [], deprecated = {}, slugs = [] }: Members,
): IntegrationFamily => ({
  name,
  summary,
  slugs,
  params: Object.fromEntries([
    ...required.map((p) => [p, { ...integrationParameters[p], required: true }] as const),
    ...optional.map((p) => {
      const successor = deprecated[p]
      const param = integrationParameters[p]
      return [p, successor === undefined ? param : { ...param, deprecated: successor }] as const
    }),
  ]),
})

export const integrationFamilies: readonly IntegrationFamily[] = [
  createFamily('task-tracker', 'task-tracker comments', {
    required: ['api_key'],
    optional: ['restrict_to_branch', 'push_events'],
  }),
  createFamily('source-commit', 'source-commit endpoint', {
    required: ['token'],
    optional: ['subdomain', 'push_events'],
  }),
  createFamily('build-server', 'CI build server with plan key', {
    required: ['bamboo_url', 'build_key', 'username', 'password'],
    optional: ['push_events'],
  }),
  createFamily('issue-tracker', 'issue tracker', {
    required: ['new_issue_url', 'issues_url', 'project_url'],
    optional: ['description', 'title', 'push_events'],
    slugs: ['custom-issue-tracker'],
  }),
  createFamily('pipeline-ci', 'pipeline CI with project token', {
    required: ['token', 'project_url'],
    optional: ['enable_ssl_verification', 'push_events'],
    deprecated: { enable_ssl_verification: 'nothing; verification is always on' },
  }),
  createFamily('chat-room', 'chat room', {
    required: ['token'],
    optional: ['subdomain', 'room', 'push_events'],
  }),
  createFamily('monitoring', 'monitoring', {
    required: ['api_key'],
    optional: ['api_url', 'monitor_site', 'monitor_service', 'monitor_env'],
  }),
  createFamily('chat-webhook', 'chat webhook with event selection', {
    required: ['webhook'],
    optional: [
      'notify_only_broken_pipelines',
      'branches_to_be_notified',
      'push_events',
      'issues_events',
      'confidential_issues_events',
      'merge_requests_events',
      'tag_push_events',
      'note_events',
      'confidential_note_events',
      'pipeline_events',
      'wiki_page_events',
    ],
  }),
  createFamily('simple-webhook', 'chat webhook, simple', { required: ['webhook'] }),
  createFamily('ci-server', 'CI server with token', {
    required: ['token', 'drone_url'],
    optional: [
      'enable_ssl_verification',
      'push_events',
      'merge_requests_events',
      'tag_push_events',
    ],
  }),
  createFamily('emails-on-push', 'email on push', {
    required: ['recipients'],
    optional: [
      'disable_diffs',
      'send_from_committer_email',
      'push_events',
      'tag_push_events',
      'branches_to_be_notified',
    ],
    slugs: ['emails-on-push'],
  }),
]

/** Finds the family of a documented slug. */
export const findFamilyBySlug = (slug: string): IntegrationFamily | undefined =>
  integrationFamilies.find((f) => f.slugs.includes(slug))

/** A flag in responses. Instances write it as `true`, `"true"`, `"1"` or `1`. */
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
/** An integration. The responses of create, edit and get are not documented; instances add the properties. */
const Integration = Obj({ ...listed, properties: maybe(Unknown()) }, { title: 'Integration' })

const slug = string('integration slug', { completes: 'integration', format: 'slug' })
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
