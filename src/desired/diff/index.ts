/** Compares the desired with the current state. The resulting plan has every difference, and nothing else. */

import { groupBy } from '../../base/collections.js'
import { formatCount } from '../../base/text.js'
import type { Failure } from '../../errors.js'
import {
  comparePlaces,
  type DesiredPlan,
  type Draft,
  type PlanFinding,
  type ReadFailure,
} from '../actions.js'
import { type Address, matchesGlob, toAddressText, toPlaceText } from '../address.js'
import type { DesiredPlace } from '../files/index.js'
import { Mistakes } from '../files/nodes.js'
import { compareTexts } from '../values.js'
import { checkClaims } from './claims.js'
import {
  type DiffOptions,
  type DiffView,
  isKindSelected,
  type KindDiff,
  type PlanLimits,
  type SetCount,
} from './context.js'
import { selectPossibleDrafts } from './draft-order.js'
import { diffKind } from './kind.js'
import { checkMembers, isSparedDraft, listMemberships, ownerLevel } from './member-levels.js'

/** Finds secrets that would be sent and cannot be fetched. They are findings, since a plan can be made without their values. */
const findMissingSecrets = async (
  drafts: readonly Draft[],
  { secrets, checks }: DiffOptions,
): Promise<readonly PlanFinding[]> => {
  const findings: PlanFinding[] = []
  if (secrets === undefined || checks === true) return findings
  for (const { step, changes: all, address, origin: whole } of drafts)
    for (const [attribute, source] of Object.entries(step.secrets)) {
      const why = await secrets.missing(source)
      const { origin } = all.find((one) => one.attribute === attribute) ?? { origin: whole }
      const text = `missing secret: ${why}`
      if (why !== undefined)
        findings.push({ is: 'secret', address: { ...address, attribute }, text, origin })
    }
  return findings
}

/** True if a failure says nothing about its object: the instance did not answer, or rejected the token. */
const isGeneral = ({ category, details: { status } }: Failure): boolean =>
  status === 401 ||
  category === 'rate_limited' ||
  (category === 'unreachable' && status === undefined)

/** Lists the kinds that could not be read, and the places of which nothing could be read. */
const listUnread = (
  diffs: readonly KindDiff[],
  { unread = [] }: DiffOptions,
): readonly ReadFailure[] => [
  ...unread.map(({ place, failure }) => ({ place, kind: '*', failure })),
  ...diffs.flatMap((diff) => diff.unread),
]

/** A desired state, and the mistakes in its files. */
interface DesiredState {
  readonly places: readonly DesiredPlace[]
  readonly mistakes: Mistakes
}

/** Keeps of the record that a draft changes only the field that orders actions: a plan may have thousands of long records. */
const shortenRecord = (draft: Draft): Draft => {
  const { before, kind } = draft
  if (before === undefined) return draft
  const record = kind.first === undefined ? {} : { [kind.first]: before.record[kind.first] }
  return { ...draft, before: { ...before, record } }
}

/** Compares several desired states with the current one, which is read only once. */
const diffPlaces = async (
  states: readonly DesiredState[],
  view: DiffView,
  options: DiffOptions,
): Promise<readonly (readonly KindDiff[])[]> => {
  const tagged = states.flatMap((state, index) => state.places.map((one) => ({ one, index })))
  const places = [
    ...groupBy(tagged, ({ one: { place } }) => toPlaceText(place).toLowerCase()).values(),
  ]
  // Indexed by state, then by place.
  const diffs: KindDiff[][][] = states.map(() => places.map(() => []))
  await options.each(places, async (ones, at) => {
    for (const { one, index } of ones)
      for (const kind of one.desired().filter((some) => isKindSelected(options, some))) {
        const mistakes = states[index]?.mistakes ?? new Mistakes()
        const diff = await diffKind(view, options, kind, mistakes)
        diff.drafts = diff.drafts.map(shortenRecord)
        diffs[index]?.[at]?.push(diff)
      }
    // To save memory, only the diffs of projects are kept: there may be thousands.
    const [first] = ones
    if (first?.one.place.scope === 'project') view.forget?.(first.one.place)
  })
  return diffs.map((all) => all.flat())
}

