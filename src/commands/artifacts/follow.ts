/** Reads a growing file, such as the log of a job, until its object is finished. */
import { getFields } from '../../base/objects.js'
import type { Context } from '../../engine/command/context.js'
import { findObjectReader } from '../../engine/command/object-reader.js'
import type { Plan } from '../../engine/command/types.js'
import { createNoteRow, createTextRow, type Rows } from '../../engine/rows.js'
import { Failure } from '../../errors.js'
import type { Answer } from '../../http/types.js'

/** The pause between two requests, in milliseconds. */
const pause = 2000

/** The states in which the file of an object may still grow. */
const unfinished = new Set([
  'created',
  'waiting_for_resource',
  'waiting_for_callback',
  'preparing',
  'pending',
  'running',
  'scheduled',
  'canceling',
])

/** True if the object of a plan is finished; undefined if the instance does not report its status. */
const isOver = async ({ instance }: Context, plan: Plan): Promise<boolean | undefined> => {
  const reading = await findObjectReader('', plan.endpoint)
  if (reading === undefined) return undefined
  const { data } = await instance.send({
    endpoint: reading.endpoint,
    values: reading.fillPath(plan),
  })
  const status = getFields(data).status
  return typeof status === 'string' ? !unfinished.has(status) : undefined
}

/** Requests the part of the file after the shown bytes; undefined if there is none. */
const openRest = async (
  { instance }: Context,
  plan: Plan,
  shown: number,
): Promise<Answer | undefined> => {
  try {
    return await instance.open(plan, shown === 0 ? {} : { range: `bytes=${shown}-` })
  } catch (error) {
    if (error instanceof Failure && error.details.status === 416) return undefined
    throw error
  }
}

/** Yields the bytes of an answer that are not shown yet. An instance may ignore the range and send the whole file. */
async function* readRest(answer: Answer, shown: number): AsyncGenerator<Uint8Array> {
  let skip = answer.status === 206 ? 0 : shown
  for await (const chunk of answer.body) {
    const rest = chunk.subarray(Math.min(skip, chunk.length))
    skip -= chunk.length - rest.length
    if (rest.length > 0) yield rest
  }
}

/** Yields a file and the bytes that are added to it, until its object is finished. */
export async function* followFile(context: Context, plan: Plan, first: Answer): Rows {
  let shown = 0
  let over: boolean | undefined = false
  for (let answer: Answer | undefined = first; ; answer = await openRest(context, plan, shown)) {
    for await (const bytes of answer === undefined ? [] : readRest(answer, shown)) {
      shown += bytes.length
      yield createTextRow(bytes)
    }
    if (over === true) return
    // The status is read before the rest of the file, so that nothing is missed.
    over = await isOver(context, plan)
    if (over === undefined)
      return yield createNoteRow('the instance does not tell whether it is over')
    if (!over) await context.place.clock.sleep(pause)
  }
}
