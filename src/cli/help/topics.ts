/**
 * Renders help that is about no single command: the root page, areas, and topics such as environment variables and
 * pages of the guide.
 */

import { capitalize } from '../../base/text.js'
import { formatTraits } from '../../catalogue/formats.js'
import { areas, findAreaNamed, listAreas } from '../../catalogue/index.js'
import { loadCommandsIn, toolCommands } from '../../commands/index.js'
import { getCommandName, isExtension } from '../../engine/command/derive.js'
import { flagSets } from '../../engine/command/global-flags.js'
import type { Command } from '../../engine/command/types.js'
import { categoryMeanings, exitCodes, Failure, usage } from '../../errors.js'
import { formatArguments } from './command.js'
import type { GuidePage } from './guide.js'
import { formatSection, indent, layOutTable, type PageStyle, wrap } from './layout.js'
import { toFlagRows } from './rows.js'

/** An environment variable that the tool reads. `help environment` and README list them from this data. */
/** The meanings of the environment variables, in the order of the help page. */
export const environmentVariables = {
  SVC_BASE_URL: 'base URL of the instance',
  SVC_TOKEN: 'token; with SVC_BASE_URL, for that instance only',
  SVC_TOKEN_KIND: 'kind of the token: personal (default), oauth, session',
  SVC_JOB_TOKEN: 'job token, likewise; if unset, CI_JOB_TOKEN for CI_SERVER_URL only',
  SVC_PROFILE: 'profile to use',
  SVC_VOCABULARY: 'vocabulary file of the instance; takes precedence over the profile’s',
  SVC_SANDBOX: '1: use the embedded instance',
  SVC_SANDBOX_JOBS: 'result of jobs on the embedded instance: pass, fail=<glob of names>, hold',
  SVC_OUTPUT: 'output format',
  SVC_SUDO: 'user to act as (sudo)',
  SVC_PROJECT: 'default project; otherwise CI_PROJECT_ID, then the git remote',
  SVC_GROUP: 'default group',
  SVC_ALERT_ENDPOINT: 'URL for "alerts send"',
  SVC_ALERT_KEY: 'authorization key for "alerts send"',
  SVC_NOTE_TOKEN: 'token for plan --note and drift --note; may be another than that of the plan',
  SVC_CONFIG_DIR: 'folder for the configuration, state and cache',
  SVC_NO_KEYRING: '1: keep tokens in a file, not in the keyring',
  SVC_NO_PROMPT: '1: never prompt',
  SVC_ACCESSIBLE: '1: words instead of symbols and bars, no redrawing, line prompts',
  'SVC_TERMINAL, COLUMNS': 'width of -o table in a pipe or a file; otherwise as wide as its values',
  SVC_PAGER: 'pager for long output; otherwise PAGER',
  'NO_COLOR, FORCE_COLOR, CLICOLOR': 'no color; color everywhere; no color if 0',
  CLICOLOR_FORCE: 'color everywhere, unless it is 0',
  'HTTP_PROXY, HTTPS_PROXY, NO_PROXY':
    'proxies by URL scheme, and what needs none: names, IP addresses, networks; never used for this machine',
  'SSL_CERT_FILE, SSL_CERT_DIR': 'PEM file, and folders, with additional certificate authorities',
  NODE_EXTRA_CA_CERTS: 'the same, read by Node when svcctl starts',
  CI_SERVER_TLS_CA_FILE: 'additional certificate authorities for CI_SERVER_URL only',
  CI: 'set in CI: no prompts, no progress, no color unless forced',
} as const satisfies Readonly<Record<string, string>>

const pageWidth = 80

/** Renders `svcctl help flags`: the flags that many commands take. */
const renderFlagsTopic = (): string =>
  (
    [
      [
        'Commands that list:',
        [...flagSets.paging, ...flagSets.sort, ...flagSets.group, ...flagSets.since],
      ],
      ['Commands for projects or groups:', flagSets.spread],
      ['Commands that read:', [...flagSets.repeat, ...flagSets.title]],
      ['Commands that show objects with a web page:', flagSets.page],
      ['Commands that send requests:', flagSets.request],
      ['All commands:', flagSets.output],
    ] as const
  )
    .map(([title, flags]) => `${title}\n${layOutTable(toFlagRows(flags), pageWidth)}`)
    .join('\n\n')

const renderExitCodesTopic = (): string => {
  const rows = Object.entries(exitCodes).map(
    ([category, code]) =>
      [`${code}  ${category}`, categoryMeanings[category as keyof typeof exitCodes]] as const,
  )
  return layOutTable([['0', 'success, or nothing to do (304)'], ...rows], pageWidth)
}

const renderEnvironmentTopic = (): string =>
  layOutTable(Object.entries(environmentVariables), pageWidth)

