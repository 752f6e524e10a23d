/** One request as a handler sees it: who acts, on what, when, and what they may. */
import { getCurrentIo } from '../base/io.js'
import { documentedVersion } from '../catalogue/undocumented.js'
import type { Version } from './ci-lint/index.js'
import type { Repositories } from './git/repositories.js'
import { forbidden, notFound, preconditionFailed, unauthorized } from './reply.js'
import {
  canSeeGroup,
  canSeeProject,
  getRoleLevel,
  groupLevel,
  openTo,
  projectLevel,
  type Role,
} from './rules/access.js'
import type { JobRecord } from './state/ci.js'
import type {
  EventAction,
  EventRecord,
  GroupRecord,
  ProjectRecord,
  TokenRecord,
  UserRecord,
} from './state/people-and-projects.js'
import type { State } from './state/state.js'

/** The fields of an event that most events leave empty. */
const emptyEvent = {
  group_id: null,
  target_type: null,
  target_id: null,
  target_iid: null,
  target_title: null,
  push_data: null,
  note_id: null,
} as const

// The instance's idea of time: the real clock, and how fast its background work goes.

export class InstanceClock {
  constructor(
    readonly now: () => Date = () => getCurrentIo().now(),
    /** Background seconds per real second: 0 freezes the work, Infinity does it at once. */
    readonly speed = 1,
  ) {}

  /** The present moment as the API writes it. */
  iso(): string {
    return this.now().toISOString()
  }

  /** The present day, `YYYY-MM-DD`. */
  day(): string {
    return this.iso().slice(0, 10)
  }

  /** When background work begun at `start` that takes `seconds` is through, in milliseconds since the epoch. */
  due(start: string, seconds: number): number {
    return Date.parse(start) + (seconds * 1000) / this.speed
  }

  /** True if background work that began at `start` and takes `seconds` is finished. */
  over(start: string, seconds: number): boolean {
    return this.now().getTime() >= this.due(start, seconds)
  }

  /** Returns this clock, stopped at a moment (milliseconds since the epoch). */
  stoppedAt(moment: number): InstanceClock {
    return new InstanceClock(() => new Date(moment), this.speed)
  }
}

/** The revision that the instance says it is. */
export const revision = 'embedded'

/** The path of the API, below the instance's address. */
export const apiRoot = '/api/v4'

/** The user, token and job that a request acts as. */
export interface Actor {
  /** The user whose rights count (after `sudo`); undefined without a credential. */
  readonly user?: UserRecord
  readonly token?: TokenRecord
  /** Set when a job token was sent: the job it belongs to. */
  readonly job?: JobRecord
}

/** The parts of the instance that live as long as it does. */
export interface Instance {
  readonly state: State
  readonly clock: InstanceClock
  readonly git: Repositories
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly base: string
  /** The version as which it checks CI configurations; the latest unless given. */
  readonly asOf?: Version
  /** Saves the changes, before a write is answered. */
  save(): Promise<void>
}

/** An event that happens by itself: a job or a rebase ends, a moved repository arrives. */
export interface DueEvent {
  /** The time of the event, in milliseconds since the epoch. */
  readonly at: number
  /** Plays the event on an instance whose clock shows that moment; afterwards it is no longer due. */
  readonly play: (then: Instance) => Promise<void> | void
}

/** A request as it was sent, before any check. */
interface RawRequest {
  /** Query, form, multipart (files as their text) and JSON body together. */
  readonly params: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

interface Needs {
  /** The least role; 403 below it. */
  readonly role?: Role
  /** The least role in a project that visibility alone does not open (`reporter`: its code). */
  readonly member?: Role
}

/** The fields of a new event; author and time are filled in unless given. */
type NewEvent = { action: EventAction } & Partial<Omit<EventRecord, 'id' | 'action'>>

export class Call {
  readonly user: UserRecord | undefined
  readonly token: TokenRecord | undefined
  readonly job: JobRecord | undefined
  readonly state: State
  readonly clock: InstanceClock
  readonly git: Repositories
  readonly base: string

  constructor(
    readonly instance: Instance,
    actor: Actor,
    readonly sent: RawRequest,
  ) {
    this.user = actor.user
    this.token = actor.token
    this.job = actor.job
    this.state = instance.state
    this.clock = instance.clock
    this.git = instance.git
    this.base = instance.base
  }

  /** The acting user; 401 when nobody signed in. */
  signedIn(): UserRecord {
    if (this.user === undefined) throw unauthorized()
    return this.user
  }

  /** The acting administrator; 401, or 403 for anyone else. */
  admin(): UserRecord {
    const user = this.signedIn()
    if (!user.admin) throw forbidden()
    return user
  }

