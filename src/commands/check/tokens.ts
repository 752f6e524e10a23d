/** `check tokens`: whether the tokens of the profiles work, and end soon, as far as that is known. */
import { credentialsOf, type ProfileCredential } from '../glance/credentials.js'
import { leftText, several } from '../glance/words.js'
import { type Concern, checkFact } from './types.js'

const workingOf = ({ profile, works, reason = '' }: ProfileCredential): readonly Concern[] => {
  if (works === true) return []
  return works === false
    ? [{ level: 'critical', text: `${profile} does not work: ${reason}` }]
    : [{ level: 'unknown', text: `${profile} could not be tried: ${reason}` }]
}

/** One that is renewed by itself has no end. */
const endsOf = ({ profile, works, left_seconds: left, renews }: ProfileCredential) =>
  works !== true || left === undefined || renews === true
    ? []
    : [{ measure: 'left' as const, of: profile, value: left, text: `${profile} ${leftText(left)}` }]

const fineOf = (all: readonly ProfileCredential[]): string => {
  const open = all.filter(({ left_seconds: left }) => left === undefined).length
  const said =
    open === 0
      ? ''
      : `; the API does not say when ${open === all.length && open === 1 ? 'it ends' : `${open} of them end`}`
  return `${several(all.length, 'token')} ${all.length === 1 ? 'works' : 'work'}${said}`
}

export const tokensCheck = checkFact({
  name: 'tokens',
  summary: 'Check whether the tokens of the profiles work',
  description: [
    'Each is tried by one GET at the address of its profile. When one ends is known only of OAuth and of those whose end signing in was told (auth login --expires-in): the API does not say it. What is renewed by itself has no end.',
  ],
  examples: ['check tokens', 'check tokens --warn 30d --crit 7d', 'check tokens --format nagios'],
  measures: {
    left: { unit: 'seconds', example: '30d', bad: 'below', help: 'time left of a token' },
  },
  label: 'profile',
  levels: { warn: ['30d'], crit: ['7d'] },
  everywhere: true,
  read: async (services) => {
    const all = await credentialsOf(services)
    return {
      samples: all.flatMap(endsOf),
      findings: all.flatMap(workingOf),
      fine: fineOf(all),
    }
  },
})
