/** The flags of other tools, each with its replacement. */

import { areaFlags } from './area-flags.js'
import { requestFlags } from './request-flags.js'
import { toolFlags } from './tool-flags.js'
import {
  chooseFields,
  dropFlag,
  type ForeignFlag,
  pickFields,
  toAge,
  toAttribute,
  toAttributeFile,
  toAttributes,
  toBaseUrl,
  toFilter,
  toFormat,
  toInput,
  toOrder,
  toQuery,
} from './values.js'

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
  ...requestFlags,
  ...toolFlags,
  ...areaFlags,
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
  {
    names: ['-f', '--file', '--filename', '--from-file', '--data', '--data-binary', '-d', '--body'],
    value: /^@?[^{}=]+\.(?:json|ya?ml)$/,
    gives: toAttributeFile,
  },
  { names: ['--cli-input-json'], value: /^file:\/\//, gives: toAttributeFile },
  // Output.
  { names: ['--tsv'], gives: dropFlag },
  { names: ['--html'], gives: ['-o html'] },
  { names: ['--ndjson', '--jsonl'], gives: ['-o ndjson'] },
  { names: ['--wide', '--long', '--full', '--details', '--show-labels'], gives: ['-o wide'] },
  {
    names: ['--json'],
    value: fieldNames,
    mayLack: true,
    gives: (value, place) => {
      const fields = value === '' ? [] : chooseFields(value.split(','), place)
      return fields && { tokens: ['-o', 'json', ...fields] }
    },
  },
  {
    names: ['--format', '--output-format', '--out-format'],
    value: true,
    gives: toFormat,
  },
  { names: ['-F', '-f', '-t'], value: /^(?:json|table|text|ya?ml|csv)$/, gives: toFormat },
  { names: ['--junit', '--junit-xml'], value: true, gives: ['--report junit=$1'] },
  { names: ['--sarif'], value: true, gives: ['--report sarif=$1'] },
  { names: ['--yaml'], gives: ['-o yaml'] },
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
    names: ['--properties', '--props', '--attributes', '--include', '--only', '--pick', '--select'],
    value: fieldNames,
    gives: (value, place) => {
      const tokens = chooseFields(value.split(','), place)
      return tokens && { tokens }
    },
  },
  {
    names: ['--no-header', '--noheader', '--noheaders', '--skip-headers'],
    gives: ['--no-headers'],
  },
  { names: ['--order', '--sort'], value: /^asc$/i, wins: true, gives: dropFlag },
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
  {
    names: ['-s', '--state'],
    value: /^(?:open|opened|closed|merged|all)$/,
    of: /^(?:mr|issues) list$/,
    gives: ['--state $1'],
  },
  { names: ['--silent', '-s'], of: /^(?!auth )/, gives: ['--quiet'] },
  { names: ['--log-level'], value: /^(?:debug|trace)$/, gives: ['-vv'] },
  { names: ['--debug', '--trace'], gives: ['-vv'] },
  {
    names: ['--tail', '--last'],
    value: /^\d+$/,
    gives: (value, { hasField }) => ({
      tokens: [`--sort=-${hasField('created_at') ? 'created_at' : 'id'}`, '--limit', value],
    }),
  },
  { names: ['-w', '--follow', '--tail'], gives: ['--watch'] },
  { names: ['--interval', '--watch-interval'], value: /^\d+s?$/, gives: ['--watch $1'] },
  { names: ['--total'], gives: ['--count'] },
  // Choice of records.
  {
    names: ['--all', '-A', '--all-pages', '--paginate', '--no-limit', '--unlimited'],
    gives: (_, { takes }) => ({
      tokens: takes('select')
        ? [...(takes('instance') ? ['--instance'] : []), '--select', 'id>0']
        : ['--limit', 'all'],
    }),
  },
  {
    names: ['--all-namespaces', '--all-repos'],
    gives: ['--instance', '--all-projects', '--limit all'],
  },
  { names: ['-n'], value: /^\d+$/, gives: ['--limit $1'] },
  {
    names: [
      ...['--max-results', '--max-items', '--max-count', '--top', '--first', '--take'],
      ...['--num', '--number', '--page-limit'],
    ],
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
  { names: ['-l'], value: /^[^=]+$/, of: /^(?:mr|issues) list$/, gives: ['--labels $1'] },
  { names: ['--closed', '-c'], of: /^(?:mr|issues) list$/, gives: ['--state closed'] },
  { names: ['-M'], of: /^mr list$/, gives: ['--state merged'] },
  { names: ['-d', '--wip'], of: /^mr list$/, gives: ['--where draft=true'] },
  { names: ['-t'], value: /^[\w./-]+$/, of: /^mr list$/, gives: ['--target-branch $1'] },
  { names: ['-m'], value: true, gives: ['--milestone $1'] },
  {
    names: ['--filter', '--selector', '--field-selector', '-l', '--search', '-S', '--grep'],
    value: true,
    gives: toFilter,
  },
  { names: ['--query'], value: true, gives: toQuery },
  { names: ['--mine', '--me'], of: /^(?:mr|issues) list$/, gives: ['--scope created_by_me'] },
  { names: ['--mine', '--me'], of: /^projects list$/, gives: ['--owned'] },
  {
    names: ['--author', '--created-by'],
    value: /^@me$/,
    of: /^(?:mr|issues) list$/,
    gives: ['--scope created_by_me'],
  },
  { names: ['--created-by', '--creator'], value: true, gives: ['--author-username $1'] },
  { names: ['--today'], gives: (_, place) => toAge('>=today', place) },
  {
    names: ['--expiring', '--expires-within', '--expires-in'],
    value: /^\d+[dw]$/,
    gives: (value, { takes, hasField, name }) =>
      hasField('expires_at') && / list$/.test(name)
        ? { tokens: [takes('select') ? '--select' : '--where', `expires_at<+${value}`] }
        : undefined,
  },
  { names: ['--after'], value: true, of: /^commits list$/, gives: ['--since $1'] },
  { names: ['--before'], value: true, of: /^commits list$/, gives: ['--until $1'] },
  { names: ['--type'], value: /ed$/, of: /^events list$/, gives: ['--action $1'] },
  {
    names: ['--all-levels', '--effective', '--include-inherited'],
    of: /^members list$/,
    gives: ['--inherited'],
  },
  { names: ['--direct'], of: /^members list$/, gives: dropFlag },
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
    names: [
      '--host',
      '--hostname',
      '--server',
      '--url',
      '--endpoint',
      '--endpoint-url',
      '--api-url',
    ],
    value: true,
    of: /^(?!integrations |geo )/,
    gives: toBaseUrl,
  },
  {
    names: [
      ...['--context', '--kube-context', '--account', '--config-profile'],
      ...['--ctx', '--cluster', '--subscription', '--workspace'],
    ],
    value: true,
    gives: ['-p $1'],
  },
  { names: ['--as'], value: true, of: /^members (?:add|update)$/, gives: ['--access-level $1'] },
  { names: ['--as', '--impersonate'], value: true, gives: ['--sudo $1'] },
  {
    names: [
      ...['-k', '--insecure-skip-tls-verify', '--no-verify-ssl', '--skip-tls-verify'],
      ...['--no-check-certificate', '--no-verify'],
    ],
    gives: ['--insecure'],
  },
  { names: ['--max-retries', '--retry'], value: true, gives: ['--retries $1'] },
  { names: ['--no-retry'], gives: ['--retries 0'] },
  {
    names: ['--request-timeout', '--connect-timeout', '--max-time'],
    value: /^\d+s?$/,
    gives: ['--timeout $1'],
  },
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
    gives: dropFlag,
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
  { names: ['--dry-run'], value: /^(?:client|server)$/, gives: ['--dry-run'] },
  { names: ['--check', '--whatif', '--what-if', '--simulate', '--noop'], gives: ['--dry-run'] },
  {
    names: ['--user', '--username', '--member', '--user-id'],
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
    gives: (value) => ({ tokens: ['--where', `access_level=${value.replaceAll(',', '|')}`] }),
  },
  {
    names: ['--role', '--level', '--permission', '--access', '-r'],
    value: true,
    gives: ['--access-level $1'],
  },
  {
    names: ['--expires', '--expiry', '--expiration', '--until'],
    value: true,
    gives: ['--expires-at $1'],
  },
  {
    names: ['--expires-in', '--ttl'],
    value: /^\d+[dw]$/,
    gives: ['--expires-at +$1'],
  },
  { names: ['--tags', '--tag'], value: true, gives: ['--tag-list $1'] },
  { names: ['--label', '-l'], value: true, gives: ['--labels $1'] },
  { names: ['--paused'], of: / update$/, gives: ['--active=false'] },
  { names: ['--registration-token'], value: true, gives: ['--token $1'] },
  { names: ['--assignee', '-a'], value: true, gives: ['--assignee-username $1'] },
  { names: ['--author'], value: true, gives: ['--author-username $1'] },
  { names: ['--reviewer', '-r'], value: /^(?!@?me$)/, gives: ['--reviewer-username $1'] },
  {
    names: ['--branch', '-b'],
    value: true,
    gives: ['--ref $1', '--ref-name $1', '--target-branch $1'],
  },
  { names: ['--branch', '-b'], value: true, of: /^jobs list$/, gives: ['--where ref=$1'] },
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
  { names: ['-n'], of: /^(?!.* list$)/, gives: ['--dry-run'] },
]

/** True for a flag of another tool, which has another name as a parameter of a request, or none. */
export const isForeignFlag = (form: string, command: string): boolean =>
  foreignFlags.some(({ names, of }) => names.includes(form) && of?.test(command) !== false)
