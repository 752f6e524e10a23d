/** The prompts and resources of the MCP server: recipes that only read, and records by their addresses. */

import type { GetPromptResult, Prompt, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js'
import { splitCommand } from '../../base/shell-words.js'
import { isScope } from '../../catalogue/params.js'
import { type Recipe, recipes } from '../recipes.js'
import type { Offer } from './offers.js'

// Prompts: the recipes of the guide that only read.

/** The name of a recipe's prompt. */
const getPromptName = ({ job }: Recipe): string =>
  job
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)

/** Whether a line of a recipe is one command that an agent may read by. */
const isReadLine = (line: string, reads: readonly string[]): boolean => {
  if (!line.startsWith('svcctl ') || /[|>$`;&]/.test(line)) return false
  const words = splitCommand(line.slice('svcctl '.length))
  return reads.some((name) => name.split(' ').every((word, i) => words[i] === word))
}

const getReadRecipes = (offers: readonly Offer[]): readonly Recipe[] => {
  const reads = offers.filter(({ reads, plain }) => reads && !plain).map(({ name }) => name)
  return Object.values<Recipe>(recipes).filter(({ lines }) =>
    lines.every((line) => isReadLine(line, reads)),
  )
}

/** Lists the recipes as prompts. */
export const listPrompts = (offers: readonly Offer[]): Prompt[] =>
  getReadRecipes(offers).map((recipe) => ({ name: getPromptName(recipe), title: recipe.job }))

/** Returns a recipe as a prompt; undefined if there is none of that name. */
export const getPrompt = (offers: readonly Offer[], name: string): GetPromptResult | undefined => {
  const recipe = getReadRecipes(offers).find((one) => getPromptName(one) === name)
  if (recipe === undefined) return undefined
  const { job, about, lines } = recipe
  const text = [
    `${job}. ${about}`,
    'A person would run these command lines; use the tool read with the same commands, and the names of arguments instead of flags:',
    ...lines,
  ].join('\n')
  return { description: job, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

// What is read by an address: one record of each command that shows one, such as `svc://runners/7`.

/** The names of what a command needs to show its record; undefined for a command that shows none, or by a choice. */
const getAddressParts = ({ reads, lists, command, data }: Offer): readonly string[] | undefined => {
  if (!reads || lists || !/^(?:.* )?get$/.test(command.words)) return undefined
  const needed = data.filter(({ required, flag }) => required || flag === undefined)
  const scopes = needed.filter(({ param }) => isScope(param))
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
const getAddressPrefix = ({ command }: Offer): readonly string[] => [
  command.area,
  ...command.words.split(' ').slice(0, -1),
]

/** Lists the addresses of records as templates. */
export const resourceTemplates = (offers: readonly Offer[]): ResourceTemplate[] =>
  offers.flatMap((offer) => {
    const parts = getAddressParts(offer)
    if (parts === undefined) return []
    const path = [...getAddressPrefix(offer), ...parts.map((name) => `{${name}}`)]
    const uriTemplate = `svc://${path.join('/')}`
    const about = offer.command.summary
    return [{ name: offer.name, title: about, uriTemplate, mimeType: 'application/json' }]
  })

/** Returns the `read` call for an address; undefined if it is the address of nothing. */
export const findResource = (
  offers: readonly Offer[],
  uri: string,
): { readonly command: string; readonly arguments: object } | undefined => {
  const [, path = ''] = /^svc:\/\/([^?#]*)$/.exec(uri) ?? []
  const given = path.split('/')
  for (const offer of offers) {
    const parts = getAddressParts(offer)
    if (parts === undefined) continue
    const words = getAddressPrefix(offer)
    const texts = given.slice(words.length)
    if (texts.length !== parts.length || words.some((word, i) => word !== given[i])) continue
    const values = parts.map((name, i): [string, string] => [name, decode(texts[i] ?? '')])
    return { command: offer.name, arguments: Object.fromEntries(values) }
  }
  return undefined
}

/** What encodes nothing stays as it is: then nothing has that name. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
