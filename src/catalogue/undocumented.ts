/**
 * Declares the undocumented requests that the program sends to deployed instances. If an instance responds with a 404, it does not have
 * the endpoint.
 */
import { type Endpoint, endpoint, many, one } from './endpoint.js'
import { group, integer, project, string } from './params.js'
import { Unknown } from './shapes/common.js'

/** The version of the service that the documentation describes. */
export const documentedVersion = '14.5'

const impliedGet = { command: 'get', implied: true } as const

export const account = endpoint('GET /user', one(Unknown()), {
  ...impliedGet,
  summary: 'Show the user of the token',
  path: {},
  params: {},
})

export const usersNamed = endpoint('GET /users', many(Unknown()), {
  ...impliedGet,
  summary: 'Find a user by name',
  path: {},
  params: { username: string('exact username', { required: true }) },
})

export const userAt = endpoint('GET /users/:id', one(Unknown()), {
  ...impliedGet,
  summary: 'Show a user',
  path: { id: integer('user ID') },
  params: {},
})

export const groupAt = endpoint('GET /groups/:id', one(Unknown()), {
  ...impliedGet,
  summary: 'Show a group',
  path: { id: group() },
  params: { with_projects: string('include its projects') },
})

export const groupsAll = endpoint('GET /groups', many(Unknown()), {
  ...impliedGet,
  summary: 'List the groups that you can see',
  path: {},
  params: { search: string('filter by text in name or path') },
})

export const branchesOf = endpoint('GET /projects/:id/protected_branches', many(Unknown()), {
  ...impliedGet,
  summary: 'List the protected branches of a project',
  path: { id: project() },
  params: {},
})

/** Creates the endpoint for the list of a kind that has no documented list. */
export const createListEndpoint = (path: string): Endpoint => ({
  ...impliedGet,
  route: `GET ${path}`,
  returns: many(Unknown()),
  summary: 'List objects that the API shows only one by one',
  path: { id: project() },
  params: {},
})

/** Creates the endpoint that reads a path without parameters. */
const createPathEndpoint = (path: string): Endpoint => ({
  ...impliedGet,
  route: `GET ${path}`,
  returns: one(Unknown()),
  summary: 'Send an undocumented request',
  path: {},
  params: {},
})

/** All undocumented endpoints with a fixed path. */
export const implied: readonly Endpoint[] = [
  account,
  usersNamed,
  userAt,
  groupAt,
  groupsAll,
  branchesOf,
  ...['/version', '/metadata', '/personal_access_tokens/self'].map(createPathEndpoint),
  ...['issues', 'labels', 'pipelines', 'repository/branches', 'resource_groups'].map((list) =>
    createListEndpoint(`/projects/:id/${list}`),
  ),
]
