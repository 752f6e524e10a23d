/** Builds a line for every command of the program from the command's own description, for the canary test. */

import { svcctl } from '../support/within.js'

interface Described {
  readonly name: string
  readonly required: boolean
}
interface Flag extends Described {
  readonly type: string
  readonly values?: readonly string[]
  readonly parameter?: string
}
export interface Command {
  readonly command: string
  readonly endpoints: readonly string[]
  readonly arguments: readonly Described[]
  readonly flags: readonly Flag[]
}

/** The beginning of every secret, so that one search finds them all. */
export const canary = 'c4n4ry'

/** Returns every command that the program lists. */
export const listCommands = async (): Promise<readonly Command[]> => {
  const { stdout } = await svcctl(['commands', '-o', 'json'])
  return JSON.parse(stdout) as Command[]
}

const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl one@example.com'

/** Values for positional arguments that are not a number. */
const words: Readonly<Record<string, string>> = {
  duration: '1h',
  sha: 'abcdef1',
  slug: 'slack',
  domain: 'www.example.com',
  path: 'report.xml',
  'projects|snippets|groups': 'projects',
  'resource|area': 'runners',
  shell: 'bash',
  alias: 'gone',
  line: 'runners list',
  file: 'ci.yml',
  policy: 'policy.yml',
  profile: 'work',
  name: 'work',
  method: 'get',
  journal: './run.ndjson',
  journals: './run.ndjson',
  'get|store|erase': 'get',
}

/** Values for positional arguments that mean something else in one command. */
const commandWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api: { path: '/version' },
  'extend add': { file: 'commands.yml' },
}

/** Values for flags that do not take any text. */
const values: Readonly<Record<string, string>> = {
  key: publicKey,
  'access-level': '30',
  url: 'https://example.com',
  token: 'env:CANARY_SECRET',
  body: '/promote',
  action: 'none',
}

const getFlagValue = ({ name, type, values: among }: Flag): string =>
  values[name] ?? among?.[0] ?? (type === 'string' ? 'text' : type === 'boolean' ? '' : '7')

const buildFlag = (flag: Flag): readonly string[] =>
  flag.type === 'boolean' ? [`--${flag.name}`] : [`--${flag.name}`, getFlagValue(flag)]

/** Arguments that a command needs in addition to the required ones. */
const extraWords: Readonly<Record<string, readonly string[]>> = {
  api: ['/version'],
  'artifacts file': ['--job-id', '7'],
  'members list': ['-P', '1'],
  'members get': ['-P', '1'],
  'members add': ['-P', '1'],
  'members update': ['-P', '1', '--access-level', '30'],
  'members remove': ['-P', '1'],
  'members remove-everywhere': ['7', '--yes'],
  plan: ['svcctl.yml', '--secrets', 'always'],
  apply: ['svcctl.yml', '--secrets', 'always', '--yes'],
  drift: ['svcctl.yml'],
  'vocabulary check': ['words.yml'],
  'deploy-keys list': ['--instance'],
  'pages-domains list': ['--instance'],
  'journal run': ['--dry-run'],
  'extend remove': ['--all'],
  'sandbox reset': ['--yes'],
  'profile delete': ['--yes'],
  'journal undo': ['--yes'],
  'runners update': ['--description', 'text'],
  'resource-groups update': ['--process-mode', 'unordered'],
  'approvals update': ['--reset-approvals-on-push'],
  'approvals rules update': ['--name', 'text', '--approvals-required', '1'],
  'geo nodes update': ['--name', 'text', '--url', 'https://node.svc.example'],
  'integrations update': ['--webhook', 'env:CANARY_SECRET'],
  'settings update': ['--param', 'signup_enabled=true'],
  'deploy-keys update': ['--title', 'text'],
  'pages-domains update': ['--auto-ssl-enabled'],
  'commits create': ['--param', 'actions=[{"action":"delete","file_path":"a"}]'],
  'alerts send': ['--authorization-key', 'env:CANARY_SECRET', '--title', 'text'],
  'profile set': ['--timeout', '5'],
}

/** Commands that print a credential. */
export const credentialCommands = new Set(['auth token'])

/** Commands that run until they are interrupted. */
export const endlessCommands = new Set(['sandbox serve'])

/** Builds a command line that the command accepts. */
export const buildLine = ({
  command,
  arguments: positional,
  flags,
}: Command): readonly string[] => [
  ...command.split(' '),
  ...positional
    .filter(({ required, name }) => required || ['id', 'job-id', 'shell'].includes(name))
    .map(({ name }) => commandWords[command]?.[name] ?? words[name] ?? '7'),
  ...(command === 'ci lint' ? ['ci.yml'] : []),
  ...flags.filter(({ required }) => required).flatMap(buildFlag),
  ...(extraWords[command] ?? []),
]
