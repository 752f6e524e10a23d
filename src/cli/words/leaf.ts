/** One command as Commander parses it: flags and arguments in, texts by flag name out. */
import { Command as Commander, CommanderError, Help, Option } from 'commander'
import type { Param } from '../../catalogue/endpoint.js'
import { flagsOfCommand, named } from '../../commands/derive/index.js'
import type { Command, Flag } from '../../commands/types.js'
import { usage } from '../../errors.js'

/** Texts as they were given, before any of them is understood. */
export interface Raw {
  readonly args: readonly string[]
  /** Flag name → its texts in order; booleans as 'true' and 'false'. */
  readonly flags: ReadonlyMap<string, readonly string[]>
}

const formats: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  datetime: 'YYYY-MM-DD[Thh:mm:ssZ]',
  duration: '1h30m',
  url: 'url',
  pem: 'file',
}

/** The longest list of values that stands in a flag's own term. */
const inTerm = 40

/** The word that stands for a value in help. */
const placeholder = (param: Param): string => {
  if (param.placeholder !== undefined) return param.placeholder
  switch (param.type) {
    case 'integer':
      return param.names === undefined ? 'n' : 'level'
    case 'enum':
      return param.values.join('|').length <= inTerm ? param.values.join('|') : 'value'
    case 'list':
      return param.of === 'integer' ? 'n,…' : 'a,b,…'
    case 'hash':
      return 'key=value'
    case 'json':
      return 'json|@file'
    case 'project':
    case 'group':
      return 'id|path'
    case 'string':
      return param.secret === true && param.format !== 'pem'
        ? 'secret'
        : (formats[param.format ?? ''] ?? 'text')
    default:
      return 'value'
  }
}

/** How long a list of values may be in a description. */
const inDescription = 120

/** The values that a flag takes, where its term does not say them; so many as fit in two lines. */
const valuesText = (param: Param): string[] => {
  const values =
    param.type === 'enum' || param.type === 'list'
      ? (param.values ?? Object.keys((param.type === 'list' && param.names) || {}))
      : param.type === 'integer'
        ? Object.keys(param.names ?? {})
        : []
  if (values.length === 0 || (param.type === 'enum' && placeholder(param) !== 'value')) return []
  const text = values.join(', ')
  if (text.length <= inDescription) return [text]
  const cut = text.lastIndexOf(', ', inDescription)
  return [`${text.slice(0, cut)}, …`]
}

/** Whether something must be given: a project or group may come from elsewhere. */
const needText = (flag: Flag): string[] => {
  if (!flag.required) return []
  if (flag.name === 'project') return ['else SVC_PROJECT or that of the clone']
  if (flag.name === 'group') return ['else SVC_GROUP']
  return [flag.param.env === undefined ? 'required' : `else ${flag.param.env}`]
}

const describe = (flag: Flag): string => {
  const { param } = flag
  const marks = [
    ...valuesText(param),
    ...(param.words === undefined ? [] : [`also ${param.words.join(', ')}`]),
    ...needText(flag),
    ...(param.default === undefined ? [] : [`default ${param.default}`]),
    ...(param.edition === undefined ? [] : [param.edition]),
    ...(param.deprecated === undefined ? [] : [`deprecated: use ${param.deprecated}`]),
  ]
  return marks.length === 0 ? param.help : `${param.help} (${marks.join('; ')})`
}

const groupTitles = {
  command: 'Flags:',
  paging: 'Paging:',
  instance: 'Instance:',
  output: 'Output:',
} as const

const optionsOf = (flag: Flag, collect: (name: string, text: string) => void): Option[] => {
  const title = groupTitles[flag.group ?? 'command']
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  const make = (spelling: string, help: string, hidden: boolean): Option => {
    const option = new Option(spelling, help).helpGroup(title)
    if (hidden) option.hideHelp()
    return option
  }
  // A flag that is itself a refusal (`--no-certificate`) has no other form.
  if (flag.name.startsWith('no-')) return [make(`--${flag.name}`, describe(flag), false)]
  if (flag.param.type === 'boolean') {
    const positive = make(
      `${short}--${flag.name}`,
      describe(flag),
      flag.hidden === true || flag.refusal !== undefined,
    )
    const negative = make(
      `--no-${flag.name}`,
      flag.refusal ?? `not: ${flag.param.help}`,
      flag.refusal === undefined,
    )
    return [positive, negative]
  }
  const value =
    flag.optionalValue === true ? `[${placeholder(flag.param)}]` : `<${placeholder(flag.param)}>`
  const spellings = [flag.name, ...(flag.aliases ?? [])]
  return spellings.map((name, i) => {
    const option = make(
      `${i === 0 ? short : ''}--${name} ${value}`,
      describe(flag),
      i > 0 || flag.hidden === true,
    )
    option.argParser((text: string) => {
      collect(flag.name, text)
      return text
    })
    return option
  })
}

