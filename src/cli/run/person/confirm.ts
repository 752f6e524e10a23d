/** Confirmations: what is lost, on which instance, as whom; refused where nobody can be asked. */
import type { Globals } from '../../../commands/globals.js'
import type { Details, Owner } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import { mostNamed } from '../../../fleet/items.js'
import { confirmationFor, nameMatches } from '../../../profile/index.js'
import type { Prompts } from '../../../terminal/questions/prompts.js'
import type { Notes } from '../../../terminal/streams/notes.js'
import { linesOf } from './details.js'

interface Asking {
  readonly globals: Globals
  readonly interactive: () => boolean
  readonly notes: Notes
  readonly prompts: Prompts
}

/** The objects concerned, a line each, the rest counted. */
const listed = (details: readonly string[], count: number): string[] => [
  ...details.slice(0, mostNamed).map((line) => `  ${line}`),
  ...(count > mostNamed ? [`  and ${count - mostNamed} more`] : []),
]

const cancelled = (): Failure =>
  new Failure('usage', 'not confirmed: nothing was changed', { hint: 'Answer yes, or give --yes.' })

/** Where it would happen, as whom, and to what. */
const notice = (
  { profile, baseUrl, sudo }: Owner,
  what: string,
  lines: readonly string[],
  count: number = lines.length,
): readonly string[] => {
  const by = profile === undefined ? '' : ` (profile ${profile.name})`
  const as = sudo === undefined ? '' : `, as ${sudo}`
  const many = count > 1 ? `, ${count} objects` : ''
  return [`On ${baseUrl}${by}${as}${many}:`, ...listed(lines, count), what]
}

/** Whether a person typed the name of the profile. */
const nameTyped = async (profile: Owner['profile'], prompts: Prompts): Promise<boolean> => {
  const typed = await prompts.text(`Type the name of the profile (${profile?.name ?? ''}) to go on`)
  return profile !== undefined && nameMatches(profile, typed)
}

type Consenting = Pick<Asking, 'globals' | 'interactive'>

/** How what is to be confirmed is. @throws Failure `usage` where nobody can be asked and --yes is missing */
export const consentTo = (
  { globals, interactive }: Consenting,
  { profile }: Owner,
  what: string,
): ReturnType<typeof confirmationFor> => {
  const { confirm, yes } = globals
  const consent = { yes, interactive: interactive(), confirm }
  return confirmationFor(profile, consent, what)
}

/**
 * Asks before something is destroyed.
 * @throws Failure `usage` where it is not confirmed, or nobody can be asked and --yes is missing
 */
export const confirmer =
  ({ globals, interactive, notes, prompts }: Asking) =>
  async (
    owner: Owner,
    what: string,
    details: Details = [],
    count: number | undefined = undefined,
  ): Promise<void> => {
    const { profile } = owner
    const how = consentTo({ globals, interactive }, owner, what)
    if (how === 'go') return
    notes.note(notice(owner, what, await linesOf(details), count))
    const agreed = how === 'ask-name' ? nameTyped(profile, prompts) : prompts.confirm('Go on?')
    if (!(await agreed)) throw cancelled()
  }
