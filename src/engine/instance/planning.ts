/** What was asked → plans, with the words and questions of this run. */

import { AsyncCache, mapConcurrent, maxConcurrent } from '../../base/async.js'
import { currentIo } from '../../base/io.js'
import { isObject, type JsonValues, toText } from '../../base/objects.js'
import type { Choice, Prompts } from '../../base/prompts.js'
import { insertFlags, quoteWord } from '../../base/shell-words.js'
import { echoes } from '../../catalogue/endpoint.js'
import { choicesOf, isSwitch, takesSeveral, valuesOf } from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import { refuseGone } from '../../client/instance.js'
import { Failure } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import { isSource } from '../command/actions.js'
import { getScope } from '../command/derive.js'
import { isRepeated } from '../command/globals.js'
import type {
  ActionOptions,
  Actions,
  Command,
  Given,
  ObjectStream,
  Plan,
} from '../command/types.js'
import type { RunOptions } from '../options.js'
import { fromStdin } from '../plan/given.js'
import type { MissingValue, PlanContext } from '../plan/objects.js'
import { givenFor, type ParentTarget } from '../plan/parents.js'
import { completing, createPlans } from '../plan/plan.js'
import { readSources, type ValueRequest } from '../plan/value-lists.js'
import { parseValue } from '../plan/values.js'
import type { Workspace } from '../workspace/workspace.js'
import { sentUnknown } from './caller.js'

// What a person left out, asked for: picked from what the instance has, where it has a list.

/** A flag that a person was asked for. */
export interface PromptReply {
  readonly name: string
  readonly texts: readonly string[]
  readonly secret: boolean
}

interface AskOptions {
  readonly interactive: () => boolean
  readonly prompts: Prompts
  readonly fetch: (wanted: ValueRequest) => Promise<unknown>
  /** The instance's own, in which it is asked. */
  readonly words?: Words
  readonly note: (text: string) => void
  /** The command line as it was typed, after the program. */
  readonly argv: readonly string[]
}

const choiceOf = (value: string, text?: string): Choice<string> => ({
  value,
  name: value,
  description: text || undefined,
})

