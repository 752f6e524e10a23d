/** A row a command written by hand: where it stands in the grammar, and its loader. */
import type { Special } from './types.js'

export interface SpecialRow {
  readonly area: string
  readonly words: string
  readonly load: () => Promise<Special>
}

/** Commands of API areas that do more than one call. */
const specials: readonly SpecialRow[] = [
  { area: 'runners', words: 'pause', load: async () => (await import('./runners/index.js')).pause },
  {
    area: 'runners',
    words: 'resume',
    load: async () => (await import('./runners/index.js')).resume,
  },
  { area: 'runners', words: 'drain', load: async () => (await import('./runners/index.js')).drain },
  {
    area: 'runners',
    words: 'register',
    load: async () => (await import('./runners/index.js')).register,
  },
  {
    area: 'artifacts',
    words: 'download',
    load: async () => (await import('./artifacts/index.js')).download,
  },
  {
    area: 'artifacts',
    words: 'file',
    load: async () => (await import('./artifacts/index.js')).file,
  },
  { area: 'mr', words: 'rebase', load: async () => (await import('./mr/index.js')).rebase },
  { area: 'settings', words: 'get', load: async () => (await import('./settings/index.js')).get },
  {
    area: 'settings',
    words: 'update',
    load: async () => (await import('./settings/index.js')).update,
  },
  { area: 'geo', words: 'status', load: async () => (await import('./geo/index.js')).status },
  {
    area: 'geo',
    words: 'nodes update',
    load: async () => (await import('./geo/index.js')).nodesUpdate,
  },
  {
    area: 'approvals',
    words: 'rules create',
    load: async () => (await import('./approvals/index.js')).rulesCreate,
  },
  {
    area: 'approvals',
    words: 'rules update',
    load: async () => (await import('./approvals/index.js')).rulesUpdate,
  },
  { area: 'members', words: 'get', load: async () => (await import('./members/index.js')).get },
  { area: 'members', words: 'add', load: async () => (await import('./members/index.js')).add },
  {
    area: 'members',
    words: 'update',
    load: async () => (await import('./members/index.js')).update,
  },
  {
    area: 'members',
    words: 'billable memberships',
    load: async () => (await import('./members/index.js')).billableMemberships,
  },
  {
    area: 'members',
    words: 'billable remove',
    load: async () => (await import('./members/index.js')).billableRemove,
  },
  {
    area: 'issues',
    words: 'promote',
    load: async () => (await import('./issues/index.js')).promote,
  },
  {
    area: 'commits',
    words: 'create',
    load: async () => (await import('./commits/index.js')).create,
  },
  {
    area: 'commits',
    words: 'cherry-pick',
    load: async () => (await import('./commits/index.js')).cherryPick,
  },
  {
    area: 'commits',
    words: 'revert',
    load: async () => (await import('./commits/index.js')).revert,
  },
  { area: 'commits', words: 'diff', load: async () => (await import('./commits/index.js')).diff },
  { area: 'events', words: 'list', load: async () => (await import('./events/index.js')).list },
  {
    area: 'integrations',
    words: 'list',
    load: async () => (await import('./integrations/index.js')).list,
  },
  {
    area: 'integrations',
    words: 'get',
    load: async () => (await import('./integrations/index.js')).get,
  },
  {
    area: 'integrations',
    words: 'update',
    load: async () => (await import('./integrations/index.js')).update,
  },
  { area: 'alerts', words: 'send', load: async () => (await import('./alerts/index.js')).send },
  {
    area: 'deploy-keys',
    words: 'add',
    load: async () => (await import('./deploy-keys/index.js')).add,
  },
  {
    area: 'pages-domains',
    words: 'list',
    load: async () => (await import('./pages-domains/index.js')).list,
  },
  {
    area: 'pages-domains',
    words: 'add',
    load: async () => (await import('./pages-domains/index.js')).add,
  },
  {
    area: 'pages-domains',
    words: 'update',
    load: async () => (await import('./pages-domains/index.js')).update,
  },
  {
    area: 'vulnerabilities',
    words: 'list',
    load: async () => (await import('./vulnerabilities/index.js')).list,
  },
  {
    area: 'dependencies',
    words: 'list',
    load: async () => (await import('./dependencies/index.js')).list,
  },
  {
    area: 'error-tracking',
    words: 'keys create',
    load: async () => (await import('./error-tracking/index.js')).keysCreate,
  },
  {
    area: 'storage-move',
    words: 'schedule',
    load: async () => (await import('./storage-move/index.js')).schedule,
  },
  { area: 'ci', words: 'lint', load: async () => (await import('./ci-lint/index.js')).lint },
]

/** Commands without an endpoint of their own. */
export const toolCommands: readonly (SpecialRow & { readonly group: string })[] = [
  {
    area: 'sandbox',
    words: 'serve',
    group: 'start',
    load: async () => (await import('./sandbox/index.js')).serve,
  },
  {
    area: 'sandbox',
    words: 'status',
    group: 'start',
    load: async () => (await import('./sandbox/index.js')).status,
  },
  {
    area: 'sandbox',
    words: 'reset',
    group: 'start',
    load: async () => (await import('./sandbox/index.js')).reset,
  },
  {
    area: 'sandbox',
    words: 'tokens',
    group: 'start',
    load: async () => (await import('./sandbox/index.js')).tokens,
  },
  {
    area: 'sandbox',
    words: 'alerts',
    group: 'start',
    load: async () => (await import('./sandbox/index.js')).alerts,
  },
  {
    area: 'auth',
    words: 'login',
    group: 'account',
    load: async () => (await import('./auth/index.js')).loginCommand,
  },
  {
    area: 'auth',
    words: 'status',
    group: 'account',
    load: async () => (await import('./auth/index.js')).statusCommand,
  },
  {
    area: 'auth',
    words: 'logout',
    group: 'account',
    load: async () => (await import('./auth/index.js')).logoutCommand,
  },
  {
    area: 'auth',
    words: 'switch',
    group: 'account',
    load: async () => (await import('./auth/index.js')).switchCommand,
  },
  {
    area: 'profile',
    words: 'list',
    group: 'account',
    load: async () => (await import('./profile/index.js')).listCommand,
  },
  {
    area: 'profile',
    words: 'get',
    group: 'account',
    load: async () => (await import('./profile/index.js')).getCommand,
  },
  {
    area: 'profile',
    words: 'set',
    group: 'account',
    load: async () => (await import('./profile/index.js')).setCommand,
  },
  {
    area: 'profile',
    words: 'delete',
    group: 'account',
    load: async () => (await import('./profile/index.js')).deleteCommand,
  },
  {
    area: 'audit',
    words: 'list',
    group: 'account',
    load: async () => (await import('./audit/index.js')).listCommand,
  },
  { area: 'api', words: '', group: 'tool', load: async () => (await import('./api/index.js')).api },
  {
    area: 'completion',
    words: '',
    group: 'tool',
    load: async () => (await import('./completion/index.js')).completion,
  },
  {
    area: 'explain',
    words: '',
    group: 'tool',
    load: async () => (await import('./explain/index.js')).explain,
  },
  {
    area: 'commands',
    words: '',
    group: 'tool',
    load: async () => (await import('./commands/index.js')).commands,
  },
  {
    area: 'doctor',
    words: '',
    group: 'tool',
    load: async () => (await import('./doctor/index.js')).doctor,
  },
]

export const specialsOf = (area: string): readonly SpecialRow[] =>
  specials.filter((row) => row.area === area)
