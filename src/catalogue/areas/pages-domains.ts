/** Declares the endpoints of the custom domains of Pages sites. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, project, string } from '../params.js'
import { Bool, Int, maybe, Obj, Str, Timestamp } from '../shapes/common.js'

/** The certificate in the responses of a project's endpoints. */
const PagesCertificate = Obj(
  {
    expired: Bool(),
    subject: Str(),
    certificate: Str({ description: 'PEM' }),
    certificate_text: Str(),
  },
  { title: 'Pages certificate' },
)
const ofAnyList = {
  domain: Str(),
  url: Str(),
  auto_ssl_enabled: maybe(Bool({ description: 'absent for domains without a certificate' })),
} as const
const PagesDomain = Obj(
  { ...ofAnyList, certificate: maybe(PagesCertificate) },
  { title: 'Pages domain' },
)
/** The domain in the list for administrators, which has the expiry date of the certificate but not the certificate. */
const InstancePagesDomain = Obj(
  {
    ...ofAnyList,
    project_id: Int(),
    certificate: maybe(Obj({ expired: Bool(), expiration: Timestamp })),
  },
  { title: 'Pages domain of the instance' },
)

const domain = string('domain name', { completes: 'pages-domain', format: 'domain' })
const ofProject = { id: project() } as const
const ofDomain = { id: project(), domain } as const
const settings = {
  auto_ssl_enabled: boolean('obtain certificates automatically'),
  certificate: string('certificate, followed by intermediates from most to least specific', {
    format: 'pem',
  }),
  key: string('private key of the certificate', { format: 'pem', secret: true }),
} as const
/** The columns that are computed from a certificate, since the whole certificate does not fit into a table. */
const made = ['subject', 'expires_at'] as const
const editor = 'at least Maintainer of the project'
const notes = ['Requires Pages to be enabled.'] as const

export const pagesDomains = {
  listAll: endpoint('GET /pages/domains', many(InstancePagesDomain), {
    summary: 'List the Pages domains of the instance',
    command: 'list',
    when: { flag: 'instance', help: 'list all domains of the instance (administrators)' },
    path: {},
    params: {},
    columns: ['domain', 'project_id', 'url', 'auto_ssl_enabled', 'expires_at'],
    made,
    lists: 'pages-domain',
    access: 'administrators',
    notes,
  }),
  list: endpoint('GET /projects/:id/pages/domains', many(PagesDomain), {
    summary: 'List the Pages domains of a project',
    command: 'list',
    path: ofProject,
    params: {},
    columns: ['domain', 'url', 'auto_ssl_enabled', ...made],
    made,
    lists: 'pages-domain',
    access: 'anyone who can view the project’s Pages domains',
    notes,
  }),
  get: endpoint('GET /projects/:id/pages/domains/:domain', one(PagesDomain), {
    summary: 'Show a Pages domain',
    command: 'get',
    args: ['domain'],
    path: ofDomain,
    params: {},
    access: 'anyone who can view the project’s Pages domains',
    notes,
  }),
  add: endpoint('POST /projects/:id/pages/domains', one(PagesDomain), {
    summary: 'Add a domain to a project’s Pages site',
    command: 'add',
    args: ['domain'],
    inverse: 'delete',
    path: ofProject,
    params: { domain: string('domain name', { required: true, format: 'domain' }), ...settings },
    access: editor,
    notes,
  }),
  update: endpoint('PUT /projects/:id/pages/domains/:domain', one(PagesDomain), {
    summary: 'Change the certificate of a Pages domain',
    command: 'update',
    selects: { list: 'pages-domains list' },
    changes: true,
    absent: { auto_ssl_enabled: false },
    args: ['domain'],
    path: ofDomain,
    params: settings,
    access: editor,
    notes: [...notes, 'An empty certificate and an empty key remove the certificate.'],
  }),
  delete: endpoint('DELETE /projects/:id/pages/domains/:domain', empty, {
    irreversible: 'the instance never shows the certificate’s key, so it cannot be recorded',
    summary: 'Remove a domain from a project’s Pages site',
    command: 'delete',
    selects: { list: 'pages-domains list' },
    args: ['domain'],
    path: ofDomain,
    params: {},
    access: editor,
    done: 'removed',
    destructive:
      'The site is no longer available on this domain. Its certificate and key are deleted.',
    notes,
  }),
} as const
