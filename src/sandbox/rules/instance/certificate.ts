/** Certificates of Pages domains: read, checked against their key and chain, and described. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { badRequest } from '../../reply.js'

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** The leaf and its intermediates in the order they stand; undefined when one cannot be read. */
const chainOf = (pem: string): readonly [X509Certificate, ...X509Certificate[]] | undefined => {
  try {
    const [leaf, ...rest] = [...pem.matchAll(block)].map(([text]) => new X509Certificate(text))
    return leaf === undefined ? undefined : [leaf, ...rest]
  } catch {
    return undefined
  }
}

const privateKey = (pem: string): KeyObject | undefined => {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** Refuses a certificate or key that cannot be read, do not belong together, or a broken chain. */
export const checkPair = (certificate: string, key: string): void => {
  const chain = chainOf(certificate)
  if (chain === undefined) throw badRequest({ certificate: ['must be a valid PEM certificate'] })
  const secret = privateKey(key)
  if (secret === undefined) throw badRequest({ key: ['must be a valid PEM private key'] })
  if (!chain[0].checkPrivateKey(secret))
    throw badRequest({ key: ["doesn't match the certificate"] })
  const broken = chain.some((c, i) => {
    const issuer = chain[i + 1]
    return issuer !== undefined && !(c.checkIssued(issuer) && c.verify(issuer.publicKey))
  })
  if (broken) throw badRequest({ certificate: ['misses intermediates'] })
}

const oneLine = (name: string): string => `/${name.split('\n').join('/')}`

/** In the manner of `openssl x509 -text`. */
const textOf = (c: X509Certificate): string =>
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

/** What the API says of a stored certificate. */
export const describeCertificate = (pem: string, now: Date) => {
  const [leaf] = chainOf(pem) ?? []
  if (leaf === undefined) return undefined
  const expiration = new Date(leaf.validTo)
  return {
    expired: expiration.getTime() <= now.getTime(),
    expiration: expiration.toISOString(),
    subject: oneLine(leaf.subject),
    certificate: pem,
    certificate_text: textOf(leaf),
  }
}
