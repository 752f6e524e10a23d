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
  'The documents of the API have neutral words where a product has its own. Paths, headers and values are the same on deployed instances; a few parameters, fields and the session cookie are called otherwise there, and versions differ in what they know.',
  'What an instance does not know it ignores, with 200 and no complaint. So after a write its answer is held against what was sent, and what it does not show is noted; --strict makes that exit 1. svcctl doctor says which version it is and in which words it is spoken to.',
  'What a newer version knows is sent all the same by its own name, and shown wherever a field is named:',
  {
    lines: [
      'svcctl settings update --param new_setting=5 --strict',
      'svcctl runners list --param status=brand_new',
    ],
  },
  'An instance’s words are written down once, in a file. learn finds out what its answers tell, and leaves as comments what is not certain; check holds the file against the instance:',
  {
    lines: [
      'svcctl vocabulary learn --to work.yml',
      'svcctl profile set work --vocabulary work.yml',
      'svcctl vocabulary check -p work',
    ],
  },
  'The file, every section but the first of which may be missing:',
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
  'Both names are then taken: as flags, by --param, --input, --fields and --where, and by settings get. Both for one thing on one line are refused. --curl, -v and the audit log show what is sent; JSON is passed on as it came, tables and csv are headed by the instance’s word. --help and completion show that one first. With several profiles a line may have the names of any of them, and each is sent its own; files of plan and apply have those of the documents, whatever the instance.',
  'A profile’s file counts for its own address only; SVC_VOCABULARY counts for whatever instance the run is about, the embedded one as well. It can rename, and never unprotect: credentials travel as ever, and what is secret under one name is under the other. svcctl sandbox serve --vocabulary work.yml is an instance with these words, to rehearse against.',
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
      ['Of commands that list:', [...pagingFlags, ...sortFlags]],
      ['Of commands of projects or groups:', spreadFlags],
      ['Of commands that read:', repeatFlags],
      ['Of commands that show what has a page of its own:', pageFlags],
      ['Of commands that send a request:', requestFlags],
      ['Of every command:', outputFlags],
    ] as const
  )
    .map(([title, flags]) => `${title}\n${table(rowsOfFlags(flags), pageWidth)}`)
    .join('\n\n')

const exitTopic = (): string => {
  const rows = Object.entries(exitCodes).map(
    ([category, code]) =>
      [`${code}  ${category}`, categoryMeanings[category as keyof typeof exitCodes]] as const,
  )
  return table([['0', 'done, or nothing to do (304)'], ...rows], pageWidth)
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
      'Standard output carries the answer and nothing else; notes, progress and questions go to standard error.',
      '--fields a,b.c chooses columns or keys; dotted names reach inside.',
      'Lists end at --limit (100 unless given); a line on standard error says when there is more, --limit all gives everything.',
      'A list that ends midway has printed what came: the exit code and standard error tell. Only JSON shows it by itself, its array stays open.',
      'Tokens, keys and passwords in answers are masked unless --show-secrets is given.',
    ]),
  ].join('\n')

const configurationTopic = async (): Promise<string> => {
  const { settings } = await import('../../profile/index.js')
  return [
    ...paragraphs([
      'A flag beats the environment, the environment beats the profile. svcctl auth login makes a profile, svcctl profile set changes one, auth switch and --profile choose one.',
      'Several are asked at once by -p a,b, -p "prod-*", -p @tag (the setting tags) or --all-profiles: each with its own credential and guard rails. What writes takes names only, --yes, and --confirm for each protected one.',
      'Tokens are kept in the keyring of the system where there is one, else in a file that only its owner can read.',
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
