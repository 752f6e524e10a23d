/** What is read by an address: one record of each command that shows one, such as `svc://runners/7`. */
import type { ResourceTemplate } from '@modelcontextprotocol/sdk/types.js'
import type { Offer } from './offers.js'

/** The names of what a command needs to show its record; undefined for a command that shows none, or by a choice. */
const partsOf = ({ reads, lists, command, data }: Offer): readonly string[] | undefined => {
  if (!reads || lists || !/^(?:.* )?get$/.test(command.words)) return undefined
  const needed = data.filter(({ required, flag }) => required || flag === undefined)
  const scopes = needed.filter(({ param }) => param.type === 'project' || param.type === 'group')
  const names = [...scopes, ...needed.filter((one) => !scopes.includes(one))].map(
    ({ name }) => name,
  )
  // One that is of a project or of a group is named by more than its IDs.
  const whole = Object.values(command.endpoints).some(
    ({ path }) => Object.keys(path).length === names.length,
  )
  return whole && names.length > 0 ? names : undefined
}

/** What an address begins with: the area, and what stands before the verb where that has several words. */
const beginningOf = ({ command }: Offer): readonly string[] => [
  command.area,
  ...command.words.split(' ').slice(0, -1),
]

/** The addresses of records, as templates. */
export const resourceTemplates = (offers: readonly Offer[]): ResourceTemplate[] =>
  offers.flatMap((offer) => {
    const parts = partsOf(offer)
    if (parts === undefined) return []
    const path = [...beginningOf(offer), ...parts.map((name) => `{${name}}`)]
    const uriTemplate = `svc://${path.join('/')}`
    const about = offer.command.summary
    return [{ name: offer.name, title: about, uriTemplate, mimeType: 'application/json' }]
  })

/** What the tool `read` is asked for by an address; undefined for an address of nothing. */
export const resourceAt = (
  offers: readonly Offer[],
  uri: string,
): { readonly command: string; readonly arguments: object } | undefined => {
  const [, path = ''] = /^svc:\/\/([^?#]*)$/.exec(uri) ?? []
  const given = path.split('/')
  for (const offer of offers) {
    const parts = partsOf(offer)
    if (parts === undefined) continue
    const words = beginningOf(offer)
    const texts = given.slice(words.length)
    if (texts.length !== parts.length || words.some((word, i) => word !== given[i])) continue
    const values = parts.map((name, i): [string, string] => [name, decoded(texts[i] ?? '')])
    return { command: offer.name, arguments: Object.fromEntries(values) }
  }
  return undefined
}

/** What encodes nothing stays as it is: then nothing has that name. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
