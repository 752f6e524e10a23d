/** The person of a run: what standard error says, what is asked there, and what to do next about a failure. */
import { isObject, type JsonValues } from '../../base/objects.js'
import type { CountedWork, ProgressListener, ShownWork, TimeLimit } from '../../base/progress.js'
import type { Prompts } from '../../base/prompts.js'
import { quoteWord } from '../../base/shell-words.js'
import { type Endpoint, getMethod, getPath } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { kindNamed, wordOfKind } from '../../catalogue/kinds.js'
import { Failure, usage } from '../../errors.js'
import type { AdviceCode, Ask } from '../../http/types.js'
import { confirmationFor, nameMatches } from '../../profile/index.js'
import { beginProgress } from '../../terminal/progress.js'
import { getScope } from '../command/derive.js'
import type { Details, Owner, UiService } from '../command/services.js'
import type { CommandFacts, Plan } from '../command/types.js'
import type { RunOptions, Streams } from '../options.js'
import { isHidden } from '../plan/value-lists.js'
import { maxNamed } from '../work/report.js'

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
  const near = areas.filter(({ name }) => name === command.area || kind.areas.includes(name))
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

/** The lines, made only now where they are asked for late. */
export const resolveDetails = async (details: Details): Promise<readonly string[]> =>
  typeof details === 'function' ? details() : details

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
  readonly #globals: RunOptions['globals']

  constructor(globals: RunOptions['globals'], screen: PromptStreams, subject: Subject) {
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

// What to do next about a failure of the HTTP layer, in the words of commands and flags.

const login = 'Sign in with `svcctl auth login`, or set SVC_TOKEN.'

const quoteRequest = (request: string): string => request.split(' ').map(quoteWord).join(' ')

/** By code; a function where it says what it is about. */
export const hints: Readonly<Record<AdviceCode, string | ((about?: string) => string)>> = {
  sudo: 'Use an administrator’s token with the sudo scope, or remove --sudo and SVC_SUDO.',
  'sudo-user': 'Check the ID or username in --sudo or SVC_SUDO.',
  scope: (scope = 'required for this') =>
    `The token lacks the scope ${scope}. Create a token with it, then run \`svcctl auth login\`.`,
  credential:
    'The credential is wrong, expired or revoked. `svcctl auth status` shows its source, and `svcctl auth login` replaces it.',
  'sign-in': `No credential was sent. ${login}`,
  rights:
    'The token’s user is not permitted to do this. `svcctl auth status` shows the user, and --help the required role.',
  'no-instance':
    'There is a proxy or a sign-in page in front of the instance, or the base URL is wrong. `svcctl doctor` tells which.',
  'decoded-path':
    'The instance does not have this endpoint, the base URL is wrong, or a web server in front decodes %2F in paths. `svcctl doctor` tells which; use the ID until then.',
  slashes: (request) => {
    const form = 'Slashes in the name of a project, group, branch or file are written %2F'
    return request === undefined ? `${form}.` : `${form}: svcctl api ${quoteRequest(request)}`
  },
  private: `It does not exist, or it is private and no credential was sent. ${login}`,
  hidden:
    'It does not exist, or this user cannot see it. Check the ID or path, and `svcctl auth status`.',
  maintenance: (wait) => {
    const asked = wait === undefined ? '' : ` It asks to wait ${wait}.`
    return `Try again after the maintenance. Reads may still work.${asked}`
  },
  unavailable: (wait) =>
    `The instance is temporarily unavailable. Try again${wait === undefined ? ' later' : `; it asks to wait ${wait}`}.`,
  'moved-project': (project = 'PATH') =>
    `Find its new path with \`svcctl projects get ${quoteWord(project)} --fields path_with_namespace\`, then pass that path or its ID with -P.`,
  rate: (wait) => {
    const asked = wait === undefined ? '' : ` It asks to wait ${wait}.`
    return `Wait before the next call, lower --concurrency or --rate, or allow more with --retries and --max-wait.${asked}`
  },
  input: 'Correct the named values and try again. --help lists the flags.',
  way: 'Try again. If it fails again, run `svcctl doctor`.',
  address: 'Check the base URL (--base-url, SVC_BASE_URL or profile) and the network.',
  authority:
    'Name the PEM file of the certificate authority in SSL_CERT_FILE, or pass --ca-file <pem> to `svcctl auth login` or `svcctl profile set <name>`.',
  slow: 'Try again, or allow more time with --timeout <seconds>.',
  ca: 'Name another file in SSL_CERT_FILE, or with --ca-file of `svcctl auth login` or `svcctl profile set <name>`.',
  'client-certificate':
    'Pass other files with --cert-file and --key-file to `svcctl auth login` or `svcctl profile set <name>`.',
  paging: 'The paging of the instance is faulty. Use --page to read one page at a time.',
  'order-by-id': 'Only a list ordered by ID can continue past this point. Add --order-by id.',
  'response-size': 'Request less: smaller pages of a list (--per-page), or fewer objects.',
  'record-size': 'Run the command again with -o json, without --fields and for a single object.',
  'key-in-address': 'Pass the key with --authorization-key or SVC_ALERT_KEY.',
}

const isCode = (code: string): code is AdviceCode => Object.hasOwn(hints, code)

/** A failure with its hint in words; anything else, and what has a hint already, as it is. */
export const withWorkspaceHint = (error: unknown): unknown => {
  if (!(error instanceof Failure)) return error
  const { hint, advice } = error.details
  if (hint !== undefined || advice === undefined || !isCode(advice.code)) return error
  const words = hints[advice.code]
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: typeof words === 'string' ? words : words(advice.about),
  })
}
