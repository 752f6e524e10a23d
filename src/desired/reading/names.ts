/** Resolves IDs to names and names to IDs: first from answers that were read already, then by a request, each at most once a run. */

import { type Fields, isObject, listObjects, toText } from '../../base/objects.js'
import { members } from '../../catalogue/areas/members.js'
import { runners } from '../../catalogue/areas/runners.js'
import {
  approvalRules,
  groupMembers,
  type Managed,
  projectMembers,
  projectRunners,
  type Referent,
} from '../../catalogue/managed.js'
import { branchesOf, groupAt, groupsAll, userAt, usersNamed } from '../../catalogue/undocumented.js'
import { isDenied, isMissing, recoverFrom, usage } from '../../errors.js'
import { foldName, type ManagedPlace, toPlaceText } from '../address.js'
import { lower } from '../selection.js'
import type { CurrentKind, NameResolver } from '../state.js'
import type { KindReader } from './records.js'

/** The names of IDs and the IDs of names. */
class Directory {
  readonly #numbers = new Map<string, number>()
  readonly #names = new Map<number, string>()

  constructor(private readonly of: Referent) {}

  add(number: unknown, name: unknown): void {
    if (!Number.isInteger(number) || typeof name !== 'string' || name === '') return
    this.#numbers.set(foldName(this.of, name), Number(number))
    this.#names.set(Number(number), name)
  }

  number(name: string): number | undefined {
    return this.#numbers.get(foldName(this.of, name))
  }

  name(number: number): string | undefined {
    return this.#names.get(number)
  }

  names(): readonly string[] {
    return [...this.#names.values()]
  }
}

/** The kinds of all members of a place, with inherited ones. They are constants, since results are cached by kind. */
export const inheritedMembers = {
  group: { ...groupMembers, name: 'members/all', read: members.listAllOfGroup },
  project: { ...projectMembers, name: 'members/all', read: members.listAllOfProject },
} as const

/** The depth to which records are searched for users and groups. */
const maxDepth = 4

export class NameIndex implements NameResolver {
  readonly #users = new Directory('user')
  readonly #groups = new Directory('group')
  /** The protected branches of each project. */
  readonly #branches = new Map<string, Directory>()
  /** The runners of each project. */
  readonly #own = new Map<string, readonly Fields[]>()
  #runners: readonly Fields[] | undefined

  /**
   * @param readKind reads further kinds: all members of a place, and the branches that rules apply to
   * @param groupsOfProjects reads all projects, by which their groups are learned
   */
  constructor(
    private readonly reader: KindReader,
    private readonly readKind: (place: ManagedPlace, kind: Managed) => Promise<CurrentKind>,
    private readonly groupsOfProjects: () => Promise<unknown>,
  ) {}

  /** Learns the users and groups that a record contains. */
  learn(value: unknown, depth = 0): void {
    if (Array.isArray(value)) for (const item of value) this.learn(item, depth)
    if (!isObject(value) || depth > maxDepth) return
    this.#users.add(value.id, value.username)
    if (value.kind !== 'user') this.#groups.add(value.id, value.full_path)
    for (const inner of Object.values(value))
      if (typeof inner === 'object' && inner !== null) this.learn(inner, depth + 1)
  }

  /** Learns the names in the items of a kind. */
  async learnKind(current: CurrentKind): Promise<void> {
    if (current.is !== 'read') return
    const records = current.items.map(({ record }) => record)
    const about = toPlaceText(current.place)
    this.learn(records)
    if (current.kind === approvalRules) {
      const branches = this.#getBranches(about)
      for (const { protected_branches } of records)
        for (const { id, name } of listObjects(protected_branches)) branches.add(id, name)
    }
    if (current.kind !== projectRunners) return
    this.#own.set(about, records)
    // Only the list of all runners shows whether a description is unique.
    if (records.length > 0) await this.#listAllRunners()
  }

  /** Returns the ID of a group, if any record read so far showed it. */
  knownGroup(path: string): number | undefined {
    return this.#groups.number(path)
  }

  forget(place: ManagedPlace): void {
    this.#branches.delete(toPlaceText(place))
    this.#own.delete(toPlaceText(place))
  }

  number(of: Referent, name: string, near: ManagedPlace): Promise<number | undefined> {
    if (of === 'user') return this.#resolveUser(name, near)
    if (of === 'group') return this.#resolveGroup(name)
    return of === 'branch' ? this.#resolveBranch(name, near) : this.#resolveRunner(name, near)
  }

  name(of: Referent, number: number, near: ManagedPlace): string | undefined {
    if (of === 'runner') return this.#findDescription(number, near)
    return this.#getDirectory(of, near)?.name(number)
  }

