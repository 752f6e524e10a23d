/** The plan file: written whole, for its owner, over nothing but another plan. */
import { resolve } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { readRegular } from '../../base/files/regular.js'
import type { PlanDocument } from '../../desired/planfile/document.js'
import type { PlaceService } from '../../engine/command/services.js'
import { codeOf, Failure, reasonOf, usage } from '../../errors.js'

type Place = Pick<PlaceService, 'clock' | 'cwd'>

/** A plan file is no larger. */
const mostBytes = 256e6

/** What may be a plan. @throws as `readRegular` */
export const planBytes = (path: string): Buffer => readRegular(path, mostBytes)

/**
 * Whether a plan may be written there, before anything is asked for it.
 * @throws Failure `usage` where something is in the way that is no plan
 */
export const checkOut = async ({ cwd }: Place, file: string): Promise<void> => {
  const { isPlan } = await import('../../desired/planfile/read.js')
  let bytes: Uint8Array
  try {
    bytes = planBytes(resolve(cwd, file))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw usage(`${file} cannot be written: ${reasonOf(error)}`)
  }
  if (!isPlan(bytes))
    throw usage(`${file} is there and is no plan: it is left alone`, 'Give --out another name.')
}

/** Its text: the same plan is the same text, but for when it was made. */
const planText = (document: PlanDocument): string => `${JSON.stringify(document, null, 2)}\n`

/** Writes a plan file. @throws Failure `failed` */
export const writePlan = async (
  { clock, cwd }: Place,
  file: string,
  document: PlanDocument,
): Promise<void> => {
  try {
    await writeWhole(resolve(cwd, file), planText(document), { own: true, signal: clock.signal })
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('failed', `cannot write the plan ${file}: ${reasonOf(cause)}`, { cause })
  }
}
