/** Provides `Call`, with which handlers find the user, project or group of a request, check permissions and record events. */
import { createRandomBytes, type Io, machineIo } from '../base/io.js'
import { documentedVersion } from '../catalogue/undocumented.js'
import type { Version } from './ci-lint/index.js'
import type { Repositories } from './git/repositories.js'
import { forbidden, notFound, preconditionFailed, unauthorized } from './reply.js'
import {
  canSeeGroup,
  canSeeProject,
  findUser,
  getGroupLevel,
  getProjectLevel,
  getRoleLevel,
  isSameText,
  isVisibleTo,
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

/** The fields that are null in most events. */
const emptyEvent = {
  group_id: null,
  target_type: null,
  target_id: null,
  target_iid: null,
  target_title: null,
  push_data: null,
  note_id: null,
} as const

/** The time and the randomness of an instance. */
export class InstanceClock {
  constructor(
    readonly now: () => Date = machineIo.now,
    /** The speed of background work, in seconds of work per real second. With 0 it stops, and with Infinity it ends at once. */
    readonly speed = 1,
    readonly randomBytes: Io['randomBytes'] = machineIo.randomBytes,
  ) {}

  /** Returns the current time as an ISO 8601 string. */
  iso(): string {
    return this.now().toISOString()
  }

  /** Returns the current date, `YYYY-MM-DD`. */
  day(): string {
    return this.iso().slice(0, 10)
  }

  /** Returns the time at which background work ends that began at `start` and takes `seconds`, in milliseconds since the epoch. */
  due(start: string, seconds: number): number {
    return Date.parse(start) + (seconds * 1000) / this.speed
  }

  /** True if background work that began at `start` and takes `seconds` has ended. */
  over(start: string, seconds: number): boolean {
    return this.now().getTime() >= this.due(start, seconds)
  }

  /** Returns a secret of so many bytes that nobody can guess. */
  createSecret(size: number, encoding: 'hex' | 'base64url'): string {
    return createRandomBytes(this, size).toString(encoding)
  }

  /** Returns a clock with the same speed that always shows one time, in milliseconds since the epoch. */
  stoppedAt(moment: number): InstanceClock {
    return new InstanceClock(() => new Date(moment), this.speed, this.randomBytes)
  }
}

/** The revision that `GET /version` returns. */
export const revision = 'embedded'

/** The path of the API on the instance. */
export const apiRoot = '/api/v4'

/** The user, token and job that a request acts as. */
export interface Actor {
  /** The user whose permissions count, after `sudo`. Undefined for a request without a credential. */
  readonly user?: UserRecord
  readonly token?: TokenRecord
  /** The job of the job token, if the request has one. */
  readonly job?: JobRecord
}

/** The parts of the embedded instance that are the same for all requests. */
export interface Instance {
  readonly state: State
  readonly clock: InstanceClock
  readonly git: Repositories
  /** The address of the instance, `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly base: string
  /** The version by whose rules the instance checks CI configurations; the latest if absent. */
  readonly asOf?: Version
  /** Saves the changes. The server calls this before it responds to a write. */
  save(): Promise<void>
}

/** An event that no request causes: a job or a rebase ends, or the move of a repository finishes. */
export interface DueEvent {
  /** The time of the event, in milliseconds since the epoch. */
  readonly at: number
  /** Applies the event to an instance whose clock shows its time. Afterwards the event is no longer due. */
  readonly play: (then: Instance) => Promise<void> | void
}

/** A request as it was sent, without any conversion. */
interface RawRequest {
  /** The parameters of the query and the body together. A file of a multipart body is its text. */
  readonly params: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

interface Needs {
  /** The lowest sufficient role. A user with a lower role gets a 403. */
  readonly role?: Role
  /** The lowest sufficient role for a part of a project that visibility alone does not open, such as `reporter` for its code. */
  readonly member?: Role
}

/** The fields of a new event. If author and time are absent, they are the acting user and the current time. */
interface EventTarget {
  readonly id: number
  readonly iid: number
  readonly title: string
  readonly project_id?: number
  readonly group_id?: number
}

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

  /** Returns the acting user. @throws Refusal 401 if the request has no credential */
  requireUser(): UserRecord {
    if (this.user === undefined) throw unauthorized()
    return this.user
  }

  /** Returns the acting administrator. @throws Refusal 401 without a credential, and 403 for other users */
  requireAdmin(): UserRecord {
    const user = this.requireUser()
    if (!user.admin) throw forbidden()
    return user
  }

  get isAdmin(): boolean {
    return this.user?.admin === true
  }

  /** Returns the acting user's level in a project: 0 without a membership, and that of an owner for administrators. */
  getProjectLevel(project: ProjectRecord): number {
    if (this.isAdmin) return getRoleLevel('owner')
    return this.user === undefined
      ? 0
      : getProjectLevel(this.state, this.user, project, this.clock.day())
  }

  /** Returns the acting user's level in a group: 0 without a membership, and that of an owner for administrators. */
  getGroupLevel(group: GroupRecord): number {
    if (this.isAdmin) return getRoleLevel('owner')
    return this.user === undefined
      ? 0
      : getGroupLevel(this.state, this.user, group, this.clock.day())
  }

  /** True if the acting user owns a project: as an Owner of its group, or as the user of a personal project. */
  isOwnerOf(project: ProjectRecord): boolean {
    const isOwn = project.namespace_kind === 'user' && project.namespace_id === this.user?.id
    return isOwn || this.getProjectLevel(project) >= getRoleLevel('owner')
  }

  canSeeProject(project: ProjectRecord): boolean {
    return canSeeProject(this.state, this.user, project, this.clock.day())
  }

  canSeeGroup(group: GroupRecord): boolean {
    return canSeeGroup(this.state, this.user, group, this.clock.day())
  }

  /**
   * Returns a project by ID or full path.
   * @throws Refusal 404 if the acting user may not see it, 401 if a role is needed and there is no credential, and 403 if the role is too
   * low
   */
  requireProject(reference: string | number, needs: Needs = {}): ProjectRecord {
    const project = this.findProject(reference)
    if (project === undefined || !this.canSeeProject(project)) throw notFound('Project')
    if (needs.role !== undefined) {
      this.requireUser()
      if (this.getProjectLevel(project) < getRoleLevel(needs.role)) throw forbidden()
    }
    if (needs.member !== undefined && !isVisibleTo(project.visibility, this.user))
      if (this.getProjectLevel(project) < getRoleLevel(needs.member)) throw forbidden()
    return project
  }

  /** Returns a group by ID or full path. @throws Refusal under the same conditions as `requireProject` */
  requireGroup(reference: string | number, needs: Pick<Needs, 'role'> = {}): GroupRecord {
    const group = this.findGroup(reference)
    if (group === undefined || !this.canSeeGroup(group)) throw notFound('Group')
    if (needs.role !== undefined) {
      this.requireUser()
      if (this.getGroupLevel(group) < getRoleLevel(needs.role)) throw forbidden()
    }
    return group
  }

  /** Finds a project by ID or full path, without any check of permissions. */
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

  /** Finds a user by ID (digits) or by username, in any case. */
  findUser(reference: string | number): UserRecord | undefined {
    return findUser(this.state, String(reference))
  }

  /** Stores an event. Its author is the acting user, unless the event names another one. */
  recordEvent(event: NewEvent): EventRecord {
    const created_at = this.clock.iso()
    if (event.project_id !== undefined && event.project_id !== null) {
      this.state.projects.change(event.project_id, { last_activity_at: created_at })
    }
    return this.state.events.add({
      ...emptyEvent,
      project_id: null,
      created_at,
      ...event,
      author_id: event.author_id ?? this.requireUser().id,
    })
  }

  /** Stores an event about an issue, a merge request or an epic. */
  recordItemEvent(action: EventAction, target_type: string, item: EventTarget): EventRecord {
    const { id: target_id, iid: target_iid, title: target_title } = item
    const { project_id = null, group_id = null } = item
    const target = { target_type, target_id, target_iid, target_title }
    return this.recordEvent({ action, project_id, group_id, ...target })
  }

  /**
   * Checks that a record did not change after the time in `If-Unmodified-Since`. A record without a time is as old as the instance.
   * @throws Refusal 412 if it changed
   */
  checkUnmodified(record: { readonly updated_at?: string; readonly created_at?: string }): void {
    const since = Date.parse(String(this.sent.headers['if-unmodified-since'] ?? ''))
    const origin = String(this.state.settings.value.created_at)
    const changed = Date.parse(record.updated_at ?? record.created_at ?? origin)
    if (Math.floor(changed / 1000) * 1000 > since) throw preconditionFailed()
  }

  /** The version of the instance: the one that it was started as, or else the documented one. */
  get version(): string {
    return `${this.instance.asOf ?? documentedVersion}.0`
  }

  /** Returns the web address of a path of the instance, such as `platform/app/-/issues/7`. */
  getWebUrl(path: string): string {
    return `${this.base}/${path}`
  }
}
