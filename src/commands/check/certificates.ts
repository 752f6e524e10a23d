/** `check certificates`: whether a certificate of a Pages domain ends soon. */
import { project } from '../../catalogue/params.js'
import { certificatesOf, type DomainCertificate } from '../glance/certificates.js'
import { leftText, several } from '../glance/words.js'
import { type Concern, checkFact } from './types.js'

const textOf = ({ domain, left_seconds: left }: DomainCertificate): string =>
  left === undefined ? `the end of ${domain} is not told` : `${domain} ${leftText(left)}`

/** What is over, and what cannot be judged. */
const findingOf = (one: DomainCertificate): readonly Concern[] => {
  const { expired, left_seconds: left, domain } = one
  if (left === undefined)
    return expired === true
      ? [{ level: 'critical', text: `${domain} has expired` }]
      : [{ level: 'unknown', text: textOf(one) }]
  return left < 0 ? [{ level: 'critical', text: textOf(one) }] : []
}

const flags = {
  project: { ...project('those of this project, in place of the whole instance'), short: 'P' },
} as const

export const certificatesCheck = checkFact({
  name: 'certificates',
  summary: 'Check whether certificates of Pages domains end soon',
  description: ['One that has ended is critical. Domains without a certificate do not count.'],
  examples: [
    'check certificates -P web/site',
    'check certificates --warn 30d --crit 7d --format nagios',
  ],
  measures: {
    left: { unit: 'seconds', example: '30d', bad: 'below', help: 'time left of a certificate' },
  },
  label: 'domain',
  levels: { warn: ['30d'], crit: ['7d'] },
  flags,
  read: async ({ instance, place }, { flags: given }) => {
    const found = await certificatesOf(instance, place.clock.now(), given.project)
    const { certificates, without } = found
    const [first] = certificates
    const also = without === 0 ? '' : `; ${several(without, 'domain')} without one`
    const next = first === undefined ? '' : `, the next: ${textOf(first)}`
    return {
      samples: certificates.flatMap((one) =>
        one.left_seconds === undefined
          ? []
          : [{ measure: 'left', of: one.domain, value: one.left_seconds, text: textOf(one) }],
      ),
      findings: certificates.flatMap(findingOf),
      fine: `${several(certificates.length, 'certificate')}${next}${also}`,
    }
  },
})
