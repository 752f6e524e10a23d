/** `svcctl plan --explain`: each value with where it is said, and what it was said over. */

import type { JsonValue } from '../../base/objects.js'
import {
  addressText,
  groupsAbove,
  type ManagedPlace,
  matches,
  pathsDownTo,
} from '../../desired/address.js'
import type { DeclaredState, DesiredPlace } from '../../desired/files/index.js'
import { openView } from '../../desired/reading/index.js'
import { checkGlobs } from '../../desired/selection.js'
import {
  type DesiredKind,
  type DesiredValue,
  originText,
  type SourcedValue,
} from '../../desired/state.js'
import type { Services } from '../../engine/command/services.js'
import { usage } from '../../errors.js'
import { type PlanGiven, parseSelection } from './flags.js'
import { toReadable } from './instance.js'
import { declaredBy, desiredPlaces } from './make.js'
import { describeSecretSource, valueText } from './rows.js'

const wantedText = (wanted: DesiredValue): string => {
  if (wanted.is === 'secret') return `secret ${describeSecretSource(wanted.source)}`
  if (wanted.is === 'range') return wanted.text
  if (wanted.is === 'value') return valueText(wanted.value)
  const signed = (sign: string, list: readonly JsonValue[]): readonly string[] =>
    list.map((one) => `${sign} ${valueText(one)}`)
  return [...signed('-', wanted.remove), ...signed('+', wanted.add)].join('  ')
}

/** A value with where it and what it overrode are said. */
const saidTexts = <T>(
  { value, origin, over = [] }: SourcedValue<T>,
  text: (value: T) => string,
) => ({
  value: text(value),
  origin: originText(origin),
  over: over.map((one) => ({ value: text(one.value), origin: originText(one.origin) })),
})

/** All that a desired says, a value a line, by its address; a word of the set behind that. */
const linesOf = ({ place, kind, exact, items }: DesiredKind) => {
  const set = { ...place, kind: kind.name }
  const own = items.flatMap(({ identity, attributes, origin, gone }) => {
    const of = identity === '' ? set : { ...set, item: String(identity) }
    const is = { value: gone === undefined ? 'there' : 'deleted', origin }
    if (attributes.size === 0) return [{ of, word: '', ...saidTexts(is, String) }]
    return [...attributes].map(([attribute, said]) => {
      return { of: { ...of, attribute }, word: '', ...saidTexts(said, wantedText) }
    })
  })
  if (exact === undefined) return own
  return [{ of: set, word: ' $exact', ...saidTexts(exact, String) }, ...own]
}

/** The place of an address that names one; files can be explained for it without asking anybody. */
const placeIn = (address: string): ManagedPlace | undefined => {
  const [, head, path] = /^(groups|projects)\/([^:*]+)(?::|$)/.exec(address) ?? []
  if (path === undefined)
    return /^site(?::|$)/.test(address) ? { scope: 'site', path: '' } : undefined
  return { scope: head === 'groups' ? 'group' : 'project', path }
}

/** What files want where an address may mean it: at the place that it names, or wherever the instance has one. */
const placesFor = async (
  services: Services,
  given: PlanGiven,
  declared: DeclaredState,
  address: string,
): Promise<readonly DesiredPlace[]> => {
  const { reach } = declared
  const place = placeIn(address)
  const needsRecord = reach.selectors?.some((selector) => selector.needsRecord) === true
  if (place !== undefined && (place.scope !== 'project' || !needsRecord)) {
    const isProject = place.scope === 'project'
    const projects = isProject ? [place.path] : []
    const groups = isProject ? groupsAbove(place.path) : pathsDownTo(place.path)
    return declared.places({ projects, groups })
  }
  const view = openView(toReadable(services), parseSelection(given, services.place))
  return desiredPlaces(declared, await view.places(reach))
}

/**
 * Prints where the values of an address come from.
 * @throws Failure `usage` where the files say nothing of it
 */
export const explained = async (
  services: Services,
  given: PlanGiven,
  address: string,
): Promise<void> => {
  const { answer } = services
  const { only, except } = given.flags
  checkGlobs({ explain: [address], only, except })
  const declared = await declaredBy(services, given)
  const places = await placesFor(services, given, declared, address)
  const all = places
    .flatMap((one) => one.desired().flatMap(linesOf))
    .filter(({ of }) => matches(address, of))
    .map(({ of, word, ...said }) => ({ address: `${addressText(of)}${word}`, ...said }))
  if (all.length === 0)
    throw usage(
      `the files do not declare ${address}`,
      'An address looks like projects/platform/app:approval_rules/Security#user_ids.',
    )
  const { text } = answer
  const page = all.map(({ address: name, value, origin, over }) =>
    [
      text.strong(text.safe(name)),
      `    ${text.hanging(value, 4)}`,
      `    ${text.safe(origin)}`,
      ...over.map((one) => `    over ${text.hanging(`${one.value}, ${one.origin}`, 9)}`),
    ].join('\n'),
  )
  await answer.printMany(all, {
    columns: ['address', 'value', 'origin'],
    people: { page: () => page.map((one) => `${one}\n`) },
  })
}
