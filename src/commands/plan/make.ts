/** Creates the plan of declared files and an instance, for `plan`, `drift` and `apply`. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { trimTrailingSlashes } from '../../base/text.js'
import { compareVersions, version } from '../../base/version.js'
import { documentedVersion } from '../../catalogue/undocumented.js'
import type { DesiredPlan } from '../../desired/actions.js'
import { toPlaceText } from '../../desired/address.js'
import type { DiffOptions, SecretsPolicy } from '../../desired/diff/context.js'
import { makePlans } from '../../desired/diff/index.js'
import {
  comparePlans,
  listPlanEntries,
  type PlanComparison,
  type PlanEntry,
} from '../../desired/entries.js'
import {
  type DeclaredState,
  type DesiredPlace,
  type FileOptions,
  readDeclared,
  readFiles,
} from '../../desired/files/index.js'
import { countPlan, type PlanCounts, type PlanHead } from '../../desired/planfile.js'
import { type InstanceView, openView } from '../../desired/reading/index.js'
import { checkGlobs } from '../../desired/selection.js'
import { formatOrigin } from '../../desired/state.js'
import type { Context } from '../../engine/command/context.js'
import type { Given } from '../../engine/command/types.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { recoverFrom, usage } from '../../errors.js'
import { getPaths } from '../../profile/index.js'
import { readKnown } from '../../profile/known.js'
import { readFilesAtBase } from './base-files.js'
import { type PlanGiven, parseLimits, parseSelection } from './flags.js'
import { toReadable } from './instance.js'

interface PlanOptions {
  /** True if the plan is never applied. Missing secrets are then ignored. */
  readonly checks?: boolean
  readonly secrets?: SecretsPolicy
  readonly unfinished?: DiffOptions['unfinished']
  readonly restores?: DiffOptions['restores']
  /** The commit with whose files the plan is compared. */
  readonly against?: string
}

/** The number of requests and the time that a plan took. */
interface PlanCost {
  readonly requests: number
  readonly seconds: number
}

export interface MadePlan {
  readonly plan: DesiredPlan
  readonly head: PlanHead
  readonly counts: PlanCounts
  /** The entries to show. With `against`, they are only the new ones. */
  readonly entries: readonly PlanEntry[]
  /** The comparison with a commit. */
  readonly against?: Omit<PlanComparison, 'entries'> & {
    readonly ref: string
    readonly commit: string
  }
  readonly view: InstanceView
  readonly worked: PlanCost
}

/** Returns the requested output format: that of the line, the environment or the profile. */
export const getOutputName = async (place: Context['place']) =>
  place.globals.output ?? (place.env.SVC_OUTPUT || undefined) ?? (await place.profile())?.output

/** The folder of the files if the line names none. */
const defaultFolder = './svcctl'

/** Returns the files and folders of a line. */
const getInputs = ({ args }: Pick<Given, 'args'>): readonly string[] =>
  args.length === 0 ? [defaultFolder] : args

/** @throws Failure `usage` if the line names no file and the default folder does not exist */
export const checkDefault = ({ cwd }: Context['place'], { args }: PlanGiven): void => {
  const isThere = (name: string, is: 'isDirectory' | 'isFile'): boolean =>
    statSync(resolve(cwd, name), { throwIfNoEntry: false })?.[is]() === true
  if (args.length > 0 || isThere(defaultFolder, 'isDirectory')) return
  const file = ['svcctl.yml', 'svcctl.yaml', 'svcctl.json'].find((name) => isThere(name, 'isFile'))
  throw usage(
    `no declared state here: no file is named, and there is no folder ${defaultFolder}`,
    file === undefined
      ? 'Export the state first, for example: svcctl export --to svcctl/, then svcctl plan svcctl/'
      : `Name the file, for example: svcctl plan ${file}`,
  )
}

