/** Suggests a correct line for a refused one that is mistyped or in the words of other tools. */

import type { Io } from '../../base/io.js'
import { maskWholeText } from '../../base/secrets/mask.js'
import { isSecretName, masked } from '../../base/secrets/names.js'
import { quoteWord } from '../../base/shell-words.js'
import { suggestSimilar } from '../../base/suggest.js'
import { getExtensionFault } from '../../catalogue/index.js'
import { getCommandName } from '../../engine/command/derive.js'
import { isWord } from '../../engine/plan/line.js'
import { type Failure, recoverFrom } from '../../errors.js'
import { Leaf } from '../words/leaf.js'
import { flagsAnywhere, followWords, parseTokens } from '../words/tree.js'
import { rewriteArguments, rewriteName } from './arguments.js'
import { expandFirst, rewriteWords } from './command-words.js'
import { FlagReader } from './flag-words.js'
import { eachObject, type RewrittenWords } from './requests.js'

/** The line that is suggested in place of another. */
interface MeantLine {
  readonly tokens: readonly string[]
  /** True if the line would be refused as well, because of another mistake. */
  readonly isRefused?: boolean
  /** The file that standard input is read from. */
  readonly input?: string | undefined
}

/** The hint for an operation that the documents lack. */
const missing = 'The API documents have no such operation.'
/** The hint on how to add such an operation. */
const addition = 'A file of commands adds it: svcctl help extend'

/** Finds the command of a line, and the tokens after its words; undefined if the words name none. */
const findCommand = async (tokens: readonly string[], { env }: Io) => {
  const { level, rest } = await followWords({ tokens, env })
  return level instanceof Leaf ? { command: level.loadedCommand, rest } : undefined
}

/** Returns true for a line that runs a command or shows its help. */
const isRun = async (tokens: readonly string[], { env }: Io): Promise<boolean> =>
  ['run', 'help'].includes((await parseTokens(tokens, env)).kind)

/** Returns true for a line that runs a command, and would be refused before anything is sent. */
const isRefused = async (tokens: readonly string[], io: Io): Promise<boolean> => {
  const line = await parseTokens(tokens, io.env)
  if (line.kind !== 'run') return false
  const { checkTypedLine } = await import('../../answer/execute.js')
  return checkTypedLine(line.command, line.raw, io).then(
    () => false,
    (error: unknown) => recoverFrom(error).category === 'usage',
  )
}

/** Lists the flags that a line with objects or flags still needs, each with a placeholder for its value. */
const listMissingFlags = async (
  tokens: readonly string[],
  { env }: Io,
): Promise<readonly string[]> => {
  // A line such as `help` needs no command.
  const line = await parseTokens(tokens, env).catch((error: unknown) => void recoverFrom(error))
  if (line?.kind !== 'run') return []
  const { command, raw } = line
  // Attributes may come from elsewhere, and words alone are no line to run yet.
  const isOpen = ['input', 'param', 'row-fields', 'resume'].some((name) => raw.flags.has(name))
  if (isOpen || raw.args.length + raw.flags.size === 0) return []
  return command.flags
    .filter(({ name, path, param, required }) => {
      const isKnown = raw.flags.has(name) || param.env !== undefined
      return required && path !== true && !isKnown
    })
    .flatMap(({ name }) => [`--${name}`, `<${name}>`])
}

/** Returns a line without a command of its own: one that runs through an alias, or the help of an area without a verb. */
const findPage = async (tokens: readonly string[], { env }: Io): Promise<MeantLine | undefined> => {
  const { kind } = await parseTokens(tokens, env)
  if (kind === 'run') return { tokens }
  return kind === 'bare' ? { tokens: [...tokens, '--help'] } : undefined
}

/** Rewrites the flags and arguments of a line; undefined if they mean nothing. @param isNamed true if an ID is a name */
const rewriteRest = async (
  typed: readonly string[],
  isNamed: boolean,
  io: Io,
): Promise<MeantLine | undefined> => {
  if (['--version', 'help'].includes(typed[0] ?? '') || typed.includes('--help'))
    return { tokens: typed }
  const found = await findCommand(typed, io)
  // The expansion of an alias is not rewritten.
  if (found === undefined) return findPage(typed, io)
  const read = (await FlagReader.open(found.command, found.rest, io.now())).read(found.rest)
  if (read === undefined) return undefined
  const rewritten =
    isNamed && read.command === undefined
      ? await rewriteName(found.command, read.tokens)
      : undefined
  const words = (rewritten?.command ?? read.command ?? getCommandName(found.command)).split(' ')
  const tokens = [
    ...words,
    ...(rewritten?.tokens ?? (await rewriteArguments(found.command, read.tokens))),
  ]
  if (!(await isRun(tokens, io))) return undefined
  return { tokens, isRefused: await isRefused(tokens, io), input: read.input }
}

