/** What somebody agreed to: a plan file, or the plan of a run that is gone on with. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { type Fitting, fitting } from '../../desired/applying/verifying.js'
import { type PlanAction, type PlanDocument, readPlan } from '../../desired/planfile/read.js'
import { toPlanDocument } from '../../desired/planfile/write.js'
import type { Services } from '../../engine/command/services.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import type { PlanGiven } from '../plan/flags.js'
import type { MadePlan } from '../plan/making.js'
import { planBytes } from '../plan/printing.js'

export interface Agreed {
  /** How it is called in what is said of it. */
  readonly file: string
  readonly document: PlanDocument
  /** What it is made of again. */
  readonly given: PlanGiven
  /** Of a run that is gone on with, the actions that are not done; its sets are its own. */
  readonly open?: ReadonlySet<string>
}

/** The actions of what was agreed to that are still to be done. */
export const openIn = ({ document: { actions }, open }: Agreed): readonly PlanAction[] =>
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
export const againFor = ({ inputs, selection }: PlanDocument, given: PlanGiven): PlanGiven => {
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
export const agreedIn = ({ place }: Services, given: PlanGiven): Agreed | undefined => {
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
export const checkFiles = (cwd: string, plan: string, { files }: PlanDocument): void => {
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
export const checkAgreed = (agreed: Agreed, made: MadePlan): void => {
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

/** What of a plan is still to be done, and what does not fit any more. */
export const staleIn = (agreed: Agreed, { plan }: MadePlan): Fitting => {
  if (agreed.open === undefined) return fitting(agreed.document, plan)
  const left = new Set(plan.actions.map(({ id }) => id))
  return fitting({ actions: openIn(agreed).filter(({ id }) => left.has(id)), sets: {} }, plan)
}
