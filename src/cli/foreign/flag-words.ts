/** Replaces flags of other tools by those of the command. */
import { findMistyped } from '../../base/suggest.js'
import { coerceTexts } from '../../catalogue/coerce.js'
import { getNumberNames, getParamValues, isListParam, isSwitch } from '../../catalogue/params.js'
import { canListRecords, canSendAttributes, getCommandName } from '../../engine/command/derive.js'
import { getCommandFlags } from '../../engine/command/flags.js'
import { globalFlagRows } from '../../engine/command/global-flags.js'
import type { Command, Flag } from '../../engine/command/types.js'
import { isWord } from '../../engine/plan/line.js'
import { findSingleDash } from '../words/mistakes.js'
import { findArguments } from './arguments.js'
import {
  type FieldPlace,
  findAnswerField,
  findField,
  findFieldPlace,
  findState,
  getTitle,
  isBooleanField,
  listAnswerFields,
  toSnakeCase,
  toTimeCondition,
  writeCondition,
} from './fields.js'
import { foreignFlags, isForeignFlag, secretFlags } from './flags.js'
import {
  type ReadFlag,
  type RewrittenFlags,
  reverseSort,
  splitFlag,
  type TypedFlag,
} from './typed-flags.js'
import {
  type FlagPlace,
  type FlagReplacement,
  type ForeignFlag,
  toFormat,
  translateFieldName,
} from './values.js'

/** Reads the flags of one command. */
export class FlagReader {
  readonly #command: Command
  readonly #flags: readonly Flag[]
  readonly #fields: FieldPlace | undefined
  readonly #place: FlagPlace
  /** The fields of the answers. */
  readonly #answers: readonly string[]

  /** True if the line names its objects. */
  readonly #isNamed: boolean

  /** True if the line names projects or groups. */
  readonly #isScoped: boolean