  known(of: Referent, near: ManagedPlace): readonly string[] {
    if (of !== 'runner') return this.#getDirectory(of, near)?.names() ?? []
    const all = [...(this.#runners ?? []), ...(this.#own.get(toPlaceText(near)) ?? [])]
    return all.flatMap(({ description }) => toText(description) ?? [])
  }

  /** Returns true if an object with this number exists, according to the records read so far or a request for it. */
  async exists(of: Referent, number: number, near: ManagedPlace): Promise<boolean | undefined> {
    if (of === 'branch') {
      await this.#readBranches(near)
      const names = this.#branches.get(toPlaceText(near))?.names() ?? []
      return names.length === 0 ? undefined : this.name(of, number, near) !== undefined
    }
    if (this.name(of, number, near) !== undefined) return true
    const endpoint = { user: userAt, group: groupAt, runner: runners.get }[of]
    const values = { id: number, ...(of === 'group' ? { with_projects: 'false' } : {}) }
    return this.reader.once.ask('', `${of} ${number}`, async () => {
      try {
        const { data } = await this.reader.instance.get({ endpoint, values })
        this.learn(data)
        return of !== 'runner' || !isObject(data) || data.runner_type === 'project_type'
      } catch (error) {
        const failure = recoverFrom(error)
        if (isMissing(failure)) return false
        if (isDenied(failure)) return undefined
        throw error
      }
    })
  }

  #getDirectory(of: Exclude<Referent, 'runner'>, near: ManagedPlace): Directory | undefined {
    if (of === 'branch') return this.#branches.get(toPlaceText(near))
    return of === 'user' ? this.#users : this.#groups
  }

  async #resolveUser(name: string, near: ManagedPlace): Promise<number | undefined> {
    const known = this.#users.number(name)
    if (known !== undefined) return known
    // Reading the members of the place also learns their names.
    if (near.scope !== 'site') await this.readKind(near, inheritedMembers[near.scope])
    const found = this.#users.number(name)
    if (found !== undefined) return found
    const ask = { endpoint: usersNamed, values: { username: name } }
    await this.#tryRequest('', `user ${lower(name)}`, async () =>
      this.learn(await this.reader.instance.records(ask)),
    )
    return this.#users.number(name)
  }

  async #resolveGroup(path: string): Promise<number | undefined> {
    const known = this.#groups.number(path)
    if (known !== undefined) return known
    const { instance } = this.reader
    const one = { endpoint: groupAt, values: { id: path, with_projects: 'false' } }
    await this.#tryRequest('', `group ${lower(path)}`, async () =>
      this.learn((await instance.get(one)).data),
    )
    const last = path.slice(path.lastIndexOf('/') + 1)
    const search = { endpoint: groupsAll, values: { search: last } }
    if (this.#groups.number(path) === undefined)
      await this.#tryRequest('', `groups ${lower(last)}`, async () =>
        this.learn(await instance.records(search)),
      )
    if (this.#groups.number(path) === undefined) await this.groupsOfProjects()
    return this.#groups.number(path)
  }

  /** Returns the ID of a branch from the rules of its project, or else from the protected branches. */
  async #resolveBranch(name: string, near: ManagedPlace): Promise<number | undefined> {
    const about = toPlaceText(near)
    if (!this.#branches.has(about)) await this.readKind(near, approvalRules)
    const known = this.#getBranches(about).number(name)
    if (known !== undefined) return known
    await this.#readBranches(near)
    return this.#getBranches(about).number(name)
  }

  async #readBranches(near: ManagedPlace): Promise<void> {
    const about = toPlaceText(near)
    const { instance, id } = this.reader
    await this.#tryRequest(lower(about), 'protected branches', async () => {
      const all = await instance.records({ endpoint: branchesOf, values: { id: id(near) } })
      for (const branch of all) this.#getBranches(about).add(branch.id, branch.name)
    })
  }

  #getBranches(about: string): Directory {
    const known = this.#branches.get(about) ?? new Directory('branch')
    this.#branches.set(about, known)
    return known
  }

  async #resolveRunner(description: string, near: ManagedPlace): Promise<number | undefined> {
    const own = filterByDescription(this.#own.get(toPlaceText(near)) ?? [], description)
    const found =
      own.length === 1 ? own : filterByDescription(await this.#listAllRunners(), description)
    const [only] = found
    if (found.length > 1)
      throw usage(
        `${found.length} runners have the description ${description}: ${found.map(({ id }) => id).join(', ')}`,
        'Write the ID of one of them.',
      )
    return only === undefined ? undefined : Number(only.id)
  }

  #findDescription(number: number, near: ManagedPlace): string | undefined {
    const own = this.#own.get(toPlaceText(near)) ?? []
    const all = this.#runners?.some(({ id }) => id === number) ? this.#runners : own
    const description = toText(all.find(({ id }) => id === number)?.description)
    if (description === undefined) return undefined
    const isUnique =
      filterByDescription(all, description).length === 1 &&
      filterByDescription(own, description).length <= 1
    return isUnique ? description : undefined
  }

  /** Lists every visible runner of projects: those of the instance if the token may list them, else those of the user. */
  async #listAllRunners(): Promise<readonly Fields[]> {
    const { instance } = this.reader
    for (const endpoint of [runners.listAll, runners.list])
      if (
        await this.#tryRequest('', endpoint.route, async () => {
          const found: Fields[] = []
          const values = { type: 'project_type' }
          await instance.records({ endpoint, values }, ({ id, description, runner_type }) => {
            if (runner_type === 'project_type') found.push({ id, description })
            return false
          })
          this.#runners = found
        })
      )
        break
    return this.#runners ?? []
  }

  /** Returns true if the instance answered, and false if it denied the request (403 or 404). @throws other Failures */
  #tryRequest(about: string, question: string, ask: () => Promise<void>): Promise<boolean> {
    return this.reader.once.ask(about, `names ${question}`, async () => {
      try {
        await ask()
        return true
      } catch (error) {
        if (!isDenied(recoverFrom(error))) throw error
        return false
      }
    })
  }
}

const filterByDescription = (records: readonly Fields[], name: string): readonly Fields[] =>
  records.filter(({ description }) => description === name)