  get isAdmin(): boolean {
    return this.user?.admin === true
  }

  /** The acting user's level in a project: 0 for none, that of an owner for administrators. */
  projectLevel(project: ProjectRecord): number {
    if (this.isAdmin) return getRoleLevel('owner')
    return this.user === undefined
      ? 0
      : projectLevel(this.state, this.user, project, this.clock.day())
  }

  /** The acting user's level in a group: 0 for none, that of an owner for administrators. */
  groupLevel(group: GroupRecord): number {
    if (this.isAdmin) return getRoleLevel('owner')
    return this.user === undefined ? 0 : groupLevel(this.state, this.user, group, this.clock.day())
  }

  /** True if the acting user owns a project: as an Owner of its group, or as the user of a personal project. */
  owns(project: ProjectRecord): boolean {
    const isOwn = project.namespace_kind === 'user' && project.namespace_id === this.user?.id
    return isOwn || this.projectLevel(project) >= getRoleLevel('owner')
  }

  sees(project: ProjectRecord): boolean {
    return canSeeProject(this.state, this.user, project, this.clock.day())
  }

  seesGroup(group: GroupRecord): boolean {
    return canSeeGroup(this.state, this.user, group, this.clock.day())
  }

  /**
   * A project by ID or full path. 404 for what the acting user may not see, 401 where a role is
   * needed and nobody signed in, 403 for a member whose role is too low.
   */
  project(reference: string | number, needs: Needs = {}): ProjectRecord {
    const project = this.findProject(reference)
    if (project === undefined || !this.sees(project)) throw notFound('Project')
    if (needs.role !== undefined) {
      this.signedIn()
      if (this.projectLevel(project) < getRoleLevel(needs.role)) throw forbidden()
    }
    if (needs.member !== undefined && !openTo(project.visibility, this.user))
      if (this.projectLevel(project) < getRoleLevel(needs.member)) throw forbidden()
    return project
  }

  /** A group by ID or full path, under the rules of `project`. */
  group(reference: string | number, needs: Pick<Needs, 'role'> = {}): GroupRecord {
    const group = this.findGroup(reference)
    if (group === undefined || !this.seesGroup(group)) throw notFound('Group')
    if (needs.role !== undefined) {
      this.signedIn()
      if (this.groupLevel(group) < getRoleLevel(needs.role)) throw forbidden()
    }
    return group
  }

  /** By ID or full path, without any check. */
  findProject(reference: string | number): ProjectRecord | undefined {
    return typeof reference === 'number'
      ? this.state.projects.get(reference)
      : this.state.projects.find((p) => isSameText(p.path_with_namespace, reference))
  }

  findGroup(reference: string | number): GroupRecord | undefined {
    return typeof reference === 'number'
      ? this.state.groups.get(reference)
      : this.state.groups.find((g) => isSameText(g.full_path, reference))
  }

  /** By ID (digits) or username, whose case does not matter. */
  findUser(reference: string | number): UserRecord | undefined {
    const text = String(reference)
    return /^\d+$/.test(text)
      ? this.state.users.get(Number(text))
      : this.state.users.find((u) => isSameText(u.username, text))
  }

  /** Records an event of the acting user, or of the author that it names (`sandbox/README.md`). */
  record(event: NewEvent): EventRecord {
    const created_at = this.clock.iso()
    if (event.project_id !== undefined && event.project_id !== null) {
      this.state.projects.change(event.project_id, { last_activity_at: created_at })
    }
    return this.state.events.add({
      ...emptyEvent,
      project_id: null,
      created_at,
      ...event,
      author_id: event.author_id ?? this.signedIn().id,
    })
  }

  /**
   * Refuses with 412 if the record changed after the moment in `If-Unmodified-Since`. A record
   * without a time of its own is as old as the instance.
   */
  unmodified(record: { readonly updated_at?: string; readonly created_at?: string }): void {
    const since = Date.parse(String(this.sent.headers['if-unmodified-since'] ?? ''))
    const origin = String(this.state.settings.value.created_at)
    const changed = Date.parse(record.updated_at ?? record.created_at ?? origin)
    if (Math.floor(changed / 1000) * 1000 > since) throw preconditionFailed()
  }

  /** The version that the instance says it is: that of the documents, unless it was started as of another. */
  get version(): string {
    return `${this.instance.asOf ?? documentedVersion}.0`
  }

  /** A web address of the instance: `url('platform/app/-/issues/7')`. */
  url(path: string): string {
    return `${this.base}/${path}`
  }
}

const isSameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
