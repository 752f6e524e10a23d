/** `pages-domains add`, `update` and `list` (`catalogue/reference/pages-domains.md`). */
import { X509Certificate } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { readReadable } from '../../base/files/readable.js'
import { type Fields, isObject, textOf } from '../../base/objects.js'
import type { MadeField } from '../../catalogue/kinds.js'
import { boolean, string } from '../../catalogue/params.js'
import { Failure, reasonOf, usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import type { Services } from '../services.js'
import type { Given, Operation, OwnFlag, Plan } from '../types.js'
import { checkCertificate, endOf } from './certificate.js'

const attributes = ['certificate', 'key'] as const
type Attribute = (typeof attributes)[number]
type Files = Readonly<Partial<Record<Attribute, NonNullable<Plan['files']>[string]>>>

const pem = {
  certificate: {
    ...string('PEM file: the certificate, then its intermediates, the most specific first', {
      format: 'pem',
    }),
    parameter: 'certificate',
  },
  key: {
    ...string('PEM file: the private key of the certificate', { format: 'pem' }),
    parameter: 'key',
  },
} as const satisfies Readonly<Record<string, OwnFlag>>

const updating = {
  ...pem,
  'no-certificate': boolean('remove the certificate and its key'),
} as const

const read = async (
  { cwd, clock }: Services['place'],
  name: Attribute,
  given: string | null | undefined,
): Promise<Files> => {
  if (given === undefined) return {}
  const path = (given ?? '').replace(/^@/, '')
  if (path === '')
    throw usage(`--${name} takes a PEM file`, '--no-certificate removes certificate and key.')
  if (path.includes('-----BEGIN'))
    throw usage(`--${name} takes the name of a PEM file, not its text`)
  try {
    const bytes = await readReadable(resolve(cwd, path), clock.signal)
    return { [name]: { filename: basename(path), path, bytes } }
  } catch (cause) {
    throw new Failure('usage', `--${name}: cannot read ${path}: ${reasonOf(cause)}`)
  }
}

/** The PEM texts of a plan: of its files, else of --input. */
const textsOf = (files: Files, values: Fields): Partial<Record<Attribute, string>> =>
  Object.fromEntries(
    attributes.flatMap((name) => {
      const file = files[name]
      const text = file === undefined ? textOf(values[name]) : Buffer.from(file.bytes).toString()
      return text === undefined ? [] : [[name, text]]
    }),
  )

const withFiles = (plan: Plan, files: Files, now: Date): Plan => {
  checkCertificate(textsOf(files, plan.values), String(plan.values.domain), now)
  // What goes as a file does not stand among the values as well.
  const values = Object.entries(plan.values).filter(([name]) => !(name in files))
  return { ...plan, values: Object.fromEntries(values), files }
}

const attaching = async (
  { place }: Services,
  given: GivenBy<typeof updating>,
): Promise<Operation> => {
  const { certificate, key, 'no-certificate': without, ...flags } = given.flags
  if (without !== undefined && (certificate !== undefined || key !== undefined))
    throw usage(
      `--no-certificate and --${certificate === undefined ? 'key' : 'certificate'} exclude each other`,
    )
  if (without !== undefined) return detaching({ ...given, flags })
  const files = {
    ...(await read(place, 'certificate', certificate)),
    ...(await read(place, 'key', key)),
  }
  // Stand-ins, so that an update of nothing but files counts as one.
  const preset = Object.fromEntries(Object.keys(files).map((name) => [name, '']))
  return {
    given: { ...given, flags },
    preset,
    complete: (plan) => withFiles(plan, files, place.clock.now()),
    planFirst: true,
  }
}

const detaching = (given: Given): Operation => ({
  given,
  preset: { certificate: '', key: '' },
  loses: {
    what: 'The certificate and its key are removed; the site is no longer served over TLS with them.',
    each: ({ values }) => `${String(values.domain)} of project ${String(values.id)}`,
  },
})

const checked =
  'Certificate, chain and key are checked before they are sent: dates, domain, order, and that they belong together.'

export const add = define({
  description: [checked],
  flags: pem,
  examples: [
    'pages-domains add new.example.test --project web/site',
    'pages-domains add secure.example.test --auto-ssl-enabled --project web/site',
  ],
  gathers: true,
  operation: (services, given) => attaching(services, given),
})

export const update = define({
  description: [checked],
  flags: updating,
  examples: [
    'pages-domains update www.example.test --auto-ssl-enabled --project web/site',
    'pages-domains update site.example.test --no-certificate --project web/site --yes',
  ],
  operation: attaching,
})

/** When a certificate ends: as the instance says, else as its PEM text does. */
const endTime = (certificate: Fields): string | undefined => {
  const { expiration, certificate: pem } = certificate
  if (typeof expiration === 'string') return expiration
  if (typeof pem !== 'string') return undefined
  try {
    return new Date(endOf(new X509Certificate(pem))).toISOString()
  } catch {
    return undefined
  }
}

const certificateOf = (domain: unknown): Fields =>
  isObject(domain) && isObject(domain.certificate) ? domain.certificate : {}

/** The name and the end of a domain's certificate, which tables have room for. */
export const made = {
  subject: (domain: unknown) => textOf(certificateOf(domain).subject)?.replace(/^\/?CN=/, ''),
  expires_at: (domain: unknown) => endTime(certificateOf(domain)),
} as const satisfies Readonly<Record<MadeField, (domain: unknown) => unknown>>

export const list = define({
  description: ['Tables show when certificates end, and mark those that soon do.'],
  examples: ['pages-domains list --project web/site', 'pages-domains list --instance'],
  made,
})
