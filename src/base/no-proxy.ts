/** The rules of `NO_PROXY`, which names addresses that are reached without a proxy: for requests, and for the report of `doctor`. */

import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'

interface ExemptionRule {
  /** A name in lower case, or an IP address. */
  readonly host: string
  /** The bits of the network that an IP address stands for; the address alone if it is missing. */
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

const stripDots = (name: string): string => name.replace(/^\*?\./, '').replace(/\.$/, '')

/** Converts an optional number of a rule; undefined if it is missing. */
const toOptionalNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

const parseRule = (text: string): ExemptionRule | undefined => {
  const found = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  const { host = '', port, prefix } = found ?? {}
  const name = isIP(host) === 0 ? domainToASCII(stripDots(host)) : host
  if (name === '' || (prefix !== undefined && isIP(name) === 0)) return undefined
  return { host: name, port: toOptionalNumber(port), prefix: toOptionalNumber(prefix) }
}

const families = { 4: 'ipv4', 6: 'ipv6' } as const
const bits = { ipv4: 32, ipv6: 128 } as const

const getAddressFamily = (address: string): (typeof families)[4 | 6] | undefined => {
  const version = isIP(address)
  return version === 4 || version === 6 ? families[version] : undefined
}

/** True if an IP address equals another, in any notation, or belongs to its network. */
const isWithin = (address: string, { host, prefix }: ExemptionRule): boolean => {
  const [own, family] = [getAddressFamily(address), getAddressFamily(host)]
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
 * True if `NO_PROXY` exempts the host of an address, as Go's programs and curl understand it. An entry is `*`, a name with all below it, an
 * IP address or a network (`192.0.2.0/24`, `2001:db8::/32`). Each entry may have a port, if only that one is meant.
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
