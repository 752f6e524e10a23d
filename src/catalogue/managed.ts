/**
 * Declares the kinds of objects that files can declare, with the endpoints that read and write them, in the order in which changes are
 * made.
 */

import type { Static, TSchema } from 'typebox'
import type { JsonValue, JsonValues } from '../base/objects.js'
import { approvals } from './areas/approvals.js'
import { deployKeys } from './areas/deploy-keys.js'
import { errorTracking } from './areas/error-tracking.js'
import { geo } from './areas/geo.js'
import { type IntegrationFamily, integrationFamilies, integrations } from './areas/integrations.js'
import { members } from './areas/members.js'
import { pagesDomains } from './areas/pages-domains.js'
import { resourceGroups } from './areas/resource-groups.js'
import { runners } from './areas/runners.js'
import { settings, settingsRequirements } from './areas/settings.js'
import type { Endpoint } from './endpoint.js'

/** The scope that a kind belongs to: the instance, a group or a project. */
export type ManagedScope = 'site' | 'group' | 'project'

/** The kind of object that a number refers to, for which files have a name instead. */
export type Referent = 'user' | 'group' | 'branch' | 'runner'

/** The number of objects of a kind: `one` object, a `set` of items with an identity, or `rules` that each match several items. */
type Cardinality = 'one' | 'set' | 'rules'

/** A kind of objects that files can declare. Its attributes are the parameters of its endpoints. */
export interface Managed {
  /** The key of the kind in files and in addresses. */
  readonly name: string
  readonly scope: ManagedScope
  readonly holds: Cardinality
  /** The endpoint that lists a set, or that reads the one object. If a set has no documented list, it reads an item by its identity. */
  readonly read: Endpoint
  /** The endpoint that reads an item, if the list lacks managed fields. */
  readonly each?: Endpoint
  /** The list of all such objects of the instance. It shows which projects have any, and which objects `enable` can add. */
  readonly everywhere?: Endpoint
  /** The path of the list, if it is not documented. */
  readonly unlisted?: string
  readonly create?: Endpoint
  readonly update?: Endpoint
  /** The endpoint that deletes an object. Without it, files cannot have `null` or `$exact` for the kind. */
  readonly remove?: Endpoint
  /** The endpoint that adds an existing object of another place. */
  readonly enable?: Endpoint
  /** The field that identifies the items of a set. */
  readonly identity?: string
  /** The field that people know an item by, and its key in files. If absent, that is the identity. */
  readonly label?: string
  /** Another field by which a renamed item can be found. */
  readonly also?: string
  /** The kind of object that the key in files refers to, if the key is resolved to a number before the record exists. */
  readonly by?: Referent
  /** Maps placeholders, and parameters of `create` and `enable`, to the fields of the record that fill them. `id` is that of the place. */
  readonly at?: Readonly<Record<string, string>>
  /** Maps parameters to the fields that show them, if these have other names. `a.b` and `a[].b` lead to inner fields. */
  readonly from?: Readonly<Record<string, string>>
  readonly refs?: Readonly<Record<string, Referent>>
  /** The attributes that are sent with every change, since the write would otherwise remove them. `update` may require others. */
  readonly keep?: readonly string[]
  /** The parameters that are not attributes. */
  readonly without?: readonly string[]
  /** The attributes for the operation of an object, not its configuration. They are only exported on request. */
  readonly operational?: readonly string[]
  /** Maps fields to the values that managed records have in them. Other records are ignored. */
  readonly only?: Readonly<Record<string, readonly string[]>>
  /** The field that is true for items that count as existing. */
  readonly present?: string
  /** The field that is true for items whose actions come before those of the others. */
  readonly first?: string
  /** The families that determine, by an item's identity, which attributes the item accepts and requires. */
  readonly families?: readonly IntegrationFamily[]
  /** True if an item belongs to only one place at a time, so that a move removes it from the first one. */
  readonly alone?: true
  /** True if an update can change the identity. */
  readonly renames?: true
  /** True if undocumented attributes are accepted if responses contain them. */
  readonly open?: true
  /** The kinds of the same place whose actions come first. */
  readonly after?: readonly string[]
  /** The values of parameters with which the list is requested. */
  readonly query?: JsonValues
  /** True if only administrators can read the kind. For other users, an export omits it unless it was requested. */
  readonly forAdministrators?: true
  /** True if names that differ only in case are equal. */
  readonly ignoresCase?: true
  /** True if a 404 for the one object means that it does not exist. */
  readonly optional?: true
  /** The reason why a missing object cannot be created. Files with no other values than those of `off` need no object. */
  readonly onlyIf?: { readonly why: string; readonly off?: JsonValues }
  /** The values that attributes have by default. An export omits them. */
  readonly usual?: JsonValues
  /** The attributes that are sent with every change of an item that has any, since the write would otherwise remove them. */
  readonly keepAny?: readonly string[]
  /**
   * Maps an attribute to the one that it requires while it is enabled. That one is sent, too, since responses do not show whether it is
   * set.
   */
  readonly requires?: Readonly<Record<string, string>>
  /**
   * Combinations that an instance refuses. If `attribute` has the value and either attribute is sent, `other` has to be set, or may not
   * be.
   */
  readonly together?: readonly {
    readonly attribute: string
    readonly is: JsonValue
    readonly other: string
    readonly must: 'be set' | 'be empty' | 'be on'
  }[]
  /** Maps an attribute to the one whose value it shows while it is not set. */
  readonly unsetShows?: Readonly<Record<string, string>>
  /** Maps an attribute to the field that is true if a list is incomplete, since the token's user may not see all of it. */
  readonly mask?: Readonly<Record<string, string>>
  /** The attribute with the number of named users who have to act. With fewer users, the item has no effect. */
  readonly quorum?: string
  /** The field that lists the named users who may act, according to the instance. */
  readonly eligible?: string
  /** The value of a field that only one item of a place can have, and the description of such an item. */
  readonly single?: { readonly field: string; readonly value: string; readonly text: string }
  /** A certificate and its key, which responses never contain. Both are sent together, and neither while `unless` is true. */
  readonly pair?: { readonly shown: string; readonly hidden: string; readonly unless: string }
  /** The pattern of items that belong to another object. No set contains or removes them. */
  readonly spared?: RegExp
}

