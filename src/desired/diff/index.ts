/** Compares the desired with the current state: a plan has all that is to change, and nothing else. */
import { groupBy } from '../../base/group-by.js'
import type { Failure } from '../../errors.js'
import type { DesiredPlan, PlanFinding, Unread } from '../actions.js'
import { type Address, addressText, matches, placeText } from '../address.js'
import type { DesiredPlace } from '../files/index.js'
import { Mistakes } from '../files/written.js'
import { packedDrafts } from '../packed.js'
import type { DesiredKind, SecretSource } from '../state.js'
import { byText } from '../values.js'
import { diffKind } from './kind.js'
import { kindMeant } from './matching.js'
import { checkMembers, memberships, owner } from './members.js'
import { byPlace, possibleTogether } from './order.js'
import {
  type DiffOptions,
  type DiffView,
  type Draft,
  KindDiff,
  type PlanLimits,
  type SetCount,
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
  { secrets, checks }: DiffOptions,
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

/** Whether a failure says nothing of its object: nobody answered, or did not believe the token at all. */
const isGeneral = ({ category, details: { status } }: Failure): boolean =>
  status === 401 ||
  category === 'rate_limited' ||
  (category === 'unreachable' && status === undefined)

/** @throws the failure of all reads, where nothing could be read and none of them is the objects' fault */
const ensureRead = (diffs: readonly KindDiff[], unread: readonly Unread[]): void => {
  const [first] = unread
  if (first === undefined || diffs.some(({ read }) => read)) return
  if (unread.every(({ failure }) => isGeneral(failure))) throw first.failure
}

/** Places of which nothing is known. */
const unreadPlaces = ({ unread = [] }: DiffOptions): readonly Unread[] =>
  unread.map(({ place, failure }) => ({ place, kind: '*', failure }))

const sorted = (sets: DesiredPlan['sets']): DesiredPlan['sets'] =>
  Object.fromEntries(Object.entries(sets).sort(([a], [b]) => byText(a, b)))

/** A desired state, and what is wrong in it. */
interface DesiredState {
  readonly places: readonly DesiredPlace[]
  readonly mistakes: Mistakes
}

/** The diffs of several desired states with the current one, which is read once. */
const diffPlaces = async (
  states: readonly DesiredState[],
  view: DiffView,
  how: DiffOptions,
): Promise<readonly (readonly KindDiff[])[]> => {
  const tagged = states.flatMap((state, index) => state.places.map((one) => ({ one, index })))
  const places = [
    ...groupBy(tagged, ({ one: { place } }) => placeText(place).toLowerCase()).values(),
  ]
  // By state, then by place.
  const diffs: KindDiff[][][] = states.map(() => places.map(() => []))
  const unchanged = states.map(() => new KindDiff())
  await how.each(places, async (ones, at) => {
    for (const { one, index } of ones)
      for (const kind of one.desired().filter((some) => kindMeant(how, some))) {
        const mistakes = states[index]?.mistakes ?? new Mistakes()
        const diff = await diffKind(view, how, kind, mistakes)
        diff.drafts = packedDrafts(diff.drafts)
        if (!unchanged[index]?.takes(diff)) diffs[index]?.[at]?.push(diff)
      }
    // Of thousands of projects only the diffs are kept.
    const [first] = ones
    if (first?.one.place.scope === 'project') view.forget?.(first.one.place)
  })
  return diffs.map((all, index) => [...all.flat(), ...unchanged.slice(index, index + 1)])
}

/** The plan of all diffs. */
const planOf = async (
  diffs: readonly KindDiff[],
  view: DiffView,
  how: DiffOptions,
  mistakes: Mistakes,
): Promise<DesiredPlan> => {
  const asked = diffs.flatMap((diff) => diff.drafts)
  const { drafts, actions, findings: others } = await possibleTogether(asked, view, how)
  const sets = setsLeft(
    diffs.flatMap((diff) => diff.tallies),
    drafts,
  )
  const findings = [
    ...diffs.flatMap((diff) => diff.findings),
    ...others,
    ...(await missingSecrets(drafts, how)),
  ]
  await checkMembers(drafts, view, how, mistakes)
  const unread = [...unreadPlaces(how), ...diffs.flatMap((diff) => diff.unread)]
  return {
    actions,
    findings: findings.sort(
      (a, b) =>
        byPlace(a.address, b.address) || byText(addressText(a.address), addressText(b.address)),
    ),
    unread: unread.sort((a, b) => byPlace(a.place, b.place) || byText(a.kind, b.kind)),
    refused: beyond(drafts, sets, how),
    same: diffs.reduce((sum, diff) => sum + diff.same, 0),
    sets: sorted(Object.fromEntries(diffs.flatMap(({ sets }) => Object.entries(sets)))),
  }
}

/**
 * Compares the desired with the current state.
 * @param former what was desired before, where the plan is compared with that; its mistakes do not count
 * @returns plans in a stable order: the same state gives the same plan
 * @throws Failure `usage` with every mistake in the files, by file and line; whatever kept all from being read
 */
export const makePlans = async (
  desired: readonly DesiredPlace[],
  view: DiffView,
  how: DiffOptions,
  former?: readonly DesiredPlace[],
): Promise<{ readonly plan: DesiredPlan; readonly former: DesiredPlan | undefined }> => {
  const [mistakes, passedOver] = [new Mistakes(), new Mistakes()]
  const states = [
    { places: desired, mistakes },
    { places: former ?? [], mistakes: passedOver },
  ]
  const [now = [], before = []] = await diffPlaces(states, view, how)
  ensureRead(now, [...unreadPlaces(how), ...now.flatMap((diff) => diff.unread)])
  const plan = await planOf(now, view, how, mistakes)
  mistakes.refuse()
  if (former === undefined) return { plan, former }
  return { plan, former: await planOf(before, view, how, passedOver) }
}

const placesOf = (desired: readonly DesiredKind[]): readonly DesiredPlace[] =>
  [...groupBy(desired, ({ place }) => placeText(place)).values()].flatMap((all) =>
    all.slice(0, 1).map(({ place }) => ({ place, desired: () => all })),
  )

/** The plan of one desired state. @throws as `makePlans` */
export const makePlan = async (
  desired: readonly DesiredKind[],
  view: DiffView,
  how: DiffOptions,
): Promise<DesiredPlan> => (await makePlans(placesOf(desired), view, how)).plan

// How much a plan may do before somebody says that it may.

type Refused = DesiredPlan['refused'][number]

/** So many deletes in all, and so many changed projects, need nobody's word. */
const few = 10
const deletesFlag = '--max-deletes'

/** A set with what becomes of it. */
interface ChangedSet extends SetCount {
  readonly deletes: number
  readonly creates: number
}

const setsLeft = (
  tallies: readonly SetCount[],
  drafts: readonly Draft[],
): readonly ChangedSet[] => {
  const inSet = groupBy(drafts, ({ address: { scope, path, kind } }) =>
    addressText({ scope, path, kind }),
  )
  return tallies.map((tally) => {
    const all = inSet.get(addressText(tally.address)) ?? []
    const count = (...verbs: readonly Draft['verb'][]): number =>
      all.filter(({ verb }) => verbs.includes(verb)).length
    return { ...tally, deletes: count('delete'), creates: count('create', 'enable') }
  })
}

/** A set of which something goes, by what is said of it. */
interface Less {
  readonly address: Address
  readonly before: number
  readonly gone: number
  readonly text: string
}

/** Sets of which items are deleted, and the owners of groups, of whom some are lowered or leave. */
const lesser = (drafts: readonly Draft[], tallies: readonly ChangedSet[]): readonly Less[] => {
  const fallen = groupBy(memberships(drafts), ({ draft, before, after }) =>
    before >= owner && after < owner ? placeText(draft.address) : undefined,
  )
  return tallies.flatMap(({ address, before, deletes, owners }) => {
    const set = addressText(address)
    const gone = fallen.get(placeText(address))?.length ?? 0
    const what = `${gone} of ${owners} owners of ${placeText(address)} would be removed or get a lower level`
    return [
      {
        address,
        before,
        gone: deletes,
        text: `${deletes} of ${before} would be deleted from ${set}`,
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
    : [{ text: `${deletes} deletions in total, more than ${most}`, flag: deletesFlag }]

const deletions = (
  drafts: readonly Draft[],
  tallies: readonly ChangedSet[],
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

const emptied = (tallies: readonly ChangedSet[], empty: readonly string[]): readonly Refused[] =>
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

const changes = (drafts: readonly Draft[], how: DiffOptions): readonly Refused[] => {
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
const beyond = (
  drafts: readonly Draft[],
  tallies: readonly ChangedSet[],
  how: DiffOptions,
): readonly Refused[] => [
  ...deletions(drafts, tallies, how.limits ?? {}),
  ...emptied(tallies, how.limits?.empty ?? []),
  ...changes(drafts, how),
]
