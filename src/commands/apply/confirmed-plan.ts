/** What somebody agreed to: a plan file, or the plan that is kept beside the journal of a run that is gone on with. */

import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { isObject, type JsonValues, jsonFields } from '../../base/objects.js'
import { formerState } from '../../desired/applying/previous.js'
import { type Fitting, fitting } from '../../desired/applying/verify.js'
import {
  type PlanAction,
  type PlanDocument,
  readKept,
  readPlan,
  toPlanDocument,
} from '../../desired/planfile.js'
import type { Services } from '../../engine/command/services.js'
import {
  checkIdentity,
  formerBeside,
  journalId,
  journalsIn,
  planBeside,
} from '../../engine/journal/folder.js'
import type { Header } from '../../engine/journal/lines.js'
import { getNextStep, isDone, openJournal, readPast } from '../../engine/journal/reader.js'
import type { Journal } from '../../engine/journal/writer.js'
import {
  againBy,
  makeJournal,
  resumable,
  takeUpJournal,
  tellGap,
} from '../../engine/journaling/runs.js'
import type { End } from '../../engine/work/report.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import { runFolder } from '../../profile/index.js'
import { type PlanGiven, planningFlags } from '../plan/flags.js'
import type { MadePlan } from '../plan/make.js'
import { planBytes } from '../plan/printing.js'

export interface ConfirmedPlan {
  /** How it is called in what is said of it. */
  readonly file: string
  readonly document: PlanDocument
  /** What it is made of again. */
  readonly given: PlanGiven
  /** Of a run that is gone on with, the actions that are not done, with their digests; its sets are its own. */
  readonly open?: ReadonlyMap<string, string>
}

/** The actions of what was agreed to that are still to be done. */
const openIn = ({ document: { actions }, open }: ConfirmedPlan): readonly PlanAction[] =>
  open === undefined ? actions : actions.filter(({ id }) => open.has(id))

const bytesOf = (path: string): Buffer | undefined => {
  try {
    return planBytes(path)
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes(getErrorCode(error))) return undefined
    throw usage(`${path} cannot be read: ${getReason(error)}`)
  }
}

/** Flags that say what a plan is about, each with the part of a plan file that says it itself. */
const selecting = [
  ['project', 'projects'],
  ['group', 'groups'],
  ['only', 'only'],
  ['except', 'except'],
  ['ignore', 'ignore'],
  ['with-archived', 'withArchived'],
  ['missing', 'missing'],
] as const

/** The line that makes a plan again: its files and selection, and what this line says of how. */
const againFor = ({ inputs, selection }: PlanDocument, given: PlanGiven): PlanGiven => {
  const said = selecting.flatMap(([flag, part]) =>
    selection[part] === undefined ? [] : [[flag, selection[part]] as const],
  )
  return { ...given, args: inputs, flags: { ...given.flags, ...Object.fromEntries(said) } }
}

const checkAlone = ({ args, flags }: PlanGiven, file: string): void => {
  if (args.length > 1) throw usage(`${file} is a plan and cannot be combined with other files`)
  const stray = selecting.find(([name]) => flags[name] !== undefined)
  if (stray !== undefined)
    throw usage(
      `--${stray[0]} cannot be used with a plan file: ${file} already contains its options`,
    )
}

/** The plan file that a line names; undefined where it names files that declare an instance. */
export const agreedIn = ({ place }: Services, given: PlanGiven): ConfirmedPlan | undefined => {
  for (const file of given.args.filter((arg) => arg.endsWith('.json'))) {
    const bytes = bytesOf(resolve(place.cwd, file))
    const document = bytes === undefined ? undefined : readPlan(bytes, file)
    if (document === undefined) continue
    checkAlone(given, file)
    checkFiles(place.cwd, file, document)
    return { file, document, given: againFor(document, given) }
  }
  return undefined
}

/** Files are a part of the state that a plan was made for. */
const changed = (text: string): Failure =>
  new Failure('conflict', text, { hint: 'Nothing was written. Create the plan again.' })

/** @throws Failure `conflict` for a file that is not what the plan was made of */
const checkFiles = (cwd: string, plan: string, { files }: PlanDocument): void => {
  for (const { path, sha256 } of files) {
    if (path === '-')
      throw usage(
        `${plan} was created from standard input, which cannot be read again`,
        'Apply the files.',
      )
    const bytes = bytesOf(resolve(cwd, path))
    if (bytes === undefined)
      throw changed(`${plan} was created from ${path}, which no longer exists`)
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw changed(`${path} changed after ${plan} was created`)
  }
}

/**
 * All that is read of an action, with what its document's tables say.
 * @param only the actions that the other plan does not have: done meanwhile, or new since then
 */
