/** Creates the plans of a run, and asks a person for values that the line lacks. */

import { AsyncCache, mapConcurrent, maxConcurrent } from '../../base/async.js'
import type { Choice, Prompts } from '../../base/interaction.js'
import { isObject, type JsonValues, toText } from '../../base/objects.js'
import { insertFlags, quoteWord } from '../../base/shell-words.js'
import { capitalize } from '../../base/text.js'
import { hasEcho } from '../../catalogue/endpoint.js'
import { getChoices, getParamValues, isListParam, isSwitch } from '../../catalogue/params.js'
import { checkEndpointOffered } from '../../client/instance.js'
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
import { isFromStdin } from '../plan/given.js'
import type { MissingValue, PlanContext } from '../plan/objects.js'
import { type ParentTarget, toGiven } from '../plan/parents.js'
import { parseValue } from '../plan/parse-values.js'
import { createCompletion, createPlans } from '../plan/plan.js'
import { readSources } from '../plan/read-values.js'
import type { Workspace } from '../workspace/workspace.js'
import { createUnknownNote } from './caller.js'

// Asks for missing values: a person chooses from the instance's objects or types a text.

/** The reply of a person to the question for a flag. */
export interface PromptReply {
  readonly name: string
  readonly texts: readonly string[]
  readonly secret: boolean
}

interface AskOptions {
  readonly interactive: () => boolean
  readonly prompts: Prompts
  readonly readData: (ask: Ask) => Promise<unknown>
  readonly note: (text: string) => void
  readonly now: () => Date
  /** The command line as typed, without the program's name. */
  readonly argv: readonly string[]
}

const toChoice = (value: string, text?: string): Choice<string> => ({
  value,
  name: value,
  description: text || undefined,
})

/** Formats the question for a value from its name. Help texts would be too long. */
const formatQuestion = ({ name, param, several }: MissingValue): string => {
  const words = name
    .replaceAll(/[-_]/g, ' ')
    .replace(/\b(id|url|ip|sha)\b/g, (w) => w.toUpperCase())
  if ((getParamValues(param).length > 0 && !isListParam(param)) || several === true)
    return `Which ${words}?`
  return `${capitalize(words)}?`
}

/** Returns why a reply is invalid; undefined if it is valid. */
const findMistake = (
  { name, param, argument, several }: MissingValue,
  texts: readonly string[],
  now: Date,
): string | undefined => {
  const label = argument === true ? name : `--${name}`
  try {
    for (const one of several === true ? texts.map((text) => [text]) : [texts])
      parseValue(param, one, label, { now })
    return undefined
  } catch (error) {
    if (error instanceof Failure && error.category === 'usage') return error.message
    throw error
  }
}

/** Returns the words that set a flag to the reply. A secret becomes a reference to a variable. */
const toTypedFlag = ({ name, param }: MissingValue, texts: readonly string[]): string[] => {
  if (isSwitch(param)) return [texts[0] === 'true' ? `--${name}` : `--no-${name}`]
  const text = param.secret === true ? 'env:NAME' : texts.join(',')
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text]
}

/** Inserts replies into a line. No argument may become a flag or the value of a flag. */
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

/** Asks the questions of a run and remembers the replies. */
export class Questions {
  readonly #options: AskOptions
  /** The replies as words of a line: flags with their values, and arguments. */
  readonly #typed = { flags: [] as string[], args: [] as string[] }
  /** The replies that set flags. */
  readonly replies: PromptReply[] = []

  constructor(options: AskOptions) {
    this.#options = options
  }

