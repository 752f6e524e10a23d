/** Files and an instance → a plan: what plan, drift and apply have in common. */
import type { JsonValue } from '../../base/json/value.js'
import { version } from '../../base/version.js'
import { largestPage } from '../../client/defaults.js'
import type { DesiredPlan } from '../../desired/actions.js'
import type { ComparingOptions, SecretsPolicy } from '../../desired/comparing/types.js'
import type { PlanEntry } from '../../desired/entries.js'
import type { DeclaredState } from '../../desired/files/index.js'
import type { ReadableInstance } from '../../desired/instance.js'
import type { PlanDocument, PlanHead } from '../../desired/planfile/document.js'
import type { InstanceSight, Scoping } from '../../desired/reading/sight.js'
import type { Origin, Wish } from '../../desired/wishes.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import { instanceOf } from '../../engine/place/journals.js'
import { usage } from '../../errors.js'
import { limitsOf, type PlanGiven } from './flags.js'
import { readableOf } from './instance.js'
import { selectionOf } from './selection.js'
import type { Worked } from './summary.js'

// How many requests reading took.

interface Counting {
  readonly instance: ReadableInstance
  readonly requests: () => number
}

/**
 * The same instance, its requests counted: a list is as many as it has pages.
 * @param told of each that is sent
 */
const counted = (instance: ReadableInstance, told: () => void): Counting => {
  let requests = 0
  const one = <T>(work: Promise<T>): Promise<T> => {
    requests += 1
    told()
    return work
  }
  return {
    requests: () => requests,
    instance: {
      get: (ask) => one(instance.get(ask)),
      implied: (path) => one(instance.implied(path)),
      records: async (ask, wanted = () => true) => {
        let records = 0
        const found = await one(
          instance.records(ask, (record) => {
            records += 1
            return wanted(record)
          }),
        )
        requests += Math.max(0, Math.ceil(records / largestPage) - 1)
        return found
      },
      impliedRecords: (path) => one(instance.impliedRecords(path)),
      each: (items, work) => instance.each(items, work),
    },
  }
}

export interface Making {
  /** Nothing is ever done: secrets need not be there. */
  readonly checks?: boolean
  readonly secrets?: SecretsPolicy
  readonly unfinished?: ComparingOptions['unfinished']
  /** The instance to read; by default that of the run. */
  readonly instance?: ReadableInstance
}

export interface MadePlan {
  readonly plan: DesiredPlan
  readonly document: PlanDocument
  /** Its items as they are shown. */
  readonly entries: readonly PlanEntry[]
  readonly declared: DeclaredState
  readonly sight: InstanceSight
  readonly worked: Worked
}

/** Where files are looked for unless they are named. */
const defaultFolder = './svcctl'

/** The files and folders of a line. */
const inputsOf = ({ args }: Pick<Given, 'args'>): readonly string[] =>
  args.length === 0 ? [defaultFolder] : args

/** What the files say. @throws Failure `usage` with every mistake in them */
export const declaredBy = async (
  { person, place }: Services,
  { args, flags }: PlanGiven,
): Promise<DeclaredState> => {
  const { readFiles } = await import('../../desired/files/index.js')
  const declared = await readFiles(inputsOf({ args }), {
    cwd: place.cwd,
    stdin: () => place.stdin.text(),
    allowLiteralSecrets: flags['allow-literal-secrets'] === true,
    allowOutside: flags['allow-outside'] === true,
    allowCommands: flags['allow-commands'] === true,
  })
  for (const text of declared.notes) person.note(text)
  return declared
}

const normal = (url: string): string => {
  const text = URL.canParse(url) ? new URL(url).href : url
  return text.replace(/\/+$/, '')
}

/** Files that are for one instance are used with no other. */
const checkInstance = (
  { instance }: DeclaredState,
  actual: string,
  originText: (origin: Origin) => string,
): void => {
  if (instance === undefined || normal(instance.value) === normal(actual)) return
  throw usage(
    `${originText(instance.origin)}: these files are for ${instance.value}, and this is ${actual}`,
    'Give the instance that they are for (--profile, --base-url), or leave instance: out.',
  )
}

const selected = (
  scoping: Scoping & { readonly ignore?: readonly string[] },
): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(
    Object.entries(scoping).filter(
      ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
    ),
  )

/** What is needed only where a plan is made. */
const loaded = async () => ({
  ...(await import('../../desired/entries.js')),
  ...(await import('../../desired/reading/index.js')),
  ...(await import('../../desired/comparing/index.js')),
  ...(await import('../../desired/globs.js')),
  ...(await import('../../desired/planfile/write.js')),
  ...(await import('../../desired/wishes.js')),
})

