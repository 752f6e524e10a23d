/** The tokens of the profiles. */
import { credentialsOf, type ProfileCredential } from '../../glance/credentials.js'
import { leftText, several } from '../../glance/words.js'
import type { OverviewPart } from '../types.js'

const columns = { name: 14 } as const

const stateOf = ({ works }: ProfileCredential): string =>
  works === undefined ? 'not tried' : works ? 'works' : 'does not work'

const markOf = ({ works }: ProfileCredential): 'good' | 'bad' | 'warn' =>
  works === undefined ? 'warn' : works ? 'good' : 'bad'

const endText = ({ left_seconds: left, renews }: ProfileCredential): readonly string[] =>
  renews === true ? ['renewed by itself'] : left === undefined ? [] : [leftText(left)]

export const tokensPart: OverviewPart = {
  name: 'tokens',
  title: 'Tokens of the profiles',
  own: true,
  read: async (services) => {
    const all = await credentialsOf(services)
    return {
      value: all,
      headline: several(all.length, 'token'),
      lines: ({ cell, mark, after }) =>
        all.flatMap((one) => {
          const said = [...endText(one), one.base_url, one.reason ?? one.credential].join(', ')
          return after(`${mark(markOf(one))} ${cell(one.profile, columns.name)} `, said)
        }),
      rows: all.map((one) => ({
        item: one.profile,
        value: one.expires_at ?? '',
        state: stateOf(one),
      })),
    }
  },
}
