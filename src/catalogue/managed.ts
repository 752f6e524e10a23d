/**
 * The kinds that files can declare: one fact a kind, beside its endpoints, in the order in which changes are
 * made. Which attributes a kind has follows from the parameters of its endpoints.
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

/** The kind of object that a number stands for, where files have a name in its place. */
export type Referent = 'user' | 'group' | 'branch' | 'runner'

/** The number of objects of a kind: `one` object; a `set` of items, each with an identity; `rules`, each for the items that it matches. */
type Cardinality = 'one' | 'set' | 'rules'

/** A kind of object that files can declare. */
export interface Managed {
  /** Its key in files, and in addresses. */
  readonly name: string
  readonly scope: ManagedScope
  readonly holds: Cardinality
  /** The list of a set, or the one object; of a set without a documented list, an item by its identity. */
  readonly read: Endpoint
  /** The endpoint of one item, where the list lacks fields that are managed. */
  readonly each?: Endpoint
  /** The instance's list of it: which projects have any, where its records say; what `enable` may take in. */
  readonly everywhere?: Endpoint
  /** The path of its list, where the documents show none. */
  readonly unlisted?: string
  readonly create?: Endpoint
  readonly update?: Endpoint
  /** Without it nothing of the kind can be deleted: files cannot say `null` or `$exact`. */
  readonly remove?: Endpoint
  /** The endpoint that takes in an object that already exists elsewhere. */
  readonly enable?: Endpoint
  /** The field that tells items of a set apart, whatever they are called. */
  readonly identity?: string
  /** The field that people know an item by, where that is not its identity: its key in files. */
  readonly label?: string
  /** Another field that an item can be known by when it was renamed. */
  readonly also?: string
  /** The kind of object that its key in files names, where that is resolved to a number before there is a record. */
  readonly by?: Referent
  /** The placeholders, and parameters of `create` and `enable`, that a field of the record fills; the place's own is `id`. */
  readonly at?: Readonly<Record<string, string>>
  /** The field that shows a parameter, where it has another name; `a.b`, `a[].b` reach inside. */
  readonly from?: Readonly<Record<string, string>>
  readonly refs?: Readonly<Record<string, Referent>>
  /** Attributes that are sent with every change, besides those that `update` requires: a write would otherwise remove them. */
  readonly keep?: readonly string[]
  /** Parameters that are no attributes. */
  readonly without?: readonly string[]
  /** Attributes for running an object, not for configuring it: exported only on request. */
  readonly operational?: readonly string[]
  /** Records that are managed, by the values of a field; others are not looked at. */
  readonly only?: Readonly<Record<string, readonly string[]>>
  /** A field that is true of the items that count as being there. */
  readonly present?: string
  /** A field that is true of the items whose actions come before those of the others. */
  readonly first?: string
  /** The families that decide, by an item's identity, which of the attributes the item takes and requires. */
  readonly families?: readonly IntegrationFamily[]
  /** An item is in one place at a time: to go to another, it has to leave the first. */
  readonly alone?: true
  /** Its update can change the identity. */
  readonly renames?: true
  /** Attributes beyond the documented ones are taken as given where the answer has them. */
  readonly open?: true
  /** Kinds of the same place whose actions come first where both are wanted. */
  readonly after?: readonly string[]
  /** Values that its list is asked with. */
  readonly query?: JsonValues
  /** True if reading it requires an administrator: an export leaves it out for other users unless it was requested. */
  readonly forAdministrators?: true
  /** Names that differ only in their case are one. */
  readonly ignoresCase?: true
  /** A 404 for the one object says that there is none. */
  readonly optional?: true
  /** The reason that a missing object cannot be created; files that want no more than `off` have it already. */
  readonly onlyIf?: { readonly why: string; readonly off?: JsonValues }
  /** The values that attributes have unless files say otherwise: export leaves them out. */
  readonly usual?: JsonValues
  /** Sent with every change of an item that has any, which would otherwise lose them. */
  readonly keepAny?: readonly string[]
  /** The attribute that each requires while it is switched on, and that is sent along: an answer does not show whether it is set. */
  readonly requires?: Readonly<Record<string, string>>
  /**
   * Combinations of attributes that an instance refuses: where `attribute` has the value, and either is sent, `other` must
   * be there, or may not be.
   */
  readonly together?: readonly {
    readonly attribute: string
    readonly is: JsonValue
    readonly other: string
    readonly must: 'be set' | 'be empty' | 'be on'
  }[]
  /** The attribute whose value an unset attribute shows. */
  readonly unsetShows?: Readonly<Record<string, string>>
  /** The field that is true where a list shows only what the token's user may see, by attribute. */
  readonly mask?: Readonly<Record<string, string>>
  /** The attribute with the number of named users who have to act: with fewer of them, the item does nothing. */
  readonly quorum?: string
  /** The field that lists who of them may act, in the instance's view. */
  readonly eligible?: string
  /** The mark of an item of which a place has only one, whatever its name: the value of a field, and what that means. */
  readonly single?: { readonly field: string; readonly value: string; readonly text: string }
  /** A certificate and its key, which no answer shows: sent together, and neither while `unless` is true. */
  readonly pair?: { readonly shown: string; readonly hidden: string; readonly unless: string }
  /** Items that belong to something else: no set has or removes them. */
  readonly spared?: RegExp
}

type ShapeOf<E> = E extends { returns: { shape: infer S extends TSchema } } ? Static<S> : never
/** Of each endpoint by itself: a field of any is one. */
type FieldOf<E> = E extends unknown ? keyof (ShapeOf<E> & object) & string : never
type FieldPath<F extends string> = F | `${F}.${string}` | `${F}[].${string}`
type PlaceholderOf<E> = E extends { path: infer Pa } ? keyof Pa & string : never
type ParamOf<E> = E extends { params: infer Ps } ? keyof Ps & string : never

/** The fact with its names held to the endpoints: of reading `R`, of writing `W`, of what takes an item `A`. */
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

/** Declares a kind that files can hold. Its names are those of its endpoints, or it does not compile. */
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

/** Replication nodes. */
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

/** Runners of the instance, by rules. */
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
  // It would take no job.
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
  // No answer shows them.
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

// What else a project has.

/** The runners of a project. */
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
  // Those of the instance and of groups are shown with them, and are nothing of its own.
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
  // A change without approvers takes them away.
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

/** Custom domains of its Pages site. */
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
  // Automatic certificates are nobody's.
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
  // The record's own title is what the integration is called.
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

/** The resource groups of a project: a job's use creates one. */
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
