/** The person of a run: what standard error says, and what is asked there. */
import type { Described, Plan } from '../../../commands/described.js'
import type { Details, Owner, PersonService, Stays, Tell } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import type { CountedWork, Waited } from '../../../terminal/streams/meter.js'
import { progress } from '../../../terminal/streams/progress.js'
import type { RunOptions } from '../options.js'
import type { Streams } from '../screen.js'
import { confirmer, consentTo } from './confirm.js'
import type { Glance } from './naming.js'

/** What a person is asked about. */
interface Subject {
  readonly command: Described
  /** Whose objects they are, where a confirmation does not say. */
  readonly owner: () => Promise<Owner>
  /** Where the project comes from, where a file of the folder says it. */
  readonly origin: () => string | undefined
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
    const origin = this.#subject.origin()
    const from = origin === undefined ? '' : ` (${origin})`
    await this.#confirm(of ?? (await this.#subject.owner()), `${what}${from}`, details, count)
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
