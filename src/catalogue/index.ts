/** A row an area: name, the other name it answers to, one line about it, and its loader. */
import type { Endpoints } from './endpoint.js'

export interface AreaRow {
  readonly name: string
  /** The singular or plural that is accepted too. */
  readonly alias?: string
  readonly summary: string
  readonly load: () => Promise<Endpoints>
}

const rows = [
  {
    name: 'runners',
    alias: 'runner',
    summary: 'CI runners',
    load: async () => (await import('./areas/runners.js')).runners,
  },
  {
    name: 'jobs',
    alias: 'job',
    summary: 'CI jobs',
    load: async () => (await import('./areas/jobs.js')).jobs,
  },
  {
    name: 'artifacts',
    alias: 'artifact',
    summary: 'job artifacts',
    load: async () => (await import('./areas/artifacts.js')).artifacts,
  },
  {
    name: 'resource-groups',
    alias: 'resource-group',
    summary: 'limits on concurrent jobs',
    load: async () => (await import('./areas/resource-groups.js')).resourceGroups,
  },
  {
    name: 'ci',
    summary: 'CI configurations',
    load: async () => (await import('./areas/ci.js')).ci,
  },
  {
    name: 'commits',
    alias: 'commit',
    summary: 'commits of a project’s repository',
    load: async () => (await import('./areas/commits.js')).commits,
  },
  {
    name: 'issues',
    alias: 'issue',
    summary: 'issues, to-do items and time tracking',
    load: async () => (await import('./areas/issues.js')).issues,
  },
  {
    name: 'mr',
    alias: 'mrs',
    summary: 'merge requests',
    load: async () => (await import('./areas/mr.js')).mr,
  },
  {
    name: 'approvals',
    alias: 'approval',
    summary: 'merge request approvals and approval rules',
    load: async () => (await import('./areas/approvals.js')).approvals,
  },
  {
    name: 'members',
    alias: 'member',
    summary: 'members of groups and projects',
    load: async () => (await import('./areas/members.js')).members,
  },
  {
    name: 'events',
    alias: 'event',
    summary: 'user activity',
    load: async () => (await import('./areas/events.js')).events,
  },
  {
    name: 'projects',
    alias: 'project',
    summary: 'projects',
    load: async () => (await import('./areas/projects.js')).projects,
  },
  {
    name: 'integrations',
    alias: 'integration',
    summary: 'project integrations with other services',
    load: async () => (await import('./areas/integrations.js')).integrations,
  },
  {
    name: 'alerts',
    alias: 'alert',
    summary: 'alerts for project monitoring',
    load: async () => (await import('./areas/alerts.js')).alerts,
  },
  {
    name: 'settings',
    alias: 'setting',
    summary: 'application settings of the instance',
    load: async () => (await import('./areas/settings.js')).settings,
  },
  {
    name: 'deploy-keys',
    alias: 'deploy-key',
    summary: 'deploy keys (SSH access to projects)',
    load: async () => (await import('./areas/deploy-keys.js')).deployKeys,
  },
  {
    name: 'pages-domains',
    alias: 'pages-domain',
    summary: 'custom domains of Pages sites',
    load: async () => (await import('./areas/pages-domains.js')).pagesDomains,
  },
  {
    name: 'vulnerabilities',
    alias: 'vulnerability',
    summary: 'vulnerabilities of projects',
    load: async () => (await import('./areas/vulnerabilities.js')).vulnerabilities,
  },
  {
    name: 'dependencies',
    alias: 'dependency',
    summary: 'dependencies of projects',
    load: async () => (await import('./areas/dependencies.js')).dependencies,
  },
  {
    name: 'geo',
    summary: 'replication nodes and their status',
    load: async () => (await import('./areas/geo.js')).geo,
  },
  {
    name: 'error-tracking',
    summary: 'error tracking of projects',
    load: async () => (await import('./areas/error-tracking.js')).errorTracking,
  },
  {
    name: 'storage-move',
    alias: 'storage-moves',
    summary: 'repository storage moves',
    load: async () => (await import('./areas/storage-move.js')).storageMove,
  },
] as const satisfies readonly AreaRow[]

/** The areas by name: a list that the compiler holds others to. */
export type AreaName = (typeof rows)[number]['name']

/** The endpoints of an area by their keys: one area after the other. */
export type AreaEndpoints = Awaited<ReturnType<(typeof rows)[number]['load']>>

/** The parameters of an endpoint: one after the other of all endpoints of all areas. */
type AreaParams<A = AreaEndpoints> = A extends unknown
  ? { [E in keyof A]: A[E] extends { readonly params: infer Ps } ? Ps : never }[keyof A]
  : never
type KebabCase<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}-${KebabCase<Tail>}` : S

/** Every flag that stands for a parameter of some endpoint, by its name. */
export type ParameterFlag<Ps = AreaParams> = Ps extends unknown
  ? {
      [K in keyof Ps & string]: Ps[K] extends { readonly name: infer N extends string }
        ? N
        : KebabCase<K>
    }[keyof Ps & string]
  : never

export const areas: readonly (AreaRow & { readonly name: AreaName })[] = rows
