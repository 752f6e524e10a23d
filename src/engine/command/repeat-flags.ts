/** The flags of commands that only read: until when they go on, round after round. */
import { integer, string } from '../../catalogue/params.js'
import { declare, expressions } from './declared.js'

export const repeating = declare({
  until: {
    param: string('repeat until every record matches; repeated: or', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
    repeats: true,
  },
  'until-timeout': {
    param: integer('seconds that --until waits at most; then exit 1', { min: 1 }),
    repeats: true,
  },
})

/** Whether a run goes on, round after round. */
export const isRepeated = ({
  watch,
  until,
}: {
  readonly watch?: unknown
  readonly until?: unknown
}): boolean => watch !== undefined || until !== undefined
