/** Journals by what people call them: a file, the id of a run, or `last`. */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { usage } from '../../errors.js'
import { journalFolder } from '../../profile/index.js'
import type { WorkspaceService } from '../command/services.js'
import type { Argument } from '../command/types.js'
import { newestIn } from '../journal/folder.js'

type Place = Pick<WorkspaceService, 'cwd' | 'env'>

/**
 * The file of a journal.
 * @throws Failure `usage` where there is none of that name
 */
export const resolveJournalFile = async ({ cwd, env }: Place, name: string): Promise<string> => {
  const folder = journalFolder(env)
  if (name === 'last') {
    const newest = await newestIn(folder)
    if (newest !== undefined) return newest.file
    throw usage('no journals yet', 'Every write is recorded in a journal.')
  }
  const kept = join(folder, `${name}.ndjson`)
  if (!name.includes('/') && existsSync(kept)) return kept
  const file = resolve(cwd, name)
  if (existsSync(file)) return file
  throw usage(`unknown journal "${name}"`, 'svcctl journal list names those that there are.')
}

/** The argument that names a journal. */
export const journalArgument: Argument = {
  name: 'journal',
  required: true,
  variadic: false,
  help: 'run ID, file, or "last"',
}
