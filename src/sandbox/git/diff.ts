/** What changed between two trees, file by file, as the API shows it. */
import { emptyTree } from './read.js'
import type { Repository } from './repositories.js'

export interface FileDiff {
  old_path: string
  new_path: string
  a_mode: string
  b_mode: string
  new_file: boolean
  renamed_file: boolean
  deleted_file: boolean
  diff: string
}

/** `:100644 100644 <id> <id> M\0path\0`; renames carry both paths. */
const parseRaw = (output: string): Omit<FileDiff, 'diff'>[] => {
  const parts = output.split('\0')
  const files: Omit<FileDiff, 'diff'>[] = []
  for (let at = 0; at < parts.length; at += 1) {
    const head = parts[at] ?? ''
    if (!head.startsWith(':')) continue
    const [a_mode = '', b_mode = '', , , status = ''] = head.slice(1).split(' ')
    const renamed = status.startsWith('R')
    const old_path = parts[at + 1] ?? ''
    const new_path = renamed ? (parts[at + 2] ?? '') : old_path
    at += renamed ? 2 : 1
    files.push({
      old_path,
      new_path,
      a_mode,
      b_mode,
      new_file: status === 'A',
      renamed_file: renamed,
      deleted_file: status === 'D',
    })
  }
  return files
}

/** The hunks of each file, without the lines that name it. */
const parsePatch = (output: string): string[] =>
  output
    .split(/^diff --git /m)
    .slice(1)
    .map((block) => {
      const hunk = /^(@@ |Binary files )/m.exec(block)
      return hunk === null ? '' : block.slice(hunk.index)
    })

/** What a commit changed against its first parent (against nothing, for the first commit). */
export const readDiff = async (
  repository: Repository,
  parent: string | undefined,
  id: string,
): Promise<FileDiff[]> => {
  const trees = [parent ?? emptyTree, id]
  const base = ['diff-tree', '-r', '-M']
  const raw = await repository.must([...base, '-z', '--raw', '--no-abbrev', ...trees])
  const patch = await repository.read([...base, '-p', ...trees])
  const hunks = parsePatch((patch ?? Buffer.alloc(0)).toString('utf8'))
  return parseRaw(raw).map((file, index) => ({ ...file, diff: hunks[index] ?? '' }))
}
