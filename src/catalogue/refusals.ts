/** Checks values by the rules of instances, such as valid URLs and maximum lengths. The values already have the type of their parameter. */

import { X509Certificate } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { isJsonList, type JsonValue } from '../base/objects.js'
import { isNumeric, isText, type Param, type StringParam } from './params.js'
import { span, splitItems, type ValueProblem } from './values.js'

/** The reason why a value is refused: the `expected` value in words after "must be", and the `nearest` valid one. */
export type ValueRefusal = Pick<ValueProblem, 'expected' | 'nearest'>

/** A rule for texts of one format. */
interface TextRule {
  readonly expected: string
  readonly fits: (text: string) => boolean
  /** Returns the valid text that was probably meant. */
  readonly suggest?: (text: string) => string
}

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The pattern of one label of a domain name. */
const domainLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const domain = new RegExp(`^(?:${domainLabel}\\.)+${domainLabel}$`, 'i')

/** Returns the domain in a URL or in another script, in the ASCII form that instances accept. */
const toDomain = (text: string): string => {
  const [host = ''] = text
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .split(/[/:?#]/, 1)
  return domainToASCII(host.replace(/(?<!\.)\.+$/, ''))
}

const certificate =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END [A-Z0-9 ]+-----/g

const isCertificate = (pem: string): boolean => {
  try {
    return (pem.match(certificate) ?? []).map((one) => new X509Certificate(one)).length > 0
  } catch {
    return false
  }
}

const email: TextRule = {
  expected: 'an email address',
  fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
}

const rules: Readonly<Partial<Record<NonNullable<StringParam['format']>, TextRule>>> = {
  url: { expected: 'a URL that begins with http:// or https://', fits: isHttpUrl },
  email,
  domain: {
    expected: 'a domain name such as docs.example.com',
    fits: (text) => text.length <= 253 && domain.test(text),
    suggest: toDomain,
  },
  slug: {
    expected: 'a name of lowercase letters, digits, hyphens and underscores',
    fits: (text) => /^[a-z0-9][a-z0-9_-]*$/.test(text),
    suggest: (text) =>
      text
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9_]+/g, '-'),
  },
  span,
  pem: { expected: 'certificates that can be read', fits: isCertificate },
}

const findTextRefusal = (param: StringParam, text: string): ValueRefusal | undefined => {
  const { format = 'text', items, max, filled } = param
  if (text === '' && filled !== true) return undefined
  if (filled === true && text.trim() === '') return { expected: 'text that is not blank' }
  if (text.length > (max ?? text.length)) return { expected: `at most ${max} characters long` }
  if (items === 'email')
    return splitItems(param, text).every(email.fits)
      ? undefined
      : { expected: 'email addresses, separated by spaces or commas' }
  const rule = rules[format]
  if (rule === undefined || rule.fits(text)) return undefined
  const suggestion = rule.suggest?.(text)
  return {
    expected: rule.expected,
    nearest: suggestion && rule.fits(suggestion) ? suggestion : undefined,
  }
}

/** Returns the reason why instances refuse a value; undefined if no reason is known. */
export const findRefusal = (param: Param, value: JsonValue): ValueRefusal | undefined => {
  if (isText(param))
    return findTextRefusal(param, isJsonList(value) ? value.join(' ') : String(value ?? ''))
  const least = isNumeric(param) ? param.least : undefined
  const isLess = least !== undefined && typeof value === 'number' && value < least
  return isLess ? { expected: `at least ${least}` } : undefined
}
