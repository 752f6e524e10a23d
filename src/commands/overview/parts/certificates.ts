/** Certificates of Pages domains, the one that ends first first. */
import { type DomainCertificate, readCertificates } from '../../health/certificates.js'
import { leftText, several } from '../../health/words.js'
import type { OverviewPart } from '../types.js'

const day = 86_400
/** A month before its end one is looked at, a week before there is haste. */
const soon = { bad: 7 * day, warn: 30 * day } as const

const markOf = ({ left_seconds: left, expired }: DomainCertificate): 'good' | 'warn' | 'bad' => {
  if (left === undefined) return expired === true ? 'bad' : 'warn'
  return left < soon.bad ? 'bad' : left < soon.warn ? 'warn' : 'good'
}

const endText = ({ left_seconds: left, expired, renews }: DomainCertificate): string => {
  const end =
    left === undefined ? (expired === true ? 'expired' : 'expiry unknown') : leftText(left)
  return renews === true ? `${end}, renewed automatically` : end
}

/** As many as a page has room for. */
const most = 5
const nameColumns = 34

const spans = [
  ['ended', (left: number) => left < 0],
  ['within 7 days', (left: number) => left >= 0 && left < soon.bad],
  ['within 30 days', (left: number) => left >= soon.bad && left < soon.warn],
  ['later', (left: number) => left >= soon.warn],
] as const

export const certificatesPart: OverviewPart = {
  name: 'certificates',
  title: 'Pages certificates',
  read: async ({ instance, place }) => {
    const { certificates, without } = await readCertificates(instance, place.clock.now())
    const counts = spans.map(([name, within]) => {
      const among = certificates.filter(
        ({ left_seconds: left }) => left !== undefined && within(left),
      )
      return [name, among.length] as const
    })
    const open = certificates.filter(({ left_seconds: left }) => left === undefined).length
    const told = [...counts, ['with an unknown expiry date', open] as const]
      .filter(([, n]) => n > 0)
      .map(([name, n]) => `${n} ${name}`)
    const rest = certificates.length - most
    return {
      value: { by_time_left: Object.fromEntries(counts), without, certificates },
      headline:
        [...told, ...(without === 0 ? [] : [`${several(without, 'domain')} without one`])].join(
          ', ',
        ) || 'none',
      lines: ({ cell, mark, after }) => [
        ...certificates
          .slice(0, most)
          .flatMap((one) =>
            after(`${mark(markOf(one))} ${cell(one.domain, nameColumns)} `, endText(one)),
          ),
        ...(rest > 0 ? [`and ${rest} more, which ${rest === 1 ? 'ends' : 'end'} later`] : []),
      ],
      rows: certificates.map((one) => ({
        item: one.domain,
        value: one.expires_at ?? '',
        state: { good: 'fine', warn: 'soon', bad: 'urgent' }[markOf(one)],
      })),
    }
  },
}
