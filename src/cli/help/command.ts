/** Renders the help page of one command, and the rows that describe flags, which manual pages share. */

import { type Endpoint, getMethod, getPath } from '../../catalogue/endpoint.js'
import {
  isSwitch,
  namesOf,
  type Param,
  placeholder,
  type ScopeParam,
  scopeOf,
  valuesOf,
} from '../../catalogue/params.js'
import { loadExamples } from '../../commands/index.js'
import { getCommandName, isExtension } from '../../engine/command/derive.js'
import { manyFlags, ownFlags, siteFlags } from '../../engine/command/flags.js'
import type { Command, Flag } from '../../engine/command/types.js'
import { besides, getSpellings, type Spelling } from '../../engine/plan/line.js'

// Lays out help: sections, two columns, and command lines to copy.

/** How a page is styled. */
export interface PageStyle {
  readonly width: number
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
}

/** The indentation of help. */
export const indent = '  '
/** A longer name has its text on the line below, so that it does not push all others aside. */
const longestName = 26

/** Lays out two columns, and wraps the second. */
export const layOutTable = (
  rows: readonly (readonly [string, string])[],
  width: number,
): string => {
  const short = rows.map(([name]) => name.length).filter((length) => length <= longestName)
  const left = Math.max(0, ...short) + 2
  const below = `\n${indent}${' '.repeat(left)}`
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, width - left - indent.length).join(below)
      const first = name.length <= longestName ? name.padEnd(left) : `${name}${below}`
      return `${indent}${first}${lines}`.trimEnd()
    })
    .join('\n')
}

/** Wraps text into lines of at most `width` characters, which are taken to be one column each. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Words of a command line, quoted ones whole; a flag and what it takes stay together, and so does what follows < or |. */
const parts = /(?:(?:(?<!-)-[\w-]+|[<>|]) (?![-<>|]))?(?:'[^']*'|"[^"]*"|[^\s'"])+/g

/** Formats a command line to copy, and breaks it where that keeps a flag and its value together. */
export const commandLine = (line: string, width: number): string => {
  const lines: string[] = []
  let at = `${indent}$`
  for (const [word] of line.matchAll(parts)) {
    const full = at.trim() !== '' && at.length + 1 + word.length > width - 2
    // What a pipe leads to stays together, where it fits.
    const pipe = at.lastIndexOf(' | ')
    const tail = full && pipe > 0 ? `${at.slice(pipe + 1)} ${word}` : word
    const kept = tail.length > width - 2 - indent.length * 3 ? word : tail
    if (full) lines.push(`${kept === word ? at : at.slice(0, pipe)} \\`)
    at = full ? `${indent.repeat(3)}${kept}` : `${at} ${word}`
  }
  return [...lines, at].join('\n')
}

/** Formats a section with its title; empty if the body is. */
export const section = (title: string, body: string, style: PageStyle): string =>
  body === '' ? '' : `${style.bold(title)}\n${body}\n`

/** How long a list of values may be in a description. */
const inDescription = 120

const valuesIn = (param: Param): readonly string[] => {
  if (placeholder(param) === valuesOf(param).join('|')) return []
  return [...valuesOf(param), ...namesOf(param)]
}

/** The values that a flag takes, where its term does not say them; so many as fit in two lines. */
const valuesText = (param: Param): string[] => {
  const values = valuesIn(param)
  if (values.length === 0) return []
  const text = values.join(', ')
  if (text.length <= inDescription) return [text]
  const cut = text.lastIndexOf(', ', inDescription)
  return [`${text.slice(0, cut)}, …`]
}

/** Where a project or group comes from that is not given. */
const scopeDefaults: Readonly<Record<ScopeParam['type'], string>> = {
  project: 'default: SVC_PROJECT or the project of the git clone',
  group: 'else SVC_GROUP',
}

/** Whether something must be given. */
const needText = ({ required, path, param }: Flag): string[] => {
  if (!required) return []
  const scope = scopeOf(param)
  if (path === true && scope !== undefined) return [scopeDefaults[scope]]
  return [param.env === undefined ? 'required' : `else ${param.env}`]
}

/** A default as help names it; one that is called so itself stands in quotes. */
const defaultText = (value: string | number | boolean): string =>
  value === 'default' ? '"default"' : String(value)

const describe = (flag: Flag): string => {
  const { param } = flag
  const marks = [
    ...valuesText(param),
    ...(param.words === undefined ? [] : [`also ${param.words.join(', ')}`]),
    ...needText(flag),
    ...(param.default === undefined ? [] : [`default ${defaultText(param.default)}`]),
    ...(param.edition === undefined ? [] : [param.edition]),
    ...(param.deprecated === undefined ? [] : [`deprecated: use ${param.deprecated}`]),
  ]
  const [own, ...others] = flag.own ?? []
  const help = own === undefined ? param.help : `${besides(flag.name, others)} ${param.help}`
  return marks.length === 0 ? help : `${help} (${marks.join('; ')})`
}

/** A row of help: how a flag is written, and what it is for. */
type FlagRow = readonly [term: string, text: string]

