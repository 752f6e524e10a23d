/** `svcctl help <topic>`: what all commands share, from the same data as the parser, and the pages of the guide. */

import {
  groupFlags,
  outputFlags,
  pageFlags,
  pagingFlags,
  repeatFlags,
  requestFlags,
  sinceFlags,
  sortFlags,
  spreadFlags,
} from '../../engine/command/globals.js'
import { categoryMeanings, exitCodes, Failure, usage } from '../../errors.js'
import { formats } from '../../output/formats.js'
import { toFlagRows } from './command.js'
import { environmentVariables } from './environment.js'
import type { GuidePage } from './guide.js'
import { indent, layOutTable, wrap } from './layout.js'

const pageWidth = 80

/** `svcctl help flags`: what every command takes. */
const flagsTopic = (): string =>
  (
    [
      ['Commands that list:', [...pagingFlags, ...sortFlags, ...groupFlags, ...sinceFlags]],
      ['Commands for projects or groups:', spreadFlags],
      ['Commands that read:', repeatFlags],
      ['Commands that show objects with a web page:', pageFlags],
      ['Commands that send requests:', requestFlags],
      ['All commands:', outputFlags],
    ] as const
  )
    .map(([title, flags]) => `${title}\n${layOutTable(toFlagRows(flags), pageWidth)}`)
    .join('\n\n')

const exitTopic = (): string => {
  const rows = Object.entries(exitCodes).map(
    ([category, code]) =>
      [`${code}  ${category}`, categoryMeanings[category as keyof typeof exitCodes]] as const,
  )
  return layOutTable([['0', 'success, or nothing to do (304)'], ...rows], pageWidth)
}

const environmentTopic = (): string =>
  layOutTable(
    environmentVariables.map(({ name, meaning }) => [name, meaning] as const),
    pageWidth,
  )

const outputTopic = (): string =>
  [
    layOutTable(
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
    layOutTable(
      Object.entries(settings).map(([name, param]) => [name, param.help] as const),
      pageWidth,
    ),
  ].join('\n')
}

const paragraphs = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => wrap(text, pageWidth - indent.length).map((line) => indent + line))

/** A page of the guide, for a terminal. */
const fromGuide =
  (name: GuidePage): Topic['page'] =>
  async () =>
    (await import('./guide.js')).guidePage(name, pageWidth)

interface Topic {
  /** For the list of manual pages, as a summary of a command. */
  readonly summary: string
  readonly page: () => string | Promise<string>
}

/** The topics of `svcctl help <topic>`. */
export const topics: Readonly<Record<string, Topic>> = {
  flags: { summary: 'flags that many commands take', page: flagsTopic },
  'exit-codes': { summary: 'exit codes and what they mean', page: exitTopic },
  environment: { summary: 'environment variables', page: environmentTopic },
  output: { summary: 'output formats, columns, limits and masking', page: outputTopic },
  configuration: { summary: 'profiles and their settings', page: configurationTopic },
  where: {
    summary: 'filter, sort and select records',
    page: fromGuide('where'),
  },
  'many-objects': {
    summary: 'change many objects in one run',
    page: fromGuide('many-objects'),
  },
  'as-code': {
    summary: 'plan and apply declared state',
    page: fromGuide('as-code'),
  },
  snapshots: {
    summary: 'keep, compare and check the state of an instance',
    page: fromGuide('snapshots'),
  },
  journal: {
    summary: 'resume and undo runs',
    page: fromGuide('journal'),
  },
  instances: {
    summary: 'work with several instances',
    page: fromGuide('instances'),
  },
  agents: {
    summary: 'give an agent access over the Model Context Protocol',
    page: fromGuide('agents'),
  },
  adoption: {
    summary: 'set up svcctl for a team in an afternoon',
    page: fromGuide('adoption'),
  },
  recipes: {
    summary: 'command lines for common tasks',
    page: async () => (await import('./guide.js')).recipesPage(pageWidth),
  },
}

/** Renders a topic; undefined if there is none of that name. */
export const topicHelp = (given: string): Promise<string> | undefined => {
  const name = given === 'real-instances' ? 'instances' : given
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  return topic && Promise.resolve(topic.page()).then((text) => `${text}\n`)
}

/** Suggests the nearest topic for a word that help does not know, if no command is near. */
export const withTopic = async (word: string, error: unknown): Promise<unknown> => {
  if (!(error instanceof Failure) || error.details.hint?.startsWith('Did you mean')) return error
  const { nearest } = await import('../../base/suggest.js')
  const topic = nearest(word, Object.keys(topics))
  return topic === undefined ? error : usage(error.message, `Run "svcctl help ${topic}".`)
}