/** A question in words: help texts are for those who look a flag up. */
const questionOf = ({ name, param, several }: MissingValue): string => {
  const words = name
    .replaceAll(/[-_]/g, ' ')
    .replace(/\b(id|url|ip|sha)\b/g, (w) => w.toUpperCase())
  if ((valuesOf(param).length > 0 && !takesSeveral(param)) || several === true)
    return `Which ${words}?`
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}?`
}

/** Why an answer cannot be what was asked for; undefined where it can. */
const mistakeOf = (
  { name, param, argument, several }: MissingValue,
  texts: readonly string[],
): string | undefined => {
  const label = argument === true ? name : `--${name}`
  try {
    for (const one of several === true ? texts.map((text) => [text]) : [texts])
      parseValue(param, one, label)
    return undefined
  } catch (error) {
    if (error instanceof Failure && error.category === 'usage') return error.message
    throw error
  }
}

/** How the answer for a flag would have been typed; a secret by the name of a variable. */
const toTypedFlag = ({ name, param }: MissingValue, texts: readonly string[]): string[] => {
  if (isSwitch(param)) return [texts[0] === 'true' ? `--${name}` : `--no-${name}`]
  const text = param.secret === true ? 'env:NAME' : texts.join(',')
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text]
}

/** A line with what was answered, which means the same: no flag takes an argument for its value, and no argument is a flag. */
const insertAnswers = (
  argv: readonly string[],
  flags: readonly string[],
  args: readonly string[],
): readonly string[] => {
  if (argv.includes('--')) return [...insertFlags(argv, flags), ...args]
  if (args.some((arg) => arg.startsWith('-'))) return [...argv, ...flags, '--', ...args]
  const end = argv.findLastIndex((word) => !word.startsWith('-')) + 1
  return [...argv.slice(0, end), ...args, ...argv.slice(end), ...flags]
}

/** The questions of a run. */
export class Questions {
  readonly #options: AskOptions
  /** What was answered, as it would have been typed: flags with their values, and arguments. */
  readonly #typed = { flags: [] as string[], args: [] as string[] }
  /** The flags among them. */
  readonly answered: PromptReply[] = []

  constructor(options: AskOptions) {
    this.#options = options
  }

  /** A value, asked for until it can be what was asked; undefined where nobody can be asked. */
  readonly ask: PlanContext['missing'] = async (missing) => {
    if (!this.#options.interactive()) return undefined
    for (;;) {
      const texts = (await this.#answer(missing)).filter((text) => text !== '')
      if (texts.length === 0) return undefined
      const wrong = mistakeOf(missing, texts)
      if (wrong === undefined) {
        this.#keep(missing, texts)
        return texts
      }
      this.#options.note(wrong)
    }
  }

  /** Flags that a person wants to give; undefined where nobody can be asked. */
  readonly pick: PlanContext['pick'] = async (question, flags) => {
    if (!this.#options.interactive()) return undefined
    return this.#options.prompts.selectMany(
      question,
      flags.map(({ name, param }) => choiceOf(name, param.help)),
    )
  }

  #keep(missing: MissingValue, texts: readonly string[]): void {
    const { name, param, argument } = missing
    if (argument === true) this.#typed.args.push(...texts)
    else {
      this.#typed.flags.push(...toTypedFlag(missing, texts))
      this.answered.push({ name, texts, secret: param.secret === true })
    }
  }

  /**
   * Shows the line that would not have asked, so that it is learned.
   * @param consent gives the flags by which it is confirmed as well
   */
  async teach(consent: () => Promise<readonly string[]>): Promise<void> {
    const { flags, args } = this.#typed
    if (flags.length + args.length === 0) return
    const further = [...flags.splice(0), ...(await consent())]
    const words = ['svcctl', ...insertAnswers(this.#options.argv, further, args.splice(0))]
    this.#options.note(`to repeat this without questions: ${words.map(quoteWord).join(' ')}`)
  }

  async #choices({ param, project }: MissingValue): Promise<readonly Choice<string>[]> {
    const fixed = choicesOf(param)
    if (fixed.length > 0) return fixed.map((value) => choiceOf(value))
    if (param.completes === undefined) return []
    const found =
      (await readSources(param.completes, { project }, this.#options.fetch, this.#options.words)) ??
      []
    return found.map(({ value, text }) => choiceOf(value, text))
  }

  async #answer(missing: MissingValue): Promise<readonly string[]> {
    const { param } = missing
    const { prompts } = this.#options
    const question = questionOf(missing)
    if (param.secret === true) return [await prompts.secret(question)]
    const choices = await this.#choices(missing)
    if (choices.length === 0) return [await prompts.text(question)]
    const several = missing.several === true || takesSeveral(param)
    return several
      ? prompts.selectMany(question, choices)
      : [await prompts.select(question, choices)]
  }
}

/** What planning may read from the instance; nothing is where nothing is to be sent. */
export interface Reads {
  readonly data: (ask: Ask) => Promise<unknown>
  readonly wanted: (wanted: ValueRequest) => Promise<unknown>
  /** Whether a write's answer will tell what it did not take. */
  readonly answers: boolean
}

/** Where a person is asked, and told. */
interface AskingScreen {
  readonly interactive: () => boolean
  readonly notes: { note(text: string): void }
  readonly prompts: Prompts
}

type Options = Pick<RunOptions, 'command' | 'globals' | 'words' | 'journaling'>

/** What stands for the objects of a project or group that are not known: nothing is lost where nothing can be done. */
const planBelow = (command: Command, { kind, parent, value }: ParentTarget): Plan | undefined => {
  const form = Object.entries(command.endpoints).find(([, e]) => getScope(e)?.kind === kind)
  if (form === undefined) return undefined
  const [key, { destructive: _, ...endpoint }] = form
  return { key, endpoint, values: { [getScope(endpoint)?.placeholder ?? 'id']: value }, parent }
}

/**
 * Stands for the objects of a target that failed, so that it counts and is reported.
 * @param like a plan of another target, for a command without endpoints of its own
 * @throws the failure of the target if there is no other
 */
const refusedPlan = (command: Command, target: ParentTarget, like: Plan | undefined): Plan => {
  const plan = planBelow(command, target) ?? like
  if (plan === undefined) throw target.failure
  return { ...plan, refused: target.failure }
}

/** Arguments, those that are several apart, each with the attributes of its row. */
const apartWithRows = (
  { args, rows }: Pick<Given, 'args' | 'rows'>,
  split?: (text: string) => readonly string[],
): { readonly texts: readonly string[]; readonly rows?: NonNullable<Given['rows']> } => {
  if (split === undefined) return { texts: args, rows }
  const all = args.flatMap((arg, i) => split(arg).map((text) => ({ text, row: rows?.[i] })))
  const texts = all.map(({ text }) => text)
  return rows === undefined ? { texts } : { texts, rows: all.map(({ row }) => row) }
}

/** The targets of a line, where it does not name them by itself. */
export type Targets =
  | { readonly targets: readonly ParentTarget[] }
  | { readonly stream: ObjectStream }

/** Completes plans by what a command reads for each. */
const completed = async (plans: readonly Plan[], how: ActionOptions): Promise<readonly Plan[]> => {
  if (how.complete === undefined) return plans
  const all: Plan[] = []
  const width = how.reads === true ? maxConcurrent : 1
  for await (const plan of mapConcurrent(plans, width, completing(how))) all.push(plan)
  return all
}

/** The plans of a run. */
export class Planning {
  readonly #options: Options
  readonly #reads: Reads
  readonly #questions: Questions
  readonly #context: PlanContext
  /** A watch plans once: nobody is asked for the same value every round. */
  readonly #kept = new AsyncCache<string, readonly Plan[]>()
  /** Paths of projects by number, each asked for once: both name the same project. */
  readonly #paths = new AsyncCache<number, string | undefined>()
  readonly #place: Pick<Workspace, 'session'>

  constructor(
    options: Options,
    { interactive, notes, prompts }: AskingScreen,
    place: Workspace,
    reads: Reads,
  ) {
    const { journaling, words } = options
    const note = (text: string): void => notes.note(text)
    const argv = currentIo().argv
    const tell = sentUnknown(notes, words)
    const questions = new Questions({
      interactive,
      prompts,
      note,
      argv,
      fetch: reads.wanted,
      words,
    })
    this.#options = options
    this.#reads = reads
    this.#place = place
    this.#questions = questions
    this.#context = {
      env: place.env,
      note,
      piped: fromStdin(journaling.raw),
      unknown: (endpoint, name) => {
        if (!reads.answers || !echoes(endpoint)) tell(endpoint, name)
      },
      offered: (endpoint) => refuseGone(endpoint, words),
      baseUrl: async () => (await place.session()).baseUrl,
      scope: (kinds) => place.scopeAmong(kinds),
      pathOf: (id) => this.#paths.of(id, () => this.#pathOf(id)),
      missing: questions.ask,
      pick: questions.pick,
    }
  }

  /** Plans an action for each object. */
  async plans(given: Given, override?: JsonValues): Promise<readonly Plan[]> {
    const plans = await this.#create(given, override, false)
    await this.teach(plans, false)
    return plans
  }

  /**
   * Shows the line that would not have asked, where something was asked.
   * @param loses whether something is lost with what is planned
   */
  teach(plans: Actions, loses: boolean): Promise<void> {
    const destroys =
      loses ||
      (!isSource(plans) && plans.some(({ endpoint }) => endpoint.destructive !== undefined))
    return this.#questions.teach(() => this.#consent(destroys))
  }

  /** @param apart also for those that one request could take together */
  #create(
    given: Given,
    override: JsonValues | undefined,
    apart: boolean,
  ): Promise<readonly Plan[]> {
    const create = () => createPlans(this.#options.command, given, this.#context, override, apart)
    if (!isRepeated(this.#options.globals)) return create()
    return this.#kept.of(JSON.stringify([given, override]), create)
  }

  /** Plans what a command asks of each object, each complete: in hand, or planned as the objects come. */
  async requests(given: Given, how: ActionOptions, targets: Targets | undefined): Promise<Actions> {
    if (targets === undefined) return this.#planned(given, how)
    if ('targets' in targets) return this.below(given, how, targets.targets)
    const { createSource } = await import('../plan/stream.js')
    const { command } = this.#options
    return createSource(command, { given, how }, targets.stream, this.#context)
  }

  async #planned(given: Given, how: ActionOptions): Promise<readonly Plan[]> {
    const { apart = false, plansFor } = how
    return plansFor === undefined
      ? completed(await this.#named(given, how, apart), how)
      : plansFor(given)
  }

  /** Plans what is asked of what each of several projects or groups has. */
  async below(
    given: Given,
    how: ActionOptions,
    targets: readonly ParentTarget[],
  ): Promise<readonly Plan[]> {
    const { command } = this.#options
    const { plansFor = (own: Given): Promise<readonly Plan[]> => this.#named(own, how, true) } = how
    const made: (readonly Plan[] | undefined)[] = []
    for (const target of targets)
      made.push(target.failure === undefined ? await plansFor(givenFor(given, target)) : undefined)
    const like = made.find((own) => own !== undefined && own.length > 0)?.[0]
    const plans = targets.flatMap((target, i) =>
      (made[i] ?? [refusedPlan(command, target, like)]).map((plan) => ({
        ...plan,
        parent: target.parent,
      })),
    )
    return completed(plans, how)
  }

  /** Those of what the line names; an object that only stands in for another is called as that was given. */
  async #named(
    given: Given,
    { preset, split, standIn }: ActionOptions,
    apart: boolean,
  ): Promise<readonly Plan[]> {
    const { texts, ...rows } = apartWithRows(given, split)
    const args = standIn === undefined ? texts : texts.map(standIn)
    const plans = await this.#create({ ...given, args, ...rows }, preset, apart)
    if (standIn === undefined) return plans
    return plans.map((plan, i) => ({ ...plan, label: texts[i] ?? plan.label }))
  }

  /** The one plan of a command that takes no objects. */
  async plan(given: Given, override?: JsonValues): Promise<Plan> {
    const [first] = await this.plans(given, override)
    if (first === undefined) throw new Failure('internal', 'a command without a plan')
    return first
  }

  /** The flags that a person was asked for on the way. */
  get answered(): readonly PromptReply[] {
    return this.#questions.answered
  }

  /** The plans of another command than the run's, whose values are all known. */
  ofCommand(command: Command, given: Given): Promise<readonly Plan[]> {
    return createPlans(command, given, this.#context)
  }

  /** What the instance says of a project by its number. */
  async #pathOf(id: number): Promise<string | undefined> {
    const { projects } = await import('../../catalogue/areas/projects.js')
    const data = await this.#reads.data({ endpoint: projects.get, values: { id } })
    return isObject(data) ? toText(data.path_with_namespace) : undefined
  }

  /** The flags that confirm what destroys something, where the line has not confirmed it. */
  async #consent(destroys: boolean): Promise<readonly string[]> {
    if (!destroys) return []
    const { yes, confirm } = this.#options.globals
    const { profile } = await this.#place.session()
    const named = profile?.protected === true && confirm === undefined
    return [...(yes ? [] : ['--yes']), ...(named ? ['--confirm', profile.name] : [])]
  }
}
