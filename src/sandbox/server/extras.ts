/**
 * Routes that deployed instances have and the documents do not show: who am I, what may my token
 * do, who is this user, lists to complete from, and the token endpoint that refreshes an OAuth pair.
 */
import { randomBytes } from 'node:crypto'
import { issues } from '../../catalogue/areas/issues.js'
import type { CredentialNeed } from '../../catalogue/endpoint.js'
import { boolean, group, oneOf, project, string } from '../../catalogue/params.js'
import { jobStates } from '../../catalogue/shapes/job.js'
import { listOfProject } from '../areas/issues.js'
import { listPipelines } from '../areas/jobs.js'
import { listGroups } from '../areas/resource-groups.js'
import { apiRoot, type Call, revision } from '../call.js'
import type { AcceptedParams } from '../check.js'
import { branches } from '../git/read.js'
import type { AnyHandler } from '../handlers.js'
import { longUser, userSummary } from '../present/common.js'
import { presentShares, simpleProject } from '../present/project.js'
import { notFound, Refusal } from '../reply.js'
import { labelsAround } from '../rules/filters.js'
import type { GroupRecord, TokenRecord } from '../state/people-and-projects.js'

interface ExtraRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly credential?: CredentialNeed
  readonly scopes?: readonly string[]
  readonly status?: number
  /** What a list takes; the others look at what was sent themselves. */
  readonly accepts?: AcceptedParams
  readonly handle: AnyHandler
}

// Lists that shells complete from and prompts offer. Who sees what is as in the documented lists beside them.

/** The parameter of lists that are searched by name. */
const searchParameter = { search: string('only those whose name holds this text') } as const

/** Whether a text holds another, in any case; everything holds none. */
const includesText = (text: string, part = ''): boolean =>
  text.toLowerCase().includes(part.toLowerCase())

interface IdInput {
  readonly id: string | number
}
interface SearchInput {
  readonly search?: string
}

const groupFields = (call: Call, group: GroupRecord) => {
  const { id, name, path, full_path, full_name, parent_id, description, visibility } = group
  const web_url = call.url(`groups/${full_path}`)
  return { id, name, path, full_path, full_name, parent_id, description, visibility, web_url }
}

const getGroups = (call: Call, { search }: SearchInput) =>
  call.state.groups
    .filter(
      (group) => call.seesGroup(group) && includesText(`${group.name}\n${group.full_path}`, search),
    )
    .map((group) => groupFields(call, group))

/** A group with whom it is shared, and its own projects unless they are not wanted. */
const getGroup = (
  call: Call,
  { id, with_projects = true }: IdInput & { with_projects?: boolean },
) => {
  const of = call.group(id)
  const projects = call.state.projects.filter(
    (p) => p.namespace_kind === 'group' && p.namespace_id === of.id && call.sees(p),
  )
  return {
    ...groupFields(call, of),
    created_at: of.created_at,
    shared_with_groups: presentShares(call.state, 'group', of.id),
    ...(with_projects ? { projects: projects.map((p) => simpleProject(call, p)) } : {}),
  }
}

/** Those of the documented list of issues; in one project everybody's count, in an archived one too. */
const issueParams = {
  ...issues.list.params,
  scope: { ...issues.list.params.scope, default: 'all' },
  non_archived: { ...issues.list.params.non_archived, default: false },
}

const pipelineParams = {
  status: oneOf(jobStates, 'status'),
  ref: string('only those of this branch or tag'),
  order_by: oneOf(
    ['id', 'status', 'ref', 'updated_at', 'user_id'],
    'field that they are sorted by',
  ),
  sort: oneOf(['asc', 'desc'], 'direction'),
}

const getBranches = async (call: Call, { id, search }: IdInput & SearchInput) => {
  const of = call.project(id, { member: 'reporter' })
  const found = await branches(await call.git.open(of))
  return found
    .filter(({ name }) => includesText(name, search))
    .map(({ name, id: tip, title }) => ({
      name,
      default: name === of.default_branch,
      commit: { id: tip, short_id: tip.slice(0, 8), title },
    }))
}

const getLabels = (call: Call, { id, search }: IdInput & SearchInput) =>
  labelsAround(call, call.project(id))
    .filter(({ name }) => includesText(name, search))
    .map(({ id: label, name, color, description }) => ({ id: label, name, color, description }))

const getProtected = (call: Call, { id, search }: IdInput & SearchInput) => {
  const of = call.project(id, { role: 'maintainer' })
  return call.state.protectedBranches
    .filter(({ project_id, name }) => project_id === of.id && includesText(name, search))
    .map(({ id: branch, name }) => ({ id: branch, name }))
}

/** The placeholder of a path. */
const getPlace = (path: string): AcceptedParams['path'] => {
  if (!path.includes(':id')) return {}
  return { id: path.startsWith('/groups') ? group() : project() }
}

