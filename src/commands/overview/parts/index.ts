/** The parts of the overview, in the order of its columns. */

import { type ProfileCredential, readCredentials } from '../../health/credentials.js'
import { leftText, several } from '../../health/words.js'
import type { OverviewPart } from '../types.js'
import { certificatesPart } from './certificates.js'
import { jobsPart } from './jobs.js'
import { replicationPart } from './replication.js'
import { runnersPart } from './runners.js'
import { storagesPart } from './storages.js'

// The tokens of the profiles.

const columns = { name: 14 } as const

const stateOf = ({ works }: ProfileCredential): string =>
  works === undefined ? 'not checked' : works ? 'works' : 'invalid'

const markOf = ({ works }: ProfileCredential): 'good' | 'bad' | 'warn' =>
  works === undefined ? 'warn' : works ? 'good' : 'bad'

const endText = ({ left_seconds: left, renews }: ProfileCredential): readonly string[] =>
  renews === true ? ['renewed automatically'] : left === undefined ? [] : [leftText(left)]

const tokensPart: OverviewPart = {
  name: 'tokens',
  title: 'Tokens of the profiles',
  own: true,
  read: async (services) => {
    const all = await readCredentials(services)
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

export const parts: readonly OverviewPart[] = [
  runnersPart,
  jobsPart,
  certificatesPart,
  replicationPart,
  storagesPart,
  tokensPart,
]

/** What belongs here and has no endpoint: nothing is shown that the API does not say. */
export const untold = ['alerts', 'storage moves under way'] as const
