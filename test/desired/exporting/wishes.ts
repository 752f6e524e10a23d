/**
 * Creates random files: what an admin might want of the sample data. They leave out everything that an export cannot bring
 * back, because no answer shows it or no request undoes it:
 * - secrets, and so the integrations that need one, and the keys of Pages domains;
 * - descriptions of runners, by which files name them;
 * - a first rule for any approver, and texts and lists that were never set: a file cannot declare their absence;
 * - locks of runners, because no other project can use a locked runner;
 * - the same title for two keys, and two titles for one key.
 */
import fc from 'fast-check'
import { publicKeys } from './writes.js'

type Json = fc.Arbitrary<unknown>

/** Creates maps with some of these keys. */
const pickSome = (fields: Readonly<Record<string, Json>>): Json =>
  fc.record(fields, { requiredKeys: [] })
/** Creates sets with some of these items, exact or not. */
const set = (items: Readonly<Record<string, Json>>, exact = fc.boolean()): Json =>
  pickSome({ $exact: exact, ...items })
const gone = fc.constant(null)
const flag = fc.boolean()
const list = (...values: readonly unknown[]): Json => fc.subarray([...values])
/** Creates a whole list, or members to add and to remove. */
const createListChange = (...values: readonly unknown[]): Json =>
  fc.oneof(
    list(...values),
    fc.tuple(list(...values), list(...values)).map(([add, remove]) => ({
      $add: add,
      $remove: (remove as unknown[]).filter((one) => !(add as unknown[]).includes(one)),
    })),
  )
const text = fc.constantFrom('', 'a', 'two\nlines\n', "it's: # x", 'no', '007', '$x', 'ü😀')

const level = fc.constantFrom('guest', 'reporter', 'developer', 'maintainer', 10, 20, 30, 40)
const day = fc.constantFrom('2036-01-31', '2040-12-01', null)
const member = fc.record(
  { access_level: level, expires_at: day },
  { requiredKeys: ['access_level'] },
)
const memberOrNot = fc.oneof({ weight: 3, arbitrary: member }, { weight: 1, arbitrary: gone })
/** The members who neither approve nor own anything. */
const members = set(
  {
    chi: memberOrNot,
    Eva: memberOrNot,
    '8': memberOrNot,
  },
  fc.constant(false),
)

const rule = pickSome({
  approvals_required: fc.nat(5),
  user_ids: createListChange('ana', 'ben'),
  group_ids: list('platform/core', 'platform'),
})
const newRule = rule.map((fields) => ({ approvals_required: 1, ...(fields as object) }))
const rules = set({
  Security: fc.oneof(newRule, gone),
  QA: fc.oneof(newRule, gone),
  A: gone,
  Release: newRule,
  '$$x y': newRule,
  '007': fc.oneof(newRule, gone),
  Better: newRule.map((fields) => ({ ...fields, previously: ['B', 'Best'] })),
})

const createKeyWish = (label: number) =>
  fc.oneof(
    fc.record(
      { key: fc.constant(`${publicKeys[label]} someone@host`), can_push: flag },
      { requiredKeys: ['key'] },
    ),
    fc.constant({ key: publicKeys[label], title: `key ${label}` }),
    gone,
  )
const keys = set({
  'key 0': createKeyWish(0),
  'key 1': createKeyWish(1),
  'key 2': createKeyWish(2),
  deploy: gone,
})

const domain = fc.oneof(pickSome({ auto_ssl_enabled: flag }), gone)
/** Creates sets of one domain: a domain belongs to one project. */
const createDomains = (name: string) => set({ [name]: domain })

const events = { push_events: flag, tag_push_events: flag }
const integrations = set({
  'emails-on-push': fc.oneof(
    fc.record(
      {
        recipients: fc.constantFrom('a@x.test b@x.test', 'b@x.test,a@x.test', ['c@x.test']),
        disable_diffs: flag,
        branches_to_be_notified: fc.constantFrom('all', 'protected'),
        ...events,
      },
      { requiredKeys: ['recipients'] },
    ),
    gone,
  ),
  'custom-issue-tracker': fc.oneof(
    fc.record({
      new_issue_url: fc.constant('https://t.example.test/new'),
      issues_url: fc.constantFrom('https://t.example.test/:id', 'https://u.example.test/:id'),
      project_url: fc.constantFrom('https://t.example.test', 'https://t.example.test/'),
    }),
    gone,
  ),
})

