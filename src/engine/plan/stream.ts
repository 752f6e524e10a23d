/** The plans of objects that come: one after the other, of one project or group, or each with its own. */

import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { type JsonValue, type JsonValues, toJsonFields } from '../../base/objects.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { placeFailure, usage } from '../../errors.js'
import { isAddress } from '../../profile/index.js'
import { getCommandName, getScope } from '../command/derive.js'
import type {
  ActionOptions,
  Command,
  Given,
  NamedObject,
  ObjectStream,
  Plan,
  PlanSource,
} from '../command/types.js'
import type { GivenObject } from '../work/report.js'
import { type ObjectReference, parseReference, placeArgs, placeProject } from './arguments.js'
import { choose, fillScope } from './choose.js'
import type { PlanContext } from './objects.js'
import { type ParentTarget, parseParentTarget, toGiven } from './parents.js'
import {
  type CommonParts,
  type CommonsByRow,
  checkSegment,
  completePlan,
  createCommonsByRow,
  createCompletion,
} from './plan.js'
import { createRowGiven } from './stdin/row-fields.js'

// The plan of one object after the other: what all have in common is made with the first. An object is known by
// its text, or as a journal names it: by its id, and what it belongs to.

class Planner {
  readonly #command: Command
  readonly #given: Given
  readonly #around: PlanContext
  readonly #override: JsonValues
  #commons: Promise<CommonsByRow> | undefined
  #baseUrl: string | undefined

  readonly #standIn: (text: string) => string
  readonly #rowFlags: readonly string[]

  /**
   * @param standIn what an object is planned as that is given by a name
   * @param rowFlags those that rows may say
   */
  constructor(
    command: Command,
    given: Given,
    around: PlanContext,
    override: JsonValues = {},
    standIn = (text: string): string => text,
    rowFlags: readonly string[] = [],
  ) {
    this.#command = command
    this.#given = given
    this.#around = around
    this.#override = override
    this.#standIn = standIn
    this.#rowFlags = rowFlags
  }

