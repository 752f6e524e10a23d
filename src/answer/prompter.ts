/** The person of a run: what standard error says, what is asked there, and what to do next about a failure. */
import { isObject, type JsonValues } from '../base/objects.js'
import type { CountedWork, ProgressListener, ShownWork, TimeLimit } from '../base/progress.js'
import type { Prompts } from '../base/prompts.js'
import { type Endpoint, getMethod, getPath } from '../catalogue/endpoint.js'
import { listAreas } from '../catalogue/index.js'
import { kindNamed, wordOfKind } from '../catalogue/kinds.js'
import { getScope } from '../engine/command/derive.js'
import { resolveDetails } from '../engine/command/running.js'
import type { Details, Owner, UiService } from '../engine/command/services.js'
import type { CommandFacts, Plan } from '../engine/command/types.js'
import { isHidden } from '../engine/plan/value-lists.js'
import { maxNamed } from '../engine/work/report.js'
import { Failure, usage } from '../errors.js'
import type { Ask } from '../http/types.js'
import { confirmationFor, nameMatches } from '../profile/index.js'
import { beginProgress } from '../terminal/progress.js'
import type { AnswerOptions, Streams } from './options.js'

// Objects by their names, for those who are to confirm what becomes of them.

/** The parameter that names the object of a plan, and of what kind that is. */
const subjectOf = ({
  endpoint: { args, path },
  kind: made,
}: Plan): { name: string; kind: string } | undefined => {
  const name = args?.[0] ?? ''
  const kind = path[name]?.completes ?? made
  return kind === undefined ? undefined : { name, kind }
}

/** The placeholder at the end of a path: what a reading endpoint answers about. */
const lastOf = (endpoint: Endpoint): string => /:(\w+)$/.exec(getPath(endpoint))?.[1] ?? ''

/** The values by which an endpoint reads a plan's object; undefined where it reads something else. */
const valuesFor = (
  reads: Endpoint,
  plan: Plan,
  { name, kind }: { name: string; kind: string },
): JsonValues | undefined => {
  const last = lastOf(reads)
  const one = getMethod(reads) === 'GET' && reads.returns.kind === 'one'
  if (!one || reads.path[last]?.completes !== kind) return undefined
  const [holder, own] = [getScope(reads), getScope(plan.endpoint)]
  if (Object.keys(reads.path).length > (holder === undefined ? 1 : 2)) return undefined
  const object = { [last]: plan.values[name] }
  if (holder === undefined) return object
  if (own === undefined || holder.kind !== own.kind) return undefined
  return { ...object, [holder.placeholder]: plan.values[own.placeholder] }
}

/** The reads of one object that might tell its name, of its area and of those that list its kind. */
const readsFor = async (command: CommandFacts, plan: Plan): Promise<readonly Ask[]> => {
  const subject = subjectOf(plan)
  const kind = kindNamed(subject?.kind)
  if (subject === undefined || kind?.title === undefined) return []
  // One that is to be made cannot be read.
  if (plan.endpoint.path[subject.name] === undefined) return []
  const near = listAreas().filter(({ name }) => name === command.area || kind.areas.includes(name))
  const endpoints = (await Promise.all(near.map((row) => row.load()))).flatMap((all) =>
    Object.values<Endpoint>(all),
  )
  return endpoints.flatMap((endpoint) => {
    const values = valuesFor(endpoint, plan, subject)
    return values === undefined || isHidden(kind.title ?? '', endpoint)
      ? []
      : [{ endpoint, values }]
  })
}

type Peek = (ask: Ask) => Promise<unknown>

/** What the instance calls an object; undefined where it does not say, for whatever reason. */
const titleOf = async (
  command: CommandFacts,
  plan: Plan,
  peek: Peek,
): Promise<string | undefined> => {
  const field = kindNamed(subjectOf(plan)?.kind)?.title ?? ''
  for (const ask of await readsFor(command, plan))
    try {
      const record = await peek(ask)
      const title = isObject(record) ? record[field] : undefined
      if (typeof title === 'string' && title !== '') return title
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
    }
  return undefined
}

/** What is done to what: `delete deploy key`, `delete artifacts of job`. */
const deedOf = (command: CommandFacts, plan: Plan): string => {
  const { area, words } = command
  const verb = words.split(' ').at(-1) ?? words
  const subject = subjectOf(plan)
  if (subject === undefined || plan.label === undefined) return `${area} ${words}`
  const own = kindNamed(subject.kind)?.areas[0] ?? area
  // A command of the tool itself has no objects of its own.
  const part =
    own === area || subject.kind === 'user' || command.writes === true
      ? ''
      : `${area.replaceAll('-', ' ')} of `
  return `${verb} ${part}${wordOfKind(subject.kind)}`
}