const approvals = pickSome({
  reset_approvals_on_push: flag,
  merge_requests_author_approval: flag,
  require_password_to_approve: flag,
})
const mode = fc.constantFrom('unordered', 'oldest_first', 'newest_first')

const project = {
  members,
  approvals,
  approval_rules: rules,
  deploy_keys: keys,
  integrations,
  runners: set({ gpu: fc.oneof(fc.constant({}), gone) }),
  error_tracking: pickSome({ active: flag, integrated: flag }),
  resource_groups: set(
    { production: pickSome({ process_mode: mode }), nowhere: pickSome({ process_mode: mode }) },
    fc.constant(false),
  ).map((all) => {
    const { $exact: _, ...others } = all as Record<string, unknown>
    return others
  }),
}

const tagged = fc.oneof(
  fc.constant({}),
  fc.record({ run_untagged: fc.constant(true), tag_list: createListChange('z', 'docker') }),
  fc.record({ run_untagged: fc.constant(false), tag_list: fc.constantFrom(['a'], ['a', 'z']) }),
)
const siteRule = fc.record({
  match: fc.oneof(
    fc.record({ id: fc.constantFrom(1, 4, 7, '*') }),
    fc.constantFrom({ description: '*-builder' }, { runner_type: 'project_type' }),
  ),
  set: fc
    .tuple(
      tagged,
      pickSome({
        access_level: fc.constantFrom('not_protected', 'ref_protected'),
        maximum_timeout: fc.constantFrom(600, '3600', null),
        active: flag,
      }),
    )
    .map(([a, b]) => ({ ...a, ...(b as object) })),
})

const node = {
  files_max_capacity: fc.nat(50),
  enabled: flag,
  selective_sync_type: fc.constantFrom('namespaces', 'shards', null),
  selective_sync_namespace_ids: list('platform', 'web', 'platform/core'),
  selective_sync_shards: list('default', 'second'),
  internal_url: fc.constantFrom('https://in.example.test', 'https://in.example.test/'),
}
const site = {
  settings: pickSome({
    default_branch_protection: fc.constantFrom(0, 1, 'fully-protected'),
    after_sign_up_text: fc.oneof(text, gone),
    default_artifacts_expire_in: fc.constantFrom('15 days', '1 mo'),
    domain_denylist: createListChange('b.test', 'a.test', '*.c.test'),
    default_project_visibility: fc.constantFrom('private', 'public'),
    diff_max_files: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.constant('77')),
  }),
  geo_nodes: set(
    {
      south: fc.oneof(pickSome(node), gone),
      west: fc.record(
        { url: fc.constantFrom('https://w.test', 'https://w.test/'), ...node },
        { requiredKeys: ['url'] },
      ),
      $$east: fc.constant({ url: 'https://e.test' }),
    },
    fc.constant(false),
  ),
  runners: fc.uniqueArray(siteRule, {
    maxLength: 3,
    selector: ({ match }) => JSON.stringify(match),
  }),
}

/** Picks the requested kinds. */
const pickKinds = (kinds: Readonly<Record<string, Json>>, only: readonly string[]) =>
  pickSome(Object.fromEntries(Object.entries(kinds).filter(([name]) => only.includes(name))))

/** Creates files about these kinds on all levels, from all projects that a file names to a single one. */
export const createFiles = (only: readonly string[]): fc.Arbitrary<object> => {
  const of = (kinds: Readonly<Record<string, Json>>) => pickKinds(kinds, only)
  return fc.record(
    {
      version: fc.constant(1),
      site: of(site),
      defaults: fc.record({
        projects: of({ approvals, resource_groups: project.resource_groups }),
      }),
      groups: pickSome({
        platform: of({ members }),
        'platform/core': of({ members }),
        'platform/**': fc.record({ projects: of(project) }),
        '**': fc.record({ projects: of({ approvals }) }),
      }),
      projects: pickSome({
        'platform/app': of({ ...project, pages_domains: createDomains('a.x.test') }),
        'platform/core/engine': of({ ...project, pages_domains: createDomains('B.x.test') }),
        'ana/dotfiles': of({
          approvals,
          deploy_keys: keys,
          pages_domains: createDomains('c.x.test'),
          integrations,
        }),
      }),
    },
    { requiredKeys: ['version'] },
  )
}