const agreedTo = (
  action: PlanAction,
  { endpoints, files }: PlanDocument,
  only: ReadonlySet<string>,
): string => {
  const at = ([file, ...place]: PlanAction['origin']) => [files[file]?.path, ...place]
  return JSON.stringify({
    ...action,
    endpoint: endpoints[action.endpoint],
    changes: action.changes.map((change) => ({ ...change, origin: at(change.origin) })),
    waits_for: action.waits_for.filter((id) => !only.has(id)),
    origin: at(action.origin),
  })
}

const idsOf = ({ actions }: PlanDocument): ReadonlySet<string> =>
  new Set(actions.map(({ id }) => id))

const without = (ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...ids].filter((id) => !others.has(id)))

/**
 * Holds a plan against the same made now: by whom, where, of what, and all of each action.
 * @throws Failure `usage` where it is another
 */
const checkAgreed = (agreed: ConfirmedPlan, made: MadePlan): void => {
  const now = toPlanDocument(made)
  const { file, document } = agreed
  const differs = (what: string, was: string | null, is: string | null): never => {
    throw usage(`${file} was created ${what} ${was ?? 'nobody'}, and this is ${is ?? 'nobody'}`)
  }
  if (document.instance !== now.instance) differs('for', document.instance, now.instance)
  if (document.user !== now.user) differs('by', document.user, now.user)
  const known = new Map(now.files.map(({ path, sha256 }) => [path, sha256]))
  const other = document.files.find(({ path, sha256 }) => known.get(path) !== sha256)
  if (other !== undefined || now.files.length !== document.files.length)
    throw changed(`${other?.path ?? 'a file'} is not the file that ${file} was created from`)
  const byId = new Map(now.actions.map((action) => [action.id, action]))
  const [before, after] = [idsOf(document), idsOf(now)]
  const [gone, added] = [without(before, after), without(after, before)]
  for (const action of openIn(agreed)) {
    const again = byId.get(action.id)
    if (again === undefined || again.digest !== action.digest) continue
    if (agreedTo(again, now, added) !== agreedTo(action, document, gone))
      throw usage(
        `${file}: ${action.id} does not match the files`,
        'The plan file was changed, or another version of svcctl created it. Create the plan again.',
      )
  }
}

/**
 * What of a plan is still to be done, and what does not fit any more.
 * @throws Failure `usage` where it is another plan than the one that was agreed to
 */
export const staleIn = (agreed: ConfirmedPlan, made: MadePlan): Fitting => {
  checkAgreed(agreed, made)
  const { plan } = made
  if (agreed.open === undefined) return fitting(agreed.document, plan)
  const left = new Set(plan.actions.map(({ id }) => id))
  return fitting({ actions: openIn(agreed).filter(({ id }) => left.has(id)), sets: {} }, plan)
}

// The journal of an apply: what was agreed to is kept beside it, so that it can be gone on with.

const command = 'apply'

/** What a run is gone on with by: its plan, and the flags that it was made with. */
interface KeptPlan {
  readonly kept: 1
  readonly cwd: string
  readonly flags: JsonValues
  readonly plan: unknown
}

/** A run with its journal. */
export interface OwnRun {
  /** Undefined where none is kept. */
  readonly journal: Journal | undefined
  /** The place of each action in the journal, by its id. */
  readonly places: ReadonlyMap<string, number>
  end(end: End): Promise<void>
  close(): Promise<void>
}

/** A run that is gone on with, as it was agreed to. */
export interface ResumedRun extends OwnRun {
  readonly agreed: ConfirmedPlan
}

/** The run that a run takes back, where it does. */
export type UndoHeader = Pick<Header, 'undoes' | 'redo'>

const headerOf = async (services: Services, id: string, undoes: UndoHeader): Promise<Header> => ({
  ...undoes,
  run: 1,
  id,
  began: services.place.clock.now().toISOString(),
  command,
  endpoint: command,
  input: {},
  source: 'arguments',
  ...(await services.place.identity()),
})

const runOf = (
  journal: Journal | undefined,
  { actions }: { readonly actions: readonly { readonly id: string }[] },
): OwnRun => {
  let closed = false
  return {
    journal,
    places: new Map(actions.map(({ id }, i) => [id, i + 1])),
    end: async (end) => journal?.end(end),
    close: async () => {
      if (!closed) await journal?.close()
      closed = true
    },
  }
}

/** Flags of a line by their names, less those that the plan itself has. */
const flagsOf = ({ flags }: PlanGiven): JsonValues =>
  Object.fromEntries(
    Object.entries(flags).filter(
      ([name]) => name.startsWith('allow-') || ['self', 'secrets'].includes(name),
    ),
  )