const holderOf = ({ endpoint, values, label = '' }: Plan): string => {
  const scope = getScope(endpoint)
  // A full reference says where it belongs by itself.
  if (scope === undefined || /.[!#]\d+$/.test(label)) return ''
  const holder = String(values[scope.placeholder])
  return ` of ${scope.kind === 'project' && holder.includes('/') ? holder : `${scope.kind} ${holder}`}`
}

/**
 * The objects of plans, a line each: `delete deploy key 3 "ci" of platform/app`. The first are read
 * for their names; one that cannot be read goes by what it was given as.
 */
export const naming = (
  command: CommandFacts,
  plans: readonly Plan[],
  peek: Peek,
): Promise<readonly string[]> =>
  Promise.all(
    plans.map(async (plan, i) => {
      const title = i < maxNamed ? await titleOf(command, plan, peek) : undefined
      const called = title === undefined || title === plan.label ? '' : ` "${title}"`
      const label = plan.label === undefined ? '' : ` ${plan.label}`
      return `${deedOf(command, plan)}${label}${called}${holderOf(plan)}`
    }),
  )

// The objects that a confirmation is about, as lines.

// Confirmations: what is lost, on which instance, as whom; refused where nobody can be asked.

/** The objects concerned, a line each, the rest counted. */
const listed = (details: readonly string[], count: number): string[] => [
  ...details.slice(0, maxNamed).map((line) => `  ${line}`),
  ...(count > maxNamed ? [`  and ${count - maxNamed} more`] : []),
]

const cancelled = (): Failure => usage('not confirmed; nothing was changed')

/** Where it would happen, as whom, and to what. */
const notice = (
  { profile, baseUrl, sudo, title = baseUrl }: Owner,
  what: string,
  lines: readonly string[],
  count: number = lines.length,
): readonly string[] => {
  const by = profile === undefined ? '' : ` (profile ${profile.name})`
  const as = sudo === undefined ? '' : `, as ${sudo}`
  const many = count > 1 ? `, ${count} objects` : ''
  return [`On ${title}${by}${as}${many}:`, ...listed(lines, count), what]
}

/** Whether a person typed the name of the profile. */
const nameTyped = async (profile: Owner['profile'], prompts: Prompts): Promise<boolean> => {
  const typed = await prompts.text(`Type the profile name (${profile?.name ?? ''}) to continue`)
  return profile !== undefined && nameMatches(profile, typed)
}

/** What a person is asked about. */
interface Subject {
  readonly command: CommandFacts
  /** Whose objects they are, where a confirmation does not say. */
  readonly owner: () => Promise<Owner>
  /** The answer to a read request, where that takes neither long nor a second try. */
  readonly peek: Peek
}

type PromptStreams = Pick<Streams, 'interactive' | 'liveness' | 'meter' | 'notes' | 'prompts'>

/** Whoever sits before standard error, or nobody. */
export class Prompter implements UiService {
  readonly #screen: PromptStreams
  readonly #subject: Subject
  readonly #globals: AnswerOptions['globals']

  constructor(globals: AnswerOptions['globals'], screen: PromptStreams, subject: Subject) {
    this.#screen = screen
    this.#subject = subject
    this.#globals = globals
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

  /**
   * Asks before something is destroyed.
   * @throws Failure `usage` where it is not confirmed, or nobody can be asked and --yes is missing
   */
  async confirm(what: string, details: Details = [], of?: Owner, count?: number): Promise<void> {
    const owner = of ?? (await this.#subject.owner())
    const { notes, prompts } = this.#screen
    const how = this.#consentTo(owner, what)
    if (how === 'go') return
    notes.note(notice(owner, what, await resolveDetails(details), count))
    const named = how === 'ask-name'
    const agreed = named ? nameTyped(owner.profile, prompts) : prompts.confirm('Continue?')
    if (!(await agreed)) throw cancelled()
  }

  /** Says what would be asked. */
  protected async announce(
    what: string,
    details: Details,
    of?: Owner,
    count?: number,
  ): Promise<void> {
    const owner = of ?? (await this.#subject.owner())
    const lines = notice(owner, what, await resolveDetails(details), count)
    this.#screen.notes.note(['to be confirmed in a real run:', ...lines])
  }

  async confirmable(what: string): Promise<void> {
    this.#consentTo(await this.#subject.owner(), what)
  }

  /** How what is to be confirmed is. @throws Failure `usage` where nobody can be asked and --yes is missing */
  #consentTo({ profile }: Owner, what: string): ReturnType<typeof confirmationFor> {
    const { confirm, yes } = this.#globals
    return confirmationFor(profile, { yes, interactive: this.interactive, confirm }, what)
  }

  async naming(plans: readonly Plan[]): Promise<readonly string[]> {
    const { command, peek } = this.#subject
    return naming(command, plans, peek)
  }

  counter(total?: number, waiting?: () => TimeLimit | undefined): CountedWork {
    return this.#screen.meter.begin(total, waiting)
  }

  beginProgress(text: string): ShownWork {
    const { meter, liveness } = this.#screen
    const release = meter.hold()
    const shown = beginProgress(text, { liveness })
    return { say: shown.say, end: () => shown.end().finally(release) }
  }

  async progress<T>(text: string, work: (say: ProgressListener) => Promise<T>): Promise<T> {
    const shown = this.beginProgress(text)
    try {
      return await work(shown.say)
    } finally {
      await shown.end()
    }
  }
}

/** The person of a run in which nothing is written: nothing has to be confirmed, and a secret need not be typed. */
export class SilentPrompter extends Prompter {
  override confirm(what: string, details: Details = [], of?: Owner, count?: number): Promise<void> {
    return this.announce(what, details, of, count)
  }

  override async confirmable(): Promise<void> {}

  /** Its name takes the place of the secret. */
  override async askSecret(_question: string, name: string): Promise<string> {
    return `<${name}>`
  }
}