const getFileOptions = (
  { cwd, stdin, clock: { signal } }: Context['place'],
  { flags }: PlanGiven,
): FileOptions => ({
  cwd,
  stdin: () => stdin.text(),
  signal,
  allowLiteralSecrets: flags['allow-literal-secrets'] === true,
  allowOutside: flags['allow-outside'] === true,
  allowCommands: flags['allow-commands'] === true,
})

/** Reads the desired state of the files at another commit; undefined, with a note, if they were invalid. */
const readEarlierState = async (
  { ui, place }: Context,
  given: PlanGiven,
  ref: string,
  places: FoundPlaces,
) => {
  const { commit, texts, open } = await readFilesAtBase(place, getInputs(given), ref)
  try {
    const declared = await readDeclared(texts, { ...getFileOptions(place, given), open })
    const { projects, groups, about } = collectPaths(places)
    const { reach } = declared
    const all = {
      projects: [...new Set([...projects, ...reach.projects])],
      groups: [...new Set([...groups, ...reach.groups])],
      about,
    }
    return { commit, places: declared.places(all) }
  } catch (error) {
    const { category, message } = recoverFrom(error)
    if (category !== 'usage') throw error
    const first = message.split('\n').find((line) => /:\d+:\d+: /.test(line)) ?? message
    ui.note(
      `the files at ${commit.slice(0, 7)} are invalid, so all changes are shown: ${first.trim()}`,
    )
    return undefined
  }
}

/**
 * Reads the declared state from the files.
 * @throws Failure `usage` with all mistakes in the files
 */
export const readDeclaredState = async (
  context: Context,
  given: PlanGiven,
): Promise<DeclaredState> => {
  checkDefault(context.place, given)
  const declared = await readFiles(getInputs(given), getFileOptions(context.place, given))
  await context.place.checkInputs(declared.files.map(({ path }) => path))
  for (const text of declared.notes) context.ui.note(text)
  return declared
}

/**
 * Checks that files that name an instance are used only with it.
 * @throws Failure `usage`
 */
const checkInstance = ({ instance }: DeclaredState, actual: string): void => {
  const normalize = (url: string): string =>
    trimTrailingSlashes(URL.canParse(url) ? new URL(url).href : url)
  if (instance === undefined || normalize(instance.value) === normalize(actual)) return
  throw usage(
    `${formatOrigin(instance.origin)}: the files are for ${instance.value}, but the instance is ${actual}`,
    'Choose that instance (--profile, --base-url), or remove "instance:" from the files.',
  )
}

type FoundPlaces = Pick<Awaited<ReturnType<InstanceView['places']>>, 'projects' | 'groups'>

/** Collects the paths of all projects and groups. The groups of projects are included. */
const collectPaths = ({ projects, groups }: FoundPlaces) => {
  const own = projects.flatMap(({ path, namespace }) =>
    namespace === 'group' ? [path.slice(0, path.lastIndexOf('/'))] : [],
  )
  const known = new Map(projects.map((one) => [one.path.toLowerCase(), one]))
  return {
    projects: projects.map(({ path }) => path),
    groups: [...new Set([...groups.map(({ path }) => path), ...own])],
    about: (project: string) => known.get(project.toLowerCase()),
  }
}

/** Returns the desired state of places. A project proves that its group exists, even if the group itself is not selected. */
export const getDesiredPlaces = (
  declared: DeclaredState,
  { projects, groups }: FoundPlaces,
): readonly DesiredPlace[] => {
  const paths = new Set(groups.map(({ path }) => path.toLowerCase()))
  return declared
    .places(collectPaths({ projects, groups }))
    .filter(({ place }) => place.scope !== 'group' || paths.has(place.path.toLowerCase()))
}