/** Matches a condition with IDs, of which other svcctl lines print some. */
const withOutputs = /^(?:to_)?project_id=(?=.*\$\()(?:(?:\d+|\$\(svcctl [^()]*\))(?:\||$))+$/

/** Quotes a token for a shell, except where it contains the output of other svcctl lines or each of several objects. */
const quoteToken = (token: string): string => {
  if (/^<[a-z-]+>$/.test(token)) return token
  if (withOutputs.test(token)) return token.includes('|') ? `"${token}"` : token
  const parts = token.split(eachObject)
  return parts
    .map((part) => (part === '' && parts.length > 1 ? '' : quoteWord(part)))
    .join(eachObject)
}

const formatLine = ({ tokens, input }: MeantLine, objects?: readonly string[]): string => {
  const read = input === undefined ? [] : ['<', quoteWord(input)]
  const line = ['svcctl', ...tokens.map(quoteToken), ...read].join(' ')
  return objects === undefined
    ? line
    : `for id in ${objects.map(quoteWord).join(' ')}; do ${line}; done`
}

/** Returns the words, flags and values of a line in one order. */
const sortWords = (tokens: readonly string[]): string =>
  tokens
    .flatMap((token) => /^(--[^=]+)=(.*)$/s.exec(token)?.slice(1) ?? [token])
    .sort()
    .join(' ')

/** Returns true if a line has the same words and flags. Another form makes another line if the typed one cannot run. */
const isSameLine = async (
  { tokens }: MeantLine,
  typed: readonly string[],
  io: Io,
): Promise<boolean> =>
  tokens.join(' ') === typed.join(' ') ||
  (sortWords(tokens) === sortWords(typed) && (await isRun(typed, io).catch(() => false)))

/** Returns a line with its alias expanded, and with the names of its command in the place of other words for them. */
const normalizeLine = async (typed: readonly string[], io: Io): Promise<readonly string[]> => {
  const tokens = expandFirst(typed, io.env) ?? typed
  const found = await findCommand(tokens, io)
  return found === undefined ? tokens : [...getCommandName(found.command).split(' '), ...found.rest]
}

/** Suggests a flag for a line that consists of flags alone. */
const suggestFlag = (typed: readonly string[]): string | undefined => {
  const names = ['--version', ...flagsAnywhere.map(({ name }) => `--${name}`)]
  if (typed.some((token) => ['--usage', '-?'].includes(token))) return 'Run "svcctl --help".'
  const strange = typed.find((token) => token.startsWith('--') && !names.includes(token))
  return strange === undefined ? undefined : suggestSimilar(strange, names)
}

/** Suggests the flag that was meant, where the line has another mistake besides. */
const suggestOnlyFlag = (
  { message }: Failure,
  { tokens }: MeantLine,
  typed: readonly string[],
): string | undefined => {
  if (!message.startsWith('unknown option')) return undefined
  const names = (line: readonly string[]) =>
    line.filter((token) => token.startsWith('--')).map((token) => token.replace(/=.*/s, ''))
  const [name, ...others] = names(tokens).filter((one) => !names(typed).includes(one))
  return name === undefined || others.length > 0 ? undefined : `Did you mean ${name}?`
}

/** Adds `--paginate` to the request of a list if the line has flags for lists, which a single response does not take. */
const readAllPages = (line: MeantLine): MeantLine =>
  line.tokens.some((token) => /^(?:-L|--(?:limit|page|per-page|sort|where)(?:=|$))/.test(token)) &&
  !line.tokens.includes('--paginate')
    ? { ...line, tokens: line.tokens.toSpliced(3, 0, '--paginate') }
    : line

const describeRequests = ({ objects }: RewrittenWords): string =>
  objects === undefined ? 'its request' : 'its requests'

/** True if a line contains a secret, which an error must not repeat: the value of a flag with such a name, or a part of a text. */
const holdsSecret = ({ tokens, input = '' }: MeantLine): boolean =>
  [...tokens, input].some((token, i) => {
    const [, flag = '', value = tokens[i + 1] ?? ''] = /^--([^=]+)(?:=(.*))?$/s.exec(token) ?? []
    const isNamed = isSecretName(flag) && !/^(?:$|-|@|env:)/.test(value)
    return isNamed || maskWholeText(token, () => masked) !== token
  })

/** Finds the hint for a refused line; undefined if the hint of its error is kept. */
const findHint = async (
  error: Failure,
  typed: readonly string[],
  io: Io,
): Promise<string | undefined> => {
  if (getExtensionFault() !== undefined) return undefined
  const words = await rewriteWords(typed, io.env)
  if (words === undefined) return typed.some(isWord) ? undefined : suggestFlag(typed)
  const isNamed = /^<i?id> must be an integer/.test(error.message)
  const found = await rewriteRest(words.tokens, isNamed, io).catch(
    (error: unknown) => void recoverFrom(error),
  )
  const isSecret = found !== undefined && holdsSecret(found)
  if (found !== undefined && (isSecret || found.isRefused === true)) {
    const hint = suggestOnlyFlag(error, found, typed)
    if (hint !== undefined || !isSecret) return hint
  }
  const rewritten = isSecret ? undefined : found
  if (words.isMissing === true)
    return rewritten === undefined
      ? `${missing} ${addition}`
      : `${missing} Run "${formatLine(readAllPages(rewritten), words.objects)}" to send ${describeRequests(words)}. ${addition}`
  if (rewritten === undefined || (await isSameLine(rewritten, await normalizeLine(typed, io), io)))
    return undefined
  const { tokens } = rewritten
  const all = [...tokens, ...(await listMissingFlags(tokens, io))]
  return `Run "${formatLine({ ...rewritten, tokens: all })}".`
}

/**
 * Returns the error of a refused line, with the line that was probably meant as its hint. Returns the error itself if there is none.
 * @param typed the words of the refused line
 */
export const adviseLine = async (
  error: Failure,
  typed: readonly string[],
  io: Io,
): Promise<Failure> => {
  const line = await findHint(error, typed, io).catch(
    (failure: unknown) => void recoverFrom(failure),
  )
  if (line === undefined) return error
  // The hint of the error may list the valid words; they follow the line.
  const [, behind, kinds] =
    /^(?:Did you mean [^?]*\?( .*)|(Kinds are .*))$/.exec(error.details.hint ?? '') ?? []
  const more = behind ?? (kinds === undefined ? '' : ` ${kinds}`)
  return error.with({ hint: line + more })
}
