/** Wishes and what was seen → a plan: all that has to be done, and nothing that is so already. */
import { groupBy } from '../../base/group-by.js'
import type { Failure } from '../../errors.js'
import type { DesiredPlan, PlanFinding, Unread } from '../actions.js'
import { type Address, addressText, matches, placeText } from '../address.js'
import type { DesiredPlace } from '../files/index.js'
import { Mistakes } from '../files/written.js'
import { packedDrafts } from '../packed.js'
import type { DesiredKind, SecretSource } from '../state.js'
import { byText } from '../values.js'
import { memberMistakes, memberships, owner } from './members.js'
import { byPlace } from './order.js'
import { kindMeant } from './pairing.js'
import { diffKind } from './sets.js'
import { lessThese, possibleTogether } from './together.js'
import type {
  Compared,
  ComparingOptions,
  ComparingSight,
  Draft,
  Mistake,
  PlanLimits,
  SetCount,
} from './types.js'

// Secrets that a plan would send have to be there when it is done; all others need not.

/** What a draft would send, with where it is said. */
const sentBy = ({ step, changes, address, origin }: Draft) =>
  Object.entries(step.secrets).map(([name, source]: [string, SecretSource]) => ({
    address: { ...address, attribute: name },
    source,
    origin: changes.find(({ attribute }) => attribute === name)?.origin ?? origin,
  }))

/** References that cannot be followed, of secrets that would be sent: a plan can be made without them. */
const missingSecrets = async (
  drafts: readonly Draft[],
  { secrets, checks }: ComparingOptions,
): Promise<readonly PlanFinding[]> => {
  if (secrets === undefined || checks === true) return []
  const findings: PlanFinding[] = []
  for (const { address, source, origin } of drafts.flatMap(sentBy)) {
    const why = await secrets.missing(source)
    if (why !== undefined)
      findings.push({ is: 'secret', address, text: `missing secret: ${why}`, origin })
  }
  return findings
}

// What is wrong in files, as only the instance shows it, told like all else that is wrong in them.

const inOrder = (a: Mistake, b: Mistake): number =>
  byText(a.origin.file, b.origin.file) || byText(a.text, b.text)

/**
 * Tells all mistakes at once, each with its file, line and column.
 * @throws Failure `usage` where there is any
 */
const refuseMistakes = (mistakes: readonly Mistake[]): void => {
  const sorted = [...mistakes].sort(inOrder)
  const all = new Mistakes([...new Set(sorted.map(({ origin }) => origin.file))])
  for (const { origin, text, hint } of sorted) all.add(origin, text, hint)
  all.refuse()
}

export type { ComparingOptions, PlanLimit, PlanLimits, SecretsPolicy } from './types.js'

/** Whether a failure says nothing of its object: nobody answered, or did not believe the token at all. */
const isGeneral = ({ category, details: { status } }: Failure): boolean =>
  status === 401 ||
  category === 'rate_limited' ||
  (category === 'unreachable' && status === undefined)

/** @throws the failure of all reads, where nothing could be read and none of them is the objects' fault */
const ensureRead = (parts: readonly Compared[], unread: readonly Unread[]): void => {
  const [first] = unread
  if (first === undefined || parts.some(({ read }) => read > 0)) return
  if (unread.every(({ failure }) => isGeneral(failure))) throw first.failure
}

/** Places of which nothing is known. */
const unreadPlaces = ({ unread = [] }: ComparingOptions): readonly Unread[] =>
  unread.map(({ place, failure }) => ({ place, kind: '*', failure }))

const sorted = (sets: DesiredPlan['sets']): DesiredPlan['sets'] =>
  Object.fromEntries(Object.entries(sets).sort(([a], [b]) => byText(a, b)))

/** What a place comes to, for each of several desired states; the current one is read once. */
type PlaceParts = readonly (readonly Compared[])[]

