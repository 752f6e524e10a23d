/** Which of an instance the commands of declared state are about: their flags, and what they say. */
import { list, oneOf } from '../../catalogue/params.js'
import type { Scoping } from '../../desired/reading/sight.js'
import { spreading } from '../../engine/command/many-flags.js'
import type { PlaceService } from '../../engine/command/services.js'
import { usage } from '../../errors.js'
import type { GivenBy } from '../define.js'

/** The flags; never filled from the environment or a git remote. */
export const selectionFlags = {
  project: {
    ...list('string', 'only these projects: full paths or IDs', { completes: 'project' }),
    short: 'P',
  },
  group: {
    ...list('string', 'only these groups and all that is below them: full paths or IDs', {
      completes: 'group',
    }),
    short: 'G',
  },
  only: list('string', 'only these kinds and addresses; * stands for anything', {
    placeholder: 'address',
  }),
  except: list('string', 'not these kinds and addresses, whatever else is said', {
    placeholder: 'address',
  }),
  // The same as everywhere: these commands have no form for a project.
  'with-archived': spreading['with-archived'].param,
  missing: oneOf(['skip'], 'a project or group that is named and not there is only told of'),
} as const

/** What the flags of a line select. @throws Failure `usage` for a flag without a value */
export const selectionOf = (
  { flags }: GivenBy<typeof selectionFlags>,
  { globals }: Pick<PlaceService, 'globals'>,
): Scoping => {
  const given = {
    projects: flags.project,
    groups: flags.group,
    only: flags.only,
    except: flags.except,
  }
  const said = Object.entries(given).filter(([, values]) => values !== undefined)
  const empty = said.find(([, values]) => values?.length === 0)
  if (empty !== undefined) throw usage(`--${empty[0].replace(/s$/, '')} needs a value`)
  return {
    ...Object.fromEntries(said),
    // Whatever command it is of, it is read with the flags of all.
    ...(globals.withArchived ? { withArchived: true } : {}),
    ...(flags.missing === undefined ? {} : { missing: flags.missing }),
  }
}