/** Combines all diffs into a plan. */
const createPlan = async (
  diffs: readonly KindDiff[],
  view: DiffView,
  options: DiffOptions,
  mistakes: Mistakes,
): Promise<DesiredPlan> => {
  const proposed = diffs.flatMap((diff) => diff.drafts)
  const standing = diffs.flatMap((diff) => diff.standing)
  const {
    drafts,
    actions,
    findings: others,
  } = await selectPossibleDrafts(proposed, standing, view, options)
  const sets = diffs.flatMap((diff) => diff.setCounts)
  const findings = [
    ...diffs.flatMap((diff) => diff.findings),
    ...others,
    ...(await findMissingSecrets(drafts, options)),
  ]
  await checkMembers(drafts, view, options, mistakes)
  checkClaims(
    diffs.flatMap(({ claims }) => claims),
    mistakes,
  )
  const limits = options.limits ?? {}
  const inOrder = (one: Address, other: Address): number =>
    comparePlaces(one, other) || compareTexts(toAddressText(one), toAddressText(other))
  return {
    actions,
    findings: findings.sort((a, b) => inOrder(a.address, b.address)),
    unread: [...listUnread(diffs, options)].sort(
      (a, b) => comparePlaces(a.place, b.place) || compareTexts(a.kind, b.kind),
    ),
    refused: [
      ...findExcessDeletions(drafts, sets, limits),
      ...findEmptiedSets(drafts, sets, limits),
      ...findExcessChanges(drafts, options),
    ],
    same: diffs.reduce((sum, diff) => sum + diff.same, 0),
    sets: Object.fromEntries(
      diffs.flatMap((diff) => Object.entries(diff.sets)).sort(([a], [b]) => compareTexts(a, b)),
    ),
  }
}

/**
 * Compares the desired with the current state.
 * @param former the earlier desired state to compare the plan with; its mistakes are ignored
 * @returns plans in a stable order: the same state gives the same plan
 * @throws Failure `usage` with every mistake in the files, by file and line; or the failure of the instance if nothing could be read
 */
export const makePlans = async (
  desired: readonly DesiredPlace[],
  view: DiffView,
  options: DiffOptions,
  former?: readonly DesiredPlace[],
): Promise<{ readonly plan: DesiredPlan; readonly former: DesiredPlan | undefined }> => {
  const [mistakes, ignoredMistakes] = [new Mistakes(), new Mistakes()]
  const states = [
    { places: desired, mistakes },
    { places: former ?? [], mistakes: ignoredMistakes },
  ]
  const [now = [], before = []] = await diffPlaces(states, view, options)
  const unread = listUnread(now, options)
  // If nothing could be read because of the connection or the token, that failure replaces the plan.
  const [first] = unread
  const isNothing = !now.some(({ read }) => read) && unread.every((one) => isGeneral(one.failure))
  if (first !== undefined && isNothing) throw first.failure
  const plan = await createPlan(now, view, options, mistakes)
  mistakes.refuse()
  if (former === undefined) return { plan, former }
  return { plan, former: await createPlan(before, view, options, ignoredMistakes) }
}

// The limits that a plan may not exceed without a flag.

type ExceededLimit = DesiredPlan['refused'][number]

/** The number of deletions, and of changed projects, that a plan may have without a flag. */
const defaultLimit = 10

/** Counts the drafts with these verbs by the set of their item; items such as bots do not count. */
const countDraftsBySet = (drafts: readonly Draft[], ...verbs: readonly Draft['verb'][]) => {
  const inSet = groupBy(drafts, (one) => {
    const { scope, path, kind } = one.address
    const isCounted = verbs.includes(one.verb) && !isSparedDraft(one)
    return isCounted ? toAddressText({ scope, path, kind }) : undefined
  })
  return (address: Address): number => inSet.get(toAddressText(address))?.length ?? 0
}

