/** Help on what all commands share. All from the same data as the parser. */
import {
  outputFlags,
  pageFlags,
  pagingFlags,
  repeatFlags,
  requestFlags,
  sortFlags,
  spreadFlags,
} from '../../engine/command/globals.js'
import { categoryMeanings, exitCodes } from '../../errors.js'
import { formats } from '../../output/formats.js'
import { environment } from './environment.js'
import { rowsOfFlags } from './flag-rows.js'
import { commandLine, indent, table, wrap } from './layout.js'

// `svcctl help real-instances`: where instances differ from the documents, and what to do about it.

/** A paragraph, or lines of a shell or a file. */
type Part = string | { readonly lines: readonly string[] }

const parts: readonly Part[] = [
  'The API documents use neutral names. On a real instance, a few parameters, fields and the session cookie have other names, and each version supports a different set. Paths, headers and values are mostly the same.',
  'An instance ignores parameters that it does not know and still answers 200. After a write, svcctl therefore compares the response with the request and reports ignored attributes. With --strict, the command then exits with 1. svcctl doctor shows the version of the instance and the vocabulary in use.',
  'You can send parameters that only a newer version knows, and show its fields:',
  {
    lines: [
      'svcctl settings update --param new_setting=5 --strict',
      'svcctl runners list --param status=brand_new',
    ],
  },
  'A vocabulary file holds the names that an instance uses. "learn" writes one from the instance’s responses and leaves uncertain names as comments. "check" compares the file with the instance:',
  {
    lines: [
      'svcctl vocabulary learn --to work.yml',
      'svcctl profile set work --vocabulary work.yml',
      'svcctl vocabulary check -p work',
    ],
  },
  'An example of the file. Only the first line is required:',
  {
    lines: [
      'vocabulary: 1',
      'words: { cloud: nimbus }               # parts of names and paths',
      'names: { monitor_site: watch_region }  # whole names; beat words',
      'cookies: { _svc_session: _hub_session }',
      'headers: { x-total: x-hub-total }',
      'paths: { /geo_nodes: /geo_sites }',
      'slugs: { monitoring: watchtower }      # of a family of integrations',
      'values: { runners.status: [stale] }    # further ones',
      'gone: { "POST /ci/lint": "check within a project: --project" }',
      'secrets: [hub_signing_blob]            # further fields to mask',
    ],
  },
  'svcctl then accepts both names: as flags, in --param, --input, --fields and --where, and in "settings get". Do not use both names of a parameter on one command line. --curl, -v and the audit log show the instance’s names, because these are sent. JSON keeps the instance’s names; tables and CSV use them as headings; --help and completion list them first. With several profiles, each instance gets its own names. Files for plan and apply always use the names of the API documents.',
  'The vocabulary of a profile applies to its base URL only. SVC_VOCABULARY applies to every instance, including the embedded one. A vocabulary can rename fields but never weakens protection: a secret field stays masked under both names. To test with these names, run svcctl sandbox serve --vocabulary work.yml.',
]

/** The page. */
const realInstancesPage = (width: number): string =>
  parts
    .map((part) =>
      typeof part === 'string'
        ? wrap(part, width - indent.length)
            .map((line) => indent + line)
            .join('\n')
        : part.lines
            .map((line) =>
              line.startsWith('svcctl') ? commandLine(line, width) : `${indent}  ${line}`,
            )
            .join('\n'),
    )
    .join('\n\n')

const pageWidth = 80

/** `svcctl help flags`: what every command takes. */
const flagsTopic = (): string =>
  (
    [
      ['Commands that list:', [...pagingFlags, ...sortFlags]],
      ['Commands for projects or groups:', spreadFlags],
      ['Commands that read:', repeatFlags],
      ['Commands that show objects with a web page:', pageFlags],
      ['Commands that send requests:', requestFlags],
      ['All commands:', outputFlags],
    ] as const
  )
    .map(([title, flags]) => `${title}\n${table(rowsOfFlags(flags), pageWidth)}`)
    .join('\n\n')

const exitTopic = (): string => {
  const rows = Object.entries(exitCodes).map(
    ([category, code]) =>
      [`${code}  ${category}`, categoryMeanings[category as keyof typeof exitCodes]] as const,
  )
  return table([['0', 'success, or nothing to do (304)'], ...rows], pageWidth)
}

const environmentTopic = (): string =>
  table(
    environment.map(({ name, meaning }) => [name, meaning] as const),
    pageWidth,
  )

const outputTopic = (): string =>
  [
    table(
      formats.map((f) => [f.name, f.summary] as const),
      pageWidth,
    ),
    '',
    ...paragraphs([
      'Standard output carries only the result. Notes, progress and prompts go to standard error.',
      '--fields a,b.c selects columns or keys; dots select nested fields.',
      'Lists stop at --limit (default 100). If there are more records, a note on standard error says so; --limit all lists everything.',
      'If a list fails midway, the records so far are printed, and the exit code and standard error report the failure. JSON output then lacks its closing bracket.',
      'Tokens, keys and passwords in responses are masked. --show-secrets shows them.',
    ]),
  ].join('\n')

const configurationTopic = async (): Promise<string> => {
  const { settings } = await import('../../profile/index.js')
  return [
    ...paragraphs([
      'Flags take precedence over environment variables, and these over the profile. Create a profile with svcctl auth login, change it with svcctl profile set, and choose one with svcctl auth switch or --profile.',
      'To run a command on several instances, use -p a,b, -p "prod-*", -p @tag or --all-profiles. Each instance uses its own credential and guard rails. Commands that write require profile names, --yes, and --confirm for each protected profile.',
      'Tokens are stored in the system keyring. Without a keyring, they are stored in a file that only you can read.',
    ]),
    '',
    'Settings of a profile:',
    table(
      Object.entries(settings).map(([name, param]) => [name, param.help] as const),
      pageWidth,
    ),
  ].join('\n')
}

const paragraphs = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => wrap(text, pageWidth - indent.length).map((line) => indent + line))

/** `svcctl help <topic>`. */
export const topics: Readonly<Record<string, () => string | Promise<string>>> = {
  flags: flagsTopic,
  'exit-codes': exitTopic,
  environment: environmentTopic,
  output: outputTopic,
  configuration: configurationTopic,
  'real-instances': () => realInstancesPage(pageWidth),
  recipes: async () => (await import('./recipes.js')).recipesPage(pageWidth),
}

/** A topic's page, or undefined when nothing is called that. */
export const topicHelp = (name: string): Promise<string> | undefined => {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  return topic === undefined ? undefined : Promise.resolve(topic()).then((text) => `${text}\n`)
}
