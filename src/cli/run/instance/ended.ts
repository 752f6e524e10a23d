/** What is said of a list once it ended, or broke off. */
import type { Paging } from '../../../client/paging.js'
import type { Plan } from '../../../commands/described.js'
import { Failure } from '../../../errors.js'
import { buildRequest } from '../../../http/index.js'
import type { Ask, ListEnd } from '../../../http/types.js'

/** The scope that the instance takes for a list of all there is, when none is asked for: it explains an empty one. */
const scopeOf = (plan: Plan | undefined): string => {
  const scope = plan?.endpoint.params.scope
  if (scope?.default === undefined || plan?.values.scope !== undefined) return ''
  if (Object.keys(plan?.endpoint.path ?? {}).length > 0) return ''
  return `; the scope is ${scope.default} unless --scope says otherwise`
}

const onward = (page: number | undefined): string =>
  page === undefined ? '--limit <n> or --limit all gives more' : `--page ${page + 1} goes on`

/** Of what lies beyond it is not known whether it matches. */
const noteOfChosen = ({ records, more }: ListEnd, page: number | undefined): string | undefined => {
  if (more) return `showing ${records} that match; there may be more: ${onward(page)}`
  return records === 0 ? 'nothing matches' : undefined
}

/** What standard error says after a list; undefined where there is nothing to say. */
export const noteOf = (
  end: ListEnd,
  { page }: Pick<Paging, 'page'>,
  plan?: Plan,
  chosen = false,
): string | undefined => {
  if (chosen) return noteOfChosen(end, page)
  if (end.records === 0 && !end.more) return `nothing found${scopeOf(plan)}`
  if (!end.more) return undefined
  const of = end.total === undefined ? '' : ` of ${end.total}`
  return `showing ${end.records}${of}; there are more: ${onward(page)}`
}

/** The failure of a list that was to be had whole: a page says that there is a next one, and no link leads to it. */
export const notWhole = (ask: Ask, { records }: ListEnd): Failure =>
  new Failure(
    'unreachable',
    `the list ends after ${records}, and the instance says that there are more`,
    {
      request: `GET ${buildRequest(ask).path}`,
      hint: 'Something between here and the instance may take the header Link away.',
    },
  )

/** The failure of a list of which so much is printed already; only JSON shows it in the output itself. */
export const cutShort = (error: unknown, printed: number): unknown => {
  if (!(error instanceof Failure) || printed === 0) return error
  const records = printed === 1 ? '1 record was' : `${printed} records were`
  return new Failure(
    error.category,
    `${error.message}; ${records} printed before that, and the list is not whole`,
    error.details,
  )
}
