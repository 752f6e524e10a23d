/** Renders the help page of one command. */

import { type Endpoint, getMethod, getPath } from '../../catalogue/endpoint.js'
import { loadExamples } from '../../commands/index.js'
import { getCommandName, isExtension } from '../../engine/command/derive.js'
import { getManyFlags, getOwnFlags, getSiteFlags } from '../../engine/command/flags.js'
import type { Command } from '../../engine/command/types.js'
import {
  formatSection,
  indent,
  layOutLines,
  layOutTable,
  type PageStyle,
  wrap,
  wrapCommandLine,
} from './layout.js'
import { type FlagRow, toFlagRows } from './rows.js'
import { groupFlags } from './subjects.js'

/** Formats the arguments of a command for its usage line. */
export const formatArguments = (command: Command): string =>
  command.args
    .map(
      (a) => ` ${a.required ? '<' : '['}${a.name}${a.variadic ? '…' : ''}${a.required ? '>' : ']'}`,
    )
    .join('')

/** Formats a route. If it is too wide, it is broken before a slash. */
const formatRoute = (e: Endpoint, width: number): string => {
  const method = getMethod(e).padEnd(7)
  const parts = wrap(getPath(e).replaceAll('/', ' /').trim(), width - indent.length - method.length)
  const lines = parts.map((line) => line.replaceAll(' /', '/'))
  return indent + method + lines.join(`\n${indent}${' '.repeat(method.length)}`)
}

const formatRoutes = (command: Command, width: number): string =>
  Object.values(command.endpoints)
    .map((e) => formatRoute(e, width))
    .join('\n')

/** Describes the edition that the endpoints of a command need, and which forms of the command need it if not all do. */
const getEditionFacts = (all: readonly Endpoint[]): (readonly [string, string])[] => {
  const limited = all.filter(({ edition }) => edition !== undefined)
  const edition = [...new Set(limited.map((e) => e.edition))].join(', ')
  if (edition === '') return []
  const forms = limited.map((e) => e.when?.flag ?? e.route).join(', ')
  const only = limited.length === all.length ? '' : `, only for ${forms}`
  return [['edition', `${edition} or higher${only}`]]
}

const collectFacts = (command: Command): (readonly [string, string])[] => {
  const all = Object.values(command.endpoints)
  const roles = [...new Set(all.flatMap((e) => e.access ?? []))]
  const access = roles.join('; ')
  const loss = all.find((e) => e.destructive !== undefined)?.destructive
  return [
    ...(access === '' ? [] : [['who', access] as const]),
    ...getEditionFacts(all),
    ...(loss === undefined ? [] : [['asks for confirmation', loss] as const]),
  ]
}

/** Describes the extension that a command is from, or that some of its forms are from. */
const describeSource = (command: Command): readonly string[] => {
  const added = Object.values(command.endpoints).filter(({ from }) => from !== undefined)
  if (isExtension(command)) return [`From ${added[0]?.from}, not in the documents.`]
  return added.map(({ from, route }) => `From ${from}, not in the documents: ${route}.`)
}

/** Returns the description of a command, followed by the descriptions of its endpoints. */
const describeCommand = ({ description = [], endpoints }: Command): readonly string[] => [
  ...description,
  ...Object.values(endpoints).flatMap(({ reveals = [], notes = [] }) => [reveals, notes].flat()),
]

/** The number of lines that a screen shows without scrolling. */
export const screenLines = 50

/**
 * The detail in which a page describes flags. `whole` includes those for many objects; `full` leaves these out; `line` has one
 * line a flag and no routes; `names` lists only names.
 */
type Detail = 'whole' | 'full' | 'line' | 'names'

const layOutFlags = (rows: readonly FlagRow[], { width }: PageStyle, detail: Detail): string => {
  if (rows.length === 0) return ''
  if (detail === 'whole' || detail === 'full') return layOutTable(rows, width)
  if (detail === 'names')
    return wrap(rows.map(([term]) => term.replace(/ <.*/, '')).join(', '), width - indent.length)
      .map((line) => indent + line)
      .join('\n')
  return layOutLines(
    rows.map(([term, text]) => [term.replace(/<YYYY.*>/, '<time>'), text]),
    width,
  )
}

