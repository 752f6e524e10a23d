/**
 * Implements `commits create`, which reads file actions from a file, standard input or flags and checks them
 * (`catalogue/reference/commits.md`).
 */

import { isAbsolute } from 'node:path'
import { isDots } from '../base/base-url.js'
import { readGivenFile } from '../base/files/files.js'
import { type Fields, isObject, type JsonValues, toJsonFields } from '../base/objects.js'
import { type HeldText, holdText } from '../base/secrets/redact.js'
import { formatCount } from '../base/text.js'
import { decodeStrictly } from '../base/utf8.js'
import { parseHeld } from '../base/yaml/texts.js'
import { actionNames, commits } from '../catalogue/areas/commits.js'
import { list, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { CommandTraits, Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { usage } from '../errors.js'
import { type Arguments, define } from './define.js'

// The file actions of a commit (`actions` in `catalogue/reference/commits.md`), which are checked before they are sent.

type ActionName = (typeof actionNames)[number]

/** An action as the API accepts it. This is a type, because TypeScript does not accept an interface as a JSON value. */
type Action = {
  readonly action: ActionName
  readonly file_path: string
  readonly previous_path?: string
  readonly content?: string
  readonly encoding?: 'text' | 'base64'
  readonly last_commit_id?: string
  readonly execute_filemode?: boolean
}

/**
 * Converts a path to a path in the repository.
 * @throws Failure `usage` for a path outside of the repository, or without a file name
 */
const toRepositoryPath = (text: string, label: string): string => {
  const path = text.replace(/^(?:\.\/)+/, '')
  const parts = path.split('/')
  if (path === '' || path.endsWith('/')) throw usage(`${label}: "${text}" does not name a file`)
  if (path.startsWith('/') || parts.some(isDots))
    throw usage(
      `${label}: "${text}" is not a path in the repository`,
      'Use a path without a leading slash and without "." or "..".',
    )
  return path
}

const isName = (value: unknown): value is ActionName => actionNames.some((name) => name === value)

const checkNeeds = (action: ActionName, item: Fields, label: string) => {
  if ((action === 'create' || action === 'update') && typeof item.content !== 'string')
    throw usage(`${label}: ${action} requires content, as text`)
  if (action === 'move' && typeof item.previous_path !== 'string')
    throw usage(`${label}: move requires previous_path`)
  if (action === 'chmod' && typeof item.execute_filemode !== 'boolean')
    throw usage(`${label}: chmod requires execute_filemode, true or false`)
  if (item.encoding !== undefined && item.encoding !== 'text' && item.encoding !== 'base64')
    throw usage(`${label}: encoding must be text or base64, not "${String(item.encoding)}"`)
}

/** Parses one action of a file. Undocumented attributes are kept. */
const toAction = (item: unknown, index: number): Action => {
  const label = `action ${index + 1}`
  if (!isObject(item)) throw usage(`${label} is not an object`)
  if (!isName(item.action))
    throw usage(
      `${label}: action must be one of ${actionNames.join(', ')}, not "${String(item.action)}"`,
    )
  if (typeof item.file_path !== 'string') throw usage(`${label}: file_path is missing`)
  checkNeeds(item.action, item, label)
  const previous =
    typeof item.previous_path === 'string'
      ? { previous_path: toRepositoryPath(item.previous_path, label) }
      : {}
  const file_path = toRepositoryPath(item.file_path, label)
  return { ...item, action: item.action, file_path, ...previous }
}

/**
 * Parses a list of actions.
 * @throws Failure `usage` that names the invalid action and the reason
 */
export const parseCommitActions = (value: unknown): Action[] => {
  if (!Array.isArray(value)) throw usage('the actions must be a list')
  return value.map(toAction)
}

/** Returns the paths that an action writes or removes. */
const getTouchedPaths = ({ action, file_path, previous_path }: Action): readonly string[] =>
  action === 'chmod' ? [] : [file_path, ...(previous_path === undefined ? [] : [previous_path])]

/**
 * Checks that there is at least one action, and that no two actions change the same path.
 * @throws Failure `usage`
 */
export const checkActions = (actions: readonly Action[]): void => {
  if (actions.length === 0)
    throw usage(
      'nothing to commit',
      'Pass --create, --update, --delete, --move, --chmod, --actions or --input.',
    )
  const seen = new Map<string, ActionName>()
  for (const one of actions)
    for (const path of getTouchedPaths(one)) {
      const before = seen.get(path)
      if (before !== undefined) throw usage(`${path} has two actions: ${before} and ${one.action}`)
      seen.set(path, one.action)
    }
}

const describeSize = ({ content = '', encoding }: Action): string => {
  const bytes = Buffer.byteLength(content, encoding === 'base64' ? 'base64' : 'utf8')
  return `(${formatCount(bytes, 'byte')}${encoding === 'base64' ? ', binary' : ''})`
}

/** Describes an action in one line. */
export const describeAction = (one: Action): string => {
  switch (one.action) {
    case 'move':
      return `move    ${one.previous_path ?? ''} → ${one.file_path}${one.content === undefined ? '' : ` ${describeSize(one)}`}`
    case 'chmod':
      return `chmod   ${one.execute_filemode === true ? '+x' : '-x'} ${one.file_path}`
    case 'delete':
      return `delete  ${one.file_path}`
    default:
      return `${one.action}  ${one.file_path} ${describeSize(one)}`
  }
}

// File actions from flags: `--create local=path`, `--move old=new`, `--chmod +x=path` …

/** Encodes the content of a file as text if it is valid UTF-8, and otherwise as base64. */
export const encodeContent = (bytes: Uint8Array): Pick<Action, 'content' | 'encoding'> => {
  const base64 = {
    content: Buffer.from(bytes).toString('base64'),
    encoding: 'base64',
  } as const
  if (bytes.includes(0)) return base64
  try {
    // A byte order mark is part of the file.
    return { content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return base64
  }
}

/** Splits at the last `=`, so that a local name may contain one. Without `=`, the right part is undefined. */
const splitPair = (text: string): readonly [left: string, right: string | undefined] => {
  const at = text.lastIndexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** The largest file of a commit, in bytes. It is sent as a string, which Node limits to 512 MB. */
const maxContent = 300e6

const createWriteParser =
  (action: 'create' | 'update', signal: AbortSignal | undefined) =>
  async (text: string): Promise<Action> => {
    const label = `--${action}`
    const [local, target] = splitPair(text)
    if (local === '') throw usage(`${label} must have the form local=path/in/repo, not "${text}"`)
    if (target === undefined && isAbsolute(local))
      throw usage(`${label}: specify the target of ${local}: ${label} ${local}=path/in/repo`)
    const file_path = toRepositoryPath(target ?? local.replaceAll('\\', '/'), label)
    const bytes = await readGivenFile(label, local, maxContent, signal)
    return { action, file_path, ...encodeContent(bytes) }
  }

const parseMove = (text: string): Action => {
  const [old, now] = splitPair(text)
  if (old === '' || now === undefined)
    throw usage(`--move must have the form old=new, not "${text}"`)
  return {
    action: 'move',
    previous_path: toRepositoryPath(old, '--move'),
    file_path: toRepositoryPath(now, '--move'),
  }
}

const parseModeChange = (text: string): Action => {
  const match = /^([+-])x=(.+)$/s.exec(text)
  if (match?.[2] === undefined)
    throw usage(`--chmod must have the form +x=path or -x=path, not "${text}"`)
  return {
    action: 'chmod',
    file_path: toRepositoryPath(match[2], '--chmod'),
    execute_filemode: match[1] === '+',
  }
}

/** The texts of the flags, by kind of action. */
type LocalActions = Readonly<
  Partial<Record<'create' | 'update' | 'delete' | 'move' | 'chmod', readonly string[]>>
>

/**
 * Creates the actions of the flags.
 * @throws Failure `usage` that names the flag and the problem
 */
export const parseActionFlags = async (
  { move = [], delete: removed = [], create = [], update = [], chmod: modes = [] }: LocalActions,
  signal?: AbortSignal,
): Promise<Action[]> => [
  ...move.map(parseMove),
  ...removed.map(
    (text): Action => ({ action: 'delete', file_path: toRepositoryPath(text, '--delete') }),
  ),
  ...(await Promise.all(create.map(createWriteParser('create', signal)))),
  ...(await Promise.all(update.map(createWriteParser('update', signal)))),
  ...modes.map(parseModeChange),
]

const flags = {
  create: list('string', 'add a file: local=path/in/repo, or one path for both (repeatable)'),
  update: list('string', 'replace a file: local=path/in/repo, or one path for both (repeatable)'),
  delete: list('string', 'delete a file: path (repeatable)'),
  move: list('string', 'rename a file: old=new (repeatable)'),
  chmod: list('string', 'set or clear the executable flag: +x=path, -x=path (repeatable)'),
  message: { ...string('short form of --commit-message'), short: 'm' },
  actions: {
    ...string('file actions: a JSON list, a file, or - for standard input'),
    parameter: 'actions',
  },
  input: {
    ...string(
      'attributes, or only the actions, from a JSON or YAML file, or - for standard input',
      {
        completes: 'file',
      },
    ),
    parameter: 'actions',
  },
} as const
type CommitArguments = Arguments<typeof flags, typeof commits.create>

/** The largest file of actions, in bytes. */
const maxActions = 100e6

/** Reads the text of a file, or of standard input for `-`. */
const readSourceText = async (
  { place }: Context,
  path: string,
  label: string,
): Promise<HeldText> => {
  if (path === '-') return holdText(await place.stdin.text())
  const bytes = await readGivenFile(label, path, maxActions, place.clock.signal)
  return holdText(decodeStrictly(bytes, `${label}: ${path}`))
}

/** Reads `--input`: attributes of the commit, or only a list of actions. */
const readInput = async (context: Context, path: string | undefined): Promise<JsonValues> => {
  if (path === undefined) return {}
  const label = path === '-' ? '--input' : `--input ${path}`
  const value = await parseHeld(await readSourceText(context, path, '--input'), label)
  if (Array.isArray(value)) return { actions: value }
  if (isObject(value)) return toJsonFields(value)
  throw usage(`${label} must contain an object of attributes or a list of actions`)
}

const isInline = (actions: string): boolean => /^\s*[[{]/.test(actions)

/** Reads `--actions`: an inline list, `@file`, a file name or `-`. */
const readActionList = async (context: Context, text: string): Promise<unknown> => {
  const path = isInline(text) ? undefined : text.replace(/^@/, '')
  const label = path === undefined || path === '-' ? '--actions' : `--actions ${path}`
  const held =
    path === undefined ? holdText(text) : await readSourceText(context, path, '--actions')
  const value = await parseHeld(held, label)
  const list = isObject(value) ? value.actions : value
  if (Array.isArray(list)) return list
  throw usage(`${label}: the actions must be a list`)
}

const collectActions = async (
  context: Context,
  given: CommitArguments,
  input: Fields,
): Promise<Action[]> => {
  const { actions: text, create = [], update = [] } = given.flags
  const local = [...create, ...update].map((one) => splitPair(one)[0])
  const file = text === undefined || isInline(text) ? [] : [text.replace(/^@/, '')]
  await context.place.checkInputs([...file, ...local])
  const listedActions =
    text === undefined ? (input.actions ?? []) : await readActionList(context, text)
  const actions = [
    ...parseCommitActions(listedActions),
    ...(await parseActionFlags(given.flags, context.place.clock.signal)),
  ]
  if (given.extra.actions === undefined) checkActions(actions)
  return actions
}

async function* createCommit(context: Context, given: CommitArguments): Rows {
  const { input: path, actions: text, message, ...rest } = given.flags
  if (path === '-' && (text === '-' || text === '@-'))
    throw usage('--input - and --actions - both read standard input')
  const input = await readInput(context, path)
  const actions = await collectActions(context, given, input)
  // A journal of an earlier version holds the short form.
  const worded = rest['commit-message'] ?? message
  const preset = {
    ...(actions.length === 0 ? {} : { actions }),
    ...(worded === undefined ? {} : { commit_message: worded }),
  }
  const complete = (plan: Plan): Plan => {
    context.ui.note(`committing to ${String(plan.values.branch)} of ${String(plan.values.id)}:`)
    for (const action of actions)
      context.ui.note(`  ${context.answer.text.safe(describeAction(action))}`)
    return plan
  }
  const planned = await context.planActions({ ...given, flags: rest, input }, { preset, complete })
  yield* context.write(planned, { done: 'committed' })
}

/** Replaces the short form of --commit-message, so that the line has the required flag. */
const expandMessage: NonNullable<CommandTraits['arrange']> = ({ args, flags: given }) => {
  if (given.has('commit-message')) return { args, flags: given }
  const expanded = [...given].map(
    ([name, texts]) => [name === 'message' ? 'commit-message' : name, texts] as const,
  )
  return { args, flags: new Map(expanded) }
}

export const create = define({
  description: [
    'Actions come from a JSON or YAML file or standard input, and from flags, which add to them. svcctl sends binary files as base64 and shows the commit on standard error.',
  ],
  of: [commits.create],
  flags,
  arrange: expandMessage,
  rows: createCommit,
})
