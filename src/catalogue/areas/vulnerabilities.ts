/** Declares the endpoints that read vulnerabilities, create them from findings, and change their states. */
import { endpoint, many, one } from '../endpoint.js'
import { integer, project, string } from '../params.js'
import { ListedVulnerability, Vulnerability } from '../shapes/vulnerability.js'

const ofId = { id: integer('vulnerability ID', { completes: 'vulnerability' }) } as const
const change = 'anyone who can make this change'
const alpha = 'This API is in alpha or deprecated. Its responses can change between releases.'

/** Creates the endpoint that changes a vulnerability to a state. */
const createTransition = <const V extends string, const S extends string>(
  verb: V,
  state: S,
  summary: string,
  leaves: { readonly state: string } = { state },
) =>
  ({
    summary,
    command: verb,
    selects: { list: 'vulnerabilities list', spread: true },
    args: ['id'],
    path: ofId,
    params: {},
    leaves,
    access: change,
    unchanged: `The vulnerability is already ${state}.`,
    notes: [alpha],
  }) as const

export const vulnerabilities = {
  list: endpoint('GET /projects/:id/vulnerabilities', many(ListedVulnerability), {
    summary: 'List the vulnerabilities of a project',
    command: 'list',
    path: { id: project() },
    params: {},
    columns: ['id', 'severity', 'state', 'report_type', 'title', 'created_at'],
    lists: 'vulnerability',
    access: 'anyone who can use the project’s security dashboard',
    notes: [alpha],
  }),
  create: endpoint('POST /projects/:id/vulnerabilities', one(Vulnerability), {
    irreversible: 'the API has no endpoint that deletes a vulnerability',
    summary: 'Create a vulnerability from a finding',
    command: 'create',
    path: { id: project() },
    params: {
      finding_id: string('finding ID', { required: true, in: 'query' }),
    },
    access: 'anyone who can create vulnerabilities in the project',
    notes: [
      'The title, severity and confidence come from the finding. You become its author.',
      alpha,
    ],
  }),
  get: endpoint('GET /vulnerabilities/:id', one(Vulnerability), {
    summary: 'Show a vulnerability',
    command: 'get',
    args: ['id'],
    path: ofId,
    params: {},
    access: 'anyone who can see the project’s vulnerabilities',
    notes: [alpha],
  }),
  confirm: endpoint(
    'POST /vulnerabilities/:id/confirm',
    one(Vulnerability),
    createTransition('confirm', 'confirmed', 'Confirm a vulnerability'),
  ),
  resolve: endpoint(
    'POST /vulnerabilities/:id/resolve',
    one(Vulnerability),
    createTransition('resolve', 'resolved', 'Mark a vulnerability as resolved'),
  ),
  dismiss: endpoint(
    'POST /vulnerabilities/:id/dismiss',
    one(Vulnerability),
    createTransition('dismiss', 'dismissed', 'Dismiss a vulnerability', { state: 'closed' }),
  ),
  revert: endpoint(
    'POST /vulnerabilities/:id/revert',
    one(Vulnerability),
    createTransition('revert', 'back in state detected', 'Set a vulnerability back to detected', {
      state: 'detected',
    }),
  ),
} as const
