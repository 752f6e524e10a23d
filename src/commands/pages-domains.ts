/**
 * Implements `pages-domains list`, `add` and `update`, which check certificates and keys before they are sent, and show when they expire
 * (`catalogue/reference/pages-domains.md`).
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { basename } from 'node:path'
import { toDay } from '../base/dates.js'
import { readGivenFile } from '../base/files/files.js'
import { type Fields, isObject, toText } from '../base/objects.js'
import type { MadeField } from '../catalogue/kinds.js'
import { boolean, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { Given, OwnFlag, Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { type Failure, usage } from '../errors.js'
import { type Arguments, define } from './define.js'

// Checks of a certificate, its chain and its key (`POST /projects/:id/pages/domains`). Each problem has its own message, and none contains
// a part of the private key.

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** Returns the common name of a certificate's subject or issuer. */
const getCommonName = (subject: string | undefined): string =>
  /^CN=(.*)$/m.exec(subject ?? '')?.[1] ?? (subject ?? '').split('\n')[0] ?? ''

const describeCertificate = (certificate: X509Certificate, index: number): string =>
  index === 0
    ? 'the certificate'
    : `certificate ${index + 1} (${getCommonName(certificate.subject)})`

/** Returns when a certificate expires, in milliseconds. */
const getEnd = (certificate: X509Certificate): number => Date.parse(certificate.validTo)

const parse = (pem: string, index: number): X509Certificate => {
  try {
    return new X509Certificate(pem)
  } catch {
    throw usage(`--certificate: certificate ${index + 1} cannot be read: the file was damaged`)
  }
}

/**
 * Parses the certificates of a PEM file, in order.
 * @throws Failure `usage` if it contains no certificate, or a private key
 */
const parseCertificates = (text: string): X509Certificate[] => {
  if (text.includes('PRIVATE KEY-----'))
    throw usage(
      '--certificate: the file contains a private key',
      'Pass the certificates with --certificate and the private key with --key.',
    )
  const found = text.match(certificateBlock) ?? []
  if (found.length === 0)
    throw usage(
      '--certificate: the file is not PEM: it has no BEGIN CERTIFICATE line',
      'Convert a binary certificate with: openssl x509 -inform der -in FILE',
    )
  return found.map(parse)
}

const isIssuedBy = (one: X509Certificate, by: X509Certificate): boolean =>
  one.checkIssued(by) && one.verify(by.publicKey)

/** Checks that each certificate was issued by the next one. */
const checkOrder = (chain: readonly X509Certificate[]): void => {
  for (const [i, one] of chain.entries()) {
    const next = chain[i + 1]
    if (next === undefined || isIssuedBy(one, next)) continue
    const elsewhere = chain.some((a, x) =>
      chain.some((b, y) => x !== y && y !== x + 1 && isIssuedBy(a, b)),
    )
    throw elsewhere
      ? usage(
          '--certificate: the chain is out of order',
          'Put the domain’s certificate first, and each issuer right after the certificate that it issued.',
        )
      : usage(
          `--certificate: certificate ${i + 2} (${getCommonName(next.subject)}) did not issue ${describeCertificate(one, i)}`,
          `Its issuer is ${getCommonName(one.issuer)}.`,
        )
  }
}

const checkDates = (chain: readonly X509Certificate[], now: number): void => {
  for (const [i, one] of chain.entries()) {
    const starts = Date.parse(one.validFrom)
    const ends = getEnd(one)
    if (ends <= now)
      throw usage(`--certificate: ${describeCertificate(one, i)} expired on ${toDay(ends)}`)
    if (starts > now)
      throw usage(
        `--certificate: ${describeCertificate(one, i)} is not valid before ${toDay(starts)}`,
      )
  }
}

const checkDomain = (leaf: X509Certificate, domain: string): void => {
  if (leaf.checkHost(domain) !== undefined) return
  const names = leaf.subjectAltName?.replaceAll('DNS:', '') ?? getCommonName(leaf.subject)
  throw usage(
    `--certificate: the certificate is not for ${domain}`,
    `It is for ${names === '' ? 'no name at all' : names}.`,
  )
}

const createKeyFailure = (text: string): Failure => {
  if (/ENCRYPTED/.test(text))
    return usage(
      '--key: the private key is protected by a passphrase',
      'Remove the passphrase with: openssl pkey -in FILE -out PLAIN',
    )
  return text.includes('PRIVATE KEY-----')
    ? usage('--key: the private key cannot be read: the file was damaged')
    : usage('--key: the file is not PEM: it has no BEGIN PRIVATE KEY line')
}

const parseKey = (text: string) => {
  try {
    return createPrivateKey(text)
  } catch {
    throw createKeyFailure(text)
  }
}

/**
 * Checks the certificate and key for a domain.
 * @throws Failure `usage` with the first problem
 */
export const checkCertificate = (
  { certificate, key }: { readonly certificate?: string; readonly key?: string },
  domain: string,
  now: Date,
): void => {
  const secret = key === undefined ? undefined : parseKey(key)
  const chain = certificate === undefined ? [] : parseCertificates(certificate)
  const [leaf] = chain
  if (leaf === undefined) return
  checkOrder(chain)
  checkDomain(leaf, domain)
  checkDates(chain, now.getTime())
  if (secret !== undefined && !leaf.checkPrivateKey(secret))
    throw usage(
      '--key: the private key does not belong to the certificate',
      'The first certificate in --certificate must match this key.',
    )
}

