/** Reports for CI, written whole or not at all. */
import { resolve } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import type { WorkspaceService } from '../../engine/command/services.js'
import { Failure, getReason } from '../../errors.js'

/**
 * Writes a report: it is there whole or not at all, since CI would take half a one for the result.
 * @throws Failure `failed`
 */
export const writeReport = async (
  { clock, cwd }: Pick<WorkspaceService, 'clock' | 'cwd'>,
  kind: string,
  file: string,
  text: string,
): Promise<void> => {
  try {
    await writeWhole(resolve(cwd, file), text, { signal: clock.signal })
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const what = `cannot write the ${kind} report ${file}`
    throw new Failure('failed', `${what}: ${getReason(cause)}`, { cause })
  }
}