const list = (path: string, params: AcceptedParams['params'], handle: AnyHandler) => ({
  method: 'GET' as const,
  path: `${apiRoot}${path}`,
  accepts: { path: getPlace(path), params },
  handle,
})

const listRoutes = [
  list('/groups', searchParameter, getGroups),
  list('/groups/:id', { with_projects: boolean('include its projects') }, getGroup),
  list('/projects/:id/issues', issueParams, listOfProject),
  list('/projects/:id/labels', searchParameter, getLabels),
  list('/projects/:id/pipelines', pipelineParams, listPipelines),
  list('/projects/:id/protected_branches', searchParameter, getProtected),
  list('/projects/:id/repository/branches', searchParameter, getBranches),
  list('/projects/:id/resource_groups', {}, listGroups),
]

// Who am I, and what may my token do.

const tokenSeconds = 7200

const currentUser = (call: Call) => {
  const user = call.signedIn()
  return {
    ...longUser(call, user),
    email: user.email,
    external: user.external,
    last_activity_on: user.last_activity_on,
    ...(user.admin ? { is_admin: true } : {}),
  }
}

const currentToken = (call: Call) => {
  const { token } = call
  if (token === undefined || token.kind === 'oauth' || token.kind === 'session') throw notFound()
  const { id, name, revoked, created_at, scopes, user_id } = token
  const expires_at = token.expires_at?.slice(0, 10) ?? null
  return { id, name, revoked, created_at, scopes, user_id, active: true, expires_at }
}

interface UserFilters {
  readonly username?: string
  readonly search?: string
}

const findUsers = (call: Call, { username, search }: UserFilters) =>
  call.state.users
    .filter(
      (u) =>
        (username === undefined || u.username.toLowerCase() === username.toLowerCase()) &&
        includesText(`${u.name}\n${u.username}`, search),
    )
    .map((u) => userSummary(call, u))

const oneUser = (call: Call, path: Readonly<Record<string, string>>) => {
  const user = /^\d+$/.test(path.id ?? '') ? call.state.users.get(Number(path.id)) : undefined
  if (user === undefined) throw notFound('User')
  return longUser(call, user)
}

const grantError = (error: string, description: string): Refusal =>
  new Refusal(400, { error, error_description: description })

const secret = (): string => randomBytes(32).toString('hex')

const pair = (call: Call, old: TokenRecord) => {
  const now = call.clock.now()
  call.state.tokens.change(old.id, { revoked: true, refresh_token: null })
  const fresh = call.state.tokens.add({
    user_id: old.user_id,
    kind: 'oauth',
    name: old.name,
    value: secret(),
    scopes: [...old.scopes],
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + tokenSeconds * 1000).toISOString(),
    revoked: false,
    refresh_token: secret(),
  })
  return {
    access_token: fresh.value,
    token_type: 'Bearer',
    expires_in: tokenSeconds,
    refresh_token: fresh.refresh_token,
    scope: fresh.scopes.join(' '),
    created_at: Math.floor(now.getTime() / 1000),
  }
}

/** `grant_type=refresh_token`: a new pair; the old one is worth nothing from then on. */
const refresh = (call: Call) => {
  const { grant_type, refresh_token } = call.sent.params
  if (grant_type !== 'refresh_token')
    throw grantError(
      'unsupported_grant_type',
      'The authorization grant type is not supported by the authorization server.',
    )
  const old = call.state.tokens.find(
    (t) => t.kind === 'oauth' && t.refresh_token !== null && t.refresh_token === refresh_token,
  )
  const user = call.state.users.get(old?.user_id)
  if (old === undefined || user?.state !== 'active')
    throw grantError(
      'invalid_grant',
      'The provided authorization grant is invalid, expired, revoked, or was issued to another client.',
    )
  return pair(call, old)
}

const reading = ['read_user']

const version = (call: Call) => {
  call.signedIn()
  return {
    version: call.version,
    revision,
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
  }
}

export const extraRoutes: readonly ExtraRoute[] = [
  { method: 'GET', path: `${apiRoot}/user`, scopes: reading, handle: currentUser },
  { method: 'GET', path: `${apiRoot}/version`, scopes: reading, handle: version },
  { method: 'GET', path: `${apiRoot}/metadata`, scopes: reading, handle: version },
  {
    method: 'GET',
    path: `${apiRoot}/users`,
    scopes: reading,
    accepts: { path: {}, params: { ...searchParameter, username: string('exact username') } },
    handle: findUsers,
  },
  ...listRoutes,
  { method: 'GET', path: `${apiRoot}/users/:id`, scopes: reading, handle: oneUser },
  {
    method: 'GET',
    path: `${apiRoot}/personal_access_tokens/self`,
    scopes: [...reading, 'sudo'],
    handle: currentToken,
  },
  { method: 'POST', path: '/oauth/token', credential: 'parameter', handle: refresh },
]
