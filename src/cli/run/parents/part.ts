/** What a command is handed for one of several parents: it sees that one alone. */
import type { Paging } from '../../../client/paging.js'
import type { Parent } from '../../../commands/described.js'
import type {
  AnswerService,
  Emit,
  InstanceService,
  PersonService,
  PlaceService,
  Services,
} from '../../../commands/services.js'
import type { Writer } from '../../../output/types.js'
import { Lists } from '../instance/listing.js'
import { LiveInstance, type Parts } from '../instance/live.js'
import { PartOfAnswer } from './answer.js'

/** One parent, and where its part goes. */
export interface ParentPart {
  readonly parent: Parent
  /** How many records of it, at most. */
  readonly paging: Paging
  readonly writer: (emit: Emit) => Writer
  readonly hand: InstanceService['many']
}

interface Room extends Parts {
  readonly answer: AnswerService
  readonly person: PersonService
  readonly place: PlaceService
  readonly globals: Paging
}

/** The services of a run, narrowed to one parent: its records and plans name it. */
export const partOf = (part: ParentPart, room: Room): Services => {
  const { planning, crowd, exchange, globals, answer, person, place } = room
  const { parent, paging, writer, hand } = part
  const lists = new Lists({ ...globals, ...paging }, exchange.instance, {
    writer: async (_, emit) => writer(emit),
    // What is said of a list is said of all of them together.
    later: () => {},
  })
  const instance = new LiveInstance({
    ...room,
    lists,
    planning: {
      plans: async (given, override) =>
        (await planning.plans(given, override)).map((plan) => ({ ...plan, parent })),
      plan: async (given, override) => ({ ...(await planning.plan(given, override)), parent }),
    },
    crowd: { each: (items, work) => crowd.each(items, work), many: hand },
  })
  return { instance, answer: new PartOfAnswer(answer, writer), person, place }
}
