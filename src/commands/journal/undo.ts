/** `svcctl journal undo`: each object of a run is put back as it was, unless somebody changed it since. */
import { Failure } from '../../errors.js'
import type { Line } from '../../fleet/journal/lines.js'
import type { Past } from '../../fleet/journal/past.js'
import type { Facts } from '../../fleet/journal/record.js'
import type { Journal } from '../../fleet/journal/writing.js'
import type { Outcome } from '../../fleet/report.js'
import type { RunRecord } from '../../fleet/run.js'
import { answered, keptOf } from '../answered.js'
import { define } from '../define.js'
import { maskingOf } from '../kept.js'
import type { InstanceService, PlanAnswer, Services } from '../services.js'
import type { Given } from '../types.js'
import { type Inverse, inverseOf } from './inverse.js'
import { fileOf, journalArgument } from './named.js'
import { presentOf } from './present.js'
import { makeJournal, tellGap } from './runs.js'
import { type Step, stepsOf, withIds } from './steps.js'
import { Turns, treePlaceOf } from './turns.js'

/** The fleet's part of it, loaded when it is called. */
const fleet = async () => {
  const [items, past, undo, folder, record, report] = await Promise.all([
    import('../../fleet/items.js'),
    import('../../fleet/journal/past.js'),
    import('../../fleet/journal/undo.js'),
    import('../../fleet/journal/folder.js'),
    import('../../fleet/journal/record.js'),
    import('../../fleet/report.js'),
  ])
  return { ...items, ...past, ...undo, ...folder, ...record, ...report }
}
type Fleet = Awaited<ReturnType<typeof fleet>>

/** By whom and where the run was made, only they take it back. */
const checkMaker = async ({ place, person }: Services, { header, file }: Past): Promise<void> => {
  const { checkIdentity } = await import('../../fleet/journal/identity.js')
  const open = checkIdentity(header, await place.identity())
  if (open !== undefined) await person.confirm(`${open}.`, [file])
}

/** The journal of an undo: made with its first write, so that a declined one leaves none, nor does a trial. */
class Own {
  #journal: Promise<Journal> | undefined
  readonly #make: () => Promise<Journal>
  readonly #trial: boolean

  constructor(make: () => Promise<Journal>, trial: boolean) {
    this.#make = make
    this.#trial = trial
  }

  async append(line: Line): Promise<void> {
    if (this.#trial) return
    this.#journal ??= this.#make()
    await (await this.#journal).append(line)
  }

  /** @returns its file, where there is one */
  async close(interrupted: boolean): Promise<string | undefined> {
    const journal = await this.#journal
    if (journal === undefined) return undefined
    const open = journal.states.counts().not_tried > 0
    await journal.end(interrupted ? 'interrupted' : open ? 'stopped' : 'completed')
    await journal.close()
    return journal.file
  }
}

const ownJournal = (
  { journalId, placeOf }: Fleet,
  { place }: Services,
  past: Past,
  steps: readonly Step[],
): Own =>
  new Own(async () => {
    const { final: _, asked: __, ...header } = past.header
    const [first] = steps
    const area = header.command.split(' ')[0] ?? ''
    const journal = await makeJournal(place, undefined, {
      ...header,
      ...(await place.identity()),
      id: journalId('journal undo', place.clock.now()),
      command: `${area} ${first?.plan.endpoint.command ?? ''}`.trim(),
      endpoint: first?.plan.endpoint.route ?? header.endpoint,
      source: 'journal',
      undoes: header.id,
    })
    for (const { was } of steps) journal.add({ ...placeOf(was), state: 'queued' })
    await journal.append({ input: 'complete', total: steps.length })
    return journal
  }, place.globals.dryRun)

/** What is written down of an object: what the run left is what this finds, and the other way round. */
const recordOf = ({ recordIn }: Fleet, own: Own, { plan, was }: Step): RunRecord<PlanAnswer> => {
  const turned = { before: was.after, after: was.before }
  const facts = (answer: PlanAnswer = {}): Facts => {
    const known = keptOf(answer)
    return answer.unchanged === true ? known : { ...known, ...turned }
  }
  return recordIn(own, facts, maskingOf(plan.endpoint))
}

/** Puts one object back, on record before that. */
const putBack = async (
  { takingOf }: Fleet,
  instance: InstanceService,
  inverse: Inverse,
  { plan, was }: Step,
  record: RunRecord<PlanAnswer>,
): Promise<PlanAnswer> => {
  const sent = { ...was.after, ...was.before }
  const taking = takingOf(was, await presentOf(instance, inverse, plan, sent))
  if (taking === 'unchanged') return { unchanged: true }
  if (taking === 'conflict')
    throw new Failure('conflict', 'it is not as the run left it: somebody changed it since')
  await record.begun(was)
  return answered(await instance.send(plan))
}

/** The same with its outcome on record, whatever that is. */
const recorded = async (
  { outcomeOf }: Fleet,
  { was }: Step,
  record: RunRecord<PlanAnswer>,
  work: () => Promise<PlanAnswer>,
): Promise<PlanAnswer> => {
  let result: PlanAnswer
  try {
    result = await work()
  } catch (error) {
    await record.settled(was, outcomeOf(error))
    throw error
  }
  const state = result.unchanged === true ? 'unchanged' : 'done'
  await record.settled(was, { state, result } satisfies Outcome<PlanAnswer>)
  return result
}

const run = async (services: Services, given: Given): Promise<void> => {
  const { instance, person, place } = services
  const engine = await fleet()
  const past = await engine.readPast(await fileOf(place, given.args[0] ?? ''))
  const inverse = await inverseOf(past.header)
  await engine.checkUndoable(past)
  await checkMaker(services, past)
  tellGap(services, past)
  const kept = await stepsOf(past, inverse, (text) => person.note(text))
  const steps = await withIds(services, kept)
  if (steps.length === 0) return person.note('the run changed nothing that is to be put back')
  const byPlan = new Map(steps.map((step) => [step.plan, step]))
  const own = ownJournal(engine, services, past, steps)
  const turns = new Turns()
  try {
    await instance.many([...byPlan.keys()], {
      loses: { what: `What ${past.header.id} did is taken back.` },
      done: 'put back',
      run: async (plan) => {
        const step = byPlan.get(plan)
        if (step === undefined) throw new Failure('internal', 'a plan of another run')
        const record = recordOf(engine, own, step)
        const place = treePlaceOf(step.was.parent)
        const work = () => turns.take(place, () => putBack(engine, instance, inverse, step, record))
        return recorded(engine, step, record, work)
      },
    })
  } finally {
    const file = await own.close(place.clock.signal.aborted)
    if (file !== undefined) person.note(`Journal: ${file}`)
  }
}

export const undoCommand = define({
  summary: 'Put the objects of a run back as they were',
  description: [
    'Each is read first: one that is not as the run left it is left alone, as a conflict. The run needs a record of what was there before.',
  ],
  alters: true,
  args: [journalArgument],
  examples: [
    'journal undo last --dry-run',
    'journal undo last --yes',
    'journal undo part-1.ndjson --yes',
  ],
  run,
})
