/** What there is to ask for: commands by words, and one in full. */

import { isObject } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import type { Offer } from './offers.js'
import { schemaOfData } from './schema.js'

/** So many are found, the nearest first. */
const mostFound = 15

/** By which tool it is asked for. */
const toolFor = ({ reads }: Offer): 'read' | 'plan' => (reads ? 'read' : 'plan')

const about = (area: string): string => areas.find(({ name }) => name === area)?.summary ?? ''

/** How much a word says of a command: most in its name. */
const weight = ({ name, command, data }: Offer, word: string): number => {
  if (name.split(/[ -]/).some((part) => part === word || part === `${word}s`)) return 6
  if (name.includes(word)) return 4
  if (command.summary.toLowerCase().includes(word)) return 3
  if (about(command.area).includes(word)) return 2
  return data.some((datum) => datum.name.includes(word)) ? 1 : 0
}

const found = (offer: Offer) => ({
  command: offer.name,
  about: offer.command.summary,
  tool: toolFor(offer),
})

/** Every command by its area, those that write marked. */
const index = (offers: readonly Offer[]) =>
  [...new Set(offers.map(({ command }) => command.area))].map((area) => {
    const of = offers.filter(({ command }) => command.area === area)
    return {
      area,
      about: about(area),
      read: of.filter(({ reads }) => reads).map(({ command }) => command.words),
      plan: of.filter(({ reads }) => !reads).map(({ command }) => command.words),
    }
  })

/** Commands that words are about; all of them, by area, without any. */
export const findCommands = (offers: readonly Offer[], query: string) => {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return { areas: index(offers) }
  const ranked = offers
    .map((offer) => ({
      offer,
      rank: words.reduce((sum, word) => sum + weight(offer, word), 0),
    }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
  return { commands: ranked.slice(0, mostFound).map(({ offer }) => found(offer)) }
}

const fieldsOf = ({ returns: { shape } }: Endpoint): readonly string[] => {
  const properties: unknown = isObject(shape) ? shape.properties : undefined
  return isObject(properties) ? Object.keys(properties) : []
}

/** One command: what it takes, what it gives, who may ask for it. */
export const describeCommand = (offer: Offer) => {
  const endpoints = Object.values<Endpoint>(offer.command.endpoints)
  const each = <T>(of: (endpoint: Endpoint) => T | readonly T[]): readonly T[] => [
    ...new Set(endpoints.flatMap(of)),
  ]
  return {
    ...found(offer),
    endpoints: each<string>(({ route }) => route),
    arguments: schemaOfData(offer.data),
    exclusive: each<readonly string[]>((e) => e.exclusive ?? []),
    fields: each<string>(fieldsOf),
    access: each<string>(({ access }) => access ?? []),
    editions: each<string>(({ edition }) => edition ?? []),
    destroys: each<string>(({ destructive }) => destructive ?? []),
    notes: each<string>(({ notes }) => notes ?? []),
  }
}
