/** Writes and reads the files beside the journal of an apply: its confirmed plan, and the former state of what it changes. */

import { existsSync, lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Findings } from '../../base/documents/findings.js'
import { readStoredJson, type StoredValue } from '../../base/documents/stored.js'
import { writeWhole } from '../../base/files/files.js'
import { getFormerFile, getPlanFile } from '../../engine/journal/folder.js'
import { openJournal } from '../../engine/journal/reader.js'
import type { Journal } from '../../engine/journal/writer.js'
import { usage } from '../../errors.js'

/** The schema of the plan of a run with its flags, as they are stored so that the run can be resumed. The plan has its own. */
const keptSchema = {
  type: 'object',
  properties: {
    kept: { const: 1 },
    cwd: { type: 'string' },
    flags: { type: 'object', additionalProperties: {} },
    plan: {},
  },
  required: ['kept', 'cwd', 'flags', 'plan'],
  additionalProperties: false,
} as const
type KeptPlan = StoredValue<typeof keptSchema>

/**
 * Writes the former state and the plan of a run beside its journal. The plan comes last: a run without it cannot be resumed, so that no run is
 * resumed that could not be undone.
 * @throws an error for a file that exists or cannot be written; then neither of them is left
 */
export const writeBeside = async (
  journal: Journal,
  former: () => Promise<string>,
  plan: string,
): Promise<void> => {
  const files = [getFormerFile(journal.file), getPlanFile(journal.file)] as const
  // Either may be another file that must not be overwritten.
  const taken = files.find((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined)
  if (taken !== undefined) throw new Error(taken === files[1] ? 'it exists' : `${taken} exists`)
  try {
    await writeWhole(files[0], await former(), { own: true })
    await writeWhole(files[1], plan, { own: true })
  } catch (error) {
    for (const file of files) await rm(file, { force: true }).catch(() => {})
    throw error
  }
}

/** The largest plan that is read, in bytes. A plan of a hundred thousand actions has a tenth of this size. */
const maxPlan = 1 << 29

/** Reads the text of the plan, with the same checks as for journals, so that no other user can have written it. */
const readKeptBytes = async (path: string): Promise<Buffer> => {
  if (!existsSync(path))
    throw usage(
      `the run has no plan (${path})`,
      'A run that ended before its plan was stored has sent nothing: run apply again.',
    )
  const handle = await openJournal(path)
  try {
    const { size } = await handle.stat()
    if (size > maxPlan) throw usage(`${path} is larger than any plan`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Reads the confirmed plan of a run, and its flags. */
export const readKeptPlan = async (path: string): Promise<KeptPlan> => {
  const findings = new Findings()
  const document = readStoredJson(keptSchema, await readKeptBytes(path), path, findings)
  findings.refuse(
    'Make a new plan with svcctl plan, and apply that. svcctl drift shows what the run left.',
  )
  if (document === undefined) throw usage(`${path} is not a plan of a run`)
  return document.value
}
