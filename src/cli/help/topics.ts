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
import { indent, table, wrap } from './layout.js'

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
  'real-instances': async () => (await import('./real-instances.js')).realInstancesPage(pageWidth),
  recipes: async () => (await import('./recipes.js')).recipesPage(pageWidth),
}

/** A topic's page, or undefined when nothing is called that. */
export const topicHelp = (name: string): Promise<string> | undefined => {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  return topic === undefined ? undefined : Promise.resolve(topic()).then((text) => `${text}\n`)
}
