/**
 * Checks a certificate, its chain and its key before they are sent (`POST
 * /projects/:id/pages/domains`). What is wrong is said one by one; of a private key nothing is ever repeated.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type Failure, usage } from '../../errors.js'

const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** The name in a certificate's subject, for messages. */
const nameIn = (subject: string | undefined): string =>
  /^CN=(.*)$/m.exec(subject ?? '')?.[1] ?? (subject ?? '').split('\n')[0] ?? ''

const day = (time: number): string => new Date(time).toISOString().slice(0, 10)

const called = (certificate: X509Certificate, index: number): string =>
  index === 0 ? 'the certificate' : `certificate ${index + 1} (${nameIn(certificate.subject)})`

/** When a certificate ends, in milliseconds. */
export const endOf = (certificate: X509Certificate): number => Date.parse(certificate.validTo)

const parse = (pem: string, index: number): X509Certificate => {
  try {
    return new X509Certificate(pem)
  } catch {
    throw usage(`--certificate: certificate ${index + 1} cannot be read: the file was damaged`)
  }
}

/**
 * The certificates of a PEM file, in its order.
 * @throws Failure `usage` where it holds none, or a private key
 */
const certificatesIn = (text: string): X509Certificate[] => {
  if (text.includes('PRIVATE KEY-----'))
    throw usage(
      '--certificate: the file holds a private key',
      'Give the certificates by --certificate and the private key by --key.',
    )
  const found = text.match(block) ?? []
  if (found.length === 0)
    throw usage(
      '--certificate: the file is not PEM: it has no BEGIN CERTIFICATE line',
      'A binary certificate is converted with: openssl x509 -inform der -in FILE',
    )
  return found.map(parse)
}

const issued = (one: X509Certificate, by: X509Certificate): boolean =>
  one.checkIssued(by) && one.verify(by.publicKey)

/** Each certificate must have been issued by the one that follows it. */
const checkOrder = (chain: readonly X509Certificate[]): void => {
  for (const [i, one] of chain.entries()) {
    const next = chain[i + 1]
    if (next === undefined || issued(one, next)) continue
    const elsewhere = chain.some((a, x) =>
      chain.some((b, y) => x !== y && y !== x + 1 && issued(a, b)),
    )
    throw elsewhere
      ? usage(
          '--certificate: the chain is out of order',
          'The domain’s own certificate comes first, each of the others right after the one it issued.',
        )
      : usage(
          `--certificate: certificate ${i + 2} (${nameIn(next.subject)}) did not issue ${called(one, i)}`,
          `Its issuer is ${nameIn(one.issuer)}.`,
        )
  }
}

const checkDates = (chain: readonly X509Certificate[], now: number): void => {
  for (const [i, one] of chain.entries()) {
    const starts = Date.parse(one.validFrom)
    const ends = endOf(one)
    if (ends <= now) throw usage(`--certificate: ${called(one, i)} expired on ${day(ends)}`)
    if (starts > now)
      throw usage(`--certificate: ${called(one, i)} is not valid before ${day(starts)}`)
  }
}

const checkDomain = (leaf: X509Certificate, domain: string): void => {
  if (leaf.checkHost(domain) !== undefined) return
  const names = leaf.subjectAltName?.replaceAll('DNS:', '') ?? nameIn(leaf.subject)
  throw usage(
    `--certificate: the certificate is not for ${domain}`,
    `It is for ${names === '' ? 'no name at all' : names}.`,
  )
}

const keyFailure = (text: string): Failure => {
  if (/ENCRYPTED/.test(text))
    return usage(
      '--key: the private key is protected by a passphrase',
      'Take it off with: openssl pkey -in FILE -out PLAIN',
    )
  return text.includes('PRIVATE KEY-----')
    ? usage('--key: the private key cannot be read: the file was damaged')
    : usage('--key: the file is not PEM: it has no BEGIN PRIVATE KEY line')
}

const keyIn = (text: string) => {
  try {
    return createPrivateKey(text)
  } catch {
    throw keyFailure(text)
  }
}

/**
 * Checks what is about to be attached to a domain.
 * @throws Failure `usage` naming the first thing that is wrong
 */
export const checkCertificate = (
  { certificate, key }: { readonly certificate?: string; readonly key?: string },
  domain: string,
  now: Date,
): void => {
  const secret = key === undefined ? undefined : keyIn(key)
  const chain = certificate === undefined ? [] : certificatesIn(certificate)
  const [leaf] = chain
  if (leaf === undefined) return
  checkOrder(chain)
  checkDomain(leaf, domain)
  checkDates(chain, now.getTime())
  if (secret !== undefined && !leaf.checkPrivateKey(secret))
    throw usage(
      '--key: the private key does not belong to the certificate',
      'The first certificate of --certificate must be the one made for this key.',
    )
}
