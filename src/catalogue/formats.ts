/** The formats of a parameter's text (a day, a duration, a certificate): what has one, and what is sent of it. */
import { isDay, isDuration, isMoment, sentTime } from '../base/dates.js'
import { readPublicKey } from '../base/public-key.js'
import { formatOf, type Param, type StringParam } from './params.js'

/** Who wrote a text: `coerce.ts` says what each means. */
export type SourceKind = 'text' | 'data' | 'file' | 'wire'

type Format = NonNullable<StringParam['format']>

interface FormatRule {
  /** In words, to stand behind "must be". */
  readonly expected: string
  /** What is sent of a text; undefined where it does not have the format. */
  readonly sent: (text: string) => string | undefined
}

const where =
  (fits: (text: string) => boolean): FormatRule['sent'] =>
  (text) =>
    fits(text) ? text : undefined

const certificate =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\w+/=\s]+-----END [A-Z0-9 ]+-----/g

/** The certificates of a PEM text, without what stands around them; undefined where a private key is among them. */
const certificatesIn = (text: string): string | undefined =>
  text.includes('PRIVATE KEY-----') ? undefined : text.match(certificate)?.join('\n')

const written = {
  date: { expected: 'a day as YYYY-MM-DD', sent: where(isDay) },
  datetime: { expected: 'a time as YYYY-MM-DDTHH:MM:SSZ', sent: where(isMoment) },
} as const satisfies Partial<Record<Format, FormatRule>>

const duration = { expected: 'a duration such as 1h30m or 3w1h', sent: where(isDuration) }

/** A time that people may say by how far away it is. */
const typedFormat = (format: keyof typeof written): FormatRule => ({
  expected: `${written[format].expected}, 30d (ago), +30d (ahead), today or yesterday`,
  sent: (text) => sentTime(text, format, Date.now()),
})

const typed = { date: typedFormat('date'), datetime: typedFormat('datetime'), duration }

const rules: Readonly<Record<SourceKind, Partial<Record<Format, FormatRule>>>> = {
  text: typed,
  data: typed,
  file: {
    ...written,
    duration,
    pem: { expected: 'PEM certificates without a private key', sent: certificatesIn },
    'public-key': {
      expected: 'a public key in one line',
      sent: where((text) => readPublicKey(text) !== undefined),
    },
  },
  wire: written,
}

/** What a text of a parameter is held to; undefined where every text is one. */
export const formatRule = (kind: SourceKind, param: Param): FormatRule | undefined =>
  rules[kind][formatOf(param) ?? 'text']

/** What parts the items of a string that holds several, when it is read and when it is sent. */
const separators: Partial<Record<Format, readonly [RegExp, string]>> = {
  csv: [/,/, ','],
  spaced: [/[\s,]+/, ' '],
}

/** Whether it is a string by the documents that holds several items. */
export const isJoined = (param: Param): boolean =>
  separators[formatOf(param) ?? 'text'] !== undefined

/** Several items as the string that the documents want; undefined elsewhere. One ID of a user stays a number. */
export const joinItems = (param: Param, texts: readonly string[]): string | number | undefined => {
  const [separator, glue] = separators[formatOf(param) ?? 'text'] ?? []
  if (separator === undefined) return undefined
  const items = texts.flatMap((text) => text.split(separator)).map((item) => item.trim())
  const all = items.filter((item) => item !== '').join(glue)
  return glue === ',' && param.completes === 'user' ? idOrText(all) : all
}

/** IDs made of digits are numbers in JSON; paths and names stay text. */
export const idOrText = (text: string): string | number =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text
