/** Confirmations: what is lost, on which instance, as whom; refused where nobody can be asked. */
import type { Globals } from '../../../commands/globals.js'
import type { Details, Owner } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import { confirmationFor, nameMatches } from '../../../profile/index.js'
import type { Prompts } from '../../../terminal/questions/prompts.js'
import type { Notes } from '../../../terminal/streams/notes.js'

interface Asking {
  readonly globals: Globals
  readonly interactive: () => boolean
  readonly notes: Notes
  readonly prompts: Prompts
}

/** How many objects are named. */
export const most = 10

/** The objects concerned, a line each, the rest counted. */
const listed = (details: readonly string[]): string[] => [
  ...details.slice(0, most).map((line) => `  ${line}`),
  ...(details.length > most ? [`  and ${details.length - most} more`] : []),
]

const cancelled = (): Failure =>
  new Failure('usage', 'not confirmed: nothing was changed', { hint: 'Answer yes, or give --yes.' })

/** Where it would happen, as whom, and to what. */
const notice = (
  { profile, baseUrl, sudo }: Owner,
  what: string,
  lines: readonly string[],
): string => {
  const by = profile === undefined ? '' : ` (profile ${profile.name})`
  const as = sudo === undefined ? '' : `, as ${sudo}`
  const many = lines.length > 1 ? `, ${lines.length} objects` : ''
  return [`On ${baseUrl}${by}${as}${many}:`, ...listed(lines), what].join('\n')
}

/** Whether a person typed the name of the profile. */
const nameTyped = async (profile: Owner['profile'], prompts: Prompts): Promise<boolean> => {
  const typed = await prompts.text(`Type the name of the profile (${profile?.name ?? ''}) to go on`)
  return profile !== undefined && nameMatches(profile, typed)
}

/**
 * Asks before something is destroyed.
 * @throws Failure `usage` where it is not confirmed, or nobody can be asked and --yes is missing
 */
export const confirmer =
  ({ globals, interactive, notes, prompts }: Asking) =>
  async (owner: Owner, what: string, details: Details = []): Promise<void> => {
    const { profile } = owner
    const consent = {
      yes: globals.yes,
      interactive: interactive(),
      ...(globals.confirm === undefined ? {} : { confirm: globals.confirm }),
    }
    const how = confirmationFor(profile, consent, what)
    if (how === 'go') return
    notes.note(notice(owner, what, typeof details === 'function' ? await details() : details))
    const agreed = how === 'ask-name' ? nameTyped(profile, prompts) : prompts.confirm('Go on?')
    if (!(await agreed)) throw cancelled()
  }
