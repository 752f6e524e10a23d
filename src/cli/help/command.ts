/** Renders the help page of one command, and the rows that describe flags, which manual pages share. */

import { type Endpoint, getMethod, getPath } from '../../catalogue/endpoint.js'
import {
  getNumberNames,
  getParamValues,
  getPlaceholder,
  getScopeType,
  isSwitch,
  type Param,
  type ScopeParam,
} from '../../catalogue/params.js'
import { loadExamples } from '../../commands/index.js'
import { getCommandName } from '../../engine/command/derive.js'
import { getManyFlags, getOwnFlags, getSiteFlags } from '../../engine/command/flags.js'
import type { Command, Flag } from '../../engine/command/types.js'
import { formatOtherNames, getSpellings, type Spelling } from '../../engine/plan/line.js'

// Lays out help: sections, two columns, and command lines to copy.

/** The style of a page. */
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
export const wrapCommandLine = (line: string, width: number): string => {
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
export const formatSection = (title: string, body: string, style: PageStyle): string =>
  body === '' ? '' : `${style.bold(title)}\n${body}\n`

/** The maximum length of a list of values in a description, in characters. */
const inDescription = 120

const getListedValues = (param: Param): readonly string[] => {
  if (getPlaceholder(param) === getParamValues(param).join('|')) return []
  return [...getParamValues(param), ...getNumberNames(param)]
}

/** Returns the values that a flag takes, where its term does not say them; only as many as fit in two lines. */
const describeValues = (param: Param): string[] => {
  const values = getListedValues(param)
  if (values.length === 0) return []
  const text = values.join(', ')
  if (text.length <= inDescription) return [text]
  const cut = text.lastIndexOf(', ', inDescription)
  return [`${text.slice(0, cut)}, …`]
}

/** The source of a project or group that is not given. */
const scopeDefaults: Readonly<Record<ScopeParam['type'], string>> = {
  project: 'default: SVC_PROJECT or the project of the git clone',
  group: 'else SVC_GROUP',
}

/** Describes whether a value must be given, and where it else comes from. */
const describeNeed = ({ required, path, param }: Flag): string[] => {
  if (!required) return []
  const scope = getScopeType(param)
  if (path === true && scope !== undefined) return [scopeDefaults[scope]]
  return [param.env === undefined ? 'required' : `else ${param.env}`]
}

/** Returns a default as help names it; a default that is called so itself is quoted. */
const describeDefault = (value: string | number | boolean): string =>
  value === 'default' ? '"default"' : String(value)

const describe = (flag: Flag): string => {
  const { param } = flag
  const marks = [
    ...describeValues(param),
    ...(param.words === undefined ? [] : [`also ${param.words.join(', ')}`]),
    ...describeNeed(flag),
    ...(param.default === undefined ? [] : [`default ${describeDefault(param.default)}`]),
    ...(param.edition === undefined ? [] : [param.edition]),
    ...(param.deprecated === undefined ? [] : [`deprecated: use ${param.deprecated}`]),
  ]
  const [own, ...others] = flag.own ?? []
  const help =
    own === undefined ? param.help : `${formatOtherNames(flag.name, others)} ${param.help}`
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
export const formatArguments = (command: Command): string =>
  command.args
    .map(
      (a) => ` ${a.required ? '<' : '['}${a.name}${a.variadic ? '…' : ''}${a.required ? '>' : ']'}`,
    )
    .join('')

/** Formats a route; where it is too wide, it is broken before a slash. */
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

/** Returns the edition that an endpoint needs, and which forms of the command need it where not all do. */
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

/** Returns the description of a command, followed by the descriptions of its endpoints. */
const describeCommand = ({ description = [], endpoints }: Command): readonly string[] => [
  ...description,
  ...Object.values(endpoints).flatMap(({ reveals = [], notes = [] }) => [reveals, notes].flat()),
]

/** Renders `svcctl runners list --help`. */
export const renderCommandHelp = async (command: Command, style: PageStyle): Promise<string> => {
  const body = [...new Set(describeCommand(command))]
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
    formatSection('Flags:', layOutTable(toFlagRows(getOwnFlags(command)), style.width), style),
    formatSection(
      'Settings of this instance:',
      layOutTable(toFlagRows(getSiteFlags(command)), style.width),
      style,
    ),
    formatSection(
      'Many objects:',
      layOutTable(toFlagRows(getManyFlags(command)), style.width),
      style,
    ),
    formatSharedFlags(style),
    formatSection('Good to know:', layOutTable(collectFacts(command), style.width), style),
    formatSection(
      'Examples:',
      (await loadExamples(command))
        .map((e) => wrapCommandLine(`svcctl ${e}`, style.width))
        .join('\n'),
      style,
    ),
    formatSection('API:', formatRoutes(command, style.width), style).trimEnd(),
  ]
    .filter((part) => part !== '')
    .join('\n')
    .concat('\n')
}

/** Returns the hint on the flags that belong to no single command, with those that people look for most. */
const formatSharedFlags = (style: PageStyle): string =>
  `${style.dim('Common flags (-o, --fields, --sandbox, -p, --yes …): svcctl help flags')}\n`
