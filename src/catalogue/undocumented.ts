/**
 * Requests that deployed instances answer and the documents do not show: a 404 here means that the answer cannot be known.
 * All undocumented requests of the program stand here, so that no other request is taken for one.
 */
import { type Endpoint, endpoint, many, one } from './endpoint.js'
import { group, integer, project, string } from './params.js'
import { Unknown } from './shapes/common.js'

/** The version that the documents describe. */
export const documentedVersion = '14.5'

const said = { command: 'get', implied: true } as const

export const account = endpoint('GET /user', one(Unknown()), {
  ...said,
  summary: 'Show the user of the token',
  path: {},
  params: {},
})

export const usersNamed = endpoint('GET /users', many(Unknown()), {
  ...said,
  summary: 'Find a user by name',
  path: {},
  params: { username: string('exact username', { required: true }) },
})

export const userAt = endpoint('GET /users/:id', one(Unknown()), {
  ...said,
  summary: 'Show a user',
  path: { id: integer('user ID') },
  params: {},
})

export const groupAt = endpoint('GET /groups/:id', one(Unknown()), {
  ...said,
  summary: 'Show a group',
  path: { id: group() },
  params: { with_projects: string('include its projects') },
})

export const groupsAll = endpoint('GET /groups', many(Unknown()), {
  ...said,
  summary: 'List the groups that you can see',
  path: {},
  params: { search: string('filter by text in name or path') },
})

export const branchesOf = endpoint('GET /projects/:id/protected_branches', many(Unknown()), {
  ...said,
  summary: 'List the protected branches of a project',
  path: { id: project() },
  params: {},
})

/** Creates the endpoint that lists a kind of which the documents have only reads by key. */
export const listAt = (path: string): Endpoint => ({
  ...said,
  route: `GET ${path}`,
  returns: many(Unknown()),
  summary: 'List objects that the API shows only one by one',
  path: { id: project() },
  params: {},
})

/** Creates an endpoint that is read by its path alone. */
const createPathEndpoint = (path: string): Endpoint => ({
  ...said,
  route: `GET ${path}`,
  returns: one(Unknown()),
  summary: 'Send an undocumented request',
  path: {},
  params: {},
})

/** All of it. */
export const implied: readonly Endpoint[] = [
  account,
  usersNamed,
  userAt,
  groupAt,
  groupsAll,
  branchesOf,
  ...['/version', '/metadata', '/personal_access_tokens/self'].map(createPathEndpoint),
  ...['issues', 'labels', 'pipelines', 'repository/branches', 'resource_groups'].map((list) =>
    listAt(`/projects/:id/${list}`),
  ),
]