const renderOutputTopic = (): string =>
  [
    layOutTable(
      formatTraits.map((f) => [f.name, f.summary] as const),
      pageWidth,
    ),
    '',
    ...wrapParagraphs([
      'Standard output carries only the result. Notes, progress and prompts go to standard error.',
      '--fields a,b.c selects columns or keys; dots select nested fields.',
      'Lists stop at --limit (default 100). If there are more records, a note on standard error says so; --limit all lists everything.',
      'If a list fails midway, the records so far are printed, and the exit code and standard error report the failure. JSON output then lacks its closing bracket.',
      'Tokens, keys and passwords in responses are masked. --show-secrets shows them.',
    ]),
  ].join('\n')

const renderConfigurationTopic = async (): Promise<string> => {
  const { settings } = await import('../../profile/index.js')
  return [
    ...wrapParagraphs([
      'Flags take precedence over environment variables, and these over the profile. Create a profile with svcctl auth login, change it with svcctl profile set, and choose one with svcctl auth switch or --profile. Without a name, a profile is named after the host.',
      'To run a command on several instances, use -p a,b, -p "prod-*", -p @tag or --all-profiles. Each instance uses its own credential and guard rails. Commands that write require profile names, --yes, and --confirm for each protected profile.',
      'Tokens are stored in the system keyring. Without a keyring, they are stored in a file that only you can read.',
    ]),
    '',
    'Settings of a profile:',
    layOutTable(
      Object.entries(settings).map(([name, param]) => [name, param.help] as const),
      pageWidth,
    ),
  ].join('\n')
}

const wrapParagraphs = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => wrap(text, pageWidth - indent.length).map((line) => indent + line))

/** Creates the renderer of a page of the guide. */
const createGuideTopic =
  (name: GuidePage): Topic['page'] =>
  async () =>
    (await import('./guide.js')).renderGuidePage(name, pageWidth)

interface Topic {
  /** The summary in lists of topics and manual pages. */
  readonly summary: string
  readonly page: () => string | Promise<string>
}

/** The topics of `svcctl help <topic>`. */
export const topics: Readonly<Record<string, Topic>> = {
  flags: { summary: 'flags that many commands take', page: renderFlagsTopic },
  'exit-codes': { summary: 'exit codes and what they mean', page: renderExitCodesTopic },
  environment: { summary: 'environment variables', page: renderEnvironmentTopic },
  output: { summary: 'output formats, columns, limits and masking', page: renderOutputTopic },
  configuration: { summary: 'profiles and their settings', page: renderConfigurationTopic },
  where: {
    summary: 'filter, sort and select records',
    page: createGuideTopic('where'),
  },
  'many-objects': {
    summary: 'change many objects in one run',
    page: createGuideTopic('many-objects'),
  },
  'as-code': {
    summary: 'plan and apply declared state',
    page: createGuideTopic('as-code'),
  },
  snapshots: {
    summary: 'keep, compare and check the state of an instance',
    page: createGuideTopic('snapshots'),
  },
  journal: {
    summary: 'resume and undo runs',
    page: createGuideTopic('journal'),
  },
  instances: {
    summary: 'work with several instances',
    page: createGuideTopic('instances'),
  },
  agents: {
    summary: 'give an agent access over the Model Context Protocol',
    page: createGuideTopic('agents'),
  },
  extend: {
    summary: 'add commands that the API documents leave out',
    page: createGuideTopic('extend'),
  },
  'first-hour': {
    summary: 'try svcctl on the embedded instance, line by line',
    page: createGuideTopic('first-hour'),
  },
  'coming-from': {
    summary: 'the lines of other tools, and what they are here',
    page: createGuideTopic('coming-from'),
  },
  troubleshooting: {
    summary: 'what to do about errors, by symptom',
    page: createGuideTopic('troubleshooting'),
  },
  adoption: {
    summary: 'set up svcctl for a team in an afternoon',
    page: createGuideTopic('adoption'),
  },
  recipes: {
    summary: 'command lines for common tasks',
    page: async () => (await import('./guide.js')).renderRecipesPage(pageWidth),
  },
}

/** Alternative names of topics, which are accepted and not shown. */
const topicAliases: Readonly<Record<string, string>> = {
  many: 'many-objects',
  'real-instances': 'instances',
}

/** Renders a topic; undefined if there is none with that name. */
export const renderTopic = (given: string): Promise<string> | undefined => {
  const name = topicAliases[given] ?? given
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  return topic && Promise.resolve(topic.page()).then((text) => `${text}\n`)
}