type ShapeOf<E> = E extends { returns: { shape: infer S extends TSchema } } ? Static<S> : never
/** The fields of an endpoint's response, as a union over all endpoints. */
type FieldOf<E> = E extends unknown ? keyof (ShapeOf<E> & object) & string : never
type FieldPath<F extends string> = F | `${F}.${string}` | `${F}[].${string}`
type PlaceholderOf<E> = E extends { path: infer Pa } ? keyof Pa & string : never
type ParamOf<E> = E extends { params: infer Ps } ? keyof Ps & string : never

/** The properties of a kind, limited to names that its endpoints have. `R` reads the kind, `W` writes it, and `A` adds an item. */
interface Names<R, W, A> {
  readonly identity?: FieldOf<R>
  readonly label?: FieldOf<R>
  readonly also?: FieldOf<R>
  readonly present?: FieldOf<R>
  readonly first?: FieldOf<R>
  readonly at?: { readonly [N in PlaceholderOf<A> | ParamOf<W | A>]?: FieldOf<R> }
  readonly from?: { readonly [N in ParamOf<W>]?: FieldPath<FieldOf<R>> }
  readonly refs?: { readonly [N in ParamOf<W>]?: Referent }
  readonly keep?: readonly ParamOf<W>[]
  readonly without?: readonly ParamOf<W>[]
  readonly operational?: readonly ParamOf<W>[]
  readonly only?: { readonly [N in FieldOf<R>]?: readonly string[] }
  readonly unsetShows?: { readonly [N in ParamOf<W>]?: FieldOf<R> }
  readonly quorum?: ParamOf<W>
  readonly eligible?: FieldOf<R>
  readonly usual?: { readonly [N in ParamOf<W>]?: string }
  readonly keepAny?: readonly ParamOf<W>[]
  readonly requires?: { readonly [N in ParamOf<W>]?: ParamOf<W> }
  readonly mask?: { readonly [N in ParamOf<W>]?: FieldOf<R> }
  readonly single?: Managed['single'] & { readonly field: FieldOf<R> }
  readonly pair?: { readonly [N in 'shown' | 'hidden' | 'unless']: ParamOf<W> }
  readonly together?: readonly (NonNullable<Managed['together']>[number] & {
    readonly attribute: ParamOf<W>
    readonly other: ParamOf<W>
  })[]
}