  /**
   * Finds what a text names: an object, and what it belongs to.
   * @param owner the project or group that it came with, which is known then
   * @throws Failure `usage` for a text that can be no such object
   */
  async objectOf(text: string, owner?: string, row?: JsonValues): Promise<GivenObject> {
    const [argument] = this.#command.args
    if (isAddress(text)) this.#baseUrl ??= await this.#around.baseUrl()
    const reference = parseReference(text, argument, () => this.#baseUrl ?? '')
    const common = await this.#commonOf({
      object: reference.id,
      parent: reference.project,
      row,
    })
    const scratch: Record<string, JsonValue | undefined> = {}
    const { endpoint } = common
    placeArgs(this.#command, endpoint, [this.#standIn(reference.id)], scratch, this.#around)
    for (const [name, value] of Object.entries(scratch)) {
      const param = endpoint.path[name]
      if (param !== undefined) checkSegment(name, param, value)
    }
    if (owner !== undefined) await this.#checkOwner(common, reference, owner)
    const parent = owner ?? (await this.#parentOf(common, reference))
    return { object: reference.id, parent, row }
  }

  /** The plan of an object. */
  async planOf({ object, parent, row }: GivenObject): Promise<Plan> {
    const common = await this.#commonOf({ object, parent, row })
    const own: Record<string, JsonValue | undefined> = { ...common.values }
    const holder = getScope(common.endpoint)?.placeholder
    if (holder !== undefined && parent !== undefined && String(own[holder]) !== parent)
      own[holder] = parent
    const args = [this.#standIn(object)]
    const plan = await completePlan(common, own, args, this.#labelOf(object, parent), this.#around)
    return row === undefined ? plan : { ...plan, row: toJsonFields(row) }
  }

  /** A number of a project by its full reference, unless the line says the project. */
  #labelOf(object: string, parent: string | undefined): string {
    const { mark } = getKindByName(this.#command.args[0]?.param?.completes) ?? {}
    const said = this.#given.flags.project !== undefined
    return mark === undefined || said || parent === undefined ? object : `${parent}${mark}${object}`
  }

  async #commonOf(first: GivenObject): Promise<CommonParts> {
    this.#commons ??= this.#make(first)
    const commonIn = await this.#commons
    return commonIn(first.row && toJsonFields(first.row))
  }

  async #make({ object, parent, row }: GivenObject): Promise<CommonsByRow> {
    const { flags } = this.#given
    const said = flags.project !== undefined || flags.group !== undefined
    const given = {
      ...this.#given,
      args: [this.#standIn(object)],
      flags: said || parent === undefined ? flags : { ...flags, project: parent },
    }
    const choice = choose(
      this.#command,
      await this.#withRow(given, row),
      this.#around.env,
      this.#override,
    )
    this.#around.offered?.(choice.endpoint)
    const scoped = await fillScope(this.#command, choice, this.#around)
    return createCommonsByRow(this.#command, given, scoped, this.#around, this.#override)
  }

  /** The line as a row completes it, whichever columns this one fills. */
  async #withRow(given: Given, row: GivenObject['row']): Promise<Given> {
    if (row === undefined) return given
    const own = await createRowGiven(this.#command, given, toJsonFields(row), this.#around)
    const filled = Object.fromEntries(this.#rowFlags.map((name) => [name, '']))
    return { ...own, flags: { ...filled, ...own.flags } }
  }

  /** @throws Failure `usage` where an object that came with its project names another */
  async #checkOwner(
    { endpoint }: CommonParts,
    reference: ObjectReference,
    owner: string,
  ): Promise<void> {
    const given = { ...this.#given, flags: { ...this.#given.flags, project: owner } }
    await placeProject(endpoint, reference, given, {}, this.#around)
  }

  /** Returns the project or group that an object belongs to: by itself, or as all do. */
  async #parentOf(
    { endpoint, values }: CommonParts,
    reference: ObjectReference,
  ): Promise<string | undefined> {
    const holder = getScope(endpoint)?.placeholder
    if (holder === undefined || endpoint.args?.includes(holder) === true) return undefined
    const own: Record<string, JsonValue | undefined> = { [holder]: values[holder] }
    if (reference.project !== undefined)
      await placeProject(endpoint, reference, this.#given, own, this.#around)
    else if (this.#given.flags.project === undefined && this.#carries)
      throw usage(
        `"${reference.id}" does not name its project, unlike the others`,
        `Pass each object with its project, or all of one project: svcctl ${getCommandName(this.#command)} --project`,
      )
    this.#carries ||= reference.project !== undefined
    return own[holder] === undefined ? undefined : String(own[holder])
  }

  /** Some brought their project along. */
  #carries = false
}

/** Keeps a planner for each kind of parent: objects of projects are planned otherwise than objects of groups. */
class Planners {
  readonly #make: (target: ParentTarget | undefined) => Planner
  readonly #below: ObjectStream['below']
  readonly #made = new Map<ParentTarget['kind'] | undefined, Planner>()

  constructor(make: (target: ParentTarget | undefined) => Planner, below: ObjectStream['below']) {
    this.#make = make
    this.#below = below
  }

  async objectOf({ text, parent, before, row }: NamedObject): Promise<GivenObject> {
    const target = this.#targetOf(parent)
    const object = await this.#for(target).objectOf(text, target?.value, row)
    return {
      ...object,
      parent: parent ?? object.parent,
      before: before ?? object.before,
    }
  }

  async planOf({ object, parent, row }: GivenObject): Promise<Plan> {
    const target = this.#targetOf(parent)
    const owner = target?.value ?? parent
    const plan = await this.#for(target).planOf({ object, parent: owner, row })
    return target === undefined ? plan : { ...plan, parent: target.parent }
  }

  #targetOf(parent: string | undefined): ParentTarget | undefined {
    return this.#below === undefined || parent === undefined
      ? undefined
      : parseParentTarget(this.#below, parent)
  }

  #for(target: ParentTarget | undefined): Planner {
    const planner = this.#made.get(target?.kind) ?? this.#make(target)
    this.#made.set(target?.kind, planner)
    return planner
  }
}

/** The actions that are planned for the objects of a stream. */
interface StreamActions {
  readonly given: Given
  readonly how: ActionOptions
}

/** Yields the objects that come; several in one text are split apart. */
async function* splitApart(
  objects: AsyncIterable<NamedObject>,
  split: ActionOptions['split'],
): AsyncGenerator<NamedObject> {
  if (split === undefined) return yield* objects
  for await (const { text, ...others } of objects)
    for (const one of split(text)) yield { ...others, text: one }
}

/** Creates the source of plans: one for each object that comes. */
export const createSource = (
  command: Command,
  { given, how }: StreamActions,
  { objects, below, confirm, rowFlags, whole }: ObjectStream,
  around: PlanContext,
): PlanSource => {
  const { planFirst, preset, split, standIn } = how
  const { complete: finish, reads } = how
  // What rows say, and what is known without asking the instance, is checked whole before anything is sent.
  const local = whole === true && finish !== undefined && reads !== true
  const checked = planFirst === true || rowFlags !== undefined || local
  const width = reads === true ? maxConcurrent : 1
  const planners = new Planners(
    (target) =>
      new Planner(
        command,
        target === undefined ? given : toGiven(given, target),
        around,
        preset,
        standIn,
        rowFlags,
      ),
    below,
  )
  const complete = createCompletion(how)
  const planOf = async (object: GivenObject): Promise<Plan> =>
    complete(await planners.planOf(object))
  const named = async function* (): AsyncGenerator<GivenObject> {
    const take = async (one: NamedObject): Promise<GivenObject> => {
      try {
        const object = await planners.objectOf(one)
        if (checked) await planOf(object)
        return one.place === undefined ? object : { ...object, place: one.place }
      } catch (error) {
        throw placeFailure(error, one.place)
      }
    }
    yield* mapConcurrent(splitApart(objects, split), checked ? width : 1, take)
  }
  return {
    objects: named(),
    planOf,
    width,
    confirm,
    whole: checked || whole === true,
  }
}
