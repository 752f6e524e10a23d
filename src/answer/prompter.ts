/** Talks to the person at the terminal: prints notes and progress, and asks for confirmation and missing values. */

import type {
  CountedWork,
  ProgressListener,
  Prompts,
  ShownWork,
  TimeLimit,
} from '../base/interaction.js'
import { isObject, type JsonValues } from '../base/objects.js'
import { type Endpoint, getMethod, getPath, isAboutPart } from '../catalogue/endpoint.js'
import { listAreas } from '../catalogue/index.js'
import { getKindByName, getKindWord } from '../catalogue/kinds.js'
import type { Details, Owner, UiService } from '../engine/command/context.js'
import { getScope } from '../engine/command/derive.js'
import { resolveDetails } from '../engine/command/reversal.js'
import type { CommandFacts, Plan } from '../engine/command/types.js'
import { isHidden } from '../engine/plan/read-values.js'
import { maxNamed } from '../engine/work/report.js'
import { Failure, usage } from '../errors.js'
import type { Ask } from '../http/types.js'
import { decideConfirmation, nameMatches } from '../profile/index.js'
import type { AnswerOptions, Streams } from './options.js'

// The names of objects, for confirmations.

/** Returns the parameter that names the object of a plan, with the object's kind. */
const getSubject = ({
  endpoint: { args, path },
  kind: made,
}: Plan): { name: string; kind: string } | undefined => {
  const name = args?.[0] ?? ''
  const kind = path[name]?.completes ?? made
  return kind === undefined ? undefined : { name, kind }
}

/** Returns the last placeholder of a path, which names the object of an endpoint that reads. */
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

