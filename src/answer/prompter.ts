/** The person of a run: what standard error says, what is asked there, and what to do next about a failure. */
import { isObject, type JsonValues } from '../base/objects.js'
import type { CountedWork, ProgressListener, ShownWork, TimeLimit } from '../base/progress.js'
import type { Prompts } from '../base/prompts.js'
import { type Endpoint, getMethod, getPath } from '../catalogue/endpoint.js'
import { listAreas } from '../catalogue/index.js'
import { getKindByName, getKindWord } from '../catalogue/kinds.js'
import type { Details, Owner, UiService } from '../engine/command/context.js'
import { getScope } from '../engine/command/derive.js'
import { resolveDetails } from '../engine/command/running.js'
import type { CommandFacts, Plan } from '../engine/command/types.js'
import { isHidden } from '../engine/plan/value-lists.js'
import { maxNamed } from '../engine/work/report.js'
import { Failure, usage } from '../errors.js'
import type { Ask } from '../http/types.js'
import { decideConfirmation, nameMatches } from '../profile/index.js'
import { beginProgress } from '../terminal/progress.js'
import type { AnswerOptions, Streams } from './options.js'

// Objects by their names, for those who are to confirm what becomes of them.

/** Returns the parameter that names the object of a plan, and of what kind that is. */
const getSubject = ({
  endpoint: { args, path },
  kind: made,
}: Plan): { name: string; kind: string } | undefined => {
  const name = args?.[0] ?? ''
  const kind = path[name]?.completes ?? made
  return kind === undefined ? undefined : { name, kind }
}

/** Returns the placeholder at the end of a path: what a reading endpoint answers about. */
const getLastPlaceholder = (endpoint: Endpoint): string =>
  /:(\w+)$/.exec(getPath(endpoint))?.[1] ?? ''

/** Returns the values by which an endpoint reads a plan's object; undefined if it reads something else. */
const getReadValues = (
  reads: Endpoint,
  plan: Plan,
  { name, kind }: { name: string; kind: string },
): JsonValues | undefined => {
  const last = getLastPlaceholder(reads)
  const one = getMethod(reads) === 'GET' && reads.returns.kind === 'one'
  if (!one || reads.path[last]?.completes !== kind) return undefined
  const [holder, own] = [getScope(reads), getScope(plan.endpoint)]
  if (Object.keys(reads.path).length > (holder === undefined ? 1 : 2)) return undefined
  const object = { [last]: plan.values[name] }
  if (holder === undefined) return object
  if (own === undefined || holder.kind !== own.kind) return undefined
  return { ...object, [holder.placeholder]: plan.values[own.placeholder] }
}

/** Finds the reads of one object that might show its name, of its area and of those that list its kind. */
const readsFor = async (command: CommandFacts, plan: Plan): Promise<readonly Ask[]> => {
  const subject = getSubject(plan)
  const kind = getKindByName(subject?.kind)
  if (subject === undefined || kind?.title === undefined) return []
  // One that is to be made cannot be read.
  if (plan.endpoint.path[subject.name] === undefined) return []
  const near = listAreas().filter(({ name }) => name === command.area || kind.areas.includes(name))
  const endpoints = (await Promise.all(near.map((row) => row.load()))).flatMap((all) =>
    Object.values<Endpoint>(all),
  )
  return endpoints.flatMap((endpoint) => {
    const values = getReadValues(endpoint, plan, subject)
    return values === undefined || isHidden(kind.title ?? '', endpoint)
      ? []
      : [{ endpoint, values }]
  })
}

type Peek = (ask: Ask) => Promise<unknown>

