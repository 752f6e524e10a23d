/** The values of global flags in the law of pairs. A declared flag without an entry here does not compile. */

import { formatNames } from '../../../src/catalogue/formats.js'
import type { globalFlagRows } from '../../../src/engine/command/global-flags.js'

/** Addresses and paths that the values of flags use. */
export interface Places {
  /** Base URL of the instance, which both profiles name. */
  readonly url: string
  /** A snapshot of the instance. */
  readonly snapshot: string
  /** A file that does not exist yet. */
  readonly out: string
  /** A journal that does not exist yet. */
  readonly journal: string
}

export interface FlagValue {
  readonly flag: keyof typeof globalFlagRows
  readonly words: (places: Places) => readonly string[]
  /** Set if standard output is the same with and without the flag. */
  readonly neutral?: true
}

type Words = readonly string[] | ((places: Places) => readonly string[])

/** Flags whose values do not change the output. */
const neutral: ReadonlySet<string> = new Set([
  'timeout',
  'retries',
  'max-wait',
  'concurrency',
  'rate',
  'tolerate',
  'max-failures',
  'undo-record',
  'strict',
  'yes',
  'quiet',
  'verbose',
  'color',
  'pager',
  'insecure',
  'page-title',
] satisfies readonly (keyof typeof globalFlagRows)[])

/** The values of each flag; empty if every value would ask the user or open a browser. */
const values: Readonly<Record<keyof typeof globalFlagRows, readonly Words[]>> = {
  limit: [
    ['--limit', '3'],
    ['-L', 'all'],
  ],
  page: [['--page', '1']],
  'per-page': [['--per-page', '2']],
  where: [['--where', 'id>0']],
  since: [({ snapshot }) => ['--since', snapshot]],
  'all-fields': [['--all-fields']],
  sort: [['--sort', '-id']],
  'group-by': [['--group-by', 'id']],
  count: [['--count']],
  sum: [['--sum', 'id']],
  avg: [['--avg', 'id']],
  min: [['--min', 'id']],
  max: [['--max', 'id']],
  p95: [['--p95', 'id']],
  'wait-until': [['--wait-until', 'id>0']],
  'wait-timeout': [['--wait-timeout', '1']],
  strict: [['--strict']],
  select: [['--select', 'id<3']],
  'row-fields': [['--row-fields', 'description']],
  journal: [['--journal', 'none'], ({ journal }) => ['--journal', journal]],
  resume: [['--resume', 'last']],
  'undo-record': [['--no-undo-record']],
  shard: [['--shard', '1/2']],
  'dry-run': [['--dry-run']],
  save: [['--save']],
  'all-projects': [['--all-projects']],
  'all-groups': [['--all-groups']],
  recursive: [['--recursive']],
  'with-archived': [['--with-archived']],
  profile: [
    ['-p', 'b'],
    ['-p', 'a,b'],
  ],
  'all-profiles': [['--all-profiles']],
  tolerate: [['--tolerate', 'not_found']],
  'base-url': [({ url }) => ['--base-url', url]],
  from: [({ snapshot }) => ['--from', snapshot]],
  sandbox: [['--sandbox']],
  sudo: [['--sudo', 'root']],
  timeout: [['--timeout', '30']],
  retries: [['--retries', '1']],
  'max-wait': [['--max-wait', '60']],
  concurrency: [['--concurrency', '2']],
  rate: [['--rate', '1000/s']],
  'max-failures': [['--max-failures', '50%']],
  insecure: [['--insecure']],
  curl: [['--curl']],
  output: formatNames.map((name) => ['-o', name]),
  to: [({ out }) => ['--to', out]],
  open: [['--open']],
  fields: [['--fields', 'id']],
  'show-secrets': [['--show-secrets']],
  jq: [
    ['--jq', '.'],
    ['--jq', 'length'],
  ],
  slurp: [['--slurp']],
  headers: [['--no-headers']],
  'csv-raw': [['--csv-raw']],
  watch: [['--watch', '1']],
  yes: [['--yes']],
  confirm: [['--confirm', 'a']],
  quiet: [['--quiet']],
  verbose: [['-v']],
  color: [['--color', 'never']],
  pager: [['--no-pager']],
  help: [['--help']],
  'page-title': [['--page-title', 'A page']],
  web: [['--web']],
}

const toValue = (flag: keyof typeof globalFlagRows, words: Words): FlagValue => ({
  flag,
  words: typeof words === 'function' ? words : () => words,
  ...(neutral.has(flag) ? { neutral: true } : {}),
})

/** Every flag with each of its values, in the order of the declarations. */
export const flagValues: readonly FlagValue[] = Object.entries(values).flatMap(([flag, all]) =>
  all.map((words) => toValue(flag as keyof typeof globalFlagRows, words)),
)

/** Variables that may be set in the environment of a line. */
export const environments: readonly Readonly<Record<string, string>>[] = [
  { SVC_SANDBOX: '1' },
  { SVC_OUTPUT: 'json' },
  { SVC_OUTPUT: 'id' },
  { SVC_OUTPUT: 'html' },
  { SVC_PROFILE: 'b' },
  { CI: 'true' },
  { NO_COLOR: '1' },
  { SVC_TOKEN: 'TOKEN' },
  { SVC_BASE_URL: 'URL', SVC_TOKEN: 'TOKEN' },
  { SVC_PROJECT: 'web/docs' },
  { SVC_SUDO: 'root' },
  { SVC_NO_PROMPT: '1' },
]
