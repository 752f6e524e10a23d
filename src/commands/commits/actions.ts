/** File actions of a new commit (`actions` in `catalogue/reference/commits.md`), checked before they go. */

import { type Fields, isObject } from '../../base/objects.js'
import { isDots } from '../../base/segments.js'
import { actionNames } from '../../catalogue/areas/commits.js'
import { usage } from '../../errors.js'

type ActionName = (typeof actionNames)[number]

/** An action as the API takes it; a type, since an interface is no JSON value to the compiler. */
export type Action = {
  readonly action: ActionName
  readonly file_path: string
  readonly previous_path?: string
  readonly content?: string
  readonly encoding?: 'text' | 'base64'
  readonly last_commit_id?: string
  readonly execute_filemode?: boolean
}

/**
 * A path in the repository, as the API takes it.
 * @throws Failure `usage` for a path that leaves the repository, or names no file
 */
export const repositoryPath = (text: string, label: string): string => {
  const path = text.replace(/^(?:\.\/)+/, '')
  const parts = path.split('/')
  if (path === '' || path.endsWith('/')) throw usage(`${label}: "${text}" names no file`)
  if (path.startsWith('/') || parts.some(isDots))
    throw usage(
      `${label}: "${text}" is no path within the repository`,
      'A path in the repository has neither a leading slash nor "." or ".." in it.',
    )
  return path
}

const isName = (value: unknown): value is ActionName => actionNames.some((name) => name === value)

const checkNeeds = (action: ActionName, item: Fields, label: string) => {
  if ((action === 'create' || action === 'update') && typeof item.content !== 'string')
    throw usage(`${label}: ${action} needs content, as text`)
  if (action === 'move' && typeof item.previous_path !== 'string')
    throw usage(`${label}: move needs previous_path`)
  if (action === 'chmod' && typeof item.execute_filemode !== 'boolean')
    throw usage(`${label}: chmod needs execute_filemode, true or false`)
  if (item.encoding !== undefined && item.encoding !== 'text' && item.encoding !== 'base64')
    throw usage(`${label}: encoding takes text or base64, not "${String(item.encoding)}"`)
}

/** One action of a file; attributes that the documents do not name are kept. */
const actionOf = (item: unknown, index: number): Action => {
  const label = `action ${index + 1}`
  if (!isObject(item)) throw usage(`${label} is no object`)
  if (!isName(item.action))
    throw usage(
      `${label}: action takes one of ${actionNames.join(', ')}, not "${String(item.action)}"`,
    )
  if (typeof item.file_path !== 'string') throw usage(`${label}: file_path is missing`)
  checkNeeds(item.action, item, label)
  const previous =
    typeof item.previous_path === 'string'
      ? { previous_path: repositoryPath(item.previous_path, label) }
      : {}
  const file_path = repositoryPath(item.file_path, label)
  return { ...item, action: item.action, file_path, ...previous }
}

/**
 * Actions from a file: a bare list, or an object that holds them.
 * @throws Failure `usage` naming the action that is wrong, and why
 */
export const actionsOf = (value: unknown): Action[] => {
  if (!Array.isArray(value)) throw usage('the actions must be a list')
  return value.map(actionOf)
}

/** What an action writes, and what it takes away. */
const touched = ({ action, file_path, previous_path }: Action): readonly string[] =>
  action === 'chmod' ? [] : [file_path, ...(previous_path === undefined ? [] : [previous_path])]

/** @throws Failure `usage` where there are no actions, or two of them touch one path */
export const checkActions = (actions: readonly Action[]): void => {
  if (actions.length === 0)
    throw usage(
      'commits create has nothing to commit',
      'Give --create, --update, --delete, --move, --chmod, --actions or --input.',
    )
  const seen = new Map<string, ActionName>()
  for (const one of actions)
    for (const path of touched(one)) {
      const before = seen.get(path)
      if (before !== undefined)
        throw usage(`${path} stands in two actions: ${before} and ${one.action}`)
      seen.set(path, one.action)
    }
}

const sizeOf = ({ content = '', encoding }: Action): string => {
  const bytes = Buffer.byteLength(content, encoding === 'base64' ? 'base64' : 'utf8')
  return `(${bytes} byte${bytes === 1 ? '' : 's'}${encoding === 'base64' ? ', binary' : ''})`
}

/** What an action does, one line. */
export const describe = (one: Action): string => {
  switch (one.action) {
    case 'move':
      return `move    ${one.previous_path ?? ''} → ${one.file_path}${one.content === undefined ? '' : ` ${sizeOf(one)}`}`
    case 'chmod':
      return `chmod   ${one.execute_filemode === true ? '+x' : '-x'} ${one.file_path}`
    case 'delete':
      return `delete  ${one.file_path}`
    default:
      return `${one.action}  ${one.file_path} ${sizeOf(one)}`
  }
}
