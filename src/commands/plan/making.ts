/** Files and an instance → a plan: what plan, drift and apply have in common. */
import type { JsonValue } from '../../base/json/value.js'
import { version } from '../../base/version.js'
import { largestPage } from '../../client/defaults.js'
import type { DesiredPlan } from '../../desired/actions.js'
import type { ComparingOptions, PlanLimits, SecretsPolicy } from '../../desired/comparing/types.js'
import type { DeclaredState } from '../../desired/files/index.js'
import type { ReadableInstance } from '../../desired/instance.js'
import type { PlanDocument } from '../../desired/planfile/document.js'
import type { InstanceSight, Scoping } from '../../desired/reading/sight.js'
import type { Wish } from '../../desired/wishes.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import { instanceOf } from '../../engine/place/journals.js'
import { usage } from '../../errors.js'
import type { GivenBy } from '../define.js'
import type { fileFlags, planningFlags } from './flags.js'
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
  readonly limits?: PlanLimits
  readonly ignore?: readonly string[]
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
  /** The deletes that are a part of replacements, by their ids. */
  readonly replaced: ReadonlySet<string>
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
  { args, flags }: GivenBy<typeof fileFlags>,
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
const checkInstance = ({ instance }: DeclaredState, actual: string): void => {
  if (instance === undefined || normal(instance.value) === normal(actual)) return
  const { file, line, column } = instance.origin
  throw usage(
    `${file}:${line}:${column}: these files are for ${instance.value}, and this is ${actual}`,
    'Give the instance that they are for (--profile, --base-url), or leave instance: out.',
  )
}

const selected = (scoping: Scoping): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(
    Object.entries(scoping).filter(
      ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
    ),
  )

/** What is needed only where a plan is made. */
const loaded = async () => ({
  ...(await import('../../desired/actions.js')),
  ...(await import('../../desired/reading/index.js')),
  ...(await import('../../desired/comparing/index.js')),
  ...(await import('../../desired/globs.js')),
  ...(await import('../../desired/planfile/write.js')),
})

type FoundPlaces = Pick<Awaited<ReturnType<InstanceSight['places']>>, 'projects' | 'groups'>

/** The projects and groups that there are; a project's group is one of them. */
const pathsIn = ({ projects, groups }: FoundPlaces) => {
  const own = projects.flatMap(({ path, namespace }) =>
    namespace === 'group' ? [path.slice(0, path.lastIndexOf('/'))] : [],
  )
  return {
    projects: projects.map(({ path }) => path),
    groups: [...new Set([...groups.map(({ path }) => path), ...own])],
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
  given: GivenBy<typeof planningFlags>,
  how: Making = {},
): Promise<MadePlan> => {
  const { Frugal } = await import('../../engine/work/frugal.js')
  const frugal = await Frugal.begin()
  try {
    return await makeIt(services, given, how, () => frugal.look())
  } finally {
    frugal.end()
  }
}

/** Addresses of the line, by the flags that they are from. */
const globsIn = ({ only, except }: Scoping, { ignore, limits }: Making) => ({
  only,
  except,
  ignore,
  'allow-empty': limits?.empty,
  'allow-removals': limits?.removals,
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

const makeIt = async (
  services: Services,
  given: GivenBy<typeof planningFlags>,
  { instance = readableOf(services), ...how }: Making,
  told: () => void,
): Promise<MadePlan> => {
  const { place } = services
  const begun = place.clock.now().getTime()
  const scoping = selectionOf(given, place)
  const { checkGlobs, documentOf, makePlan, openSight, replacedIn } = await loaded()
  checkGlobs(globsIn(scoping, how))
  const declared = await declaredBy(services, given)
  const actual = await instanceOf(place)
  checkInstance(declared, actual)
  const counting = counted(instance, told)
  const sight = openSight(counting.instance, scoping)
  const places = await sight.places(declared.reach)
  const projects = new Map(places.projects.map((one) => [one.path.toLowerCase(), one]))
  const wishes = wishesAt(declared, places)
  noteIdle(services, declared, scoping, places)
  const { self } = given.flags
  const plan = await makePlan(
    wishes.filter((wish) => sight.selected(wish.place, wish.kind)),
    sight,
    {
      ...how,
      selection: scoping,
      each: counting.instance.each,
      about: (path) => projects.get(path.toLowerCase()),
      projects: projects.size,
      unread: places.unread,
      now: place.clock.now,
      self,
    },
  )
  for (const text of sight.notes) services.person.note(text)
  const document = documentOf(plan, {
    tool: `svcctl ${version}`,
    instance: actual,
    user: self ?? (await sight.self())?.username ?? null,
    created: place.clock.now().toISOString(),
    inputs: inputsOf(given),
    files: declared.files,
    selection: selected(scoping),
  })
  const seconds = (place.clock.now().getTime() - begun) / 1000
  const worked = { requests: counting.requests(), seconds }
  return { plan, replaced: replacedIn(plan.actions), document, declared, sight, worked }
}
