/** The person of a run: what standard error says, and what is asked there. */

import { Failure } from '../../errors.js'
import { confirmationFor, nameMatches } from '../../profile/index.js'
import type { Prompts } from '../../terminal/questions/prompts.js'
import type { CountedWork, Waited } from '../../terminal/streams/meter.js'
import type { Notes } from '../../terminal/streams/notes.js'
import { progress } from '../../terminal/streams/progress.js'
import type { Described, Plan } from '../command/described.js'
import type { Globals } from '../command/globals.js'
import type { Details, Owner, PersonService, Stays, Tell } from '../command/services.js'
import type { RunOptions } from '../options.js'
import type { Streams } from '../screen.js'
import { mostNamed } from '../work/items.js'
import type { Glance } from './naming.js'

// The objects that a confirmation is about, as lines.

/** The lines, made only now where they are asked for late. */
export const linesOf = async (details: Details): Promise<readonly string[]> =>
  typeof details === 'function' ? details() : details

// Confirmations: what is lost, on which instance, as whom; refused where nobody can be asked.

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
const consentTo = (
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
const confirmer =
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

/** What a person is asked about. */
interface Subject {
  readonly command: Described
  /** Whose objects they are, where a confirmation does not say. */
  readonly owner: () => Promise<Owner>
  /** The data that a reading request is answered with, where that takes neither long nor a second try. */
  readonly glance: Glance
}

type Shown = Pick<Streams, 'interactive' | 'liveness' | 'meter' | 'notes' | 'prompts'>

const isLeaving = (error: unknown): boolean =>
  error instanceof Failure
    ? error.category === 'interrupted'
    : error instanceof Error && error.name === 'AbortError'

/** Whoever sits before standard error, or nobody. */
export class Attendant implements PersonService {
  readonly #screen: Shown
  readonly #subject: Subject
  readonly #confirm: ReturnType<typeof confirmer>
  readonly #globals: RunOptions['globals']

  constructor(globals: RunOptions['globals'], screen: Shown, subject: Subject) {
    this.#screen = screen
    this.#subject = subject
    this.#globals = globals
    this.#confirm = confirmer({ globals, ...screen })
  }

  get interactive(): boolean {
    return this.#screen.interactive()
  }

  readonly note = (text: string): void => {
    this.#screen.notes.note(text)
  }

  readonly warn = (text: string): void => {
    this.#screen.notes.warn(text)
  }

  readonly report = (failure: Failure, of?: string): void => {
    this.#screen.notes.report(failure, of)
  }

  async ask(question: string, initial?: string): Promise<string | undefined> {
    return this.interactive ? this.#screen.prompts.text(question, initial) : undefined
  }

  async askSecret(question: string, _name: string): Promise<string | undefined> {
    return this.interactive ? this.#screen.prompts.secret(question) : undefined
  }

  async confirm(what: string, details?: Details, of?: Owner, count?: number): Promise<void> {
    await this.#confirm(of ?? (await this.#subject.owner()), what, details, count)
  }

  async confirmable(what: string): Promise<void> {
    const { interactive } = this.#screen
    consentTo({ globals: this.#globals, interactive }, await this.#subject.owner(), what)
  }

  async naming(plans: readonly Plan[]): Promise<readonly string[]> {
    const { command, glance } = this.#subject
    return (await import('./naming.js')).naming(command, plans, glance)
  }

  tally(total?: number, waiting?: () => Waited | undefined): CountedWork {
    return this.#screen.meter.begin(total, waiting)
  }

  async leaving<T>({ text, hint }: Stays, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isLeaving(error)) throw error
      throw new Failure('interrupted', `interrupted ${text}`, { hint })
    }
  }

  async progress<T>(text: string, work: (say: Tell) => Promise<T>): Promise<T> {
    const { meter, liveness } = this.#screen
    const release = meter.hold()
    try {
      return await progress(text, work, { liveness })
    } finally {
      release()
    }
  }
}
