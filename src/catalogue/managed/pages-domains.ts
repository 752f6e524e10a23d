/** Custom domains of a project's Pages site, as files declare them. */
import { pagesDomains } from '../areas/pages-domains.js'
import { managed } from './managed.js'

export const projectDomains = managed({
  name: 'pages_domains',
  scope: 'project',
  holds: 'set',
  identity: 'domain',
  read: pagesDomains.list,
  everywhere: pagesDomains.listAll,
  create: pagesDomains.add,
  update: pagesDomains.update,
  remove: pagesDomains.delete,
  at: { domain: 'domain' },
  from: { certificate: 'certificate.certificate' },
  alone: true,
})