const formatFlagSections = (command: Command, style: PageStyle, detail: Detail): string =>
  [
    ...groupFlags(getCommandName(command), getOwnFlags(command)),
    ['Settings of this instance', getSiteFlags(command)] as const,
    ['Many objects', detail === 'whole' ? getManyFlags(command) : []] as const,
  ]
    .map(([title, flags]) =>
      formatSection(`${title}:`, layOutFlags(toFlagRows(flags), style, detail), style),
    )
    .filter((part) => part !== '')
    // A page with little room has no empty lines between headings.
    .join(detail === 'line' || detail === 'names' ? '' : '\n')

const renderPage = async (command: Command, style: PageStyle, detail: Detail): Promise<string> => {
  const body = [...new Set([...describeSource(command), ...describeCommand(command)])]
    .flatMap((text) => wrap(text, style.width))
    .join('\n')
  return [
    `${command.summary}.\n`,
    formatSection(
      'Usage:',
      `${indent}svcctl ${getCommandName(command)}${formatArguments(command)} [flags]`,
      style,
    ),
    body === '' ? '' : `${body}\n`,
    formatSection(
      'Arguments:',
      layOutTable(
        command.args.map((a) => [a.name, a.help] as const),
        style.width,
      ),
      style,
    ),
    formatFlagSections(command, style, detail),
    formatOtherFlags(command, style, detail),
    formatSection('Good to know:', layOutTable(collectFacts(command), style.width), style),
    formatSection(
      'Examples:',
      (await loadExamples(command))
        .map((e) => wrapCommandLine(`svcctl ${e}`, style.width))
        .join('\n'),
      style,
    ),
    formatSection(
      'API:',
      detail === 'line' ? '' : formatRoutes(command, style.width),
      style,
    ).trimEnd(),
  ]
    .filter((part) => part !== '')
    .join('\n')
    .concat('\n')
}

/**
 * Renders the help of a command, such as `svcctl runners list --help`. If the page is longer than a screen, it says
 * less about each flag. With `whole`, it describes all flags in full.
 */
export const renderCommandHelp = async (
  command: Command,
  style: PageStyle,
  whole = false,
): Promise<string> => {
  if (whole) return renderPage(command, style, 'whole')
  let text = ''
  for (const detail of ['full', 'line', 'names'] as const) {
    text = await renderPage(command, style, detail)
    if (text.trimEnd().split('\n').length <= screenLines) return text
  }
  return text
}

/** The flags for many objects that a page names first, the most needed first. */
const firstManyFlags = ['select', 'all-projects', 'where', 'sort', 'group-by', 'resume', 'journal']

/** The maximum width of the names of flags on that line. */
const manyWidth = 48

/** Lists the flags for many objects on one line. */
const formatManyLine = (command: Command): readonly string[] => {
  const names = getManyFlags(command).flatMap(({ name, hidden }) =>
    hidden === true || name === 'limit' ? [] : [name],
  )
  if (names.length === 0) return []
  const first = firstManyFlags.filter((name) => names.includes(name))
  const ordered = [...first, ...names.filter((name) => !first.includes(name))]
  const [all = ''] = wrap(ordered.map((name) => `--${name}`).join(', '), manyWidth)
  const shown = all.split(', ').slice(0, 4).join(', ').replace(/,$/, '')
  const more = shown.split(', ').length < ordered.length ? ' …' : ';'
  return [`Many objects: ${shown}${more} svcctl help many`]
}

/** Lists the flags that a page does not describe, and the topics that do. */
const formatOtherFlags = (command: Command, style: PageStyle, detail: Detail): string => {
  const limit = getManyFlags(command).some(
    ({ name, hidden }) => name === 'limit' && hidden !== true,
  )
  const common = ['-o', '--fields', ...(limit ? ['--limit'] : []), '--sandbox', '-p', '--yes']
  const many = detail === 'whole' ? [] : formatManyLine(command)
  const lines = [
    ...many,
    `Common flags: ${common.join(', ')} … svcctl help flags`,
    ...(detail === 'whole' || (detail === 'full' && many.length === 0)
      ? []
      : [`All flags in full: svcctl ${getCommandName(command)} --help --all`]),
  ]
  return `${lines
    .flatMap((line) => wrap(line, style.width))
    .map((line) => style.dim(line))
    .join('\n')}\n`
}
