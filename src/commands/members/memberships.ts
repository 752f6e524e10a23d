/** Where a user is a member: every place that the caller sees is asked, several at once, each answer in its turn. */

import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { members } from '../../catalogue/areas/members.js'
import { usersNamed } from '../../catalogue/implied.js'
import { isTolerated, toleratedText } from '../../engine/command/answered.js'
import type { InstanceService, Services } from '../../engine/command/services.js'
import { exitCodes, Failure, survived } from '../../errors.js'
import { bare, type GroupMember, isId } from '../usernames.js'
import { type MemberPlace, MemberPlaces, textOfPlace } from './places.js'

/** Who is looked for: by number, or by username. */
export interface Sought {
  readonly text: string
  readonly is: (member: GroupMember) => boolean
  /** What narrows a list of members to them, at the least. */
  readonly filter: { readonly user_ids: readonly number[] } | { readonly query: string }
}

export const soughtBy = (given: string): Sought => {
  const text = bare(given)
  if (isId(text))
    return { text, is: ({ id }) => String(id) === text, filter: { user_ids: [Number(text)] } }
  const name = text.toLowerCase()
  const is = ({ username }: GroupMember): boolean => String(username).toLowerCase() === name
  return { text, is, filter: { query: text } }
}

/** One membership of a user. */
export interface FoundMembership {
  readonly place: MemberPlace
  readonly membership: 'direct' | 'inherited'
  readonly member: GroupMember
}

const endpointsOf = {
  group: { direct: members.listOfGroup, all: members.listAllOfGroup },
  project: { direct: members.listOfProject, all: members.listAllOfProject },
} as const

/** The member in a list of a place; undefined where it has none. */
const memberIn = async (
  instance: InstanceService,
  { kind, path }: MemberPlace,
  among: 'direct' | 'all',
  { filter, is }: Sought,
): Promise<GroupMember | undefined> => {
  // Whatever an instance makes of the filter, the records say who they are.
  const input = { id: path, ...filter }
  return (await instance.records(endpointsOf[kind][among], input, { where: is }))[0]
}

/** So many parts in a row that cannot be reached end it, and so many refusals of the credential. */
const maxUnreachable = 20
const maxRefused = 10
/** So many that could not be read are told in full. */
const maxTold = 20

/** What one place was answered with. */
interface Asked {
  readonly found: readonly FoundMembership[]
  readonly failure?: Failure
}

/** A search for the memberships of a user. */
export class Memberships {
  readonly #services: Services
  readonly #sought: Sought
  readonly #places: MemberPlaces
  readonly #direct: boolean
  #read = 0
  #unread = 0
  #tolerated = 0
  #inRow = { unreachable: 0, refused: 0 }
  readonly #failures: { readonly place: MemberPlace; readonly failure: Failure }[] = []
  #found = 0

  /** @param direct only those that somebody gave, none of groups above */
  constructor(services: Services, sought: Sought, direct: boolean) {
    this.#services = services
    this.#sought = sought
    this.#direct = direct
    this.#places = new MemberPlaces(services.instance)
  }

  /** In the order of the places. @throws Failure where the instance cannot be asked any more */
  async *each(): AsyncGenerator<FoundMembership> {
    const tally = this.#services.ui.tally()
    try {
      const asked = mapConcurrent(this.#places.each(), maxConcurrent, (place) => this.#ask(place))
      for await (const { found, place, failure } of asked) {
        tally.add(1, failure !== undefined)
        this.#note(place, failure)
        this.#found += found.length
        yield* found
      }
    } finally {
      tally.end()
    }
  }

  async #ask(place: MemberPlace): Promise<Asked & { readonly place: MemberPlace }> {
    try {
      return { place, found: await this.#in(place) }
    } catch (error) {
      return { place, found: [], failure: survived(error) }
    }
  }

  /** A direct membership, and one from above where that is another. */
  async #in(place: MemberPlace): Promise<readonly FoundMembership[]> {
    const { instance } = this.#services
    const of = (membership: FoundMembership['membership'], member: GroupMember) => ({
      place,
      membership,
      member,
    })
    if (this.#direct) {
      const own = await memberIn(instance, place, 'direct', this.#sought)
      return own === undefined ? [] : [of('direct', own)]
    }
    const any = await memberIn(instance, place, 'all', this.#sought)
    if (any === undefined) return []
    const own = await memberIn(instance, place, 'direct', this.#sought)
    if (own === undefined) return [of('inherited', any)]
    // Of two the instance names the higher one.
    const same = own.access_level === any.access_level
    return same ? [of('direct', own)] : [of('direct', own), of('inherited', any)]
  }

  #note(place: MemberPlace, failure: Failure | undefined): void {
    const { ui, place: run } = this.#services
    if (failure !== undefined && isTolerated(run.globals, failure)) {
      this.#tolerated += 1
      ui.note(toleratedText(textOfPlace(place), failure))
      return
    }
    const reachable = failure?.category !== 'unreachable'
    const refused = failure?.details.status === 401
    this.#inRow = {
      unreachable: reachable ? 0 : this.#inRow.unreachable + 1,
      refused: refused ? this.#inRow.refused + 1 : 0,
    }
    if (failure === undefined) {
      this.#read += 1
      return
    }
    this.#unread += 1
    if (this.#failures.length < maxTold) this.#failures.push({ place, failure })
    const { unreachable, refused: refusals } = this.#inRow
    if (unreachable >= maxUnreachable || refusals >= maxRefused) throw failure
  }

  /** Says what could not be read, what was found of whom, and last what all that covered. */
  async tell(): Promise<void> {
    const { answer, ui } = this.#services
    for (const { place, failure } of this.#failures) ui.report(failure, textOfPlace(place))
    const more = this.#unread - this.#failures.length
    if (more > 0) ui.note(`${more} more could not be read`)
    if (this.#unread > 0) answer.exit(exitCodes.partial)
    const closed = this.#unread + this.#tolerated
    const unread = closed === 0 ? '' : `; ${closed} could not be read`
    const nobody = this.#found === 0 ? await this.#nobody(closed) : undefined
    ui.note(`${this.#places.coverage}${unread}`)
    if (this.#unread > 0 && this.#read === 0)
      throw this.#failures[0]?.failure ?? new Failure('partial', 'nothing could be read')
    if (nobody !== undefined) throw nobody
  }

  /** Where there is no membership: whether there is such a user at all, as far as the instance tells. */
  async #nobody(closed: number): Promise<Failure | undefined> {
    const { answer, instance, ui } = this.#services
    const { text } = this.#sought
    const name = answer.text.safe(text)
    if (!isId(text) && closed === 0 && (await exists(instance, text)) === false)
      return new Failure('not_found', `unknown user "${name}"`)
    ui.note(`${name} has no membership in any project or group that could be read`)
    return undefined
  }
}

/** Undefined where the instance does not tell. */
const exists = async (
  instance: InstanceService,
  username: string,
): Promise<boolean | undefined> => {
  try {
    return (await instance.records(usersNamed, { username })).length > 0
  } catch (error) {
    survived(error)
    return undefined
  }
}
