/** Files and an instance → a plan: what plan, drift and apply have in common. */

import { compareVersions, version } from '../../base/version.js'
import { documentedVersion } from '../../catalogue/undocumented.js'
import type { DesiredPlan } from '../../desired/actions.js'
import { placeText } from '../../desired/address.js'
import type { DiffOptions, SecretsPolicy } from '../../desired/diff/context.js'
import { makePlans } from '../../desired/diff/index.js'
import {
  comparePlans,
  entriesOf,
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
import { countsOf, type PlanCounts, type PlanHead } from '../../desired/planfile.js'
import { type InstanceView, openView } from '../../desired/reading/index.js'
import { checkGlobs } from '../../desired/selection.js'
import { originText } from '../../desired/state.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { survived, usage } from '../../errors.js'
import { getPaths } from '../../profile/index.js'
import { readKnown } from '../../profile/known.js'
import { filesAtBase } from './base.js'
import { type PlanGiven, parseLimits, parseSelection } from './flags.js'
import { toReadable } from './instance.js'

interface Making {
  /** Nothing is ever done: secrets need not be there. */
  readonly checks?: boolean
  readonly secrets?: SecretsPolicy
  readonly unfinished?: DiffOptions['unfinished']
  /** The commit with which the files are compared. */
  readonly against?: string
  /** Called for each request and file. */
  readonly look?: () => void
}

/** What making a plan took. */
export interface PlanCost {
  readonly requests: number
  readonly seconds: number
}

export interface MadePlan {
  readonly plan: DesiredPlan
  readonly head: PlanHead
  readonly counts: PlanCounts
  /** Its items as they are shown. */
  readonly entries: readonly PlanEntry[]
  /** What it is held against. */
  readonly against?: Omit<PlanComparison, 'entries'> & {
    readonly ref: string
    readonly commit: string
  }
  readonly declared: DeclaredState
  readonly view: InstanceView
  readonly worked: PlanCost
}

/** The name of the format that was asked for: on the line, by the environment, by the profile. */
export const outputName = async (place: Services['place']) =>
  place.globals.output ?? (place.env.SVC_OUTPUT || undefined) ?? (await place.profile())?.output

/** Where files are looked for unless they are named. */
const defaultFolder = './svcctl'

/** The files and folders of a line. */
const inputsOf = ({ args }: Pick<Given, 'args'>): readonly string[] =>
  args.length === 0 ? [defaultFolder] : args

const fileOptions = ({ cwd, stdin }: Services['place'], { flags }: PlanGiven): FileOptions => ({
  cwd,
  stdin: () => stdin.text(),
  allowLiteralSecrets: flags['allow-literal-secrets'] === true,
  allowOutside: flags['allow-outside'] === true,
  allowCommands: flags['allow-commands'] === true,
})

/** What the files wanted at another commit; undefined, and noted, where they were wrong. */
const wantedBefore = async (
  { ui, place }: Services,
  given: PlanGiven,
  ref: string,
  places: FoundPlaces,
) => {
  const { commit, texts, open } = await filesAtBase(place, inputsOf(given), ref)
  try {
    const declared = await readDeclared(texts, { ...fileOptions(place, given), open })
    const { projects, groups, about } = pathsIn(places)
    const { reach } = declared
    const all = {
      projects: [...new Set([...projects, ...reach.projects])],
      groups: [...new Set([...groups, ...reach.groups])],
      about,
    }
    return { commit, places: declared.places(all) }
  } catch (error) {
    const { category, message } = survived(error)
    if (category !== 'usage') throw error
    const first = message.split('\n').find((line) => /:\d+:\d+: /.test(line)) ?? message
    ui.note(
      `the files at ${commit.slice(0, 7)} are invalid, so all changes are shown: ${first.trim()}`,
    )
    return undefined
  }
}

/** What the files say. @throws Failure `usage` with every mistake in them */
export const declaredBy = async (
  { ui, place }: Services,
  given: PlanGiven,
  onProgress: () => void = () => {},
): Promise<DeclaredState> => {
  const declared = await readFiles(inputsOf(given), {
    ...fileOptions(place, given),
    onFile: onProgress,
  })
  for (const text of declared.notes) ui.note(text)
  return declared
}

/** Files that are for one instance are used with no other. */
const checkInstance = ({ instance }: DeclaredState, actual: string): void => {
  const normal = (url: string): string =>
    (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, '')
  if (instance === undefined || normal(instance.value) === normal(actual)) return
  throw usage(
    `${originText(instance.origin)}: the files are for ${instance.value}, but the instance is ${actual}`,
    'Choose that instance (--profile, --base-url), or remove "instance:" from the files.',
  )
}

type FoundPlaces = Pick<Awaited<ReturnType<InstanceView['places']>>, 'projects' | 'groups'>

/** The projects and groups that there are; a project's group is one of them. */
const pathsIn = ({ projects, groups }: FoundPlaces) => {
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

/**
 * What files want of places. A project in a group shows that the group is there, also where the group
 * itself is not meant.
 */
export const desiredPlaces = (
  declared: DeclaredState,
  { projects, groups }: FoundPlaces,
): readonly DesiredPlace[] => {
  const meant = new Set(groups.map(({ path }) => path.toLowerCase()))
  return declared
    .places(pathsIn({ projects, groups }))
    .filter(({ place }) => place.scope !== 'group' || meant.has(place.path.toLowerCase()))
}

/** The head of a plan's document. */
const headOf = async (
  { place }: Services,
  given: PlanGiven,
  view: InstanceView,
  { files }: DeclaredState,
): Promise<PlanHead> => {
  const said = Object.entries({ ...parseSelection(given, place), ignore: given.flags.ignore })
  const selection = said.filter(([, one]) => !(Array.isArray(one) ? one.length === 0 : !one))
  return {
    tool: `svcctl ${version}`,
    instance: await getInstanceName(place),
    user: given.flags.self ?? (await view.self())?.username ?? null,
    created: place.clock.now().toISOString(),
    inputs: inputsOf(given),
    files,
    selection: Object.fromEntries(selection),
  }
}

/** Whether the instance of the profile was seen to be newer than the documents. */
const isNewer = async (place: Services['place']): Promise<boolean> => {
  const profile = await place.profile()
  const known = profile && readKnown(getPaths(place.env), profile)?.version
  // Patches offer nothing new.
  const [release] = /^v?\d+\.\d+/.exec(known ?? '') ?? []
  return release !== undefined && compareVersions(release, documentedVersion) > 0
}

/** What comparing goes by, of a line and the places that were found. */
const diffOptionsOf = async (
  { place }: Services,
  given: PlanGiven,
  places: FoundPlaces & { readonly unread: DiffOptions['unread'] },
) => {
  const { projects, about } = pathsIn(places)
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
 * Reads the files, looks at the instance, compares.
 * @throws Failure `usage` for what is wrong in the files or flags; what kept all from being read
 */
export const madePlan = async (
  services: Services,
  given: PlanGiven,
  { against, look = () => {}, ...how }: Making,
): Promise<MadePlan> => {
  const { place } = services
  const begun = place.clock.now().getTime()
  const scoping = parseSelection(given, place)
  const { only, except, ignore } = given.flags
  const { 'allow-empty': empty, 'allow-removals': removals } = given.flags
  checkGlobs({ only, except, ignore, 'allow-empty': empty, 'allow-removals': removals })
  parseLimits(given)
  const declared = await declaredBy(services, given, look)
  checkInstance(declared, await getInstanceName(place))
  let requests = 0
  const instance = toReadable(services, () => {
    requests += 1
    look()
  })
  const view = openView(instance, scoping)
  const places = await view.places(declared.reach)
  const narrowed = (scoping.projects ?? scoping.groups) !== undefined
  // What reaches nothing can be told where all projects are looked at.
  if (!narrowed && places.unread.length === 0)
    for (const text of declared.idle(pathsIn(places))) services.ui.note(text)
  const wanted = desiredPlaces(declared, places)
  const before =
    against === undefined ? undefined : await wantedBefore(services, given, against, places)
  const known = new Set([...places.projects, ...places.groups].map(placeText))
  const isMeant = ({ place: one }: DesiredPlace): boolean =>
    one.scope === 'site' ? !narrowed : known.has(placeText(one))
  const made = await makePlans(
    wanted.filter(isMeant),
    view,
    { ...how, ...(await diffOptionsOf(services, given, places)), each: instance.each },
    before?.places.filter(isMeant),
  )
  for (const text of view.notes) services.ui.note(text)
  const { plan } = made
  const head = await headOf(services, given, view, declared)
  const worked = { requests, seconds: (place.clock.now().getTime() - begun) / 1000 }
  const now = { entries: entriesOf(plan), places: wanted }
  const all = { plan, head, counts: countsOf(plan), entries: now.entries, declared, view, worked }
  if (before === undefined || made.former === undefined) return all
  const old = { entries: entriesOf(made.former), places: before.places }
  const { entries, ...compared } = comparePlans(now, old)
  return { ...all, entries, against: { ref: against ?? '', commit: before.commit, ...compared } }
}