/** Finds the requests that may show the name of an object, in its area and in the areas of its kind. */
const findNameReads = async (command: CommandFacts, plan: Plan): Promise<readonly Ask[]> => {
  const subject = getSubject(plan)
  const kind = getKindByName(subject?.kind)
  if (subject === undefined || kind?.title === undefined) return []
  // An object that will be created cannot be read.
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

/** Reads the name of an object. Returns undefined if the instance does not show it, for any reason. */
const readTitle = async (
  command: CommandFacts,
  plan: Plan,
  peek: Peek,
): Promise<string | undefined> => {
  const field = getKindByName(getSubject(plan)?.kind)?.title ?? ''
  for (const ask of await findNameReads(command, plan))
    try {
      const record = await peek(ask)
      const title = isObject(record) ? record[field] : undefined
      if (typeof title === 'string' && title !== '') return title
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
    }
  return undefined
}

/** Describes an action with its object: `delete deploy key`, `delete artifacts of job`. */
const describeAction = (command: CommandFacts, plan: Plan): string => {
  const { area, words } = command
  const [group = '', verb = group] = words.split(' ')
  const subject = getSubject(plan)
  if (subject === undefined || plan.label === undefined) return `${area} ${words}`
  if (verb !== group && isAboutPart(plan.endpoint))
    return `${verb} ${group.replaceAll('-', ' ')} of ${getKindWord(subject.kind)}`
  const own = getKindByName(subject.kind)?.areas[0] ?? area
  // A command without endpoints of its own acts on objects of other areas.
  const part =
    own === area || subject.kind === 'user' || command.writes === true
      ? ''
      : `${area.replaceAll('-', ' ')} of `
  return `${verb} ${part}${getKindWord(subject.kind)}`
}

const describeHolder = ({ endpoint, values, label = '' }: Plan): string => {
  const scope = getScope(endpoint)
  // A full reference names its project.
  if (scope === undefined || /.[!#]\d+$/.test(label)) return ''
  const holder = String(values[scope.placeholder])
  return ` of ${scope.kind === 'project' && holder.includes('/') ? holder : `${scope.kind} ${holder}`}`
}

/**
 * Describes the objects of plans, a line each: `delete deploy key 3 "ci" of platform/app`. The names of the first objects are read.
 * An object that cannot be read keeps the name that the line has for it.
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

// The text of confirmations: the instance, the user, the objects and the loss.

/** Formats the first objects as a line each, and counts the rest. */
const formatDetails = (details: readonly string[], count: number): string[] => [
  ...details.slice(0, maxNamed).map((line) => `  ${line}`),
  ...(count > maxNamed ? [`  and ${count - maxNamed} more`] : []),
]

const createCancelled = (): Failure => usage('not confirmed; nothing was changed')

/**
 * Formats the notice before a confirmation: the instance, the profile, the user, the objects and the change.
 * @param count the number of objects, if the lines do not name each of them
 */
const formatNotice = (
  { profile, baseUrl, sudo, title = baseUrl }: Owner,
  what: string,
  lines: readonly string[],
  count: number = lines.length,
): readonly string[] => {
  const by = profile === undefined ? '' : ` (profile ${profile.name})`
  const as = sudo === undefined ? '' : `, as ${sudo}`
  const many = count > 1 ? `, ${count} objects` : ''
  const details = formatDetails(lines, Math.max(count, lines.length))
  return [`On ${title}${by}${as}${many}:`, ...details, what]
}

/** Asks for the name of the profile. Returns true if it was typed correctly. */
const askProfileName = async (profile: Owner['profile'], prompts: Prompts): Promise<boolean> => {
  const typed = await prompts.text(`Type the profile name (${profile?.name ?? ''}) to continue`)
  return profile !== undefined && nameMatches(profile, typed)
}

/** The subject of the questions to a person. */
interface Subject {
  readonly command: CommandFacts
  /** Returns the owner of the objects, if a confirmation does not name it. */
  readonly getOwner: () => Promise<Owner>
  /** Sends a read request without retries, and with a short time limit. */
  readonly peek: Peek
}

type PromptStreams = Pick<Streams, 'beginProgress' | 'interactive' | 'meter' | 'notes' | 'prompts'>

/** Asks and informs the person at standard error, if there is one. */
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
   * Asks for confirmation before a change.
   * @throws Failure `usage` if the answer is no, or if there is no terminal and `--yes` is missing
   */
  async confirm(what: string, details: Details = [], of?: Owner, count?: number): Promise<void> {
    const owner = of ?? (await this.#subject.getOwner())
    const { notes, prompts } = this.#screen
    const how = this.#decideConfirmation(owner, what)
    if (how === 'go') return
    notes.note(formatNotice(owner, what, await resolveDetails(details), count))
    const named = how === 'ask-name'
    const agreed = named ? askProfileName(owner.profile, prompts) : prompts.confirm('Continue?')
    if (!(await agreed)) throw createCancelled()
  }

  /** Prints what a real run would ask. */
  protected async announce(
    what: string,
    details: Details,
    of?: Owner,
    count?: number,
  ): Promise<void> {
    const owner = of ?? (await this.#subject.getOwner())
    const lines = formatNotice(owner, what, await resolveDetails(details), count)
    this.#screen.notes.note(['to be confirmed in a real run:', ...lines])
  }

  async checkConfirmable(what: string): Promise<void> {
    this.#decideConfirmation(await this.#subject.getOwner(), what)
  }

  /**
   * Returns how a change is to be confirmed.
   * @throws Failure `usage` if there is no terminal to ask on and --yes is missing
   */
  #decideConfirmation({ profile }: Owner, what: string): ReturnType<typeof decideConfirmation> {
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
    const { meter, beginProgress } = this.#screen
    const release = meter.hold()
    const shown = beginProgress(text)
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

/** The prompter of a run that writes nothing. It never asks for confirmation or for secrets. */
export class SilentPrompter extends Prompter {
  override confirm(what: string, details: Details = [], of?: Owner, count?: number): Promise<void> {
    return this.announce(what, details, of, count)
  }

  override async checkConfirmable(): Promise<void> {}

  /** Returns a placeholder for the secret. */
  override async askSecret(_question: string, name: string): Promise<string> {
    return `<${name}>`
  }
}
