/** The flags of other tools, each with its replacement. */

import {
  type FlagPlace,
  type FlagReplacement,
  pickFields,
  toAddress,
  toAge,
  toAttribute,
  toAttributes,
  toFilter,
  toFormat,
  toInput,
  toOrder,
  toQuery,
  translateFieldName,
} from './values.js'

export interface ForeignFlag {
  readonly names: readonly string[]
  /** The form of the value; `true` for any value, absent for none. */
  readonly value?: RegExp | true
  /** True if the value can be omitted. */
  readonly mayLack?: true
  /** The commands that have the flag; absent for all. */
  readonly of?: RegExp
  /** True if the row wins over a flag of that name that the command takes. */
  readonly wins?: true
  /** The replacements, with `$1` for the value; the first that the command takes is used. A function computes one from the value. */
  readonly gives:
    | readonly string[]
    | ((value: string, place: FlagPlace) => FlagReplacement | undefined)
}

const fieldNames = /^[a-z_][\w.]*(?:,[a-z_][\w.]*)*$/i

/** Flags that hold secrets. Only a row of the table can replace them, and their values are never repeated. */
export const secretFlags: readonly string[] = [
  '--token',
  '--private-token',
  '--access-token',
  '--job-token',
  '--password',
  '--with-token',
  '--pat',
  '--api-key',
]

