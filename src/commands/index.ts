/** A row for each command written by hand: where it stands in the grammar, and what loads it. */
import type { Special } from './types.js'

export interface SpecialRow {
  readonly area: string
  readonly words: string
  readonly load: () => Promise<Special>
}

/**
 * The commands that one file brings, by their words.
 * @param names which of its exports each is
 */
const from = <N extends string>(
  area: string,
  file: () => Promise<Readonly<Record<NoInfer<N>, Special>>>,
  names: Readonly<Record<string, N>>,
): readonly SpecialRow[] =>
  Object.entries(names).map(([words, name]) => ({
    area,
    words,
    load: async () => (await file())[name],
  }))

/** Commands of API areas that do more than one call. */
const specials: readonly SpecialRow[] = [
  from('runners', () => import('./runners.js'), {
    pause: 'pause',
    resume: 'resume',
    drain: 'drain',
    register: 'register',
  }),
  from('jobs', () => import('./jobs/index.js'), { why: 'why' }),
  from('artifacts', () => import('./artifacts/index.js'), { download: 'download', file: 'file' }),
  from('mr', () => import('./mr.js'), { rebase: 'rebase' }),
  from('settings', () => import('./settings.js'), { get: 'get', update: 'update' }),
  from('geo', () => import('./geo.js'), { status: 'status', 'nodes update': 'nodesUpdate' }),
  from('approvals', () => import('./approvals.js'), {
    'rules create': 'rulesCreate',
    'rules update': 'rulesUpdate',
  }),
  from('members', () => import('./members/index.js'), {
    get: 'get',
    add: 'add',
    update: 'update',
    remove: 'remove',
    'billable memberships': 'billableMemberships',
    'billable remove': 'billableRemove',
  }),
  from('members', () => import('./members/where.js'), { where: 'where' }),
  from('members', () => import('./members/leaving.js'), {
    'remove-everywhere': 'removeEverywhere',
  }),
  from('issues', () => import('./issues.js'), { promote: 'promote' }),
  from('commits', () => import('./commits/index.js'), {
    create: 'create',
    'cherry-pick': 'cherryPick',
    revert: 'revert',
    diff: 'diff',
  }),
  from('events', () => import('./events.js'), { list: 'list' }),
  from('integrations', () => import('./integrations.js'), {
    list: 'list',
    get: 'get',
    update: 'update',
  }),
  from('alerts', () => import('./alerts.js'), { send: 'send' }),
  from('deploy-keys', () => import('./deploy-keys.js'), { add: 'add' }),
  from('pages-domains', () => import('./pages-domains.js'), {
    list: 'list',
    add: 'add',
    update: 'update',
  }),
  from('vulnerabilities', () => import('./vulnerabilities.js'), { list: 'list' }),
  from('dependencies', () => import('./dependencies.js'), { list: 'list' }),
  from('error-tracking', () => import('./error-tracking.js'), {
    'keys create': 'keysCreate',
  }),
  from('storage-move', () => import('./storage-move.js'), { schedule: 'schedule' }),
  from('ci', () => import('./ci-lint/index.js'), { lint: 'lint' }),
].flat()

export interface ToolRow extends SpecialRow {
  /** Under which heading help lists it. */
  readonly group: string
}

const grouped = (group: string, rows: readonly (readonly SpecialRow[])[]): readonly ToolRow[] =>
  rows.flat().map((row) => ({ ...row, group }))

/** Commands without an endpoint of their own. */
export const toolCommands: readonly ToolRow[] = [
  ...grouped('start', [
    from('sandbox', () => import('./sandbox/index.js'), {
      serve: 'serve',
      status: 'status',
      reset: 'reset',
      tokens: 'tokens',
      alerts: 'alerts',
    }),
  ]),
  ...grouped('glance', [
    from('overview', () => import('./overview/index.js'), { '': 'overview' }),
    from('check', () => import('./check/index.js'), {
      instance: 'instance',
      runners: 'runners',
      geo: 'geo',
      certificates: 'certificates',
      tokens: 'tokens',
    }),
  ]),
  ...grouped('account', [
    from('auth', () => import('./auth/index.js'), {
      login: 'loginCommand',
      status: 'statusCommand',
      logout: 'logoutCommand',
      switch: 'switchCommand',
    }),
    from('profile', () => import('./profile.js'), {
      list: 'listCommand',
      get: 'getCommand',
      set: 'setCommand',
      delete: 'deleteCommand',
    }),
    from('audit', () => import('./audit.js'), { list: 'listCommand' }),
  ]),
  ...grouped('as code', [
    from('export', () => import('./export/index.js'), { '': 'exportCommand' }),
    from('plan', () => import('./plan/index.js'), { '': 'plan' }),
    from('apply', () => import('./apply/index.js'), { '': 'apply' }),
    from('drift', () => import('./drift/index.js'), { '': 'drift' }),
  ]),
  ...grouped('tool', [
    from('api', () => import('./api/index.js'), { '': 'api' }),
    from('journal', () => import('./journal/index.js'), {
      list: 'listCommand',
      show: 'showCommand',
      undo: 'undoCommand',
      merge: 'mergeCommand',
    }),
    from('mcp', () => import('./mcp/index.js'), { serve: 'serve' }),
    from('vocabulary', () => import('./vocabulary/index.js'), { learn: 'learn', check: 'check' }),
    from('alias', () => import('./alias.js'), {
      set: 'setCommand',
      list: 'listCommand',
      remove: 'removeCommand',
    }),
    from('completion', () => import('./completion.js'), { '': 'completion' }),
    from('explain', () => import('./explain/index.js'), { '': 'explain' }),
    from('commands', () => import('./commands.js'), { '': 'commands' }),
    from('doctor', () => import('./doctor/index.js'), { '': 'doctor' }),
  ]),
]

export const specialsOf = (area: string): readonly SpecialRow[] =>
  specials.filter((row) => row.area === area)
