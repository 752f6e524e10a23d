/**
 * Collects the routes that deployed instances have in addition to the documented ones: resources, `GET /version`, and the refresh of OAuth
 * tokens.
 */
import { project } from '../../catalogue/params.js'
import { branchRoutes } from '../areas/branches.js'
import { groupRoutes } from '../areas/groups.js'
import { issueRoutes } from '../areas/issue-records.js'
import { labelRoutes } from '../areas/labels.js'
import { pipelineRoutes } from '../areas/pipelines.js'
import { listGroups } from '../areas/resource-groups.js'
import { userRoutes } from '../areas/users.js'
import { apiRoot, type Call, revision } from '../call.js'
import type { ExtraRoute } from '../extra-routes.js'
import { Refusal } from '../reply.js'
import type { TokenRecord } from '../state/people-and-projects.js'

const tokenSeconds = 7200

const createGrantRefusal = (error: string, description: string): Refusal =>
  new Refusal(400, { error, error_description: description })

const renewPair = (call: Call, old: TokenRecord) => {
  const now = call.clock.now()
  call.state.tokens.change(old.id, { revoked: true, refresh_token: null })
  const fresh = call.state.tokens.add({
    user_id: old.user_id,
    kind: 'oauth',
    name: old.name,
    value: call.clock.createSecret(32, 'hex'),
    scopes: [...old.scopes],
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + tokenSeconds * 1000).toISOString(),
    revoked: false,
    refresh_token: call.clock.createSecret(32, 'hex'),
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

/** Refreshes a pair of tokens (`grant_type=refresh_token`). The old pair becomes invalid. */
const refreshToken = (call: Call) => {
  const { grant_type, refresh_token } = call.sent.params
  if (grant_type !== 'refresh_token')
    throw createGrantRefusal(
      'unsupported_grant_type',
      'The authorization grant type is not supported by the authorization server.',
    )
  const old = call.state.tokens.find(
    (t) => t.kind === 'oauth' && t.refresh_token !== null && t.refresh_token === refresh_token,
  )
  const user = call.state.users.get(old?.user_id)
  if (old === undefined || user?.state !== 'active')
    throw createGrantRefusal(
      'invalid_grant',
      'The provided authorization grant is invalid, expired, revoked, or was issued to another client.',
    )
  return renewPair(call, old)
}

const showVersion = (call: Call) => {
  call.requireUser()
  return {
    version: call.version,
    revision,
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
  }
}

const reading = ['read_user']

export const extraRoutes: readonly ExtraRoute[] = [
  { method: 'GET', path: `${apiRoot}/version`, scopes: reading, handle: showVersion },
  { method: 'GET', path: `${apiRoot}/metadata`, scopes: reading, handle: showVersion },
  ...userRoutes,
  ...groupRoutes,
  ...issueRoutes,
  ...labelRoutes,
  ...pipelineRoutes,
  ...branchRoutes,
  // The documented API has the other routes of resource groups.
  {
    method: 'GET',
    path: `${apiRoot}/projects/:id/resource_groups`,
    accepts: { path: { id: project() }, params: {} },
    handle: listGroups,
  },
  { method: 'POST', path: '/oauth/token', credential: 'parameter', handle: refreshToken },
]
