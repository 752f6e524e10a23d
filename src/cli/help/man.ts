/** Manual pages in man(7) form, from the same data as help. */
import { areas } from '../../catalogue/index.js'
import { commandsIn, loadExamples, toolCommands } from '../../commands/index.js'
import { getCommandName, manyFlags, ownFlags } from '../../engine/command/derive/index.js'
import type { Command } from '../../engine/command/types.js'
import { categoryMeanings, exitCodes } from '../../errors.js'
import { argumentsText } from './command.js'
import { environmentVariables } from './environment.js'
import { rowsOfFlags } from './flag-rows.js'
import { topicHelp, topics } from './topics.js'

/** Text that roff takes as it is: backslashes, leading dots and quotes, and dashes as typed. */
const plain = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

const item = (term: string, text: string): string => `.TP\n.B ${plain(term)}\n${plain(text)}`
const section = (title: string, body: string): string =>
  body === '' ? '' : `.SH ${title}\n${body}`
const page = (
  name: string,
  summary: string,
  parts: readonly string[],
  chapter: 1 | 7 = 1,
): string =>
  `${[
    `.TH ${plain(name).toUpperCase()} ${chapter}`,
    section('NAME', `${plain(name)} \\- ${plain(summary)}`),
    ...parts,
  ]
    .filter((part) => part !== '')
    .join('\n')}\n`

/** The flags for many objects, below a heading of their own. */
const manyPart = (command: Command): readonly string[] => {
  const rows = rowsOfFlags(manyFlags(command))
  return rows.length === 0
    ? []
    : ['.PP\nMany objects:', ...rows.map(([term, text]) => item(term, text))]
}

const commandPart = async (command: Command): Promise<string> =>
  [
    `.SS ${plain(getCommandName(command))}${plain(argumentsText(command))}`,
    plain(`${command.summary}.`),
    ...(command.description ?? []).map((text) => `.PP\n${plain(text)}`),
    ...rowsOfFlags(ownFlags(command)).map(([term, text]) => item(term, text)),
    ...manyPart(command),
    ...(await loadExamples(command)).map((e) => `.PP\n.EX\n$ svcctl ${plain(e)}\n.EE`),
  ].join('\n')

/** The page of an area: `svcctl-runners.1`. */
export const areaPage = async (area: string): Promise<string> => {
  const commands = await commandsIn(area)
  const summary = areas.find((a) => a.name === area)?.summary ?? `the ${area} commands of svcctl`
  return page(`svcctl-${area}`, summary, [
    section('SYNOPSIS', `.B svcctl ${plain(area)}\n[verb] [id ...] [flags]`),
    section('COMMANDS', (await Promise.all(commands.map(commandPart))).join('\n')),
    section('SEE ALSO', '.BR svcctl (1)'),
  ])
}

/** The page of a topic: `svcctl-where.7`. Its text is laid out already. */
export const topicPage = async (name: string): Promise<string> => {
  const text = (await topicHelp(name)) ?? ''
  const parts = [
    section('DESCRIPTION', `.EX\n${plain(text.trimEnd())}\n.EE`),
    section('SEE ALSO', '.BR svcctl (1)'),
  ]
  return page(`svcctl-${name}`, topics[name]?.summary ?? name, parts, 7)
}

const seeAlso = (names: readonly string[], chapter: 1 | 7): readonly string[] =>
  names.map((name) => `.BR svcctl\\-${plain(name)} (${chapter})`)

/** The page of the tool: `svcctl.1`. */
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
