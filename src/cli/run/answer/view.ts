/** What of an answer decides how it is seen. */
import type { Emit } from '../../../commands/services.js'
import type { Asked } from '../../../output/types.js'

/** Columns that the command chose, else the catalogue's. */
export const columnsOf = ({ columns, endpoint }: Emit): Pick<Asked, 'columns'> => {
  const chosen = columns ?? endpoint?.columns
  return chosen === undefined ? {} : { columns: chosen }
}

/** The columns of rows that stack where they do not fit. */
export const stackingOf = ({ endpoint, stacks = endpoint?.stacks }: Emit): Pick<Asked, 'stacks'> =>
  stacks === undefined ? {} : { stacks }
