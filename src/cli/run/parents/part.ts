/** What a command is handed for one of several parents: it sees that one alone. */
import { type Endpoint, writes } from '../../../catalogue/endpoint.js'
import type { Paging } from '../../../client/paging.js'
import type { Answered, Input } from '../../../client/typed.js'
import type { Parent, Plan } from '../../../commands/described.js'
import type {
  AnswerService,
  Elsewhere,
  Emit,
  InstanceService,
  PersonService,
  PlaceService,
  Services,
  Uncatalogued,
} from '../../../commands/services.js'
import type { Credential, Whole, WireRequest } from '../../../http/types.js'
import type { Writer } from '../../../output/types.js'
import { Lists } from '../instance/listing.js'
import { LiveInstance, type Parts } from '../instance/live.js'
import { Printed } from '../instance/unsent.js'
import { PartOfAnswer } from './answer.js'

/** One parent, and where its part goes. */
export interface ParentPart {
  readonly parent: Parent
  /** How many records of it, at most. */
  readonly paging: Paging
  readonly writer: (emit: Emit) => Writer
  readonly hand: Parts['crowd']['many']
  /** Whether what was handed over is being run. */
  readonly together: () => boolean
}

/** What all parts have in common. */
export interface PartRoom extends Parts {
  readonly answer: AnswerService
  readonly person: PersonService
  readonly place: PlaceService
  readonly globals: Paging
  /** `--where`: which records are wanted. */
  readonly choice: ConstructorParameters<typeof Lists>[3]
  /** `--dry-run`: the instance that shows what would be written. */
  readonly rehearsed?: InstanceService
}

/** `--dry-run`, of one of several: what would be written is handed over, and shown with that of the others. */
class RehearsedPart extends LiveInstance {
  readonly #whole: InstanceService
  readonly #part: ParentPart

  constructor(parts: Parts, whole: InstanceService, part: ParentPart) {
    super(parts)
    this.#whole = whole
    this.#part = part
  }

  override async call<const E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
  ): Promise<Answered<E>> {
    if (!writes(endpoint)) return super.call(endpoint, input)
    return this.#end({ key: '', endpoint, values: { ...input }, parent: this.#part.parent })
  }

  override async send(plan: Plan): Promise<Whole> {
    if (!writes(plan.endpoint)) return super.send(plan)
    return this.#part.together() ? this.#whole.send(plan) : this.#end(plan)
  }

  override elsewhere(baseUrl: string, credential: Credential | undefined): Elsewhere {
    return this.#whole.elsewhere(baseUrl, credential)
  }

  override raw(request: WireRequest, how?: Uncatalogued): Promise<Whole | undefined> {
    return this.#whole.raw(request, how)
  }

  async #end(plan: Plan): Promise<never> {
    await this.#part.hand([plan])
    throw new Printed()
  }
}

/** The services of a run, narrowed to one parent: its records and plans name it. */
export const partOf = (part: ParentPart, room: PartRoom): Services => {
  const { planning, crowd, exchange, globals, answer, person, place } = room
  const { parent, paging, writer, hand } = part
  // What is said of a list is said of all of them together.
  const screen = { writer: async (_: boolean, emit: Emit) => writer(emit), later: () => {} }
  const lists = new Lists({ ...globals, ...paging }, exchange.instance, screen, room.choice)
  const parts = {
    ...room,
    lists,
    planning: {
      plans: async (given, override) =>
        (await planning.plans(given, override)).map((plan) => ({ ...plan, parent })),
      plan: async (given, override) => ({ ...(await planning.plan(given, override)), parent }),
    },
    crowd: { each: (items, work) => crowd.each(items, work), many: hand },
  } satisfies Parts
  const instance =
    room.rehearsed === undefined
      ? new LiveInstance(parts)
      : new RehearsedPart(parts, room.rehearsed, part)
  return { instance, answer: new PartOfAnswer(answer, writer), person, place }
}