/** Returns the losses of sets: of each set the deleted items, and of each group the owners who are removed or lowered. */
const countLosses = (drafts: readonly Draft[], setCounts: readonly SetCount[]) => {
  const countDeletes = countDraftsBySet(drafts, 'delete')
  const lostOwners = groupBy(listMemberships(drafts), ({ draft, before, after }) =>
    before >= ownerLevel && after < ownerLevel && !isSparedDraft(draft)
      ? toPlaceText(draft.address)
      : undefined,
  )
  return setCounts.flatMap(({ address, before, owners }) => {
    const gone = countDeletes(address)
    const lost = `${gone} of ${before} would be deleted from ${toAddressText(address)}`
    const place = toPlaceText(address)
    const lostOwnerCount = lostOwners.get(place)?.length ?? 0
    const lowered = `${lostOwnerCount} of ${owners} owners of ${place} would be removed or get a lower level`
    return [
      { address, before, gone, text: lost },
      { address, before: owners, gone: lostOwnerCount, text: lowered },
    ]
  })
}

/**
 * Finds deletions above the limits: by default a quarter of a large set, or half of a small one. The smallest sets only must not become
 * empty.
 */
const findExcessDeletions = (
  drafts: readonly Draft[],
  setCounts: readonly SetCount[],
  { deletes: limit, removals = [] }: PlanLimits,
): readonly ExceededLimit[] => {
  const flag = '--max-deletes'
  const deletes = drafts.filter(({ verb }) => verb === 'delete').length
  const { count: most = defaultLimit, percent } = limit ?? {}
  const text = `${deletes} deletions in total, more than ${most}`
  const inAll = deletes <= most ? [] : [{ text, flag }]
  if (limit?.count !== undefined) return inAll
  const ofSets = countLosses(drafts, setCounts).flatMap((one): readonly ExceededLimit[] => {
    const { address, before, gone } = one
    if (percent !== undefined)
      return gone * 100 > before * percent
        ? [{ text: `${one.text}, more than ${percent} %`, flag }]
        : []
    const isLarge = before >= defaultLimit
    const isTooMany = isLarge ? gone * 4 > before : before >= 4 && gone * 2 > before
    if (!isTooMany || removals.some((glob) => matchesGlob(glob, address))) return []
    const why = `${one.text}, more than ${isLarge ? 'a quarter' : 'half'}`
    return [{ text: why, flag: `--allow-removals ${toAddressText(address)}` }]
  })
  return percent === undefined ? [...ofSets, ...inAll] : ofSets
}

const findEmptiedSets = (
  drafts: readonly Draft[],
  setCounts: readonly SetCount[],
  { empty = [] }: PlanLimits,
): readonly ExceededLimit[] => {
  const deletesOf = countDraftsBySet(drafts, 'delete')
  const createsOf = countDraftsBySet(drafts, 'create', 'enable')
  return setCounts.flatMap(({ address, exact, before }) => {
    const left = before - deletesOf(address) + createsOf(address)
    const isMeant = empty.some((glob) => matchesGlob(glob, address))
    const text = toAddressText(address)
    return exact && before > 0 && left <= 0 && !isMeant
      ? [{ text: `${text} would become empty`, flag: `--allow-empty ${text}` }]
      : []
  })
}

const findExcessChanges = (
  drafts: readonly Draft[],
  { projects = 0, limits }: DiffOptions,
): readonly ExceededLimit[] => {
  const inProjects = drafts.filter(({ address }) => address.scope === 'project')
  const changed = new Set(inProjects.map(({ address }) => toPlaceText(address))).size
  const { count, percent = 30 } = limits?.changes ?? {}
  const least = limits?.changes === undefined ? defaultLimit : 0
  if (changed <= (count ?? Math.max(least, Math.floor((projects * percent) / 100)))) return []
  const of = count === undefined ? `${percent} % of ${projects}` : String(count)
  const text = `${formatCount(changed, 'project')} would change, more than ${of}`
  return [{ text, flag: '--max-changes' }]
}