type Endpoints = 'read' | 'each' | 'create' | 'update' | 'remove' | 'enable'

/** Declares a kind that files can contain. A name that its endpoints do not have does not compile. */
export const managed = <
  R extends Endpoint,
  E extends Endpoint = never,
  C extends Endpoint = never,
  U extends Endpoint = never,
  D extends Endpoint = never,
  N extends Endpoint = never,
>(
  fact: Omit<Managed, keyof Names<R, C | U, U | D> | Endpoints> & {
    readonly read: R
    readonly each?: E
    readonly create?: C
    readonly update?: U
    readonly remove?: D
    readonly enable?: N
  } & NoInfer<Names<R | E, C | U, E | U | D | N>>,
): Managed => fact as Managed

// The instance itself.

const siteSettings = managed({
  name: 'settings',
  scope: 'site',
  holds: 'one',
  read: settings.get,
  update: settings.update,
  open: true,
  requires: settingsRequirements,
})

const geoNodes = managed({
  name: 'geo_nodes',
  scope: 'site',
  holds: 'set',
  identity: 'name',
  also: 'url',
  read: geo.list,
  create: geo.create,
  update: geo.update,
  remove: geo.delete,
  at: { id: 'id' },
  refs: { selective_sync_namespace_ids: 'group' },
  first: 'primary',
  together: [{ attribute: 'primary', is: true, other: 'enabled', must: 'be on' }],
  unsetShows: { internal_url: 'url' },
  renames: true,
})

/** The runners of the instance, which rules configure. */
const siteRunners = managed({
  name: 'runners',
  scope: 'site',
  holds: 'rules',
  identity: 'id',
  label: 'description',
  read: runners.listAll,
  each: runners.get,
  update: runners.update,
  at: { id: 'id' },
  operational: ['active'],
  // Such a runner would take no job.
  together: [{ attribute: 'run_untagged', is: false, other: 'tag_list', must: 'be set' }],
  forAdministrators: true,
})

// Direct members.

const member = {
  name: 'members',
  holds: 'set',
  identity: 'username',
  by: 'user',
  at: { user_id: 'id' },
  keep: ['access_level'],
  // Responses do not contain them.
  without: ['invite_source', 'areas_of_focus'],
  // A bot belongs to a token.
  spared: /^(?:project|group)_\d+_bot/,
} as const

export const groupMembers = managed({
  ...member,
  scope: 'group',
  read: members.listOfGroup,
  create: members.addToGroup,
  update: members.updateOfGroup,
  remove: members.removeFromGroup,
})

export const projectMembers = managed({
  ...member,
  scope: 'project',
  read: members.listOfProject,
  create: members.addToProject,
  update: members.updateOfProject,
  remove: members.removeFromProject,
})

// The other objects of a project.

export const projectRunners = managed({
  name: 'runners',
  scope: 'project',
  holds: 'set',
  identity: 'id',
  label: 'description',
  by: 'runner',
  read: runners.listOfProject,
  everywhere: runners.listAll,
  enable: runners.enable,
  remove: runners.disable,
  at: { runner_id: 'id' },
  only: { runner_type: ['project_type'] },
  // The list also has the runners of the instance and of groups, which do not belong to the project.
  query: { type: 'project_type' },
})

