/** Pages domains (`catalogue/reference/pages-domains.md`): names, certificates and who may change them. */
import type { pagesDomains } from '../../catalogue/areas/pages-domains.js'
import type { CheckedOf } from '../../catalogue/inferred.js'
import type { Call } from '../call.js'
import type { Handlers } from '../handlers.js'
import { badRequest, invalid, lazily, notFound } from '../reply.js'
import { checkPair, describeCertificate } from '../rules/instance/certificate.js'
import type { PagesDomainRecord } from '../state/pages-domains.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

/** What both forms show; a plain domain says nothing of automatic certificates. */
const common = ({ domain, certificate, auto_ssl_enabled }: PagesDomainRecord) => ({
  domain,
  url: `${certificate === null ? 'http' : 'https'}://${domain}`,
  ...(certificate === null && !auto_ssl_enabled ? {} : { auto_ssl_enabled }),
})

const described = (call: Call, { certificate }: PagesDomainRecord) =>
  certificate === null ? undefined : describeCertificate(certificate, call.clock.now())

const ofInstance = (call: Call) => (record: PagesDomainRecord) => {
  const certificate = described(call, record)
  return {
    ...common(record),
    project_id: record.project_id,
    ...(certificate === undefined
      ? {}
      : { certificate: { expired: certificate.expired, expiration: certificate.expiration } }),
  }
}

const ofProject = (call: Call) => (record: PagesDomainRecord) => {
  const certificate = described(call, record)
  if (certificate === undefined) return common(record)
  const { expiration: _, ...shown } = certificate
  return { ...common(record), certificate: shown }
}

/** The project, when the acting user manages its Pages and they are enabled. */
const managed = (call: Call, id: string | number): ProjectRecord => {
  const project = call.project(id, { role: 'maintainer' })
  if (!project.pages_enabled) throw notFound()
  return project
}

const lower = (domain: string): string => domain.toLowerCase()

const find = (call: Call, project: ProjectRecord, domain: string): PagesDomainRecord => {
  const record = call.state.pagesDomains.find(
    (d) => d.project_id === project.id && d.domain === lower(domain),
  )
  if (record === undefined) throw notFound('PagesDomain')
  return record
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const domainName = new RegExp(`^(${label}\\.)+${label}$`)

const checkDomain = (call: Call, domain: string): void => {
  if (!domainName.test(domain) || domain.length > 253) throw badRequest({ domain: ['is invalid'] })
  if (call.state.pagesDomains.some((d) => d.domain === domain))
    throw badRequest({ domain: ['has already been taken'] })
}

type Attached = Pick<PagesDomainRecord, 'certificate' | 'key'>

/** Certificate and key as they will be: not given keeps what is there, empty removes it. */
const attached = (
  input: { readonly certificate?: string; readonly key?: string },
  before: Attached,
): Attached => {
  if (input.certificate === undefined && input.key === undefined) return before
  const next = (value: string | undefined, old: string | null): string | null =>
    value === undefined ? old : value.trim() === '' ? null : value
  const after = {
    certificate: next(input.certificate, before.certificate),
    key: next(input.key, before.key),
  }
  const { certificate, key } = after
  if (certificate === null && key !== null)
    throw badRequest({ certificate: ["can't be blank when a key is given"] })
  if (certificate !== null && key === null)
    throw badRequest({ key: ["can't be blank when a certificate is given"] })
  if (certificate !== null && key !== null) checkPair(certificate, key)
  return after
}

const add = (call: Call, input: CheckedOf<(typeof pagesDomains)['add']>) => {
  const project = managed(call, input.id)
  const domain = lower(input.domain)
  checkDomain(call, domain)
  const pair = attached(input, { certificate: null, key: null })
  const record = call.state.pagesDomains.add({
    project_id: project.id,
    domain,
    auto_ssl_enabled: input.auto_ssl_enabled ?? false,
    ...pair,
    updated_at: call.clock.iso(),
  })
  return ofProject(call)(record)
}

const update = (call: Call, input: CheckedOf<(typeof pagesDomains)['update']>) => {
  const record = find(call, managed(call, input.id), input.domain)
  const { auto_ssl_enabled, certificate, key } = input
  if ([auto_ssl_enabled, certificate, key].every((value) => value === undefined))
    throw invalid(
      'auto_ssl_enabled, certificate, key are missing, at least one parameter must be provided',
    )
  const { certificate: pem, key: secret } = attached(input, record)
  Object.assign(record, { certificate: pem, key: secret })
  record.updated_at = call.clock.iso()
  record.auto_ssl_enabled = auto_ssl_enabled ?? record.auto_ssl_enabled
  return ofProject(call)(record)
}

export const handlers: Handlers<typeof pagesDomains> = {
  listAll: (call) => {
    call.admin()
    return lazily(call.state.pagesDomains.all(), ofInstance(call))
  },
  list: (call, { id }) => {
    const project = managed(call, id)
    const domains = call.state.pagesDomains.filter((d) => d.project_id === project.id)
    return lazily(domains, ofProject(call))
  },
  get: (call, { id, domain }) => ofProject(call)(find(call, managed(call, id), domain)),
  add,
  update,
  delete: (call, { id, domain }) => {
    const record = find(call, managed(call, id), domain)
    call.unmodified(record)
    call.state.pagesDomains.remove(record.id)
    return undefined
  },
}
