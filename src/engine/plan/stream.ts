/** Plans the objects of a stream one by one. They belong to one project or group, or each to its own. */

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
  ObjectStream,
  Plan,
  PlanSource,
} from '../command/types.js'
import type { GivenObject } from '../work/report.js'
import { type ObjectReference, parseReference, placeArgs, placeProject } from './arguments.js'
import { chooseEndpoint, fillScope } from './choose.js'
import { getPlanIdentity, type PlanContext } from './objects.js'
import { type ParentTarget, parseParentTarget, toGiven } from './parents.js'
import {
  type CommonParts,
  type CommonsByRow,
  completePlan,
  createCommonsByRow,
  createCompletion,
} from './plan.js'
import { checkSegments } from './segments.js'
import { createRowGiven } from './stdin/row-fields.js'

/**
 * Plans objects one by one. What all plans have in common is computed with the first object. An object is given as text, or by its ID
 * and parent, as a journal stores it.
 */
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
   * @param standIn returns the value that replaces the name of an object until its ID is known
   * @param rowFlags the flags that rows may set
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
   * Finds the ID of an object that a text names, and its parent.
   * @param owner the project or group of the object, if the stream named it
   * @throws Failure `usage` for a text that cannot name such an object
   */
  async resolveObject(
    { object: text, row }: GivenObject,
    owner?: string,
  ): Promise<Pick<GivenObject, 'object' | 'parent'>> {
    const [argument] = this.#command.args
    if (isAddress(text)) this.#baseUrl ??= await this.#around.getBaseUrl()
    const reference = parseReference(text, argument, () => this.#baseUrl ?? '')
    const common = await this.#getCommonParts({
      object: reference.id,
      parent: reference.project,
      row,
    })
    const scratch: Record<string, JsonValue | undefined> = {}
    const { endpoint } = common
    placeArgs(this.#command, endpoint, [this.#standIn(reference.id)], scratch, this.#around)
    checkSegments(this.#command, endpoint, scratch, Object.keys(scratch))
    if (owner !== undefined) await this.#checkOwner(common, reference, owner)
    const parent = owner ?? (await this.#findParent(common, reference))
    return { object: reference.id, parent }
  }

  /** Plans an object. Its own parent replaces the one that all plans have in common. */
  async createPlan({ object, parent, row }: GivenObject): Promise<Plan> {
    const common = await this.#getCommonParts({ object, parent, row })
    const own: Record<string, JsonValue | undefined> = { ...common.values }
    const holder = getScope(common.endpoint)?.placeholder
    if (holder !== undefined && parent !== undefined && String(own[holder]) !== parent)
      own[holder] = parent
    const args = [this.#standIn(object)]
    const plan = await completePlan(
      common,
      own,
      args,
      this.#formatLabel(object, parent),
      this.#around,
    )
    return row === undefined ? plan : { row: toJsonFields(row), ...plan }
  }

  /** Formats the name of an object in notes: its full reference, or only its ID if the line names the project. */
  #formatLabel(object: string, parent: string | undefined): string {
    const { mark } = getKindByName(this.#command.args[0]?.param?.completes) ?? {}
    const hasProject = this.#given.flags.project !== undefined
    return mark === undefined || hasProject || parent === undefined
      ? object
      : `${parent}${mark}${object}`
  }

  async #getCommonParts(first: GivenObject): Promise<CommonParts> {
    this.#commons ??= this.#createCommons(first)
    const getCommon = await this.#commons
    return getCommon(first.row && toJsonFields(first.row))
  }

  async #createCommons({ object, parent, row }: GivenObject): Promise<CommonsByRow> {
    const { flags } = this.#given
    const hasScope = flags.project !== undefined || flags.group !== undefined
    const given = {
      ...this.#given,
      args: [this.#standIn(object)],
      flags: hasScope || parent === undefined ? flags : { ...flags, project: parent },
    }
    const choice = chooseEndpoint(
      this.#command,
      await this.#mergeRow(given, row),
      this.#around.env,
      this.#override,
    )
    this.#around.checkOffered?.(choice.endpoint)
    const scoped = await fillScope(this.#command, choice, this.#around)
    return createCommonsByRow(this.#command, given, scoped, this.#around, this.#override)
  }

  /** Adds a row's values to the line. Flags that the row leaves empty count as given, so that every row leads to the same endpoint. */
  async #mergeRow(given: Given, row: GivenObject['row']): Promise<Given> {
    if (row === undefined) return given
    const own = await createRowGiven(this.#command, given, toJsonFields(row), this.#around)
    const filled = Object.fromEntries(this.#rowFlags.map((name) => [name, '']))
    return { ...own, flags: { ...filled, ...own.flags } }
  }

  /** @throws Failure `usage` if a text names another project than the one that the stream gave for it */
  async #checkOwner(
    { endpoint }: CommonParts,
    reference: ObjectReference,
    owner: string,
  ): Promise<void> {
    const given = { ...this.#given, flags: { ...this.#given.flags, project: owner } }
    await placeProject(endpoint, reference, given, {}, this.#around)
  }

  /** Finds the project or group of an object: the one that its text names, or else the one of the line. */
  async #findParent(
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

  /** True once the text of an object named a project. Then all later texts must name theirs. */
  #carries = false
}

/** Keeps a planner for each kind of parent, since objects of projects and objects of groups have different endpoints. */
class Planners {
  readonly #createPlanner: (target: ParentTarget | undefined) => Planner
  readonly #below: ObjectStream['below']
  readonly #made = new Map<ParentTarget['kind'] | undefined, Planner>()

  constructor(make: (target: ParentTarget | undefined) => Planner, below: ObjectStream['below']) {
    this.#createPlanner = make
    this.#below = below
  }

  async resolveObject(given: GivenObject): Promise<GivenObject> {
    const target = this.#parseTarget(given.parent)
    const { object, parent } = await this.#getPlanner(target).resolveObject(given, target?.value)
    const { before, row, place } = given
    return { object, parent: given.parent ?? parent, before, row, place }
  }

  async createPlan({ object, parent, row }: GivenObject): Promise<Plan> {
    const target = this.#parseTarget(parent)
    const owner = target?.value ?? parent
    const plan = await this.#getPlanner(target).createPlan({ object, parent: owner, row })
    return target === undefined ? plan : { ...plan, parent: target.parent }
  }

  #parseTarget(parent: string | undefined): ParentTarget | undefined {
    return this.#below === undefined || parent === undefined
      ? undefined
      : parseParentTarget(this.#below, parent)
  }

  #getPlanner(target: ParentTarget | undefined): Planner {
    const planner = this.#made.get(target?.kind) ?? this.#createPlanner(target)
    this.#made.set(target?.kind, planner)
    return planner
  }
}

/** The arguments and options that apply to every action of a stream. */
interface StreamActions {
  readonly given: Given
  readonly how: ActionOptions
}

/** Yields the objects of a stream, each text that names several as several. */
async function* splitObjects(
  objects: AsyncIterable<GivenObject>,
  split: NonNullable<ActionOptions['split']>,
): AsyncGenerator<GivenObject> {
  for await (const given of objects)
    for (const object of split(given.object)) yield { ...given, object }
}

/** Creates the source that plans each object of a stream. */
export const createSource = (
  command: Command,
  { given, how }: StreamActions,
  { objects, below, confirm, rowFlags, whole }: ObjectStream,
  around: PlanContext,
): PlanSource => {
  const { planFirst, preset, split, createPlaceholder } = how
  const { complete: finish, reads } = how
  // All rows, and everything else that can be checked without the instance, are checked before the first request is sent.
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
        createPlaceholder,
        rowFlags,
      ),
    below,
  )
  const complete = createCompletion(how)
  const planOf = async (object: GivenObject): Promise<Plan> =>
    complete(await planners.createPlan(object))
  const resolveObjects = async function* (): AsyncGenerator<GivenObject> {
    const resolveObject = async (one: GivenObject): Promise<GivenObject> => {
      try {
        const object = await planners.resolveObject(one)
        return checked ? { ...object, identity: getPlanIdentity(await planOf(object)) } : object
      } catch (error) {
        throw placeFailure(error, one.place)
      }
    }
    const single = split === undefined ? objects : splitObjects(objects, split)
    yield* mapConcurrent(single, checked ? width : 1, resolveObject)
  }
  return {
    objects: resolveObjects(),
    planOf,
    width,
    confirm,
    whole: checked || whole === true,
  }
}