/** The approval settings for a project's merge requests. */
const projectApprovals = managed({
  name: 'approvals',
  scope: 'project',
  holds: 'one',
  read: approvals.get,
  update: approvals.update,
})

export const approvalRules = managed({
  name: 'approval_rules',
  scope: 'project',
  holds: 'set',
  identity: 'name',
  read: approvals.rulesList,
  create: approvals.rulesCreate,
  update: approvals.rulesUpdate,
  remove: approvals.rulesDelete,
  at: { approval_rule_id: 'id' },
  from: {
    user_ids: 'users[].id',
    group_ids: 'groups[].id',
    protected_branch_ids: 'protected_branches[].id',
  },
  refs: { user_ids: 'user', group_ids: 'group', protected_branch_ids: 'branch' },
  quorum: 'approvals_required',
  eligible: 'eligible_approvers',
  // A change without approvers would remove them.
  keep: ['user_ids', 'group_ids'],
  keepAny: ['protected_branch_ids'],
  mask: { group_ids: 'contains_hidden_groups' },
  only: { rule_type: ['regular', 'any_approver'] },
  usual: { rule_type: 'regular' },
  single: { field: 'rule_type', value: 'any_approver', text: 'the rule for any approver' },
  together: [
    { attribute: 'rule_type', is: 'any_approver', other: 'user_ids', must: 'be empty' },
    { attribute: 'rule_type', is: 'any_approver', other: 'group_ids', must: 'be empty' },
  ],
  renames: true,
  after: ['members'],
})

export const projectKeys = managed({
  name: 'deploy_keys',
  scope: 'project',
  holds: 'set',
  identity: 'key',
  label: 'title',
  read: deployKeys.list,
  everywhere: deployKeys.listAll,
  create: deployKeys.add,
  update: deployKeys.update,
  remove: deployKeys.delete,
  enable: deployKeys.enable,
  at: { key_id: 'id' },
})

/** The custom domains of the project's Pages site. */
const projectDomains = managed({
  name: 'pages_domains',
  scope: 'project',
  holds: 'set',
  identity: 'domain',
  read: pagesDomains.list,
  everywhere: pagesDomains.listAll,
  create: pagesDomains.add,
  update: pagesDomains.update,
  remove: pagesDomains.delete,
  at: { domain: 'domain' },
  from: { certificate: 'certificate.certificate' },
  alone: true,
  ignoresCase: true,
  // Automatic certificates are not managed.
  pair: { shown: 'certificate', hidden: 'key', unless: 'auto_ssl_enabled' },
})

export const projectIntegrations = managed({
  name: 'integrations',
  scope: 'project',
  holds: 'set',
  identity: 'slug',
  read: integrations.list,
  each: integrations.get,
  create: integrations.update,
  update: integrations.update,
  remove: integrations.delete,
  at: { slug: 'slug' },
  // In the record, `title` is the name of the integration.
  from: { title: 'properties.title' },
  present: 'active',
  families: integrationFamilies,
})

const projectErrorTracking = managed({
  name: 'error_tracking',
  scope: 'project',
  holds: 'one',
  read: errorTracking.get,
  update: errorTracking.update,
  optional: true,
  onlyIf: {
    why: 'error tracking was never configured, and the API can only enable or disable it',
    off: { active: false },
  },
})

/** The resource groups of a project, which the jobs that use them create. */
const projectResourceGroups = managed({
  name: 'resource_groups',
  scope: 'project',
  holds: 'set',
  identity: 'key',
  read: resourceGroups.get,
  unlisted: '/projects/:id/resource_groups',
  update: resourceGroups.update,
  at: { key: 'key' },
  onlyIf: { why: 'does not exist until a job uses it, so there is nothing to change yet' },
})

export const managedKinds: readonly Managed[] = [
  siteSettings,
  geoNodes,
  groupMembers,
  projectMembers,
  siteRunners,
  projectRunners,
  projectApprovals,
  approvalRules,
  projectKeys,
  projectDomains,
  projectIntegrations,
  projectErrorTracking,
  projectResourceGroups,
]