/** The rows. The first one whose replacement the command takes is used. */
export const foreignFlags: readonly ForeignFlag[] = [
  // Attributes, as JSON or as a pair.
  {
    names: [
      ...['--data', '--data-raw', '-d', '--patch', '-p', '--body', '--cli-input-json', '--json'],
      '--input',
    ],
    value: /^\s*\{/,
    wins: true,
    gives: toAttributes,
  },
  {
    names: ['--set', '--field', '--raw-field', '--attribute', '--data', '-f', '-F', '-d'],
    value: /^[a-z][\w-]*=/i,
    gives: toAttribute,
  },
  // Output.
  {
    names: ['--json'],
    value: fieldNames,
    mayLack: true,
    gives: (value) => ({
      tokens: [
        ...['-o', 'json'],
        ...(value === '' ? [] : ['--fields', value.split(',').map(translateFieldName).join(',')]),
      ],
    }),
  },
  {
    names: ['--format', '--output-format', '--out-format'],
    value: true,
    gives: toFormat,
  },
  { names: ['-F'], value: /^(?:json|table|text|yaml|csv)$/, gives: toFormat },
  { names: ['-s', '--shell'], value: true, of: /^completion$/, gives: ['$1'] },
  { names: ['--junit', '--junit-xml'], value: true, gives: ['--report junit=$1'] },
  { names: ['--sarif'], value: true, gives: ['--report sarif=$1'] },
  { names: ['--yaml'], gives: ['-o yaml'] },
  { names: ['--warning', '-w'], value: true, of: /^check /, gives: ['--warn $1'] },
  { names: ['--critical', '-c'], value: true, of: /^check /, gives: ['--crit $1'] },
  {
    names: ['--days', '--within'],
    value: /^\d+d?$/,
    of: /^check (?:certificates|tokens)$/,
    gives: (value) => ({ tokens: ['--warn', `${Number.parseInt(value, 10)}d`] }),
  },
  { names: ['--csv'], gives: ['-o csv'] },
  { names: ['--markdown', '--md'], gives: ['-o markdown'] },
  { names: ['--plain', '--table'], gives: ['-o table'] },
  { names: ['--template', '--go-template', '--jsonpath', '-t'], value: true, gives: pickFields },
  {
    names: ['-q'],
    value: /^(?:[.[{]|map|select|to_entries|keys|length)/,
    gives: (value) => ({ tokens: ['--jq', value] }),
  },
  {
    names: ['--columns', '--column', '--field', '--show', '-c'],
    value: true,
    gives: ['--fields $1'],
  },
  {
    names: ['--no-header', '--noheader', '--noheaders', '--skip-headers'],
    gives: ['--no-headers'],
  },
  { names: ['--order', '--sort'], value: /^asc$/i, wins: true, gives: () => ({ tokens: [] }) },
  {
    names: ['--order', '--sort'],
    value: /^desc$/i,
    wins: true,
    gives: () => ({ tokens: [], isReversed: true }),
  },
  {
    names: ['--to'],
    value: /^[\w-]+$/,
    of: /^storage-move schedule$/,
    wins: true,
    gives: ['--destination-storage-name $1'],
  },
  {
    names: ['--reverse', '--desc', '--descending'],
    gives: () => ({ tokens: [], isReversed: true }),
  },
  { names: ['--sort-by', '--order-by', '--orderby', '--order'], value: true, gives: toOrder },
  { names: ['--oneline'], of: /^commits list$/, gives: ['--fields short_id,title'] },
  { names: ['--no-cli-pager'], gives: ['--no-pager'] },
  { names: ['--no-colour'], gives: ['--no-color'] },
  { names: ['--silent', '-s'], gives: ['--quiet'] },
  { names: ['--debug', '--trace'], gives: ['-vv'] },
  {
    names: ['--tail'],
    value: /^\d+$/,
    gives: (value, { hasField }) => ({
      tokens: [`--sort=-${hasField('created_at') ? 'created_at' : 'id'}`, '--limit', value],
    }),
  },
  { names: ['-w', '--follow', '--tail'], gives: ['--watch'] },
  // Choice of records.
  { names: ['--all', '-A', '--all-pages', '--no-limit'], of: /^api$/, gives: ['--paginate'] },
  {
    names: ['--all', '-A', '--all-pages', '--paginate', '--no-limit'],
    gives: (_, { takes }) => ({
      tokens: takes('select')
        ? [...(takes('instance') ? ['--instance'] : []), '--select', 'id>0']
        : ['--limit', 'all'],
    }),
  },
  { names: ['--all-namespaces', '--all-repos'], gives: ['--all-projects', '--limit all'] },
  { names: ['-n'], value: /^\d+$/, gives: ['--limit $1'] },
  {
    names: ['--max-results', '--max-items', '--max-count', '--top'],
    value: true,
    gives: ['--limit $1'],
  },
  { names: ['--head'], value: /^\d+$/, gives: ['--limit $1'] },
  { names: ['--head', '-H'], value: true, of: /^mr list$/, gives: ['--source-branch $1'] },
  { names: ['--base', '-B'], value: true, of: /^mr list$/, gives: ['--target-branch $1'] },
  { names: ['--page-size', '--perpage'], value: true, gives: ['--per-page $1'] },
  {
    names: ['--search', '--find'],
    value: true,
    of: /^members list$/,
    gives: ['--query $1'],
  },
  {
    names: ['--filter', '--selector', '--field-selector', '-l', '--search', '-S'],
    value: true,
    gives: toFilter,
  },
  { names: ['--query'], value: true, gives: toQuery },
  { names: ['--mine', '--me'], gives: ['--scope created_by_me', '--owned'] },
  { names: ['--assignee', '-a'], value: /^@?me$/, gives: ['--scope assigned_to_me'] },
  {
    names: ['--older-than', '--older'],
    value: /^\d+[hdw]$/,
    gives: (value, place) => toAge(`>${value}`, place),
  },
  {
    names: ['--newer-than', '--newer', '--max-age'],
    value: /^\d+[hdw]$/,
    gives: (value, place) => toAge(`<${value}`, place),
  },
  // Artifacts.
  { names: ['-j', '-n', '--name'], value: true, of: /^artifacts /, gives: ['--job $1'] },
  { names: ['-O', '--output-document', '--out-file'], value: true, gives: ['--to $1'] },
  {
    names: ['-D', '-d', '--dir', '--directory', '--path'],
    value: true,
    of: /^artifacts download$/,
    gives: ['--extract --to $1'],
  },
  { names: ['--unzip', '-x'], of: /^artifacts download$/, gives: ['--extract'] },
  // Projects and groups.
  { names: ['-R', '--repo', '--repository', '--project-id'], value: true, gives: ['-P $1'] },
  {
    names: ['--namespace', '--org', '--owner', '--group-id', '-n', '-g'],
    value: true,
    gives: ['-G $1'],
  },
  { names: ['--id', '--iid'], value: true, gives: ['$1'] },
  // Of the instance, and as whom.
  {
    names: ['--host', '--hostname', '--server', '--url', '--endpoint', '--api-url'],
    value: true,
    gives: (value) => ({ tokens: ['--base-url', toAddress(value)] }),
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
    gives: () => ({ tokens: [] }),
  },
  {
    names: ['--web', '--sso', '--device', '--device-code', '--use-device-code', '--interactive'],
    of: /^auth login$/,
    gives: () => ({ tokens: [] }),
  },
  {
    names: ['--name', '--profile-name', '--user', '--username'],
    value: true,
    of: /^auth (?:login|logout|switch)$/,
    gives: ['$1'],
  },
  {
    names: ['--show-token', '-t'],
    of: /^auth status$/,
    gives: () => ({ tokens: [], command: 'auth token' }),
  },
  { names: ['--name', '--key'], value: true, of: /^settings get$/, gives: ['$1'] },
  { names: ['-P', '--project'], value: true, of: /^access$/, gives: ['project:$1'] },
  { names: ['-G', '--group'], value: true, of: /^access$/, gives: ['group:$1'] },
  { names: ['-u', '--user'], value: /^[^@]/, of: /^access$/, gives: ['@$1'] },
  {
    names: ['--context', '--kube-context', '--account', '--config-profile'],
    value: true,
    gives: ['-p $1'],
  },
  { names: ['--as', '--impersonate'], value: true, gives: ['--sudo $1'] },
  {
    names: ['-k', '--insecure-skip-tls-verify', '--no-verify-ssl', '--skip-tls-verify'],
    gives: ['--insecure'],
  },
  { names: ['--max-retries', '--retry'], value: true, gives: ['--retries $1'] },
  {
    names: ['--parallelism', '--parallel', '--jobs', '-j'],
    value: true,
    gives: ['--concurrency $1'],
  },
  // Writes.
  {
    names: ['--type'],
    value: /^(?:json|merge|strategic)$/,
    of: / update$/,
    gives: () => ({ tokens: [] }),
  },
  {
    names: [
      '--auto-approve',
      '--force',
      '--assume-yes',
      '--no-input',
      '--no-prompt',
      '--non-interactive',
      '--confirm',
    ],
    gives: ['--yes'],
  },
  {
    names: ['--dry-run'],
    of: /^apply$/,
    value: /^(?:client|server)$/,
    gives: () => ({ tokens: [], command: 'plan' }),
  },
  { names: ['--dry-run'], value: /^(?:client|server)$/, gives: ['--dry-run'] },
  { names: ['--check', '--whatif', '--what-if', '--simulate', '--noop'], gives: ['--dry-run'] },
  {
    names: ['--user', '--username', '--member'],
    value: true,
    of: /^members (?:get|add|update|remove)$/,
    gives: ['$1'],
  },
  {
    names: ['--everywhere', '--all'],
    of: /^members remove$/,
    gives: () => ({ tokens: [], command: 'members remove-everywhere' }),
  },
  {
    names: ['--role', '--level', '--access-level', '-r'],
    value: true,
    of: /^members (?:billable )?list$/,
    gives: ['--where access_level=$1'],
  },
  {
    names: ['--role', '--level', '--permission', '--access', '-r'],
    value: true,
    gives: ['--access-level $1'],
  },
  { names: ['--expires', '--expiry', '--expiration'], value: true, gives: ['--expires-at $1'] },
  { names: ['--until'], value: true, of: /^members /, gives: ['--expires-at $1'] },
  // Words of git and of other clients for what a commit does with a file.
  ...(
    [
      [['--add', '--add-file', '--new'], '--create $1'],
      [['--edit', '--modify', '--change', '--replace', '--write'], '--update $1'],
      [['--rm', '--remove', '--del'], '--delete $1'],
      [['--mv', '--rename'], '--move $1'],
    ] as const
  ).map(
    ([names, flag]) => ({ names, value: true, of: /^commits create$/, gives: [flag] }) as const,
  ),
  { names: ['--tags', '--tag'], value: true, gives: ['--tag-list $1'] },
  { names: ['--label', '-l'], value: true, gives: ['--labels $1'] },
  { names: ['--paused'], of: / update$/, gives: ['--active=false'] },
  { names: ['--registration-token'], value: true, gives: ['--token $1'] },
  {
    names: ['--message', '--body', '-m', '-b'],
    value: true,
    of: /^api$/,
    gives: (value) => ({ tokens: ['--param', `body=${value}`] }),
  },
  { names: ['--assignee', '-a'], value: true, gives: ['--assignee-username $1'] },
  { names: ['--author'], value: true, gives: ['--author-username $1'] },
  { names: ['--reviewer', '-r'], value: true, gives: ['--reviewer-username $1'] },
  {
    names: ['--branch', '-b'],
    value: true,
    gives: ['--ref $1', '--ref-name $1', '--target-branch $1'],
  },
  { names: ['--branch', '-b'], value: true, of: /^jobs list$/, gives: ['--where ref=$1'] },
  {
    names: ['--dir', '--directory', '-D'],
    value: true,
    of: /^artifacts download$/,
    gives: ['--extract --to $1'],
  },
  {
    names: ['--file', '--filename', '-f', '--var-file', '--dir', '--path'],
    value: true,
    of: /^(?:plan|apply|drift|ci lint|check policy)$/,
    gives: ['$1'],
  },
  {
    names: ['-f', '--file', '--filename', '--from-file', '--input-file'],
    value: true,
    gives: toInput,
  },
  {
    names: ['--out', '--output-file', '--outfile', '--output-dir', '--out-dir', '--dest'],
    value: true,
    gives: ['--to $1'],
  },
  {
    names: ['--exit-code', '--detailed-exitcode'],
    of: /^drift$/,
    gives: () => ({ tokens: [] }),
  },
  {
    names: ['--target'],
    value: true,
    of: /^(?:plan|apply|drift|export)$/,
    gives: ['--only $1'],
  },
  {
    names: ['--refresh-only'],
    of: /^(?:plan|apply)$/,
    gives: () => ({ tokens: [], command: 'drift' }),
  },
  {
    names: ['--detailed-exitcode'],
    of: /^plan$/,
    gives: () => ({ tokens: [], command: 'drift' }),
  },
]