const toFlagRow = (flag: Flag, { text, negated }: Spelling): FlagRow => {
  if (negated === true) return [text, flag.refusal ?? `not: ${flag.param.help}`]
  // Attributes have both forms; what picks or switches something of the tool has one.
  const both = isSwitch(flag.param) && flag.parameter !== undefined && !text.startsWith('--no-')
  return [both ? text.replace('--', '--[no-]') : text, describe(flag)]
}

/** Describes flags as rows of help, without hidden ones. */
export const toFlagRows = (flags: readonly Flag[]): FlagRow[] =>
  flags.flatMap((flag) =>
    getSpellings(flag)
      .filter(({ hidden }) => !hidden)
      .map((spelling) => toFlagRow(flag, spelling)),
  )

// The page of one command: usage, flags, who may do it, examples, routes.

/** Formats the arguments of a command for its usage line. */
export const argumentsText = (command: Command): string =>
  command.args
    .map(
      (a) => ` ${a.required ? '<' : '['}${a.name}${a.variadic ? '…' : ''}${a.required ? '>' : ']'}`,
    )
    .join('')

/** A route; where it is too wide, broken before a slash. */
const routeText = (e: Endpoint, width: number): string => {
  const method = getMethod(e).padEnd(7)
  const parts = wrap(getPath(e).replaceAll('/', ' /').trim(), width - indent.length - method.length)
  const lines = parts.map((line) => line.replaceAll(' /', '/'))
  return indent + method + lines.join(`\n${indent}${' '.repeat(method.length)}`)
}

const routes = (command: Command, width: number): string =>
  Object.values(command.endpoints)
    .map((e) => routeText(e, width))
    .join('\n')

/** The edition that an endpoint needs, and which forms of the command need it where not all do. */
const editionFacts = (all: readonly Endpoint[]): (readonly [string, string])[] => {
  const limited = all.filter(({ edition }) => edition !== undefined)
  const edition = [...new Set(limited.map((e) => e.edition))].join(', ')
  if (edition === '') return []
  const forms = limited.map((e) => e.when?.flag ?? e.route).join(', ')
  const only = limited.length === all.length ? '' : `, only for ${forms}`
  return [['edition', `${edition} or higher${only}`]]
}

const facts = (command: Command): (readonly [string, string])[] => {
  const all = Object.values(command.endpoints)
  const roles = [...new Set(all.flatMap((e) => e.access ?? []))]
  const access = roles.join('; ')
  const loss = all.find((e) => e.destructive !== undefined)?.destructive
  return [
    ...(access === '' ? [] : [['who', access] as const]),
    ...editionFacts(all),
    ...(loss === undefined ? [] : [['asks for confirmation', loss] as const]),
  ]
}

/** Which extension a command is from, or which forms of it are. */
const describeSource = (command: Command): readonly string[] => {
  const added = Object.values(command.endpoints).filter(({ from }) => from !== undefined)
  if (isExtension(command)) return [`From ${added[0]?.from}, not in the documents.`]
  return added.map(({ from, route }) => `From ${from}, not in the documents: ${route}.`)
}

/** What a command says of itself, and its endpoints of theirs. */
const describeCommand = ({ description = [], endpoints }: Command): readonly string[] => [
  ...description,
  ...Object.values(endpoints).flatMap(({ reveals = [], notes = [] }) => [reveals, notes].flat()),
]

/** Renders `svcctl runners list --help`. */
export const commandHelp = async (command: Command, style: PageStyle): Promise<string> => {
  const body = [...new Set([...describeSource(command), ...describeCommand(command)])]
    .flatMap((text) => wrap(text, style.width))
    .join('\n')
  return [
    `${command.summary}.\n`,
    section(
      'Usage:',
      `${indent}svcctl ${getCommandName(command)}${argumentsText(command)} [flags]`,
      style,
    ),
    body === '' ? '' : `${body}\n`,
    section(
      'Arguments:',
      layOutTable(
        command.args.map((a) => [a.name, a.help] as const),
        style.width,
      ),
      style,
    ),
    section('Flags:', layOutTable(toFlagRows(ownFlags(command)), style.width), style),
    section(
      'Settings of this instance:',
      layOutTable(toFlagRows(siteFlags(command)), style.width),
      style,
    ),
    section('Many objects:', layOutTable(toFlagRows(manyFlags(command)), style.width), style),
    sharedFlags(style),
    section('Good to know:', layOutTable(facts(command), style.width), style),
    section(
      'Examples:',
      (await loadExamples(command)).map((e) => commandLine(`svcctl ${e}`, style.width)).join('\n'),
      style,
    ),
    section('API:', routes(command, style.width), style).trimEnd(),
  ]
    .filter((part) => part !== '')
    .join('\n')
    .concat('\n')
}

/** Where the flags stand that are no command's own, and the ones that people look for most. */
const sharedFlags = (style: PageStyle): string =>
  `${style.dim('Common flags (-o, --fields, --sandbox, -p, --yes …): svcctl help flags')}\n`
