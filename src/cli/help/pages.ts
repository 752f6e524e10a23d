/** Renders the help of svcctl and of its areas, from the same data as the parser. */
import { areas } from '../../catalogue/index.js'
import { commandsIn, toolCommands } from '../../commands/index.js'
import { getCommandName } from '../../engine/command/derive/index.js'
import { argumentsText } from './command.js'
import { indent, layOutTable, type PageStyle, section } from './layout.js'
import { topics } from './topics.js'

const groups = [
  ['start', 'Getting started'],
  ['glance', 'At a glance'],
  ['account', 'Accounts and profiles'],
  ['as code', 'Infrastructure as code'],
  ['tool', 'The tool'],
] as const

/** Renders `svcctl --help`. */
export const rootHelp = async (style: PageStyle): Promise<string> => {
  const { summaries } = await import('../../commands/summaries.js')
  const own = groups.map(([group, title]) => {
    const names = toolCommands.filter((c) => c.group === group).map(getCommandName)
    const lines = names.map((name) => [name, summaries[name] ?? ''] as const)
    return section(`${title}:`, layOutTable(lines, style.width), style)
  })
  const rows = areas.map((a) => [a.name, a.summary] as const)
  return [
    'Administer a source-hosting, collaboration and CI instance through its REST API.\n',
    section('Usage:', `${indent}svcctl <area> <verb> [id …] [flags]`, style),
    section('Areas:', layOutTable(rows, style.width), style),
    ...own,
    section('Try it without an instance:', `${indent}svcctl runners list --sandbox`, style),
    section(
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

/** Renders `svcctl runners --help`, or the help of a group within an area (`geo nodes`). */
export const areaHelp = async (area: string, style: PageStyle, group?: string): Promise<string> => {
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
    section('Verbs:', layOutTable(rows, style.width), style),
    `${style.dim(`svcctl ${prefix} <verb> --help says more about one of them.`)}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
