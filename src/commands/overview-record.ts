/** The record of `overview`, which programs receive and from which its page is drawn. */

import { secondsPerDay } from '../base/dates.js'
import type { DomainCertificate, GeoSite, ProfileCredential, RunnerCounts } from './health.js'

/** The spans of waiting times, the shortest first: the name, and the end in seconds. */
export const ageSpans = [
  ['under 1 min', 60],
  ['1 to 10 min', 600],
  ['10 min to 1 h', 3600],
  ['1 to 6 h', 21_600],
  ['6 h to 1 day', secondsPerDay],
  ['over 1 day', Number.POSITIVE_INFINITY],
] as const

/** The time left, in seconds, below which an expiry is urgent or needs attention. */
export const expiryLimits = { urgent: 7 * secondsPerDay, soon: 30 * secondsPerDay } as const

/** The job that has waited longest. */
export interface OldestJob {
  readonly project: string
  readonly id: number
  readonly name: string
  readonly created_at: string
  readonly tag_list: readonly string[]
  readonly waited_seconds: number | null
  /** The command that explains why it waits; absent if a snapshot was read, which cannot answer it. */
  readonly why?: string
}

/** A storage with the number of its projects. */
export interface StorageCount {
  readonly storage: string
  readonly projects: number
  /** The weight of the storage when the instance places new projects; null if it is not reported. */
  readonly weight: number | null
}

/** A problem that needs action, with its urgency. */
export interface OverviewFinding {
  readonly level: 'act now' | 'attention'
  readonly part: string
  readonly message: string
  /** The command that shows the problem or fixes it. */
  readonly command: string
}

/** The record of `overview`. A section is null if it could not be read, and absent if it was not requested. */
export interface OverviewRecord {
  readonly address: string
  readonly at: string
  readonly runners?: {
    readonly total: number
    readonly by_state: RunnerCounts
    readonly by_type: Readonly<Record<string, RunnerCounts>>
  } | null
  readonly jobs?: {
    readonly waiting: number
    readonly projects_looked_at: number
    readonly by_age: Readonly<Record<string, number>>
    readonly oldest: OldestJob | null
    readonly by_project: Readonly<Record<string, number>>
  } | null
  readonly certificates?: {
    readonly by_time_left: Readonly<Record<string, number>>
    readonly without: number
    readonly certificates: readonly DomainCertificate[]
  } | null
  readonly replication?: readonly GeoSite[] | null
  readonly storages?: readonly StorageCount[] | null
  readonly tokens?: readonly (ProfileCredential & { readonly source: string })[] | null
  readonly unread: readonly {
    readonly part: string
    readonly why?: string | undefined
    readonly offered: boolean
    readonly category?: string
    readonly status?: number | undefined
  }[]
  readonly not_in_the_api: readonly string[]
  readonly findings: readonly OverviewFinding[]
}
