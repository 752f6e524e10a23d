/** Which addresses are reached without a proxy, by the words of `NO_PROXY`: for requests, and for what `doctor` says of them. */

import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'

interface ExemptionRule {
  /** A name in lower case, or an IP address. */
  readonly host: string
  /** Bits of the network that an IP address stands for; the address alone where it is missing. */
  readonly prefix?: number
  readonly port?: number
}

/** An address of IPv6 in brackets, a network, a bare address, or a name or an address with a port. */
const forms: readonly RegExp[] = [
  /^\[(?<host>[^\]]+)\](?::(?<port>\d+)|\/(?<prefix>\d+))?$/,
  /^(?<host>[^/]+)\/(?<prefix>\d+)$/,
  /^(?<host>[^:]*:[^:]*:.*)$/,
  /^(?<host>[^:]*)(?::(?<port>\d+))?$/,
]

const withoutDots = (name: string): string => name.replace(/^\*?\./, '').replace(/\.$/, '')

/** A number that a list names; undefined where it names none. */
const optional = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

const parseRule = (text: string): ExemptionRule | undefined => {
  const found = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  const { host = '', port, prefix } = found ?? {}
  const name = isIP(host) === 0 ? domainToASCII(withoutDots(host)) : host
  if (name === '' || (prefix !== undefined && isIP(name) === 0)) return undefined
  return { host: name, port: optional(port), prefix: optional(prefix) }
}

const families = { 4: 'ipv4', 6: 'ipv6' } as const
const bits = { ipv4: 32, ipv6: 128 } as const

const familyOf = (address: string): (typeof families)[4 | 6] | undefined => {
  const version = isIP(address)
  return version === 4 || version === 6 ? families[version] : undefined
}

/** Whether an IP address is another, in whatever form that is written, or of its network. */
const isWithin = (address: string, { host, prefix }: ExemptionRule): boolean => {
  const [own, family] = [familyOf(address), familyOf(host)]
  if (own === undefined || family === undefined) return false
  const length = prefix ?? bits[family]
  if (length > bits[family]) return false
  const network = new BlockList()
  network.addSubnet(host, length, family)
  return network.check(address, own)
}

const isMatch = (host: string, rule: ExemptionRule): boolean => {
  if (isIP(host) !== 0) return isWithin(host, rule)
  return host === rule.host || host.endsWith(`.${rule.host}`)
}

/**
 * Whether `NO_PROXY` exempts the host of an address, as Go's programs and curl understand it: `*`, a name with all
 * below it, an IP address or a network (`192.0.2.0/24`, `2001:db8::/32`), each with a port if only that one is meant.
 */
export const isProxyExempt = (address: string, noProxy: string | undefined): boolean => {
  const entries = (noProxy ?? '').toLowerCase().split(/[\s,]+/)
  if (entries.includes('*')) return true
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const own = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return entries.some((entry) => {
    const rule = parseRule(entry)
    if (rule === undefined || (rule.port ?? own) !== own) return false
    return isMatch(host, rule)
  })
}