/** Suggests the nearest topic for an unknown word, unless the error already suggests a command. */
export const suggestTopic = async (word: string, error: unknown): Promise<unknown> => {
  if (!(error instanceof Failure) || error.details.hint?.startsWith('Did you mean')) return error
  const { findNearest } = await import('../../base/suggest.js')
  const topic = findNearest(word, Object.keys(topics))
  return topic === undefined ? error : usage(error.message, `Run "svcctl help ${topic}".`)
}

// The help of svcctl and its areas.

const toolGroups = [
  ['start', 'Getting started'],
  ['glance', 'At a glance'],
  ['account', 'Accounts and profiles'],
  ['as code', 'Infrastructure as code'],
  ['tool', 'The tool'],
] as const

/** Lists the areas that only extensions add, in one paragraph. */
const describeExtensions = (style: PageStyle): string => {
  const names = listAreas().flatMap(({ name, from }) =>
    from === undefined || areas.some((one) => one.name === name) ? [] : name,
  )
  if (names.length === 0) return ''
  const lines = wrap(names.join(', '), style.width - indent.length)
  return formatSection(
    'From extensions, not in the documents:',
    lines.map((line) => indent + line).join('\n'),
    style,
  )
}

/** Renders `svcctl --help`. */
export const renderRootHelp = (style: PageStyle): string => {
  const own = toolGroups.map(([group, title]) => {
    const commands = toolCommands.filter((c) => c.group === group)
    const lines = commands.map((c) => [getCommandName(c), c.summary] as const)
    return formatSection(`${title}:`, layOutTable(lines, style.width), style)
  })
  const rows = areas.map((a) => [a.name, a.summary] as const)
  return [
    'Administer a source-hosting, collaboration and CI instance through its REST API.\n',
    formatSection('Usage:', `${indent}svcctl <area> <verb> [id …] [flags]`, style),
    formatSection('Areas:', layOutTable(rows, style.width), style),
    ...own,
    describeExtensions(style),
    formatSection('Try it without an instance:', `${indent}svcctl runners list --sandbox`, style),
    formatSection(
      'Help:',
      layOutTable(
        [
          ['svcctl help <area>', 'the verbs of an area'],
          ['svcctl help <area> <verb>', 'flags, examples, required role'],
          ['svcctl help <topic>', Object.keys(topics).join(', ')],
        ],
        style.width,
      ),
      style,
    ).trimEnd(),
  ]
    .filter((part) => part !== '')
    .join('\n')
    .concat('\n')
}

/** Creates the rows for an area's verbs from extensions; the verbs of a group share a row. */
const groupExtensionRows = (
  commands: readonly Command[],
  group: string | undefined,
): readonly (readonly [string, string])[] => {
  const groups = new Map<string, Command[]>()
  for (const command of commands) {
    const [first = ''] = command.words.split(' ')
    const key = group === undefined && command.words.includes(' ') ? first : command.words
    groups.set(key, [...(groups.get(key) ?? []), command])
  }
  return [...groups].map(([key, some]) => {
    const [only, ...others] = some
    if (only !== undefined && others.length === 0) return toVerbRow(only, group)
    const verbs = some.map(({ words }) => words.slice(key.length + 1))
    return [`${key} <verb>`, verbs.join(', ')]
  })
}

/** Creates the row of a command: its words within the area or group, and its summary. */
const toVerbRow = (command: Command, group: string | undefined): readonly [string, string] => {
  const words = group === undefined ? command.words : command.words.slice(group.length + 1)
  return [`${words}${formatArguments(command)}`, command.summary]
}

/** Lists the extensions that commands come from. */
const getSources = (commands: readonly Command[]): string =>
  [
    ...new Set(
      commands.flatMap(({ endpoints }) =>
        Object.values(endpoints).flatMap(({ from = [] }) => from),
      ),
    ),
  ].join(', ')

/** Renders the help of an area (`svcctl runners --help`), or of a group within an area (`geo nodes`). */
export const renderAreaHelp = async (
  area: string,
  style: PageStyle,
  group?: string,
): Promise<string> => {
  const row = group === undefined ? findAreaNamed(area) : undefined
  const commands = (await loadCommandsIn(area)).filter(
    (c) => group === undefined || c.words.startsWith(`${group} `),
  )
  const prefix = group === undefined ? area : `${area} ${group}`
  const added = commands.filter(isExtension)
  const rows = commands.filter((c) => !isExtension(c)).map((c) => toVerbRow(c, group))
  return [
    row === undefined ? '' : `${capitalize(row.summary)}.\n`,
    formatSection('Usage:', `${indent}svcctl ${prefix} <verb> [flags]`, style),
    formatSection('Verbs:', layOutTable(rows, style.width), style),
    formatSection(
      `From ${getSources(added)}, not in the documents:`,
      layOutTable(groupExtensionRows(added, group), style.width),
      style,
    ),
    `${style.dim(`svcctl ${prefix} <verb> --help says more about one of them.`)}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}