  /** Asks for a value until the reply is valid; returns undefined without a terminal. */
  readonly ask: PlanContext['askMissing'] = async (missing) => {
    if (!this.#options.interactive()) return undefined
    for (;;) {
      const texts = (await this.#prompt(missing)).filter((text) => text !== '')
      if (texts.length === 0) return undefined
      const wrong = findMistake(missing, texts, this.#options.now())
      if (wrong === undefined) {
        this.#recordReply(missing, texts)
        return texts
      }
      this.#options.note(wrong)
    }
  }

  /** Asks which flags a person wants to set; returns undefined without a terminal. */
  readonly pick: PlanContext['pick'] = async (question, flags) => {
    if (!this.#options.interactive()) return undefined
    return this.#options.prompts.selectMany(
      question,
      flags.map(({ name, param }) => toChoice(name, param.help)),
    )
  }

  #recordReply(missing: MissingValue, texts: readonly string[]): void {
    const { name, param, argument } = missing
    if (argument === true) this.#typed.args.push(...texts)
    else {
      this.#typed.flags.push(...toTypedFlag(missing, texts))
      this.replies.push({ name, texts, secret: param.secret === true })
    }
  }

  /**
   * Prints the line that needs no questions, once, so that a person can repeat it.
   * @param consent returns the flags that confirm the line
   */
  async printRepeatLine(consent: () => Promise<readonly string[]>): Promise<void> {
    const { flags, args } = this.#typed
    if (flags.length + args.length === 0) return
    const further = [...flags.splice(0), ...(await consent())]
    const words = ['svcctl', ...insertAnswers(this.#options.argv, further, args.splice(0))]
    this.#options.note(`to repeat this without questions: ${words.map(quoteWord).join(' ')}`)
  }

  async #findChoices({ param, project }: MissingValue): Promise<readonly Choice<string>[]> {
    const fixed = getChoices(param)
    if (fixed.length > 0) return fixed.map((value) => toChoice(value))
    if (param.completes === undefined) return []
    const found = (await readSources(param.completes, { project }, this.#options.readData)) ?? []
    return found.map(({ value, text }) => toChoice(value, text))
  }

  async #prompt(missing: MissingValue): Promise<readonly string[]> {
    const { param } = missing
    const { prompts } = this.#options
    const question = formatQuestion(missing)
    if (param.secret === true) return [await prompts.secret(question)]
    const choices = await this.#findChoices(missing)
    if (choices.length === 0) return [await prompts.text(question)]
    const several = missing.several === true || isListParam(param)
    return several
      ? prompts.selectMany(question, choices)
      : [await prompts.select(question, choices)]
  }
}

/** The reads that planning may send to the instance. They return nothing if the run sends no requests. */
export interface PlanReads {
  readonly readData: (ask: Ask) => Promise<unknown>
  /** True if the answers to writes are checked for ignored attributes. */
  readonly checksAnswers: boolean
}

/** The functions that ask a person and print notes. */
interface AskingScreen {
  readonly interactive: () => boolean
  readonly notes: { note(text: string): void }
  readonly prompts: Prompts
}

type Options = Pick<RunOptions, 'command' | 'globals' | 'io' | 'journaling'>

/** Creates a plan for the unknown objects of a project or group. As it is never sent, it is not marked destructive. */
const planUnknown = (command: Command, { kind, parent, value }: ParentTarget): Plan | undefined => {
  const form = Object.values(command.endpoints).find((e) => getScope(e)?.kind === kind)
  if (form === undefined) return undefined
  const { destructive: _, ...endpoint } = form
  return { endpoint, values: { [getScope(endpoint)?.placeholder ?? 'id']: value }, parent }
}

/**
 * Creates a refused plan for a target that failed, so that the target is counted and reported.
 * @param like a plan of another target, for a command without endpoints of its own
 * @throws Failure that of the target, if there is no plan to copy
 */
const refuseTarget = (command: Command, target: ParentTarget, like: Plan | undefined): Plan => {
  const plan = planUnknown(command, target) ?? like
  if (plan === undefined) throw target.failure
  return { ...plan, refused: target.failure }
}

/** Splits arguments that name several objects. Each object gets the attributes of its argument's row. */
const splitWithRows = (
  { args, rows }: Pick<Given, 'args' | 'rows'>,
  split?: (text: string) => readonly string[],
): { readonly texts: readonly string[]; readonly rows?: NonNullable<Given['rows']> } => {
  if (split === undefined) return { texts: args, rows }
  const all = args.flatMap((arg, i) => split(arg).map((text) => ({ text, row: rows?.[i] })))
  const texts = all.map(({ text }) => text)
  return rows === undefined ? { texts } : { texts, rows: all.map(({ row }) => row) }
}

/** The targets of a line that does not name its objects itself. */
export type LineTargets =
  | { readonly targets: readonly ParentTarget[] }
  | { readonly stream: ObjectStream }

/** Completes plans with what the command reads for each. */
const fillPlans = async (
  plans: readonly Plan[],
  options: ActionOptions,
): Promise<readonly Plan[]> => {
  if (options.complete === undefined) return plans
  const all: Plan[] = []
  const width = options.reads === true ? maxConcurrent : 1
  for await (const plan of mapConcurrent(plans, width, createCompletion(options))) all.push(plan)
  return all
}

/** Creates the plans of a run. */
export class RunPlanner {
  readonly #options: Options
  readonly #reads: PlanReads
  readonly #questions: Questions
  readonly #context: PlanContext
  /** The plans of a repeated run, created once, so that a person is asked only once. */
  readonly #repeatedPlans = new AsyncCache<string, readonly Plan[]>()
  /** Paths of projects by number, each read once. */
  readonly #paths = new AsyncCache<number, string | undefined>()
  readonly #place: Pick<Workspace, 'session'>

  constructor(
    options: Options,
    { interactive, notes, prompts }: AskingScreen,
    place: Workspace,
    reads: PlanReads,
  ) {
    const { command, journaling, io } = options
    const note = (text: string): void => notes.note(text)
    const { argv, now } = io
    const tell = createUnknownNote(notes, command.naming)
    const { readData } = reads
    const questions = new Questions({ interactive, prompts, note, argv, now, readData })
    this.#options = options
    this.#reads = reads
    this.#place = place
    this.#questions = questions
    this.#context = {
      env: place.env,
      note,
      now,
      piped: isFromStdin(journaling.raw),
      noteUnknownName: (endpoint, name) => {
        if (!reads.checksAnswers || !hasEcho(endpoint)) tell(endpoint, name)
      },
      checkOffered: (endpoint) => checkEndpointOffered(endpoint, command.naming),
      getBaseUrl: async () => (await place.session()).baseUrl,
      getScope: (kinds) => place.findScopeAmong(kinds),
      findPath: (id) => this.#paths.of(id, () => this.#readPath(id)),
      askMissing: questions.ask,
      pick: questions.pick,
    }
  }

  /** Creates a plan for each object of the line. */
  async createPlans(given: Given, override?: JsonValues): Promise<readonly Plan[]> {
    const plans = await this.#create(given, override, false)
    await this.printRepeatLine(plans, false)
    return plans
  }

  /**
   * Prints the line that needs no questions, if a question was asked.
   * @param loses true if the plans destroy something
   */
  printRepeatLine(plans: Actions, loses: boolean): Promise<void> {
    const destroys =
      loses ||
      (!isSource(plans) && plans.some(({ endpoint }) => endpoint.destructive !== undefined))
    return this.#questions.printRepeatLine(() => this.#getConfirmFlags(destroys))
  }

  /** @param apart true to keep plans apart that one request could combine */
  #create(
    given: Given,
    override: JsonValues | undefined,
    apart: boolean,
  ): Promise<readonly Plan[]> {
    const create = () => createPlans(this.#options.command, given, this.#context, override, apart)
    if (!isRepeated(this.#options.globals)) return create()
    return this.#repeatedPlans.of(JSON.stringify([given, override]), create)
  }

  /** Plans an action for each object and completes it. Objects from a stream are planned as they arrive. */
  async planLine(
    given: Given,
    options: ActionOptions,
    targets: LineTargets | undefined,
  ): Promise<Actions> {
    // All names were checked when a resumed run began. Since then, an object may have been deleted, which must not stop the others.
    const { planFirst: _, ...rest } = options
    const how = this.#options.journaling.resumed === undefined ? options : rest
    if (targets === undefined) return this.#planOwn(given, how)
    if ('targets' in targets) return this.planTargets(given, how, targets.targets)
    const { createSource } = await import('../plan/stream.js')
    const { command } = this.#options
    return createSource(command, { given, how }, targets.stream, this.#context)
  }

  async #planOwn(given: Given, options: ActionOptions): Promise<readonly Plan[]> {
    const { apart = false, createPlans } = options
    return createPlans === undefined
      ? fillPlans(await this.#plan(given, options, apart), options)
      : createPlans(given)
  }

  /** Plans the actions for several projects or groups, target by target. */
  async planTargets(
    given: Given,
    options: ActionOptions,
    targets: readonly ParentTarget[],
  ): Promise<readonly Plan[]> {
    const { command } = this.#options
    const { createPlans = (own: Given) => this.#plan(own, options, true) } = options
    const made: (readonly Plan[] | undefined)[] = []
    for (const target of targets)
      made.push(target.failure ? undefined : await createPlans(toGiven(given, target)))
    const like = made.find((own) => own !== undefined && own.length > 0)?.[0]
    const plans = targets.flatMap((target, i) =>
      (made[i] ?? [refuseTarget(command, target, like)]).map((plan) => ({
        ...plan,
        parent: target.parent,
      })),
    )
    return fillPlans(plans, options)
  }

  /** Plans the objects that the line names. A plan with a placeholder ID gets the typed text as its label. */
  async #plan(
    given: Given,
    { preset, split, createPlaceholder }: ActionOptions,
    apart: boolean,
  ): Promise<readonly Plan[]> {
    const { texts, ...rows } = splitWithRows(given, split)
    const args = createPlaceholder === undefined ? texts : texts.map(createPlaceholder)
    const plans = await this.#create({ ...given, args, ...rows }, preset, apart)
    if (createPlaceholder === undefined) return plans
    return plans.map((plan, i) => ({ ...plan, label: texts[i] ?? plan.label }))
  }

  /** The flags that a person was asked for. */
  get replies(): readonly PromptReply[] {
    return this.#questions.replies
  }

  /** Creates the plans of another command whose values are all known. */
  planCommand(command: Command, given: Given): Promise<readonly Plan[]> {
    return createPlans(command, given, this.#context)
  }

  /** Reads the path of a project by its number. */
  async #readPath(id: number): Promise<string | undefined> {
    const { projects } = await import('../../catalogue/areas/projects.js')
    const data = await this.#reads.readData({ endpoint: projects.get, values: { id } })
    return isObject(data) ? toText(data.path_with_namespace) : undefined
  }

  /** Returns the flags that confirm a destructive line, as far as the line does not have them. */
  async #getConfirmFlags(destroys: boolean): Promise<readonly string[]> {
    if (!destroys) return []
    const { yes, confirm } = this.#options.globals
    const { profile } = await this.#place.session()
    const named = profile?.protected === true && confirm === undefined
    return [...(yes ? [] : ['--yes']), ...(named ? ['--confirm', profile.name] : [])]
  }
}
