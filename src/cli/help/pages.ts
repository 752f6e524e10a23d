/** Help pages: the root, an area, a command, and the topics. All from the same data as the parser. */
import { type Endpoint, methodOf, pathOf } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import {
  commandsOfArea,
  examplesOf,
  lists,
  named,
  ownFlags,
  toolCommand,
} from '../../commands/derive/index.js'
import { outputFlags, pagingFlags, requestFlags } from '../../commands/globals.js'
import { toolCommands } from '../../commands/index.js'
import type { Command } from '../../commands/types.js'
import { categoryMeanings, exitCodes } from '../../errors.js'
import { formats } from '../../output/index.js'
import { settings } from '../../profile/index.js'
import { rowsOfFlags } from '../words/leaf.js'
import { environment } from './environment.js'
import { commandLine, indent, type Style, section, table, wrap } from './layout.js'

const pageWidth = 80

const groups = [
  ['start', 'Getting started'],
  ['account', 'Accounts and profiles'],
  ['tool', 'The tool'],
] as const

/** `svcctl --help`. */
export const rootHelp = async (style: Style): Promise<string> => {
  const own = await Promise.all(
    groups.map(async ([group, title]) => {
      const rows = toolCommands.filter((c) => c.group === group)
      const lines = await Promise.all(
        rows.map(async (row) => {
          const command = await toolCommand(row.area, row.words)
          return [named(row), command?.summary ?? ''] as const
        }),
      )
      return section(`${title}:`, table(lines, style.width), style)
    }),
  )
  const rows = areas.map((a) => [a.name, a.summary] as const)
  return [
    'Administer a source-hosting, collaboration and CI instance through its REST API.\n',
    section('Usage:', `${indent}svcctl <area> <verb> [id …] [flags]`, style),
    section('Areas:', table(rows, style.width), style),
    ...own,
    section('Try it without an instance:', `${indent}svcctl runners list --sandbox`, style),
    section(
      'Help:',
      table(
        [
          ['svcctl help <area>', 'the verbs of an area'],
          ['svcctl help <area> <verb>', 'flags, examples, who may do it'],
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

/** The commands of an area, or of a group of the tool's own. */
const commandsIn = async (area: string): Promise<Command[]> => {
  const row = areas.find((a) => a.name === area)
  if (row !== undefined) return commandsOfArea(row)
  const own = toolCommands.filter((c) => c.area === area)
  const loaded = await Promise.all(own.map((c) => toolCommand(c.area, c.words)))
  return loaded.flatMap((c) => (c === undefined ? [] : [c]))
}

/** `svcctl runners --help`; of a group within an area (`geo nodes`) its verbs alone. */
export const areaHelp = async (area: string, style: Style, group?: string): Promise<string> => {
  const summary = group === undefined ? areas.find((a) => a.name === area)?.summary : undefined
  const commands = (await commandsIn(area)).filter(
    (c) => group === undefined || c.words.startsWith(`${group} `),
  )
  const prefix = group === undefined ? area : `${area} ${group}`
  const rows = commands.map((c) => {
    const words = group === undefined ? c.words : c.words.slice(group.length + 1)
    return [`${words}${argumentsText(c)}`, c.summary] as const
  })
  return [
    summary === undefined ? '' : `${capital(summary)}.\n`,
    section('Usage:', `${indent}svcctl ${prefix} <verb> [flags]`, style),
    section('Verbs:', table(rows, style.width), style),
    `${style.dim(`svcctl ${prefix} <verb> --help says more about one of them.`)}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The arguments of a command as usage shows them. */
export const argumentsText = (command: Command): string =>
  command.args
    .map(
      (a) => ` ${a.required ? '<' : '['}${a.name}${a.variadic ? '…' : ''}${a.required ? '>' : ']'}`,
    )
    .join('')

/** A route; where it is too wide, broken before a slash. */
const routeText = (e: Endpoint, width: number): string => {
  const method = methodOf(e).padEnd(7)
  const parts = wrap(pathOf(e).replaceAll('/', ' /').trim(), width - indent.length - method.length)
  const lines = parts.map((line) => line.replaceAll(' /', '/'))
  return indent + method + lines.join(`\n${indent}${' '.repeat(method.length)}`)
}

const routes = (command: Command, width: number): string =>
  Object.values(command.endpoints)
    .map((e) => routeText(e, width))
    .join('\n')

const facts = (command: Command): (readonly [string, string])[] => {
  const all = Object.values(command.endpoints)
  const roles = [...new Set(all.flatMap((e) => e.access ?? []))]
  const access = roles.join('; ')
  const edition = [...new Set(all.flatMap((e) => e.edition ?? []))].join(', ')
  const loss = all.find((e) => e.destructive !== undefined)?.destructive
  return [
    ...(access === '' ? [] : [['who', access] as const]),
    ...(edition === '' ? [] : [['edition', `${edition} or higher`] as const]),
    ...(loss === undefined ? [] : [['asks first', loss] as const]),
  ]
}

/** `svcctl runners list --help`. */
export const commandHelp = async (command: Command, style: Style): Promise<string> => {
  const description = [
    ...(command.description ?? []),
    ...Object.values(command.endpoints).flatMap((e) => e.notes ?? []),
  ]
  const body = [...new Set(description)].flatMap((text) => wrap(text, style.width)).join('\n')
  return [
    `${command.summary}.\n`,
    section('Usage:', `${indent}svcctl ${named(command)}${argumentsText(command)} [flags]`, style),
    body === '' ? '' : `${body}\n`,
    section(
      'Arguments:',
      table(
        command.args.map((a) => [a.name, a.help] as const),
        style.width,
      ),
      style,
    ),
    section('Flags:', table(rowsOfFlags(ownFlags(command)), style.width), style),
    sharedFlags(command, style),
    section('Good to know:', table(facts(command), style.width), style),
    section(
      'Examples:',
      (await examplesOf(command)).map((e) => commandLine(`svcctl ${e}`, style.width)).join('\n'),
      style,
    ),
    section('API:', routes(command, style.width), style).trimEnd(),
  ]
    .filter((part) => part !== '')
    .join('\n')
    .concat('\n')
}

/** Where the flags stand that are no command's own, and the ones that people look for most. */
const sharedFlags = (command: Command, style: Style): string => {
  const often = [
    '-o',
    '--fields',
    ...(lists(command) ? ['--limit'] : []),
    '--sandbox',
    '-p',
    '--yes',
  ]
  return `${style.dim(`Also ${often.join(', ')} …: svcctl help flags`)}\n`
}

/** `svcctl help flags`: what every command takes. */
const flagsTopic = (): string =>
  (
    [
      ['Of commands that list:', pagingFlags],
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

const configurationTopic = (): string =>
  [
    ...paragraphs([
      'A flag beats the environment, the environment beats the profile. svcctl auth login makes a profile, svcctl profile set changes one, auth switch and --profile choose one.',
      'Tokens are kept in the keyring of the system where there is one, else in a file that only its owner can read.',
    ]),
    '',
    'Settings of a profile:',
    table(
      Object.entries(settings).map(([name, param]) => [name, param.help] as const),
      pageWidth,
    ),
  ].join('\n')

const paragraphs = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => wrap(text, pageWidth - indent.length).map((line) => indent + line))

/** `svcctl help <topic>`. */
export const topics: Readonly<Record<string, () => string | Promise<string>>> = {
  flags: flagsTopic,
  'exit-codes': exitTopic,
  environment: environmentTopic,
  output: outputTopic,
  configuration: configurationTopic,
}

/** A topic's page, or undefined when nothing is called that. */
export const topicHelp = (name: string): Promise<string> | undefined => {
  const topic = topics[name]
  return topic === undefined ? undefined : Promise.resolve(topic()).then((text) => `${text}\n`)
}