const comparePlaces = async (
  lists: readonly (readonly DesiredPlace[])[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<readonly PlaceParts[]> => {
  const tagged = lists.flatMap((wanted, list) => wanted.map((one) => ({ one, list })))
  const places = [
    ...groupBy(tagged, ({ one: { place } }) => placeText(place).toLowerCase()).values(),
  ]
  const parts: PlaceParts[] = []
  await how.each(places, async (ones, index) => {
    const compared: Compared[][] = lists.map(() => [])
    for (const { one, list } of ones)
      for (const desired of one.desired().filter((desired) => kindMeant(how, desired)))
        compared[list]?.push(await diffKind(sight, how, desired))
    parts[index] = compared.map((all) =>
      all.map((part) => ({ ...part, drafts: packedDrafts(part.drafts) })),
    )
    // Of thousands of projects only what came of them is kept.
    const [first] = ones
    if (first?.one.place.scope === 'project') sight.forget?.(first.one.place)
  })
  return parts
}

/** What the places come to together. */
const finished = async (
  all: readonly Compared[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<{ readonly plan: DesiredPlan; readonly mistakes: readonly Mistake[] }> => {
  const asked = all.flatMap((part) => part.drafts)
  const { drafts, actions, findings: others, dropped } = await possibleTogether(asked, sight, how)
  const tallies = lessThese(
    all.flatMap((part) => part.tallies),
    dropped,
  )
  const unread = [...unreadPlaces(how), ...all.flatMap((part) => part.unread)]
  const findings = [
    ...all.flatMap((part) => part.findings),
    ...others,
    ...(await missingSecrets(drafts, how)),
  ]
  const mistakes = [
    ...all.flatMap((part) => part.mistakes),
    ...(await memberMistakes(drafts, sight, how)),
  ]
  const plan = {
    actions,
    findings: [...findings].sort(
      (a, b) =>
        byPlace(a.address, b.address) || byText(addressText(a.address), addressText(b.address)),
    ),
    unread: [...unread].sort((a, b) => byPlace(a.place, b.place) || byText(a.kind, b.kind)),
    refused: beyond(drafts, tallies, how),
    same: all.reduce((sum, part) => sum + part.same, 0),
    sets: sorted(Object.fromEntries(all.flatMap(({ sets }) => Object.entries(sets)))),
  }
  return { plan, mistakes }
}

/**
 * Compares the desired with the current state.
 * @param former what was wanted before, where the plan is held against that; its mistakes are passed over
 * @returns plans in a stable order: the same state gives the same plan
 * @throws Failure `usage` with every mistake in the files, by file and line; whatever kept all from being read
 */
export const makePlans = async (
  wanted: readonly DesiredPlace[],
  sight: ComparingSight,
  how: ComparingOptions,
  former?: readonly DesiredPlace[],
): Promise<{ readonly plan: DesiredPlan; readonly former: DesiredPlan | undefined }> => {
  const lists = former === undefined ? [wanted] : [wanted, former]
  const parts = await comparePlaces(lists, sight, how)
  const [now = [], before = []] = lists.map((_, list) => parts.flatMap((part) => part[list] ?? []))
  ensureRead(now, [...unreadPlaces(how), ...now.flatMap((part) => part.unread)])
  const { plan, mistakes } = await finished(now, sight, how)
  refuseMistakes(mistakes)
  const old = former === undefined ? undefined : await finished(before, sight, how)
  return { plan, former: old?.plan }
}

const placesOf = (desired: readonly DesiredKind[]): readonly DesiredPlace[] =>
  [...groupBy(desired, ({ place }) => placeText(place)).values()].flatMap((all) =>
    all.slice(0, 1).map(({ place }) => ({ place, desired: () => all })),
  )

/** The plan of one desired state. @throws as `makePlans` */
export const makePlan = async (
  desired: readonly DesiredKind[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<DesiredPlan> => (await makePlans(placesOf(desired), sight, how)).plan

// How much a plan may do before somebody says that it may.

type Refused = DesiredPlan['refused'][number]

/** So many deletes in all, and so many changed projects, need nobody's word. */
const few = 10
const deletesFlag = '--max-deletes'

/** A set of which something goes, by what is said of it. */
interface Less {
  readonly address: Address
  readonly before: number
  readonly gone: number
  readonly text: string
}

/** Sets of which items are deleted, and the owners of groups, of whom some are lowered or leave. */
const lesser = (drafts: readonly Draft[], tallies: readonly SetCount[]): readonly Less[] => {
  const fallen = groupBy(memberships(drafts), ({ draft, before, after }) =>
    before >= owner && after < owner ? placeText(draft.address) : undefined,
  )
  return tallies.flatMap(({ address, before, deletes, owners }) => {
    const set = addressText(address)
    const gone = fallen.get(placeText(address))?.length ?? 0
    const what = `${gone} of ${owners} owners of ${placeText(address)} would be lowered or deleted`
    return [
      {
        address,
        before,
        gone: deletes,
        text: `${deletes} of ${before} would be deleted of ${set}`,
      },
      { address, before: owners, gone, text: what },
    ]
  })
}

/** Of a large set a quarter may go, of a small one half; the smallest are only kept from becoming empty. */
const tooMany = ({ before, gone }: Less): string | undefined => {
  if (before >= few) return gone * 4 > before ? 'a quarter' : undefined
  return before >= 4 && gone * 2 > before ? 'half' : undefined
}

const ofSets = (all: readonly Less[], allowed: readonly string[]): readonly Refused[] =>
  all.flatMap((one) => {
    const most = tooMany(one)
    if (most === undefined || allowed.some((glob) => matches(glob, one.address))) return []
    const flag = `--allow-removals ${addressText(one.address)}`
    return [{ text: `${one.text}, more than ${most}`, flag }]
  })

const inAll = (deletes: number, most: number): readonly Refused[] =>
  deletes <= most
    ? []
    : [{ text: `${deletes} would be deleted in all, more than ${most}`, flag: deletesFlag }]

const deletions = (
  drafts: readonly Draft[],
  tallies: readonly SetCount[],
  { deletes: limit, removals = [] }: PlanLimits,
): readonly Refused[] => {
  const deletes = tallies.reduce((sum, tally) => sum + tally.deletes, 0)
  if (limit?.count !== undefined) return inAll(deletes, limit.count)
  const all = lesser(drafts, tallies)
  if (limit?.percent === undefined) return [...ofSets(all, removals), ...inAll(deletes, few)]
  const { percent } = limit
  return all
    .filter(({ before, gone }) => gone * 100 > before * percent)
    .map(({ text }) => ({ text: `${text}, more than ${percent} %`, flag: deletesFlag }))
}

const emptied = (tallies: readonly SetCount[], empty: readonly string[]): readonly Refused[] =>
  tallies
    .filter(
      ({ address, exact, before, deletes, creates }) =>
        exact &&
        before > 0 &&
        before - deletes + creates <= 0 &&
        !empty.some((glob) => matches(glob, address)),
    )
    .map(({ address }) => ({
      text: `${addressText(address)} would become empty`,
      flag: `--allow-empty ${addressText(address)}`,
    }))

const changes = (drafts: readonly Draft[], how: ComparingOptions): readonly Refused[] => {
  const { projects = 0, limits } = how
  const changed = new Set(
    drafts.flatMap(({ address }) => (address.scope === 'project' ? [placeText(address)] : [])),
  ).size
  const { count, percent = 30 } = limits?.changes ?? {}
  const given = limits?.changes !== undefined
  const most = count ?? Math.max(given ? 0 : few, Math.floor((projects * percent) / 100))
  if (changed <= most) return []
  const of = count === undefined ? `${percent} % of ${projects}` : String(count)
  return [
    {
      text: `${changed} project${changed === 1 ? '' : 's'} would change, more than ${of}`,
      flag: '--max-changes',
    },
  ]
}

/** The limits that a plan goes beyond, each with the flag that lifts it. */
export const beyond = (
  drafts: readonly Draft[],
  tallies: readonly SetCount[],
  how: ComparingOptions,
): readonly Refused[] => [
  ...deletions(drafts, tallies, how.limits ?? {}),
  ...emptied(tallies, how.limits?.empty ?? []),
  ...changes(drafts, how),
]