/** Reads the name that the instance has for an object; undefined if it does not say it, for whatever reason. */
const readTitle = async (
  command: CommandFacts,
  plan: Plan,
  peek: Peek,
): Promise<string | undefined> => {
  const field = getKindByName(getSubject(plan)?.kind)?.title ?? ''
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

/** Describes what is done to what: `delete deploy key`, `delete artifacts of job`. */
const describeAction = (command: CommandFacts, plan: Plan): string => {
  const { area, words } = command
  const verb = words.split(' ').at(-1) ?? words
  const subject = getSubject(plan)
  if (subject === undefined || plan.label === undefined) return `${area} ${words}`
  const own = getKindByName(subject.kind)?.areas[0] ?? area
  // A command of the tool itself has no objects of its own.
  const part =
    own === area || subject.kind === 'user' || command.writes === true
      ? ''
      : `${area.replaceAll('-', ' ')} of `
  return `${verb} ${part}${getKindWord(subject.kind)}`
}

const describeHolder = ({ endpoint, values, label = '' }: Plan): string => {
  const scope = getScope(endpoint)
  // A full reference says where it belongs by itself.
  if (scope === undefined || /.[!#]\d+$/.test(label)) return ''
  const holder = String(values[scope.placeholder])
  return ` of ${scope.kind === 'project' && holder.includes('/') ? holder : `${scope.kind} ${holder}`}`
}

/**
 * Describes the objects of plans, a line each: `delete deploy key 3 "ci" of platform/app`. The first are read for their
 * names; one that cannot be read goes by what it was given as.
 */
export const describeObjects = (
  command: CommandFacts,
  plans: readonly Plan[],
  peek: Peek,
): Promise<readonly string[]> =>
  Promise.all(
    plans.map(async (plan, i) => {
      const title = i < maxNamed ? await readTitle(command, plan, peek) : undefined
      const called = title === undefined || title === plan.label ? '' : ` "${title}"`
      const label = plan.label === undefined ? '' : ` ${plan.label}`
      return `${describeAction(command, plan)}${label}${called}${describeHolder(plan)}`
    }),
  )

// The objects that a confirmation is about, as lines.

// Confirmations: what is lost, on which instance, as whom; refused where nobody can be asked.

/** Formats the objects concerned, a line each, the rest counted. */
const formatDetails = (details: readonly string[], count: number): string[] => [
  ...details.slice(0, maxNamed).map((line) => `  ${line}`),
  ...(count > maxNamed ? [`  and ${count - maxNamed} more`] : []),
]

const createCancelled = (): Failure => usage('not confirmed; nothing was changed')

/** Formats where a change would happen, as whom, and to what. */
const formatNotice = (
  { profile, baseUrl, sudo, title = baseUrl }: Owner,
  what: string,
  lines: readonly string[],
  count: number = lines.length,
): readonly string[] => {
  const by = profile === undefined ? '' : ` (profile ${profile.name})`
  const as = sudo === undefined ? '' : `, as ${sudo}`
  const many = count > 1 ? `, ${count} objects` : ''
  return [`On ${title}${by}${as}${many}:`, ...formatDetails(lines, count), what]
}

/** Returns true if a person typed the name of the profile. */
const nameTyped = async (profile: Owner['profile'], prompts: Prompts): Promise<boolean> => {
  const typed = await prompts.text(`Type the profile name (${profile?.name ?? ''}) to continue`)
  return profile !== undefined && nameMatches(profile, typed)
}

/** The subject of the questions to a person. */
interface Subject {
  readonly command: CommandFacts
  /** Returns the owner of the objects, if a confirmation does not name it. */
  readonly owner: () => Promise<Owner>
  /** The answer to a read request, where that takes neither long nor a second try. */
  readonly peek: Peek
}

type PromptStreams = Pick<Streams, 'interactive' | 'liveness' | 'meter' | 'notes' | 'prompts'>

/** The person before standard error, if there is one. */
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
   * @throws Failure `usage` where it is not confirmed, or there is no terminal to ask on and --yes is missing
   */
  async confirm(what: string, details: Details = [], of?: Owner, count?: number): Promise<void> {
    const owner = of ?? (await this.#subject.owner())
    const { notes, prompts } = this.#screen
    const how = this.#consentTo(owner, what)
    if (how === 'go') return
    notes.note(formatNotice(owner, what, await resolveDetails(details), count))
    const named = how === 'ask-name'
    const agreed = named ? nameTyped(owner.profile, prompts) : prompts.confirm('Continue?')
    if (!(await agreed)) throw createCancelled()
  }

  /** Says what would be asked. */
  protected async announce(
    what: string,
    details: Details,
    of?: Owner,
    count?: number,
  ): Promise<void> {
    const owner = of ?? (await this.#subject.owner())
    const lines = formatNotice(owner, what, await resolveDetails(details), count)
    this.#screen.notes.note(['to be confirmed in a real run:', ...lines])
  }

  async checkConfirmable(what: string): Promise<void> {
    this.#consentTo(await this.#subject.owner(), what)
  }

  /**
   * Returns how a change is to be confirmed.
   * @throws Failure `usage` if there is no terminal to ask on and --yes is missing
   */
  #consentTo({ profile }: Owner, what: string): ReturnType<typeof decideConfirmation> {
    const { confirm, yes } = this.#globals
    return decideConfirmation(profile, { yes, interactive: this.interactive, confirm }, what)
  }

  async nameObjects(plans: readonly Plan[]): Promise<readonly string[]> {
    const { command, peek } = this.#subject
    return describeObjects(command, plans, peek)
  }

  startCounter(total?: number, waiting?: () => TimeLimit | undefined): CountedWork {
    return this.#screen.meter.begin(total, waiting)
  }

  beginProgress(text: string): ShownWork {
    const { meter, liveness } = this.#screen
    const release = meter.hold()
    const shown = beginProgress(text, { liveness })
    return { say: shown.say, end: () => shown.end().finally(release) }
  }

  async showProgress<T>(text: string, work: (say: ProgressListener) => Promise<T>): Promise<T> {
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

  override async checkConfirmable(): Promise<void> {}

  /** Returns the name in the place of the secret. */
  override async askSecret(_question: string, name: string): Promise<string> {
    return `<${name}>`
  }
}
