/** `svcctl plan --explain`: each value with where it is said, and what it was said over. */

import type { JsonValue } from '../../base/json/value.js'
import {
  type Address,
  addressText,
  type ManagedPlace,
  matches,
  pathsDownTo,
} from '../../desired/address.js'
import type { DeclaredState, DesiredPlace } from '../../desired/files/index.js'
import { openView } from '../../desired/reading/index.js'
import { checkGlobs } from '../../desired/selection.js'
import { type DesiredKind, type DesiredValue, originText, type Said } from '../../desired/state.js'
import type { Services } from '../../engine/command/services.js'
import { usage } from '../../errors.js'
import { type PlanGiven, parseSelection } from './flags.js'
import { toReadable } from './instance.js'
import { declaredBy, desiredPlaces } from './making.js'
import { describeSecretSource, valueText } from './rows.js'

/** One value: of what, and where it and what it overrode are said. */
interface Explained {
  readonly of: Address
  /** A word of the set that the value is of. */
  readonly word: string
  readonly said: Said<string>
}

const wantedText = (wanted: DesiredValue): string => {
  if (wanted.is === 'secret') return `secret ${describeSecretSource(wanted.source)}`
  if (wanted.is === 'range') return wanted.text
  if (wanted.is === 'value') return valueText(wanted.value)
  const signed = (sign: string, list: readonly JsonValue[]): readonly string[] =>
    list.map((one) => `${sign} ${valueText(one)}`)
  return [...signed('-', wanted.remove), ...signed('+', wanted.add)].join('  ')
}

const asText = <T>({ value, origin, over }: Said<T>, text: (value: T) => string): Said<string> => ({
  value: text(value),
  origin,
  over: over?.map((one) => asText(one, text)),
})

/** All that a desired says, a value a line. */
const linesOf = ({ place, kind, exact, items }: DesiredKind): readonly Explained[] => {
  const of = { ...place, kind: kind.name }
  const own = items.flatMap((item): readonly Explained[] => {
    const inSet = item.identity === '' ? of : { ...of, item: String(item.identity) }
    const stated = [...item.attributes]
    const { origin } = item
    const whole = { value: item.gone === undefined ? 'there' : 'deleted', origin }
    if (stated.length === 0) return [{ of: inSet, word: '', said: whole }]
    return stated.map(([attribute, said]) => ({
      of: { ...inSet, attribute },
      word: '',
      said: asText(said, wantedText),
    }))
  })
  if (exact === undefined) return own
  return [{ of, word: ' $exact', said: asText(exact, String) }, ...own]
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
  const place = placeIn(address)
  const needsRecord = declared.reach.selectors?.some((selector) => selector.needsRecord) === true
  if (place?.scope === 'project' && !needsRecord)
    return declared.places({
      projects: [place.path],
      groups: pathsDownTo(place.path).slice(0, -1),
    })
  if (place !== undefined && place.scope !== 'project')
    return declared.places({ projects: [], groups: pathsDownTo(place.path) })
  const places = await openView(toReadable(services), parseSelection(given, services.place)).places(
    declared.reach,
  )
  return desiredPlaces(declared, places)
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
    .map(({ of, word, said }) => ({
      address: `${addressText(of)}${word}`,
      value: said.value,
      origin: originText(said.origin),
      over: (said.over ?? []).map(({ value, origin }) => ({ value, origin: originText(origin) })),
    }))
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
