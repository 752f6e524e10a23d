/** The flags that other tools have for signing in, checks, files as code, and the tool itself. */

import { dropFlag, type FlagReplacement, type ForeignFlag, toBaseUrl } from './values.js'

const toSeconds = (name: string, value: string): FlagReplacement => ({
  tokens: [`--${name}`, `${Number.parseInt(value, 10)}s`],
})

/** The rows. The first one whose replacement the command takes is used. */
export const toolFlags: readonly ForeignFlag[] = [
  { names: ['-s', '--shell'], value: true, of: /^completion$/, gives: ['$1'] },
  ...['bash', 'zsh', 'fish', 'powershell'].map(
    (shell): ForeignFlag => ({ names: [`--${shell}`], of: /^completion$/, gives: [shell] }),
  ),
  { names: ['--short', '--client'], of: /^version$/, gives: dropFlag },
  { names: ['--recursive'], of: /^explain$/, gives: dropFlag },
  // The thresholds of checks are ages, times or shares.
  ...(['warn', 'crit'] as const).flatMap((name): readonly ForeignFlag[] => {
    const names = name === 'warn' ? ['--warning', '-w'] : ['--critical', '-c']
    const toDays = (value: string) => ({ tokens: [`--${name}`, `${Number.parseInt(value, 10)}d`] })
    const ofDays = /^check (?:certificates|tokens)$/
    return [
      { names, value: /^\d+d?$/, of: ofDays, gives: toDays },
      {
        names,
        value: /^\d{1,2}s?$/,
        of: /^check instance$/,
        gives: (value) => toSeconds(name, value),
      },
      { names, value: /^[^%]+$/, of: /^check (?:geo|runners|policy)$/, gives: [`--${name} $1`] },
    ]
  }),
  {
    names: ['--days', '--within', '--expiry', '--expire', '--expires'],
    value: /^\d+d?$/,
    of: /^check (?:certificates|tokens)$/,
    gives: (value) => ({ tokens: ['--warn', `${Number.parseInt(value, 10)}d`] }),
  },
  {
    names: ['--with-token', '--stdin', '--password-stdin'],
    of: /^auth login$/,
    gives: ['--token-stdin'],
  },
  {
    names: [
      '--token',
      '--private-token',
      '--password',
      '--pat',
      '--api-key',
      '--access-token',
      '-t',
    ],
    value: true,
    of: /^auth login$/,
    gives: ['--token-stdin'],
  },
  {
    names: ['--username', '--user'],
    value: true,
    of: /^auth login$/,
    gives: dropFlag,
  },
  {
    names: ['--web', '--sso', '--device', '--device-code', '--use-device-code', '--interactive'],
    of: /^auth login$/,
    gives: dropFlag,
  },
  {
    names: ['--name', '--profile-name', '--user', '--username'],
    value: true,
    of: /^auth (?:login|logout|switch)$/,
    gives: ['$1'],
  },
  {
    names: ['--scopes', '-s', '--git-protocol'],
    value: true,
    of: /^auth login$/,
    gives: dropFlag,
  },
  { names: ['--oauth', '--insecure-storage'], of: /^auth login$/, gives: dropFlag },
  { names: ['--all'], of: /^auth status$/, gives: dropFlag },
  {
    names: ['--show-token', '-t'],
    of: /^auth status$/,
    gives: () => ({ tokens: [], command: 'auth token' }),
  },
  { names: ['--stdio', '--read-only', '--readonly'], of: /^mcp serve$/, gives: dropFlag },
  { names: ['--transport'], value: /^stdio$/, of: /^mcp serve$/, gives: dropFlag },
  { names: ['-H', '--host'], value: true, of: /^check /, gives: toBaseUrl },
  { names: ['-t'], value: /^\d+$/, of: /^check /, gives: ['--timeout $1'] },
  { names: ['--nagios'], of: /^check /, gives: ['-o nagios'] },
  { names: ['--prometheus'], of: /^check /, gives: ['-o prometheus'] },
  { names: ['--perfdata'], of: /^check /, gives: dropFlag },
  // The folder that is written to. Another text is a format.
  {
    names: ['-o', '--output', '-d', '--dir', '--directory'],
    value: /^(?!(?:table|wide|json|ya?ml|ndjson|csv|markdown|md|html|value|id)$)[\w./-]+$/,
    of: /^(?:snapshot|export)$/,
    wins: true,
    gives: ['--to $1'],
  },
  { names: ['--name', '--key'], value: true, of: /^settings get$/, gives: ['$1'] },
  { names: ['-P', '--project'], value: true, of: /^access$/, gives: ['project:$1'] },
  { names: ['-G', '--group'], value: true, of: /^access$/, gives: ['group:$1'] },
  { names: ['-u', '--user'], value: /^[^@]/, of: /^access$/, gives: ['@$1'] },
  {
    names: ['--dry-run'],
    of: /^apply$/,
    value: /^(?:client|server)$/,
    gives: () => ({ tokens: [], command: 'plan' }),
  },
  { names: ['--forks', '-f'], value: /^\d+$/, of: /^(?:plan|apply)$/, gives: ['--concurrency $1'] },
  {
    names: ['--file', '--filename', '-f', '--dir', '--path', '-k', '--kustomize'],
    value: true,
    of: /^(?:plan|apply|drift|ci lint|check policy)$/,
    gives: ['$1'],
  },
  {
    names: ['--exit-code', '--detailed-exitcode'],
    of: /^drift$/,
    gives: dropFlag,
  },
  {
    names: ['--server-side', '--record', '--diff', '-D', '--compact-warnings'],
    of: /^(?:plan|apply)$/,
    gives: dropFlag,
  },
  { names: ['--lock', '--input'], value: /^false$/, of: /^(?:plan|apply)$/, gives: dropFlag },
  { names: ['--check', '-C', '--dry-run'], of: /^plan$/, gives: dropFlag },
  { names: ['--plan', '-C'], of: /^apply$/, gives: ['--dry-run'] },
  {
    names: ['--target', '--tags'],
    value: /^[\w-]+$|[:/]/,
    of: /^(?:plan|apply|drift|export)$/,
    gives: ['--only $1'],
  },
  {
    names: ['--refresh-only'],
    of: /^(?:plan|apply)$/,
    gives: () => ({ tokens: [], command: 'drift' }),
  },
  {
    names: ['--detailed-exitcode', '--exit-code'],
    of: /^plan$/,
    gives: () => ({ tokens: [], command: 'drift' }),
  },
]