/** The Commander command of one command, and the texts it collects while it parses. */
const leafOf = (command: Command): { leaf: Commander; texts: Map<string, string[]> } => {
  const texts = new Map<string, string[]>()
  const collect = (name: string, text: string): void => {
    texts.set(name, [...(texts.get(name) ?? []), text])
  }
  const name = `svcctl ${named(command)}`
  const leaf = new Commander(name).helpOption(false).exitOverride().allowExcessArguments(false)
  leaf.configureOutput({ writeErr: () => {}, writeOut: () => {} })
  for (const a of command.args) {
    const inner = a.variadic ? `${a.name}...` : a.name
    // Optional to Commander: a missing one may be asked for, and gets a message that says what it is.
    leaf.argument(`[${inner}]`, a.help)
  }
  for (const flag of flagsOfCommand(command)) {
    for (const option of optionsOf(flag, collect)) {
      leaf.addOption(option)
      if (flag.param.type === 'boolean')
        leaf.on(`option:${option.name()}`, () =>
          collect(flag.name, String(!option.negate || flag.name.startsWith('no-'))),
        )
    }
    if (flag.optionalValue === true)
      leaf.on(`option:${flag.name}`, (value: unknown) => {
        if (value === null) collect(flag.name, '')
      })
  }
  return { leaf, texts }
}

/** `--report junit lint.xml` → `--report junit=lint.xml`: Commander's options take one word. */
const joinPairs = (command: Command, rest: readonly string[]): string[] => {
  const pairs = new Map<string, object>(
    command.flags.flatMap((f) =>
      f.pair === true && f.param.type === 'hash'
        ? [[`--${f.name}`, f.param.keys ?? {}] as const]
        : [],
    ),
  )
  const joined: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const [token = '', key = '', value] = rest.slice(i, i + 3)
    const keys = pairs.get(token)
    joined.push(token)
    if (keys === undefined || !(key in keys) || value === undefined) continue
    joined.push(`${key}=${value}`)
    i += 2
  }
  return joined
}

/**
 * Parses what is left of the arguments for one command.
 * @throws Failure `usage` with Commander's own suggestion
 */
export const parseLeaf = (command: Command, rest: readonly string[]): Raw => {
  const { leaf, texts } = leafOf(command)
  try {
    leaf.parse(joinPairs(command, rest), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    throw leafError(command, error, rest)
  }
  return { args: leaf.args, flags: texts }
}

const leafError = (command: Command, error: CommanderError, rest: readonly string[]) => {
  // The value may be a secret that was meant for another flag.
  const text = error.message
    .replace(/^error: /, '')
    .replace(/(unknown option '-[^'=]*)=.*'/s, "$1'")
  const [message = text, suggestion] = text.split('\n')
  const negative = rest.find((token) => /^-\d/.test(token))
  const hint =
    negative !== undefined && error.code === 'commander.unknownOption'
      ? `A value that starts with a dash follows --: … -- ${negative}`
      : (suggestion?.replace(/^\((.*)\)$/, '$1') ?? `Run svcctl ${named(command)} --help.`)
  return usage(message, hint)
}

/** A row of help: how a flag is written, and what it is for. */
export type FlagRow = readonly [term: string, text: string]

/** Flags as help shows them, without those that are accepted and not shown. */
export const rowsOfFlags = (flags: readonly Flag[]): FlagRow[] => {
  const help = new Help()
  return flags.flatMap((flag) =>
    optionsOf(flag, () => {})
      .filter((option) => !option.hidden)
      .map((option) => {
        // Attributes have both forms; what picks or switches something of the tool has one.
        const both = flag.param.type === 'boolean' && flag.parameter !== undefined && !option.negate
        const term = help.optionTerm(option)
        return [
          both ? term.replace('--', '--[no-]') : term,
          help.optionDescription(option),
        ] as const
      }),
  )
}
