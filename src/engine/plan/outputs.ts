/**
 * Checks the files that a command line writes before anything is sent. They must not overwrite its inputs or each other, and a report
 * replaces only a report. Loaded only for lines that write a file.
 */
import { type BigIntStats, readdirSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findReplaced } from '../../base/files/files.js'
import { readRegular } from '../../base/files/regular.js'
import { type Io, resolvePath } from '../../base/io.js'
import { getFields, tryParseJson } from '../../base/objects.js'
import { canComeFromFile, isFile, isListParam, takesPairs } from '../../catalogue/params.js'
import { Failure, getReason, usage } from '../../errors.js'
import { getCommandFlags } from '../command/flags.js'
import type { CommandFacts, Flag } from '../command/types.js'
import type { Raw } from './line.js'
import { parseParamFile } from './parse-values.js'

/** A file, and the words that name it in messages. */
interface NamedFile {
  readonly words: string
  readonly path: string
}

/** A file that a line writes, and for a report its kind. */
interface OutputFile extends NamedFile {
  readonly kind?: string
}

/** Returns the flags of a line with their texts. */
const getGivenFlags = (
  command: CommandFacts,
  { flags }: Pick<Raw, 'flags'>,
): readonly (readonly [Flag, readonly string[]])[] =>
  getCommandFlags(command, ({ name }) => flags.has(name)).map((flag) => [
    flag,
    flags.get(flag.name) ?? [],
  ])

// The outputs of a line.

/** True for standard output and for "none". An empty path is rejected where the flag is parsed. */
const isNoFile = ({ path }: NamedFile): boolean => ['', '-', 'none'].includes(path)

/** Returns the files that a flag names. A kind that the command does not write is none: the parser of the flag rejects it. */
const getFlagOutputs = ({ name, param }: Flag, texts: readonly string[]): readonly OutputFile[] => {
  if (param.writes !== true) return []
  if (!takesPairs(param))
    return texts.slice(-1).map((path) => ({ words: `--${name} ${path}`, path }))
  return texts.flatMap((text) => {
    const at = Math.max(0, text.indexOf('='))
    const kind = text.slice(0, at)
    const isKnown = kind === '' || param.keys === undefined || Object.hasOwn(param.keys, kind)
    return isKnown ? { words: `--${name} ${text}`, path: text.slice(at + 1), kind } : []
  })
}

const findOutputs = (command: CommandFacts, raw: Raw): readonly OutputFile[] =>
  getGivenFlags(command, raw).flatMap(([flag, texts]) => getFlagOutputs(flag, texts))

/** True if the line writes a report to standard output. */
export const writesReportToStdout = (command: CommandFacts, raw: Raw): boolean =>
  findOutputs(command, raw).some(({ kind, path }) => kind !== undefined && path === '-')

// The inputs of a line.

/** Returns a snapshot's folder and its files. Other files in the folder are not inputs. */
const findSnapshotFiles = (folder: string): readonly string[] => {
  try {
    const names = readdirSync(resolvePath(folder)).filter((name) =>
      /^manifest\.json$|\.ndjson$/.test(name),
    )
    return [folder, ...names.map((name) => join(folder, name))]
  } catch {
    // The command that reads the folder reports the error.
    return []
  }
}

/** Returns the paths that the text of a flag may name. */
const getPathsInText = ({ name, param, beyond }: Flag, text: string): readonly string[] => {
  if (name === 'param' && beyond === true) return [parseParamFile(text)?.path ?? '']
  if (canComeFromFile(param)) return text.startsWith('@') ? [text.slice(1)] : []
  if (!isFile(param)) return []
  const texts = isListParam(param) ? text.split(',') : [text]
  return texts.map((one) => one.replace(/^@/, ''))
}

const getFlagInputs = (
  flag: Flag,
  texts: readonly string[],
  isOwn: boolean,
): readonly NamedFile[] => {
  const { name, param } = flag
  if (param.writes === true) return []
  const paths =
    isOwn || !['from', 'since', 'resume'].includes(name)
      ? texts.flatMap((text) => getPathsInText(flag, text))
      : texts.flatMap((text) => (name === 'resume' ? [text] : findSnapshotFiles(text)))
  return paths.map((path) => ({ words: `${path} of --${name}`, path }))
}

/** Returns the arguments that are files or may be. The last argument of a command may repeat. */
const getArgumentInputs = ({ args }: CommandFacts, given: readonly string[]): NamedFile[] =>
  given.flatMap((path, i) => {
    const argument = args[Math.min(i, args.length - 1)]
    return argument?.file === true || argument?.mayBeFile === true ? [{ words: path, path }] : []
  })

const findInputs = (command: CommandFacts, raw: Raw): readonly NamedFile[] =>
  [
    ...getArgumentInputs(command, raw.args),
    ...getGivenFlags(command, raw).flatMap(([flag, texts]) =>
      getFlagInputs(flag, texts, command.flags.includes(flag)),
    ),
  ].filter((input) => !isNoFile(input))

// The identity of files: symbolic links, hard links and different spellings of a path name the same file.

const toIdentity = (stats: BigIntStats | undefined): string | undefined =>
  stats?.isFile() === true || stats?.isDirectory() === true
    ? `${stats.dev}:${stats.ino}`
    : undefined

const readStats = (path: string): Promise<BigIntStats | undefined> =>
  stat(path, { bigint: true }).catch(() => undefined)