  private constructor(
    command: Command,
    rest: readonly string[],
    fields: FieldPlace | undefined,
    answers: readonly string[],
    private readonly now: Date,
  ) {
    this.#command = command
    this.#isNamed = findArguments(command, rest).length > 0
    this.#isScoped = rest.some((token) =>
      /^(?:-[PG]|--(?:all-groups|all-projects|group|project)(?:=|$))/.test(token),
    )
    this.#flags = getCommandFlags(command)
    this.#fields = fields
    this.#answers = answers
    this.#place = {
      name: getCommandName(command),
      takes: (name) => this.#isShown(name),
      title: fields === undefined ? 'id' : getTitle(fields),
      hasField: (name) => this.#hasField(name),
      findChoice: (name) => findAnswerField(this.#answers, translateFieldName(name)),
      args: findArguments(command, rest).map((at) => rest[at] ?? ''),
      readsObjects: command.args[0]?.variadic === true && command.readOnly !== true,
      replaceFlag: (name, value) => this.#readUnknown({ name: `--${name}`, next: value })?.tokens,
    }
  }

  /** Opens a reader for a command. @param rest the tokens after the words of the command */
  static async open(command: Command, rest: readonly string[], now: Date): Promise<FlagReader> {
    const place = await findFieldPlace(command)
    return new FlagReader(command, rest, place, await listAnswerFields(command), now)
  }

  #isShown(name: string): boolean {
    return this.#flags.some((flag) => flag.name === name && flag.hidden !== true)
  }

  #hasField(name: string): boolean {
    if (this.#fields === undefined) return true
    const [first = name, ...inner] = name.split('.')
    const found = findField(this.#fields, first)
    return inner.length > 0 ? found !== undefined : found === name
  }

  /** Finds the flag with a form such as `-o` or `--no-color`. */
  #find(form: string): Flag | undefined {
    const name = form.replace(/^--/, '')
    return this.#flags.find(
      (flag) =>
        `-${flag.short}` === form ||
        (form.startsWith('--') &&
          [flag.name, ...(flag.own ?? []), ...(flag.aliases ?? [])].some(
            (one) => one === name || (isSwitch(flag.param) && `no-${one}` === name),
          )),
    )
  }

  /** Reads the tokens after the words of the command; undefined if a flag means nothing. */
  read(rest: readonly string[]): RewrittenFlags | undefined {
    const tokens: string[] = []
    const found: ReadFlag[] = []
    const end = rest.indexOf('--')
    const typed = end < 0 ? rest : rest.slice(0, end)
    for (let i = 0; i < typed.length; i++) {
      const token = typed[i] ?? ''
      const isArgument = isWord(token) || token === '-' || /^-n?\d/.test(token)
      const read = isArgument
        ? { tokens: this.#readCount(token) ?? [token] }
        : this.#readFlag(splitFlag(token, typed[i + 1]), token)
      if (read === undefined) return undefined
      tokens.push(...read.tokens)
      found.push(read)
      if (read.takesNext === true) i++
    }
    const command = found.find((one) => one.command !== undefined)?.command
    const input = found.find((one) => one.input !== undefined)?.input
    const ordered = found.some(({ isReversed }) => isReversed) ? reverseSort(tokens) : tokens
    if (ordered === undefined) return undefined
    return { tokens: [...ordered, ...rest.slice(typed.length)], command, input }
  }

  /** Reads the number of records as git and head have it: `-n5`, `-5`. */
  #readCount(token: string): readonly string[] | undefined {
    const [, count] = /^-n?(\d+)$/.exec(token) ?? []
    return count === undefined || !this.#isShown('limit') ? undefined : ['--limit', count]
  }

  /** Reads a long flag with a single dash, such as `-limit`, as the one with two. */
  #readSingleDash(typed: TypedFlag, token: string): ReadFlag | undefined {
    if (findSingleDash(token) === undefined) return undefined
    const doubled = { ...typed, name: `-${typed.name}` }
    const known = this.#find(doubled.name)
    return (known && this.#readKnown(known, doubled, `-${token}`)) ?? this.#readRow(doubled)
  }

  #readFlag(typed: TypedFlag, token: string): ReadFlag | undefined {
    const doubled = this.#readSingleDash(typed, token)
    if (doubled !== undefined) return doubled
    const row = this.#readRow(typed)
    // `-q` is our own.
    if (row !== undefined && (row.wins === true || typed.name === '-q')) return row
    const known = this.#find(typed.name)
    if (known !== undefined) return this.#readKnown(known, typed, token) ?? row
    // `-ojson`, `-qv`.
    const cluster = /^-[A-Za-z]./.test(token) ? this.#find(token.slice(0, 2)) : undefined
    if (cluster !== undefined) return this.#readCluster(cluster, token)
    if (secretFlags.includes(typed.name)) return row
    return row ?? this.#readUnknown(typed)
  }

  #readCluster(flag: Flag, token: string): ReadFlag {
    const value = token.slice(2).replace(/^=/, '')
    const corrected = isSwitch(flag.param) ? undefined : this.#correct(flag, value)
    return { tokens: corrected ?? [token] }
  }

  /** Reads a flag that the command takes; undefined if its value is missing or not valid. */
  #readKnown(flag: Flag, { name, joined, next }: TypedFlag, token: string): ReadFlag | undefined {
    if (isSwitch(flag.param)) {
      if (joined === undefined && /^(?:true|false)$/i.test(next ?? ''))
        return { tokens: [`${name}=${next?.toLowerCase()}`], takesNext: true }
      return joined === undefined || /^(?:true|false|0|1)$/i.test(joined)
        ? { tokens: [token] }
        : undefined
    }
    if (joined !== undefined) return { tokens: this.#correct(flag, joined) ?? [token] }
    if (flag.optionalValue === true && (next === undefined || !/^\d/.test(next)))
      return { tokens: [token] }
    if (next === undefined) return undefined
    return { tokens: this.#correct(flag, next) ?? [token, next], takesNext: true }
  }

  /** Corrects the value of a flag; undefined if the value is kept. */
  #correct(flag: Flag, value: string): readonly string[] | undefined {
    if (flag.name === 'limit')
      return /^(?:0|-1|none|unlimited)$/.test(value) ? ['--limit', 'all'] : undefined
    if (flag.name === 'output') return this.#correctFormat(flag, value)
    if (flag.name === 'fields' && /^(?:all|\*)$/.test(value)) return ['-o', 'wide']
    // A parameter may have the name of a flag of all commands, and a prefix: `--color red` of a label.
    const prefixed = `api-${flag.name}`
    if (this.#isShown(prefixed) && coerceTexts(flag.param, [value], this.now).value === undefined)
      return [`--${prefixed}`, value]
    if (flag.name === 'select' || flag.name === 'where') return this.#readPlace(flag.name, value)
    const choice = this.#correctChoice(flag, value)
    return choice === undefined && flag.name === 'sort' ? this.#correctOrder(value) : choice
  }

  #correctFormat(flag: Flag, value: string): readonly string[] | undefined {
    if (getParamValues(flag.param).includes(value)) return undefined
    const format = toFormat(value, this.#place)
    if (format !== undefined) return format.tokens
    // The name of a file, as curl has it. Its ending may be a format.
    const [, ending] = /^[\w./-]*\.(\w+)$/.exec(value) ?? []
    if (ending !== undefined && this.#isShown('out')) return ['--out', value]
    if (ending === undefined || !this.#isShown('to')) return undefined
    return ['--to', value, ...(toFormat(ending, this.#place)?.tokens ?? [])]
  }

  /** Corrects the field of an order; undefined if it is kept. An object has several fields to choose from. */
  #correctOrder(value: string): readonly string[] | undefined {
    const field = this.#place.findChoice(value)
    return field === undefined || field.includes('.') ? undefined : ['--sort', field]
  }

  /** Corrects one of several values; undefined if the value is kept. */
  #correctChoice(flag: Flag, value: string): readonly string[] | undefined {
    const { name, param } = flag
    const values = [...getParamValues(param), ...getNumberNames(param)]
    const known = [...values, ...(param.words ?? [])]
    const text = toSnakeCase(value)
    if (values.length === 0 || /^\d+$/.test(value) || known.includes(text)) return undefined
    if (value.includes(',')) {
      // Only a condition takes several values.
      const areKnown = value.split(',').every((one) => known.includes(one))
      const isField = this.#fields?.flag === '--where' && this.#hasField(name)
      return areKnown && isField && !isListParam(param)
        ? ['--where', `${name}=${value.replaceAll(',', '|')}`]
        : undefined
    }
    const begun = values.filter((one) => one.startsWith(text.toLowerCase()))
    const likely = begun.length === 1 ? begun[0] : findMistyped(text, values)
    return likely === undefined ? undefined : [`--${name}`, likely.replaceAll('_', '-')]
  }

  /** Replaces a condition on the project or group by the flag for it; undefined for any other condition. */
  #readPlace(flag: 'select' | 'where', condition: string): readonly string[] | undefined {
    const [, kind, names] = /^(project|group)=([^=,<>~]+)$/.exec(condition) ?? []
    if (kind === undefined || names === undefined || this.#find(`--${kind}`) === undefined)
      return undefined
    // With a project or group on the line, the condition is on the column that names it.
    if (this.#isScoped) return undefined
    const scope = [kind === 'project' ? '-P' : '-G', names.replaceAll('|', ',')]
    return flag === 'select' ? [...scope, '--select', 'id>0'] : scope
  }

  /** Reads a flag by the table of foreign flags; undefined if no row fits. */
  #readRow(typed: TypedFlag): ReadFlag | undefined {
    for (const row of foreignFlags) {
      if (!row.names.includes(typed.name) || row.of?.test(this.#place.name) === false) continue
      const value = this.#findValue(row, typed)
      const isWhole = row.value === undefined || row.mayLack === true
      if (value === undefined && (!isWhole || typed.joined !== undefined)) continue
      const made = this.#make(row.gives, value ?? '')
      if (made === undefined) continue
      const takesNext = value !== undefined && typed.joined === undefined
      return { ...made, takesNext, wins: row.wins }
    }
    return undefined
  }

  #findValue(row: ForeignFlag, { name, joined, next }: TypedFlag): string | undefined {
    const follows =
      next !== undefined && isWord(next) && this.#mayFollow(name, next) ? next : undefined
    const text = joined ?? follows
    if (text === undefined || row.value === undefined) return undefined
    return row.value === true || row.value.test(text) ? text : undefined
  }

  /** True if a word can be the value of a flag. After `--json`, it must name fields, since it could be an argument. */
  #mayFollow(name: string, text: string): boolean {
    return (
      name !== '--json' ||
      text.startsWith('{') ||
      canListRecords(this.#command) ||
      (this.#answers.length > 0 && text.split(',').every(this.#place.findChoice))
    )
  }

  #make(gives: ForeignFlag['gives'], value: string): FlagReplacement | undefined {
    if (typeof gives === 'function') {
      const made = gives(value, this.#place)
      return made !== undefined && this.#areTaken(made.tokens) ? made : undefined
    }
    const forms = gives.map((form) => form.split(' ').map((word) => word.replace('$1', value)))
    const tokens = forms.find((form) => this.#areTaken(form))
    return tokens && { tokens: this.#correctForm(tokens) }
  }

  /** Corrects the value of a flag that a row gives. */
  #correctForm(tokens: readonly string[]): readonly string[] {
    const [form = '', value, ...others] = tokens
    const flag = value === undefined || others.length > 0 ? undefined : this.#find(form)
    if (flag === undefined || isSwitch(flag.param)) return tokens
    return this.#correct(flag, value ?? '') ?? tokens
  }

  /** Returns true if the command takes these flags. */
  #areTaken(tokens: readonly string[]): boolean {
    return tokens
      .filter((token) => /^--?[A-Za-z]/.test(token))
      .every((token) => {
        const { name } = splitFlag(token, undefined)
        const flag = this.#find(/^-[a-z]{2}/.test(name) ? name.slice(0, 2) : name)
        return flag !== undefined && (flag.hidden !== true || flag.path === true)
      })
  }

  /** Reads a flag that no table has: as a field, a state, a beginning of a flag, or a similar flag. */
  #readUnknown(typed: TypedFlag): ReadFlag | undefined {
    const { name, joined, next } = typed
    if (!name.startsWith('--')) return undefined
    const follows = joined === undefined && /^(?:[^-]|-\d|$)/.test(next ?? '-') ? next : undefined
    const value = joined ?? follows
    const takesNext = follows !== undefined
    if (this.#command.open === true) return this.#readParameter(name.slice(2), value, takesNext)
    const isField = this.#fields?.fields.includes(toSnakeCase(name.slice(2))) === true
    return (
      (isField ? undefined : this.#readState(typed)) ??
      this.#readField(name.slice(2), value, takesNext) ??
      this.#readBeginning(name, value, takesNext) ??
      this.#readParameter(name.slice(2), value, takesNext)
    )
  }

  #readField(name: string, value: string | undefined, takesNext: boolean): ReadFlag | undefined {
    const place = this.#fields
    // Objects that are named are not selected.
    if (place === undefined || (place.flag === '--select' && this.#isNamed)) return undefined
    const plain = name.replace(/^(?:no|not)-/, '')
    const [typed, isOn] = [toSnakeCase(plain), plain === name]
    const time = toTimeCondition(place, typed, value ?? '')
    if (time !== undefined) return { tokens: [place.flag, time], takesNext }
    const field = findField(place, typed)
    if (field === undefined) return undefined
    if (isBooleanField(place, field) && !(takesNext && /^(?:true|false)$/.test(value ?? '')))
      return {
        tokens: [place.flag, `${field}=${value !== undefined && !takesNext ? value : isOn}`],
      }
    return value === undefined
      ? undefined
      : { tokens: [place.flag, writeCondition(typed, field, value, isOn)], takesNext }
  }

  #readState({ name, joined }: TypedFlag): ReadFlag | undefined {
    if (joined !== undefined) return undefined
    const tokens = findState(this.#command, this.#fields, name.slice(2))
    return tokens === undefined ? undefined : { tokens }
  }

  #readBeginning(
    form: string,
    value: string | undefined,
    takesNext: boolean,
  ): ReadFlag | undefined {
    const typed = form.slice(2)
    const named = this.#flags.flatMap((flag) =>
      flag.hidden === true ? [] : [...(flag.own ?? []), flag.name].map((name) => ({ flag, name })),
    )
    // A parameter with the name of a global flag has a prefix.
    const isGlobal = Object.hasOwn(globalFlagRows, typed)
    const prefixed = named.filter(({ name }) => isGlobal && name === `api-${typed}`)
    const begun =
      prefixed.length > 0 ? prefixed : named.filter(({ name }) => name.startsWith(typed))
    const near = findMistyped(
      typed,
      named.map(({ name }) => name),
    )
    const [meant, ...others] = begun.length > 0 ? begun : named.filter(({ name }) => name === near)
    if (meant === undefined || others.length > 0) return undefined
    const { flag, name } = meant
    if (isSwitch(flag.param)) {
      const isArgument = takesNext && this.#command.args.length > 0 && !/^\d+$/.test(value ?? '')
      return value === undefined || isArgument ? { tokens: [`--${name}`] } : undefined
    }
    // A word after a flag with an optional number is no value of it.
    const isWrong = flag.optionalValue === true && !/^\d/.test(value ?? '')
    return value === undefined || isWrong ? undefined : { tokens: [`--${name}`, value], takesNext }
  }

  /** Reads a flag as a parameter that the documents may lack, for requests and for endpoints that accept others. */
  #readParameter(
    name: string,
    value: string | undefined,
    takesNext: boolean,
  ): ReadFlag | undefined {
    // A flag of the program's own is never a parameter, even if this command does not take it.
    if (Object.hasOwn(globalFlagRows, name)) return undefined
    if (isForeignFlag(`--${name}`, this.#place.name)) return undefined
    const { open, endpoints } = this.#command
    const isOpen = Object.values(endpoints).some((endpoint) => endpoint.open !== undefined)
    if (!(open === true || (isOpen && canSendAttributes(this.#command)))) return undefined
    if (value === undefined && !isOpen) return undefined
    return { tokens: ['--param', `${toSnakeCase(name)}=${value ?? 'true'}`], takesNext }
  }
}
