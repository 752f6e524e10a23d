/** Wishes and what was seen → a plan: all that has to be done, and nothing that is so already. */
import { shelvesOf } from '../../base/shelves.js'
import type { Failure } from '../../errors.js'
import type { DesiredPlan, PlanFinding, Unread } from '../actions.js'
import { addressText, placeText } from '../address.js'
import type { DesiredPlace } from '../files/index.js'
import { collected } from '../files/mistakes.js'
import { packedDrafts } from '../packed.js'
import type { SecretSource, Wish } from '../wishes.js'
import { beyond } from './limits.js'
import { byPlace, byText } from './order.js'
import { memberMistakes } from './owners.js'
import { wishMeant } from './selected.js'
import { compareWish } from './sets.js'
import { lessThese, possibleTogether } from './together.js'
import type { Compared, ComparingOptions, ComparingSight, Draft, Mistake } from './types.js'

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
  const all = collected([...new Set(sorted.map(({ origin }) => origin.file))])
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

/** What a place comes to: of each of several lists of wishes, which are compared with what is read once. */
type PlaceParts = readonly (readonly Compared[])[]

const comparePlaces = async (
  lists: readonly (readonly DesiredPlace[])[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<readonly PlaceParts[]> => {
  const tagged = lists.flatMap((wanted, list) => wanted.map((one) => ({ one, list })))
  const places = [
    ...shelvesOf(tagged, ({ one: { place } }) => placeText(place).toLowerCase()).values(),
  ]
  const parts: PlaceParts[] = []
  await how.each(places, async (ones, index) => {
    const compared: Compared[][] = lists.map(() => [])
    for (const { one, list } of ones)
      for (const wish of one.wishes().filter((wish) => wishMeant(how, wish)))
        compared[list]?.push(await compareWish(sight, how, wish))
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
 * Compares wishes with what is there.
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

const placesOf = (wishes: readonly Wish[]): readonly DesiredPlace[] =>
  [...shelvesOf(wishes, ({ place }) => placeText(place)).values()].flatMap((all) =>
    all.slice(0, 1).map(({ place }) => ({ place, wishes: () => all })),
  )

/** The plan of wishes. @throws as `makePlans` */
export const makePlan = async (
  wishes: readonly Wish[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<DesiredPlan> => (await makePlans(placesOf(wishes), sight, how)).plan
