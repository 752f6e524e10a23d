/** What the other parts of declared state ask of reading. */

import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import type { Managed, Referent } from '../../catalogue/managed.js'
import type { Failure } from '../../errors.js'
import type { ManagedPlace } from '../address.js'
import type { CurrentKind, Origin } from '../state.js'

/** What a project's record says that selectors ask. */
export interface ProjectFacts {
  readonly path: string
  readonly archived?: boolean
  readonly topics?: readonly string[]
  readonly visibility?: string
}

/** Which projects of groups something is for. */
export interface ProjectSelector {
  /** Whether the path alone does not say it. */
  readonly needsRecord: boolean
  /** @returns undefined where the record does not say it */
  fits(project: ProjectFacts): boolean | undefined
}

/** Which places files speak of. */
export interface KnownPlaces {
  readonly site: boolean
  /** Named by a plain key. */
  readonly groups: readonly string[]
  readonly projects: readonly string[]
  /** Keys `group/**`, as `group`; '' for `'**'`. */
  readonly below: readonly string[]
  /** Those of them with `members`. */
  readonly membersBelow: readonly string[]
  /** Keys that choose among all projects of groups. */
  readonly selectors?: readonly ProjectSelector[]
  /** Where a place is first named, by `groups/<path>` or `projects/<path>`. */
  readonly origins?: ReadonlyMap<string, Origin>
}

export interface GroupPlace extends ManagedPlace {
  readonly scope: 'group'
  /** Known where a project or a group of the instance shows it. */
  readonly id: number | undefined
}

export interface ProjectPlace extends ManagedPlace {
  readonly scope: 'project'
  readonly id: number
  readonly archived: boolean
  /** Whether it belongs to a group or to a person; undefined where the instance does not say. */
  readonly namespace: 'group' | 'user' | undefined
  /** Whether groups were invited to it. */
  readonly shared?: boolean
  readonly topics?: readonly string[]
  readonly visibility?: string
}

/** A place that was named, and of which nothing is known. */
export interface UnreadPlace {
  readonly place: ManagedPlace
  readonly failure: Failure
}

/** Names for numbers, and numbers for names; each asked for at most once. */
export interface NameResolver {
  /**
   * The number that a name stands for, as the place, and what was read so far, know it.
   * @returns undefined where it cannot be resolved
   */
  number(of: Referent, name: string, near: ManagedPlace): Promise<number | undefined>
  /** The name of a number, where anything that was read shows it. */
  name(of: Referent, number: number, near: ManagedPlace): string | undefined
  /** The names that anything that was read shows: one of them may be meant. */
  known?(of: Referent, near: ManagedPlace): readonly string[]
}

/** Who the token's user is. */
export interface Self {
  readonly id: number
  readonly username: string
}

/** The instance, as far as it is looked at; each question is asked at most once a run. */
export interface InstanceView {
  readonly names: NameResolver
  /** What people should know of how it was read. */
  readonly notes: readonly string[]
  /** The projects and groups that there are and are meant, in order of their paths. */
  places(reach: KnownPlaces | 'everything'): Promise<{
    readonly projects: readonly ProjectPlace[]
    readonly groups: readonly GroupPlace[]
    /** Named ones that could not be looked at; with `missing: 'skip'` those that are not there, too. */
    readonly unread: readonly UnreadPlace[]
  }>
  /** Whether the selection means a kind in its place at all. */
  selected(place: ManagedPlace, kind: Managed): boolean
  /**
   * A kind of a place. `keys` are the identities asked for, of kinds that the instance has no list of, and
   * what a desired item needs beyond the list.
   */
  readKind(place: ManagedPlace, kind: Managed, keys?: readonly string[]): Promise<CurrentKind>
  /** Lets go of what was read of a place. */
  forget(place: ManagedPlace): void
  self(): Promise<Self | undefined>
}

// Answers that are kept for as long as they may be asked for again.

/** Each question is asked once; who asks meanwhile waits for the same answer. */
export class AskedOnce {
  readonly #answers = new Map<string, Map<string, Promise<unknown>>>()

  /**
   * The answer to a question about something.
   * @param ask never called twice for a question; its type goes with the question
   */
  ask<T>(about: string, question: string, ask: () => Promise<T>): Promise<T> {
    const questions = this.#answers.get(about) ?? new Map<string, Promise<unknown>>()
    this.#answers.set(about, questions)
    const known = questions.get(question)
    if (known !== undefined) return known as Promise<T>
    const answer = ask()
    questions.set(question, answer)
    return answer
  }

  /** All answers about something. */
  forget(about: string): void {
    this.#answers.delete(about)
  }
}

/** Works on items, at most so many at once. */
export const sideBySide = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width = maxConcurrent,
): Promise<readonly R[]> => {
  const results: R[] = []
  for await (const one of mapConcurrent(items, width, work)) results.push(one)
  return results
}
