/** Texts of attributes, held to the format of their parameter: those that files write, and those of files that they name. */
import { isDay, isMoment } from '../../base/dates.js'
import { isDuration } from '../../base/duration.js'
import { readPublicKey } from '../../base/public-key.js'
import { quoted } from '../../base/quoted.js'
import { type HeldText, heldSize, openHeld, textSize } from '../../base/secrets/held.js'
import type { Param, StringParam } from '../../catalogue/params.js'
import type { Origin } from '../wishes.js'
import type { Mistakes } from './mistakes.js'
import type { WrittenScalar } from './written.js'

const certificate =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\w+/=\s]+-----END [A-Z0-9 ]+-----/g

/** The certificates of a PEM text, without what stands around them; undefined where a private key is among them. */
const certificatesIn = (text: string): string | undefined =>
  text.includes('PRIVATE KEY-----') ? undefined : text.match(certificate)?.join('\n')

interface Format {
  readonly takes: string
  /** What is sent of a text; undefined where it is none of the format. */
  sent(text: string): string | undefined
  /** It may stand in a file of its own; whoever names or pastes a wrong one may have a secret there. */
  readonly inFile?: true
}

const where =
  (fits: (text: string) => boolean): Format['sent'] =>
  (text) =>
    fits(text) ? text : undefined

const formats: Readonly<Partial<Record<NonNullable<StringParam['format']>, Format>>> = {
  date: { takes: 'a day as YYYY-MM-DD', sent: where(isDay) },
  datetime: { takes: 'a time as YYYY-MM-DDTHH:MM:SSZ', sent: where(isMoment) },
  duration: { takes: 'a duration such as 1h30m or 3w1h', sent: where(isDuration) },
  pem: { takes: 'PEM certificates and no private key', sent: certificatesIn, inFile: true },
  'public-key': {
    takes: 'a public key in one line',
    sent: where((text) => readPublicKey(text) !== undefined),
    inFile: true,
  },
}

const formatOf = (param: Param): Format | undefined =>
  param.type === 'string' && param.format !== undefined ? formats[param.format] : undefined

/** Whether not every text is one of this parameter. */
export const hasFormat = (param: Param): boolean => formatOf(param) !== undefined

/** A text as it is sent, or what is wrong with it, in words that hold nothing of it. */
const fitted = (
  param: Param,
  text: string,
): { readonly sent: string } | { readonly wrong: string } => {
  const format = formatOf(param)
  const isCleared = text === '' && param.type === 'string' && param.clears === true
  const sent = format === undefined || isCleared ? text : format.sent(text)
  if (sent === undefined) return { wrong: format?.takes ?? 'text' }
  return sent.includes('\0') ? { wrong: 'text without a NUL' } : { sent }
}

/**
 * A text of a parameter, as a file writes it.
 * @returns undefined where the parameter does not take it, which is reported
 */
export const checkText = (
  { name, mistakes }: { readonly name: string; readonly mistakes: Mistakes },
  param: Param,
  { origin, text }: Pick<WrittenScalar, 'origin' | 'text'>,
): string | undefined => {
  const found = fitted(param, text)
  if ('sent' in found) return found.sent
  const inFile = formatOf(param)?.inFile === true
  mistakes.add(
    origin,
    `${name} takes ${found.wrong}, not ${inFile ? textSize(text) : `"${quoted(text)}"`}`,
    inFile ? 'A file that holds it is written {file: path}.' : undefined,
  )
  return undefined
}

/** A text that stands in a file which another file names. */
export interface TextOfFile {
  readonly file: string
  readonly origin: Origin
  readonly held: HeldText
}

/**
 * The value of an attribute that stands in a file of its own.
 * @returns undefined where the parameter does not take it, which is reported with nothing of it
 */
export const heldValue = (
  { name, param }: { readonly name: string; readonly param: Param },
  { file, origin, held }: TextOfFile,
  mistakes: Mistakes,
): string | undefined => {
  const found = fitted(param, openHeld(held))
  if ('sent' in found) return found.sent
  mistakes.add(origin, `${name} takes ${found.wrong}: ${quoted(file)} holds ${heldSize(held)}`)
  return undefined
}