/** Begins the journal of a plan, as it was agreed to; nothing is written before it stands. */
export const keepApplyRun = async (
  services: Services,
  given: PlanGiven,
  made: MadePlan,
  undoes: UndoHeader = {},
): Promise<OwnRun> => {
  const { place } = services
  const { plan, view } = made
  if (place.globals.journal === 'none') return runOf(undefined, plan)
  const document = toPlanDocument(made)
  const header = await headerOf(services, journalId(command, place.clock.now()), undoes)
  const journal = await makeJournal(place, place.globals.journal, header)
  const kept: KeptPlan = { kept: 1, cwd: place.cwd, flags: flagsOf(given), plan: document }
  const beside = planBeside(journal.file)
  try {
    // Somebody's plan, or that of another run.
    if (lstatSync(beside, { throwIfNoEntry: false }) !== undefined) throw new Error('it exists')
    await writeWhole(beside, `${JSON.stringify(kept)}\n`, { own: true })
    const former = await formerState(view, plan.actions)
    await writeWhole(formerBeside(journal.file), former, { own: true })
  } catch (error) {
    await journal.discard()
    throw usage(
      `cannot store the confirmed plan as ${beside} next to the journal: ${getReason(error)}`,
      'Pass another file with --journal.',
    )
  }
  for (const [i, { id }] of document.actions.entries())
    journal.add({ n: i + 1, object: id, state: 'queued' })
  await journal.append({ input: 'complete', total: document.actions.length })
  return runOf(journal, document)
}

/** Says that the last apply to this instance was not finished: a plan made anew may leave what that had begun. */
export const noteUnfinished = async ({ ui, place }: Services): Promise<void> => {
  const instance = await getInstanceName(place)
  const { entries } = await journalsIn(runFolder(place.env))
  const last = entries.find(
    ({ header }) => header.command === command && header.instance === instance,
  )
  const past = last && (await readPast(last.file).catch(() => undefined))
  if (past === undefined || isDone(past)) return
  const { journal: _, ...globals } = place.globals
  const again = againBy(command, globals)
  ui.note(`the last apply to ${instance} did not finish; run svcctl ${again} to complete it`)
}

/** A plan of a hundred thousand actions has a tenth of this, in bytes. */
const maxPlan = 1 << 29

/** As with the journal itself: nobody else can have written it. */
const keptText = async (path: string): Promise<string> => {
  const handle = await openJournal(path)
  try {
    const { size } = await handle.stat()
    if (size > maxPlan) throw usage(`${path} is larger than any plan`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** What was agreed to of a run, and the flags that it was made with. */
export const keptIn = async (path: string): Promise<KeptPlan> => {
  const text = await keptText(path)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (isObject(value) && value.kept === 1 && typeof value.cwd === 'string')
    if (isObject(value.flags) && isObject(value.plan))
      return { kept: 1, cwd: value.cwd, flags: jsonFields(value.flags), plan: value.plan }
  throw usage(
    `${path} is not a plan of a run`,
    'Make a new plan with svcctl plan, and apply that. svcctl drift shows what the run left.',
  )
}

/** What a line says of its plan: the journal has it. How it is told may be said again. */
const planned = new Set(
  Object.keys({ ...planningFlags, stale: true }).filter(
    (name) => !['fail-on', 'report', 'secrets'].includes(name),
  ),
)

const checkLine = ({ args, flags }: PlanGiven): void => {
  const [arg] = args
  if (arg !== undefined)
    throw usage(`--resume takes no files; remove "${arg}"`, 'The journal contains the plan.')
  const stray = Object.entries(flags).find(
    ([name, value]) => value !== undefined && planned.has(name),
  )
  if (stray !== undefined)
    throw usage(`--resume and --${stray[0]} exclude each other`, 'The journal defines the run.')
}

/**
 * The run that is gone on with.
 * @returns undefined where nothing of it is left
 * @throws Failure `usage` for another instance or user, or files that are not as they were; `conflict` where
 *   another process has it
 */
export const resumedRun = async (
  services: Services,
  given: PlanGiven,
  name: string,
): Promise<ResumedRun | undefined> => {
  const { place, ui } = services
  checkLine(given)
  const before = await resumable(
    place,
    { name, command },
    (instance) => `no apply to ${instance} can be resumed`,
  )
  if (before === undefined) return undefined
  if (before.header.command !== command)
    throw usage(`the run ${before.header.id} belongs to "svcctl ${before.header.command}"`)
  const doubt = checkIdentity(before.header, await place.identity())
  if (isDone(before)) return undefined
  tellGap(services, before)
  const path = planBeside(before.file)
  const kept = await keptIn(path)
  const document = readKept(kept.plan, path)
  checkFiles(kept.cwd, before.header.id, document)
  if (doubt !== undefined) await ui.confirm(`${doubt}.`, [before.file])
  const { journal, past } = await takeUpJournal(place, before.file)
  const { endpoint } = past.header
  const open = document.actions.filter(
    (_, i) => getNextStep(past.states.get(i + 1) ?? 'queued', endpoint) !== 'skip',
  )
  const agreed = {
    file: before.file,
    document,
    given: againFor(document, { ...given, flags: { ...given.flags, ...kept.flags } }),
    open: new Map(open.map(({ id, digest }) => [id, digest])),
  }
  return { ...runOf(journal, document), agreed }
}
