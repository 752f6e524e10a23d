/** Groups long lists of flags in help pages under headings. */
import type { Flag } from '../../engine/command/types.js'

/** A heading with the names of its flags; `*` at the end of a name matches any rest. */
type Subject = readonly [title: string, names: readonly string[]]

const planHeadings: readonly Subject[] = [
  [
    'What to compare',
    [
      'project',
      'group',
      'only',
      'except',
      'ignore',
      'missing',
      'with-archived',
      'against',
      'secrets',
      'self',
      'allow-literal-secrets',
      'allow-outside',
      'allow-commands',
    ],
  ],
  ['Limits', ['max-*', 'allow-removals', 'allow-empty', 'fail-on']],
  ['Reports', ['out', 'report', 'note', 'explain']],
  ['How to apply it', ['verify', 'stale', 'dry-run']],
]

/** The headings by the words of a command, such as `settings update`. */
export const subjects: Readonly<Record<string, readonly Subject[]>> = {
  plan: planHeadings,
  apply: planHeadings,
  drift: planHeadings,
  'settings update': [
    [
      'Sign-in and sign-up',
      [
        'admin-mode',
        'after-*',
        'disabled-oauth-*',
        'domain-*',
        'deactivate-dormant-users',
        'allow-group-owners-*',
      ],
    ],
    [
      'Projects and groups',
      [
        'default-branch-*',
        'default-group-*',
        'default-project*',
        'default-snippet-*',
        'delayed-*',
        'deletion-*',
      ],
    ],
    [
      'CI and storage',
      ['archive-*', 'auto-*', 'automatic-*', 'container-*', 'default-artifacts-*', 'default-ci-*'],
    ],
    [
      'Network and security',
      [
        'allow-local-*',
        'asset-proxy-*',
        'authorized-keys-*',
        'disable-feed-token',
        'dns-*',
        'dsa-*',
        'ecdsa-*',
        'ed25519-*',
        'spamsvc-*',
      ],
    ],
    ['Email', ['admin-notification-*', 'abuse-*', 'commit-email-*']],
    ['Diffs', ['diff-*']],
    ['Cloud', ['cloud-*']],
  ],
}

const matchesName = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** Groups the flags of a command by heading. Flags without a heading come last. */
export const groupFlags = (
  command: string,
  flags: readonly Flag[],
): readonly (readonly [title: string, flags: readonly Flag[]])[] => {
  const named = subjects[command] ?? []
  const findTitle = (name: string): string | undefined =>
    named.find(([, patterns]) => patterns.some((pattern) => matchesName(name, pattern)))?.[0]
  const groups = named.map(
    ([title]) => [title, flags.filter(({ name }) => findTitle(name) === title)] as const,
  )
  const rest = flags.filter(({ name }) => findTitle(name) === undefined)
  return [...groups, [named.length === 0 ? 'Flags' : 'More flags', rest] as const]
}