type FoundPlaces = Pick<Awaited<ReturnType<InstanceSight['places']>>, 'projects' | 'groups'>

/** The projects and groups that there are; a project's group is one of them. */
const pathsIn = ({ projects, groups }: FoundPlaces) => {
  const own = projects.flatMap(({ path, namespace }) =>
    namespace === 'group' ? [path.slice(0, path.lastIndexOf('/'))] : [],
  )
  const known = new Map(projects.map((one) => [one.path, one]))
  return {
    projects: projects.map(({ path }) => path),
    groups: [...new Set([...groups.map(({ path }) => path), ...own])],
    about: (project: string) => known.get(project),
  }
}

/**
 * What files want of places. A project in a group shows that the group is there, also where the group
 * itself is not meant.
 */
export const wishesAt = (
  declared: DeclaredState,
  { projects, groups }: FoundPlaces,
): readonly Wish[] => {
  const meant = new Set(groups.map(({ path }) => path.toLowerCase()))
  return declared
    .wishes(pathsIn({ projects, groups }))
    .filter(({ place }) => place.scope !== 'group' || meant.has(place.path.toLowerCase()))
}

/**
 * Reads the files, looks at the instance, compares.
 * @throws Failure `usage` for what is wrong in the files or flags; what kept all from being read
 */
export const madePlan = async (
  services: Services,
  given: PlanGiven,
  how: Making = {},
): Promise<MadePlan> => {
  const { Frugal } = await import('../../engine/work/v8.js')
  const frugal = await Frugal.begin()
  try {
    return await makeIt(services, given, how, () => frugal.look())
  } finally {
    frugal.end()
  }
}

/** Addresses of the line, by the flags that they are from. */
const globsIn = ({ flags }: PlanGiven) => ({
  only: flags.only,
  except: flags.except,
  ignore: flags.ignore,
  'allow-empty': flags['allow-empty'],
  'allow-removals': flags['allow-removals'],
})

/** Says what reaches nothing, where all projects are looked at. */
const noteIdle = (
  { person }: Services,
  { idle }: DeclaredState,
  { projects, groups }: Scoping,
  places: Awaited<ReturnType<InstanceSight['places']>>,
): void => {
  if (projects !== undefined || groups !== undefined || places.unread.length > 0) return
  for (const text of idle(pathsIn(places))) person.note(text)
}

/** The head of a plan's document. */
const headOf = async (
  { place }: Services,
  given: PlanGiven,
  sight: InstanceSight,
  { files }: DeclaredState,
): Promise<PlanHead> => ({
  tool: `svcctl ${version}`,
  instance: await instanceOf(place),
  user: given.flags.self ?? (await sight.self())?.username ?? null,
  created: place.clock.now().toISOString(),
  inputs: inputsOf(given),
  files,
  selection: selected({ ...selectionOf(given, place), ignore: given.flags.ignore }),
})

const makeIt = async (
  services: Services,
  given: PlanGiven,
  { instance = readableOf(services), ...how }: Making,
  told: () => void,
): Promise<MadePlan> => {
  const { place } = services
  const begun = place.clock.now().getTime()
  const scoping = selectionOf(given, place)
  const { checkGlobs, documentOf, entriesOf, makePlan, openSight, originText } = await loaded()
  checkGlobs(globsIn(given))
  const limits = limitsOf(given)
  const declared = await declaredBy(services, given)
  checkInstance(declared, await instanceOf(place), originText)
  const counting = counted(instance, told)
  const sight = openSight(counting.instance, scoping)
  const places = await sight.places(declared.reach)
  const projects = new Map(places.projects.map((one) => [one.path.toLowerCase(), one]))
  noteIdle(services, declared, scoping, places)
  const wishes = wishesAt(declared, places)
  const plan = await makePlan(
    wishes.filter((wish) => sight.selected(wish.place, wish.kind)),
    sight,
    {
      ...how,
      ...{ limits, ignore: given.flags.ignore, selection: scoping, self: given.flags.self },
      each: counting.instance.each,
      about: (path) => projects.get(path.toLowerCase()),
      projects: projects.size,
      unread: places.unread,
      now: place.clock.now,
    },
  )
  for (const text of sight.notes) services.person.note(text)
  const document = documentOf(plan, await headOf(services, given, sight, declared))
  const seconds = (place.clock.now().getTime() - begun) / 1000
  const worked = { requests: counting.requests(), seconds }
  return { plan, entries: entriesOf(plan), document, declared, sight, worked }
}
