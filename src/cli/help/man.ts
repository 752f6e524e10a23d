/** Renders manual pages in man(7) format, from the same data as help. */
import { areas } from '../../catalogue/index.js'
import { commandsIn, loadExamples, toolCommands } from '../../commands/index.js'
import { getCommandName } from '../../engine/command/derive.js'
import { manyFlags, ownFlags } from '../../engine/command/flags.js'
import type { Command } from '../../engine/command/types.js'
import { categoryMeanings, exitCodes } from '../../errors.js'
import { argumentsText } from './command.js'
import { toFlagRows } from './rows.js'
import { environmentVariables, topicHelp, topics } from './topics.js'

/** Text that roff takes as it is: backslashes, leading dots and quotes, and dashes as typed. */
const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

const item = (term: string, text: string): string =>
  `.TP\n.B ${escapeRoff(term)}\n${escapeRoff(text)}`
const section = (title: string, body: string): string =>
  body === '' ? '' : `.SH ${title}\n${body}`
const page = (
  name: string,
  summary: string,
  parts: readonly string[],
  chapter: 1 | 7 = 1,
): string =>
  `${[
    `.TH ${escapeRoff(name).toUpperCase()} ${chapter}`,
    section('NAME', `${escapeRoff(name)} \\- ${escapeRoff(summary)}`),
    ...parts,
  ]
    .filter((part) => part !== '')
    .join('\n')}\n`

/** The flags for many objects, below a heading of their own. */
const manyPart = (command: Command): readonly string[] => {
  const rows = toFlagRows(manyFlags(command))
  return rows.length === 0
    ? []
    : ['.PP\nMany objects:', ...rows.map(([term, text]) => item(term, text))]
}

const commandPart = async (command: Command): Promise<string> =>
  [
    `.SS ${escapeRoff(getCommandName(command))}${escapeRoff(argumentsText(command))}`,
    escapeRoff(`${command.summary}.`),
    ...(command.description ?? []).map((text) => `.PP\n${escapeRoff(text)}`),
    ...toFlagRows(ownFlags(command)).map(([term, text]) => item(term, text)),
    ...manyPart(command),
    ...(await loadExamples(command)).map((e) => `.PP\n.EX\n$ svcctl ${escapeRoff(e)}\n.EE`),
  ].join('\n')

/** Renders the page of an area: `svcctl-runners.1`. */
export const areaPage = async (area: string): Promise<string> => {
  const commands = await commandsIn(area)
  const summary = areas.find((a) => a.name === area)?.summary ?? `the ${area} commands of svcctl`
  return page(`svcctl-${area}`, summary, [
    section('SYNOPSIS', `.B svcctl ${escapeRoff(area)}\n[verb] [id ...] [flags]`),
    section('COMMANDS', (await Promise.all(commands.map(commandPart))).join('\n')),
    section('SEE ALSO', '.BR svcctl (1)'),
  ])
}

/** Renders the page of a topic: `svcctl-where.7`. */
export const topicPage = async (name: string): Promise<string> => {
  const text = (await topicHelp(name)) ?? ''
  const parts = [
    section('DESCRIPTION', `.EX\n${escapeRoff(text.trimEnd())}\n.EE`),
    section('SEE ALSO', '.BR svcctl (1)'),
  ]
  return page(`svcctl-${name}`, topics[name]?.summary ?? name, parts, 7)
}

const seeAlso = (names: readonly string[], chapter: 1 | 7): readonly string[] =>
  names.map((name) => `.BR svcctl\\-${escapeRoff(name)} (${chapter})`)

/** Renders the page of svcctl: `svcctl.1`. */
export const rootPage = async (): Promise<string> => {
  const names = [...areas.map((a) => a.name), ...new Set(toolCommands.map((c) => c.area))]
  return page('svcctl', 'administer a source-hosting, collaboration and CI instance', [
    section('SYNOPSIS', '.B svcctl\n<area> <verb> [id ...] [flags]'),
    section('AREAS', areas.map((a) => item(a.name, a.summary)).join('\n')),
    section(
      'EXIT STATUS',
      Object.entries(exitCodes)
        .map(([category, code]) =>
          item(`${code} (${category})`, categoryMeanings[category as keyof typeof exitCodes]),
        )
        .join('\n'),
    ),
    section('ENVIRONMENT', environmentVariables.map((v) => item(v.name, v.meaning)).join('\n')),
    section('SEE ALSO', [...seeAlso(names, 1), ...seeAlso(Object.keys(topics), 7)].join(',\n')),
  ])
}
