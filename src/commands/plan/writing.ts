/** The plan file: written whole, for its owner, over nothing but another plan. */
import { resolve } from 'node:path'
import { openWhole } from '../../base/files/files.js'
import { readRegular } from '../../base/files/regular.js'
import type { DesiredPlan } from '../../desired/actions.js'
import type { PlanHead } from '../../desired/planfile/document.js'
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

/** Pieces of a text, in chunks that are worth a write. */
function* chunked(pieces: Iterable<string>): Generator<Uint8Array> {
  let [held, length]: [string[], number] = [[], 0]
  for (const piece of pieces) {
    held.push(piece)
    length += piece.length
    if (length < chunkSize) continue
    yield Buffer.from(held.join(''))
    held = []
    length = 0
  }
  yield Buffer.from(held.join(''))
}

const chunkSize = 1 << 16

/** Writes a plan file: the same plan is the same text, but for when it was made. @throws Failure `failed` */
export const writePlan = async (
  { clock, cwd }: Place,
  file: string,
  { plan, head }: { readonly plan: DesiredPlan; readonly head: PlanHead },
): Promise<void> => {
  const { planText } = await import('../../desired/planfile/write.js')
  try {
    const whole = await openWhole(resolve(cwd, file), { own: true, signal: clock.signal })
    try {
      for (const chunk of chunked(planText(plan, head))) await whole.write([chunk])
      await whole.publish()
    } catch (error) {
      await whole.discard()
      throw error
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('failed', `cannot write the plan ${file}: ${reasonOf(cause)}`, { cause })
  }
}
