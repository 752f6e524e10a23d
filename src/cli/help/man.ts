/** Renders manual pages in man(7) format from the data of the help pages. */
import { areas } from '../../catalogue/index.js'
import { loadCommandsIn, loadExamples, toolCommands } from '../../commands/index.js'
import { getCommandName } from '../../engine/command/derive.js'
import { getManyFlags, getOwnFlags } from '../../engine/command/flags.js'
import type { Command } from '../../engine/command/types.js'
import { categoryMeanings, exitCodes } from '../../errors.js'
import { formatArguments } from './command.js'
import { toFlagRows } from './rows.js'
import { environmentVariables, renderTopic, topics } from './topics.js'

/** Escapes text for roff: backslashes, dashes, and dots and quotes at the start of a line. */
const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

const formatItem = (term: string, text: string): string =>
  `.TP\n.B ${escapeRoff(term)}\n${escapeRoff(text)}`
const formatManSection = (title: string, body: string): string =>
  body === '' ? '' : `.SH ${title}\n${body}`
const formatPage = (
  name: string,
  summary: string,
  parts: readonly string[],
  chapter: 1 | 7 = 1,
): string =>
  `${[
    `.TH ${escapeRoff(name).toUpperCase()} ${chapter}`,
    formatManSection('NAME', `${escapeRoff(name)} \\- ${escapeRoff(summary)}`),
    ...parts,
  ]
    .filter((part) => part !== '')
    .join('\n')}\n`

/** Formats the flags for many objects under a heading. */
const formatManyFlags = (command: Command): readonly string[] => {
  const rows = toFlagRows(getManyFlags(command))
  return rows.length === 0
    ? []
    : ['.PP\nMany objects:', ...rows.map(([term, text]) => formatItem(term, text))]
}

const formatCommand = async (command: Command): Promise<string> =>
  [
    `.SS ${escapeRoff(getCommandName(command))}${escapeRoff(formatArguments(command))}`,
    escapeRoff(`${command.summary}.`),
    ...(command.description ?? []).map((text) => `.PP\n${escapeRoff(text)}`),
    ...toFlagRows(getOwnFlags(command)).map(([term, text]) => formatItem(term, text)),
    ...formatManyFlags(command),
    ...(await loadExamples(command)).map((e) => `.PP\n.EX\n$ svcctl ${escapeRoff(e)}\n.EE`),
  ].join('\n')

/** Renders the manual page of an area: `svcctl-runners.1`. */
export const renderAreaPage = async (area: string): Promise<string> => {
  const commands = await loadCommandsIn(area)
  const summary = areas.find((a) => a.name === area)?.summary ?? `the ${area} commands of svcctl`
  return formatPage(`svcctl-${area}`, summary, [
    formatManSection('SYNOPSIS', `.B svcctl ${escapeRoff(area)}\n[verb] [id ...] [flags]`),
    formatManSection('COMMANDS', (await Promise.all(commands.map(formatCommand))).join('\n')),
    formatManSection('SEE ALSO', '.BR svcctl (1)'),
  ])
}

/** Renders the manual page of a topic: `svcctl-where.7`. */
export const renderTopicPage = async (name: string): Promise<string> => {
  const text = (await renderTopic(name)) ?? ''
  const parts = [
    formatManSection('DESCRIPTION', `.EX\n${escapeRoff(text.trimEnd())}\n.EE`),
    formatManSection('SEE ALSO', '.BR svcctl (1)'),
  ]
  return formatPage(`svcctl-${name}`, topics[name]?.summary ?? name, parts, 7)
}

const listReferences = (names: readonly string[], chapter: 1 | 7): readonly string[] =>
  names.map((name) => `.BR svcctl\\-${escapeRoff(name)} (${chapter})`)

/** Renders the manual page of svcctl: `svcctl.1`. */
export const renderRootPage = async (): Promise<string> => {
  const names = [...areas.map((a) => a.name), ...new Set(toolCommands.map((c) => c.area))]
  return formatPage('svcctl', 'administer a source-hosting, collaboration and CI instance', [
    formatManSection('SYNOPSIS', '.B svcctl\n<area> <verb> [id ...] [flags]'),
    formatManSection('AREAS', areas.map((a) => formatItem(a.name, a.summary)).join('\n')),
    formatManSection(
      'EXIT STATUS',
      Object.entries(exitCodes)
        .map(([category, code]) =>
          formatItem(`${code} (${category})`, categoryMeanings[category as keyof typeof exitCodes]),
        )
        .join('\n'),
    ),
    formatManSection(
      'ENVIRONMENT',
      Object.entries(environmentVariables)
        .map(([name, meaning]) => formatItem(name, meaning))
        .join('\n'),
    ),
    formatManSection(
      'SEE ALSO',
      [...listReferences(names, 1), ...listReferences(Object.keys(topics), 7)].join(',\n'),
    ),
  ])
}