const attributes = ['certificate', 'key'] as const
type Attribute = (typeof attributes)[number]
type Files = Readonly<Partial<Record<Attribute, NonNullable<Plan['files']>[string]>>>

const pemFlags = {
  certificate: {
    ...string('PEM file with the certificate, followed by its intermediates', {
      format: 'pem',
    }),
    parameter: 'certificate',
  },
  key: {
    ...string('PEM file with the private key of the certificate', { format: 'pem' }),
    parameter: 'key',
  },
} as const satisfies Readonly<Record<string, OwnFlag>>

const updateFlags = {
  ...pemFlags,
  'no-certificate': boolean('remove the certificate and its key'),
} as const

/** The largest PEM file, in bytes. */
const maxPem = 4e6

const readPem = async (
  { clock }: Context['place'],
  name: Attribute,
  given: string | null | undefined,
): Promise<Files> => {
  if (given === undefined) return {}
  const path = (given ?? '').replace(/^@/, '')
  if (path === '')
    throw usage(
      `--${name} requires a PEM file`,
      'Use --no-certificate to remove the certificate and its key.',
    )
  if (path.includes('-----BEGIN'))
    throw usage(`--${name} must be the name of a PEM file, not its content`)
  const bytes = await readGivenFile(`--${name}`, path, maxPem, clock.signal)
  return { [name]: { filename: basename(path), path, bytes } }
}

/** Returns the PEM texts of a plan, from its files or --input. */
const getPemTexts = (files: Files, values: Fields): Partial<Record<Attribute, string>> =>
  Object.fromEntries(
    attributes.flatMap((name) => {
      const file = files[name]
      const text = file === undefined ? toText(values[name]) : Buffer.from(file.bytes).toString()
      return text === undefined ? [] : [[name, text]]
    }),
  )

const withFiles = (plan: Plan, files: Files, now: Date): Plan => {
  checkCertificate(getPemTexts(files, plan.values), String(plan.values.domain), now)
  // Values that are sent as files must not be sent a second time.
  const values = Object.entries(plan.values).filter(([name]) => !Object.hasOwn(files, name))
  return { ...plan, values: Object.fromEntries(values), files }
}

async function* updateDomain(context: Context, given: Arguments<typeof updateFlags>): Rows {
  const { place } = context
  const { certificate, key, 'no-certificate': without, ...flags } = given.flags
  if (without !== undefined && (certificate !== undefined || key !== undefined))
    throw usage(
      `--no-certificate and --${certificate === undefined ? 'key' : 'certificate'} exclude each other`,
    )
  if (without !== undefined) return yield* removeCertificate(context, { ...given, flags })
  const files = {
    ...(await readPem(place, 'certificate', certificate)),
    ...(await readPem(place, 'key', key)),
  }
  // Placeholders, so that an update with only files does not count as empty.
  const preset = Object.fromEntries(Object.keys(files).map((name) => [name, '']))
  const complete = (plan: Plan) => withFiles(plan, files, place.clock.now())
  const how = { preset, complete, planFirst: true } as const
  yield* context.write(await context.planActions({ ...given, flags }, how))
}

async function* removeCertificate(context: Context, given: Given): Rows {
  const preset = { certificate: '', key: '' }
  yield* context.write(await context.planActions(given, { preset }), {
    loses: {
      what: 'The certificate and its key are removed, so they no longer secure the site.',
      describePlan: ({ values }) => `${String(values.domain)} of project ${String(values.id)}`,
    },
  })
}

const checkNote =
  'svcctl checks the certificate, its chain and its key before it sends them: dates, domain, order, and that they match.'

export const add = define({
  description: [checkNote],
  flags: pemFlags,
  gathers: true,
  rows: (context, given) => updateDomain(context, given),
})

export const update = define({
  description: [checkNote],
  flags: updateFlags,
  rows: updateDomain,
})

/** Returns when a certificate expires, according to the instance or else to its PEM text. */
const getEndTime = (certificate: Fields): string | undefined => {
  const { expiration, certificate: pem } = certificate
  if (typeof expiration === 'string') return expiration
  if (typeof pem !== 'string') return undefined
  try {
    return new Date(getEnd(new X509Certificate(pem))).toISOString()
  } catch {
    return undefined
  }
}

const getCertificate = (domain: unknown): Fields =>
  isObject(domain) && isObject(domain.certificate) ? domain.certificate : {}

/** The columns that show the subject and the expiry date of a domain's certificate. */
export const certificateFields = {
  subject: (domain: unknown) => toText(getCertificate(domain).subject)?.replace(/^\/?CN=/, ''),
  expires_at: (domain: unknown) => getEndTime(getCertificate(domain)),
} as const satisfies Readonly<Record<MadeField, (domain: unknown) => unknown>>

export const list = define({
  description: ['Tables show when certificates expire and mark those that expire soon.'],
  computedFields: certificateFields,
})