/** Creates the head of the plan document. */
const createHead = async (
  { place }: Context,
  given: PlanGiven,
  view: InstanceView,
  { files }: DeclaredState,
): Promise<PlanHead> => {
  const selected = Object.entries({ ...parseSelection(given, place), ignore: given.flags.ignore })
  const selection = selected.filter(([, one]) => !(Array.isArray(one) ? one.length === 0 : !one))
  return {
    tool: `svcctl ${version}`,
    instance: await getInstanceName(place),
    user: given.flags.self ?? (await view.self())?.username ?? null,
    created: place.clock.now().toISOString(),
    inputs: getInputs(given),
    files,
    selection: Object.fromEntries(selection),
  }
}

/** True if the instance is newer than the documented version, according to the stored facts. */
const isNewer = async (place: Context['place']): Promise<boolean> => {
  const profile = await place.profile()
  const known = profile && readKnown(getPaths(place.env), profile)?.version
  // Patch releases have no new features.
  const [release] = /^v?\d+\.\d+/.exec(known ?? '') ?? []
  return release !== undefined && compareVersions(release, documentedVersion) > 0
}

/** Creates the options of the comparison from a line and the places that were found. */
const createDiffOptions = async (
  { place }: Context,
  given: PlanGiven,
  places: FoundPlaces & { readonly unread: DiffOptions['unread'] },
) => {
  const { projects, about } = collectPaths(places)
  return {
    limits: parseLimits(given),
    ignore: given.flags.ignore,
    only: given.flags.only,
    except: given.flags.except,
    self: given.flags.self,
    about,
    projects: projects.length,
    unread: places.unread,
    now: place.clock.now,
    isNewer: await isNewer(place),
  }
}

/**
 * Reads the files and the instance, and compares them.
 * @throws Failure `usage` for mistakes in the files or flags; the failure of a request that is required for everything else
 */
export const makePlan = async (
  context: Context,
  given: PlanGiven,
  { against, ...how }: PlanOptions,
): Promise<MadePlan> => {
  const { place } = context
  const begun = place.clock.now().getTime()
  const scoping = parseSelection(given, place)
  const { only, except, ignore } = given.flags
  const { 'allow-empty': empty, 'allow-removals': removals } = given.flags
  checkGlobs({ only, except, ignore, 'allow-empty': empty, 'allow-removals': removals })
  parseLimits(given)
  const declared = await readDeclaredState(context, given)
  checkInstance(declared, await getInstanceName(place))
  let requests = 0
  const instance = toReadable(context, () => {
    requests += 1
  })
  const view = openView(instance, scoping)
  const places = await view.places(declared.reach)
  const narrowed = (scoping.projects ?? scoping.groups) !== undefined
  // Selectors that match nothing can be reported only if all projects were read.
  if (!narrowed && places.unread.length === 0)
    for (const text of declared.idle(collectPaths(places))) context.ui.note(text)
  const wanted = getDesiredPlaces(declared, places)
  const before =
    against === undefined ? undefined : await readEarlierState(context, given, against, places)
  const known = new Set([...places.projects, ...places.groups].map(toPlaceText))
  const isMeant = ({ place: one }: DesiredPlace): boolean =>
    one.scope === 'site' ? !narrowed : known.has(toPlaceText(one))
  const made = await makePlans(
    wanted.filter(isMeant),
    view,
    { ...how, ...(await createDiffOptions(context, given, places)), each: instance.each },
    before?.places.filter(isMeant),
  )
  for (const text of view.notes) context.ui.note(text)
  const { plan } = made
  const head = await createHead(context, given, view, declared)
  const worked = { requests, seconds: (place.clock.now().getTime() - begun) / 1000 }
  const now = { entries: listPlanEntries(plan), places: wanted }
  const all = { plan, head, counts: countPlan(plan), entries: now.entries, view, worked }
  if (before === undefined || made.former === undefined) return all
  const old = { entries: listPlanEntries(made.former), places: before.places }
  const { entries, ...compared } = comparePlans(now, old)
  return { ...all, entries, against: { ref: against ?? '', commit: before.commit, ...compared } }
}
