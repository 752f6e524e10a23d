/** Serves Pages domains, and checks and describes their certificates (`catalogue/reference/pages-domains.md`). */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { pagesDomains } from '../../catalogue/areas/pages-domains.js'
import type { Call } from '../call.js'
import { getManagedProject, serve } from '../handlers.js'
import { badRequest, createLazyList, notFound } from '../reply.js'
import { resource } from '../resource.js'
import type { PagesDomainRecord } from '../state/features.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

// Certificates.

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** Parses a certificate and its intermediates in their order; undefined if one of them is invalid. */
const getChain = (pem: string): readonly [X509Certificate, ...X509Certificate[]] | undefined => {
  try {
    const [leaf, ...rest] = [...pem.matchAll(block)].map(([text]) => new X509Certificate(text))
    return leaf === undefined ? undefined : [leaf, ...rest]
  } catch {
    return undefined
  }
}

const parsePrivateKey = (pem: string): KeyObject | undefined => {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** Checks a certificate and its key. @throws Refusal 400 if one is invalid, if they do not match, or if the chain is broken */
const checkPair = (certificate: string, key: string): void => {
  const chain = getChain(certificate)
  if (chain === undefined) throw badRequest({ certificate: ['must be a valid PEM certificate'] })
  const secret = parsePrivateKey(key)
  if (secret === undefined) throw badRequest({ key: ['must be a valid PEM private key'] })
  if (!chain[0].checkPrivateKey(secret))
    throw badRequest({ key: ["doesn't match the certificate"] })
  const broken = chain.some((c, i) => {
    const issuer = chain[i + 1]
    return issuer !== undefined && !(c.checkIssued(issuer) && c.verify(issuer.publicKey))
  })
  if (broken) throw badRequest({ certificate: ['misses intermediates'] })
}

const joinLines = (name: string): string => `/${name.split('\n').join('/')}`

/** Describes a certificate in the format of `openssl x509 -text`. */
const getText = (c: X509Certificate): string =>
  [
    'Certificate:',
    '    Data:',
    `        Serial Number: ${c.serialNumber}`,
    `        Issuer: ${c.issuer.split('\n').join(', ')}`,
    '        Validity',
    `            Not Before: ${c.validFrom}`,
    `            Not After : ${c.validTo}`,
    `        Subject: ${c.subject.split('\n').join(', ')}`,
    ...(c.subjectAltName === undefined
      ? []
      : [`        X509v3 Subject Alternative Name: ${c.subjectAltName}`]),
    `    SHA256 Fingerprint=${c.fingerprint256}`,
    '',
  ].join('\n')

/** Presents a stored certificate; undefined if it is invalid. */
const describeCertificate = (pem: string, now: Date) => {
  const [leaf] = getChain(pem) ?? []
  if (leaf === undefined) return undefined
  const expiration = new Date(leaf.validTo)
  return {
    expired: expiration.getTime() <= now.getTime(),
    expiration: expiration.toISOString(),
    subject: joinLines(leaf.subject),
    certificate: pem,
    certificate_text: getText(leaf),
  }
}

/** Presents the fields that both forms of a domain have. A domain without a certificate has no field for automatic certificates. */
const showCommon = ({ domain, certificate, auto_ssl_enabled }: PagesDomainRecord) => ({
  domain,
  url: `${certificate === null ? 'http' : 'https'}://${domain}`,
  ...(certificate === null && !auto_ssl_enabled ? {} : { auto_ssl_enabled }),
})

const describeStored = (call: Call, { certificate }: PagesDomainRecord) =>
  certificate === null ? undefined : describeCertificate(certificate, call.clock.now())

const showForInstance = (call: Call, record: PagesDomainRecord) => {
  const certificate = describeStored(call, record)
  return {
    ...showCommon(record),
    project_id: record.project_id,
    certificate: certificate && {
      expired: certificate.expired,
      expiration: certificate.expiration,
    },
  }
}

const showForProject = (call: Call, record: PagesDomainRecord) => {
  const certificate = describeStored(call, record)
  if (certificate === undefined) return showCommon(record)
  const { expiration: _, ...shown } = certificate
  return { ...showCommon(record), certificate: shown }
}

/** Returns the project. @throws Refusal if the acting user may not manage its Pages, or if they are disabled */
const requirePagesProject = (
  call: Call,
  input: { readonly id: string | number },
): ProjectRecord => {
  const project = getManagedProject(call, input)
  if (!project.pages_enabled) throw notFound()
  return project
}

const lower = (domain: string): string => domain.toLowerCase()

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const domainName = new RegExp(`^(${label}\\.)+${label}$`)

const checkDomain = (call: Call, domain: string): void => {
  if (!domainName.test(domain) || domain.length > 253) throw badRequest({ domain: ['is invalid'] })
  if (call.state.pagesDomains.some({ domain }))
    throw badRequest({ domain: ['has already been taken'] })
}

type CertificateFields = Pick<PagesDomainRecord, 'certificate' | 'key'>

/** Returns the new certificate and key. A value that was not sent stays, and an empty one removes the stored value. */
const attachCertificate = (
  input: { readonly certificate?: string; readonly key?: string },
  before: CertificateFields,
): Partial<CertificateFields> => {
  if (input.certificate === undefined && input.key === undefined) return {}
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

const bare = { certificate: null, key: null }

const domains = resource({
  table: 'pagesDomains',
  what: 'PagesDomain',
  parent: requirePagesProject,
  key: ['domain', 'domain'],
  fold: true,
  present: showForProject,
  attributes: pagesDomains.add.params,
  changes: pagesDomains.update.params,
  some: true,
  accept: (call, { domain, ...given }, _, record) => {
    if (domain !== undefined) checkDomain(call, lower(domain))
    const pair = attachCertificate(given, record ?? bare)
    return { ...given, ...pair, domain: domain && lower(domain), updated_at: call.clock.iso() }
  },
  defaults: (_, { id }) => ({ ...bare, project_id: id, auto_ssl_enabled: false }),
})

export const served = serve(pagesDomains, {
  listAll: (call) => {
    call.requireAdmin()
    return createLazyList(call.state.pagesDomains.all(), (record) => showForInstance(call, record))
  },
  list: domains.list,
  get: domains.get,
  add: domains.create,
  update: domains.update,
  delete: domains.delete,
})