/** Returns a text that identifies the output file; undefined for a device, a pipe, or a folder that does not exist. */
const identifyOutput = async (output: OutputFile): Promise<string | undefined> => {
  if (isNoFile(output)) return output.path === '-' ? '-' : undefined
  const { path } = output
  const at = resolvePath(path)
  const replaced = await findReplaced(at).catch(() => at)
  if (replaced === undefined) {
    if ((await readStats(at)) !== undefined) return undefined
    // The file does not exist yet, so its folder and name identify it.
    return realpath(dirname(at)).then(
      (folder) => join(folder, basename(at)),
      () => undefined,
    )
  }
  return toIdentity(await readStats(replaced))
}

/** @throws Failure `usage` if an output is one of the inputs */
const checkInputsKept = async (
  outputs: readonly OutputFile[],
  inputs: readonly NamedFile[],
  io: Io,
): Promise<void> => {
  const known = new Map<string, string>()
  const stdin = toIdentity(io.inputFile())
  if (stdin !== undefined) known.set(stdin, 'standard input')
  for (const { words, path } of inputs) {
    const identity = toIdentity(await readStats(resolvePath(path)))
    if (identity !== undefined) known.set(identity, words)
  }
  for (const output of outputs) {
    const input = known.get((await identifyOutput(output)) ?? '')
    if (input !== undefined)
      throw usage(
        `${output.words} would overwrite an input of this command: ${input}`,
        'Nothing was sent. Pass the name of another file.',
      )
  }
}

/** @throws Failure `usage` if two outputs are one file */
const checkOutputsDiffer = async (outputs: readonly OutputFile[]): Promise<void> => {
  const known = new Map<string, string>()
  for (const output of outputs) {
    const identity = await identifyOutput(output)
    const other = identity === undefined ? undefined : known.get(identity)
    if (other !== undefined)
      throw usage(
        `${other} and ${output.words} both write to ${identity === '-' ? 'standard output' : 'one file'}`,
        'Name a file for each.',
      )
    if (identity !== undefined) known.set(identity, output.words)
  }
}

// The content of reports: a report may replace only an older report of its kind.

/** The largest existing report that is read, in bytes. */
const maxReport = 512e6

/** Skips a byte order mark, the declaration and comments before the root element of XML. */
const skipProlog = (text: string): string => {
  let rest = text.replace(/^\ufeff/, '').trimStart()
  for (const [start, end] of [
    ['<?', '?>'],
    ['<!--', '-->'],
  ] as const)
    while (rest.startsWith(start)) {
      const at = rest.indexOf(end)
      if (at < 0) return ''
      rest = rest.slice(at + end.length).trimStart()
    }
  return rest
}

const isSarif = (text: string): boolean => {
  const { version, runs } = getFields(tryParseJson(text))
  return typeof version === 'string' && Array.isArray(runs)
}

/** The name of a kind of report, and a function that recognizes its content. */
interface ReportKind {
  readonly name: string
  readonly test: (text: string) => boolean
}

const reportKinds: Readonly<Record<string, ReportKind>> = {
  junit: { name: 'JUnit', test: (text) => /^<testsuites[\s/>]/.test(skipProlog(text)) },
  sarif: { name: 'SARIF', test: isSarif },
  markdown: { name: 'Markdown', test: (text) => text.startsWith('<!-- svcctl:') },
}

/** @throws Failure `usage` if an existing file is not a report of this kind; `failed` if the file cannot be written */
const checkReport = async (output: OutputFile): Promise<void> => {
  const { path, kind, words } = output
  if (kind === undefined) return
  if (kind === '' || path === '')
    throw usage(`${words} does not have the form KIND=FILE`, 'For example: --report junit=out.xml')
  const report = reportKinds[kind]
  if (report === undefined || isNoFile(output)) return
  let text: string | undefined
  try {
    const replaced = await findReplaced(resolvePath(path))
    text = replaced && readRegular(replaced, maxReport).toString()
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(
      'failed',
      `cannot write the ${report.name} report ${path}: ${getReason(cause)}`,
      {
        hint: 'Nothing was sent. Pass the name of another file.',
        cause,
      },
    )
  }
  if (text === undefined || text === '' || report.test(text)) return
  throw usage(
    `${path} exists and is not a ${report.name} report, so it was not overwritten`,
    `Nothing was sent. Pass the name of another file to --report ${kind}=<file>.`,
  )
}

/**
 * Checks the files that a line writes, before anything is read or sent.
 * @throws Failure `usage` if an output is also an input or another output, or if a report would replace something else
 */
export const checkOutputs = async (command: CommandFacts, raw: Raw, io: Io): Promise<void> => {
  const outputs = findOutputs(command, raw)
  if (outputs.length === 0) return
  await checkInputsKept(outputs, findInputs(command, raw), io)
  await checkOutputsDiffer(outputs)
  for (const output of outputs) await checkReport(output)
}

/**
 * Checks the files that a command finds by itself, such as those in a folder or of a pattern.
 * @throws Failure `usage` if the line would overwrite one of them
 */
export const checkInputs = async (
  command: CommandFacts,
  raw: Raw,
  files: readonly string[],
  io: Io,
): Promise<void> => {
  const outputs = findOutputs(command, raw)
  const inputs = files.map((path) => ({ words: path, path })).filter((one) => !isNoFile(one))
  await checkInputsKept(outputs, inputs, io)
}
