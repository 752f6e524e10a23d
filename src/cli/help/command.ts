/** The page of one command: usage, flags, who may do it, examples, routes. */
import { type Endpoint, getMethod, getPath } from '../../catalogue/endpoint.js'
import { loadExamples } from '../../commands/index.js'
import {
  getCommandName,
  manyFlags,
  ownFlags,
  siteFlags,
} from '../../engine/command/derive/index.js'
import type { Command } from '../../engine/command/types.js'
import { rowsOfFlags } from './flag-rows.js'
import { commandLine, indent, layOutTable, type PageStyle, section, wrap } from './layout.js'

/** The arguments of a command as usage shows them. */
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

/** `svcctl runners list --help`. */
export const commandHelp = async (command: Command, style: PageStyle): Promise<string> => {
  const description = [
    ...(command.description ?? []),
    ...Object.values(command.endpoints).flatMap((e) => e.notes ?? []),
  ]
  const body = [...new Set(description)].flatMap((text) => wrap(text, style.width)).join('\n')
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
    section('Flags:', layOutTable(rowsOfFlags(ownFlags(command)), style.width), style),
    section(
      'Settings of this instance:',
      layOutTable(rowsOfFlags(siteFlags(command)), style.width),
      style,
    ),
    section('Many objects:', layOutTable(rowsOfFlags(manyFlags(command)), style.width), style),
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
