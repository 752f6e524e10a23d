/** The unified diff of a commit, where the answer's items hold one (`diff`, `old_path`, `new_path`). */
import { type Fields, isObject } from '../../base/objects.js'

const hasDiff = (item: unknown): item is Fields =>
  isObject(item) &&
  typeof item.diff === 'string' &&
  typeof item.old_path === 'string' &&
  typeof item.new_path === 'string'

export const hasDiffs = (data: unknown): data is readonly Fields[] =>
  Array.isArray(data) && data.length > 0 && data.every(hasDiff)

export interface DiffLine {
  readonly text: string
  /** Names a file or a place in it. */
  readonly heading: boolean
}

const heading = (text: string): DiffLine => ({ text, heading: true })

/** What happened to the file beside its lines. */
const changes = (item: Fields): DiffLine[] => {
  const { new_file, deleted_file, renamed_file, a_mode, b_mode } = item
  if (new_file === true) return [heading(`new file mode ${String(b_mode)}`)]
  if (deleted_file === true) return [heading(`deleted file mode ${String(a_mode)}`)]
  return [
    ...(a_mode !== b_mode
      ? [heading(`old mode ${String(a_mode)}`), heading(`new mode ${String(b_mode)}`)]
      : []),
    ...(renamed_file === true
      ? [
          heading(`rename from ${String(item.old_path)}`),
          heading(`rename to ${String(item.new_path)}`),
        ]
      : []),
  ]
}

const lines = (item: Fields): DiffLine[] => {
  const text = String(item.diff).replace(/\n$/, '')
  const old = item.new_file === true ? '/dev/null' : `a/${String(item.old_path)}`
  const now = item.deleted_file === true ? '/dev/null' : `b/${String(item.new_path)}`
  const named = text === '' || text.startsWith('--- ') || text.startsWith('Binary')
  return [
    heading(`diff --git a/${String(item.old_path)} b/${String(item.new_path)}`),
    ...changes(item),
    ...(named ? [] : [heading(`--- ${old}`), heading(`+++ ${now}`)]),
    ...(text === '' ? [] : text.split('\n')).map((line) => ({
      text: line,
      heading: line.startsWith('@@'),
    })),
  ]
}

/** A commit's changes as `git diff` writes them, line by line. */
export const unified = (items: readonly Fields[]): DiffLine[] => items.flatMap(lines)
