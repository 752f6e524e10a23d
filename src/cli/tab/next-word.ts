/** The words that may stand next: areas and commands, then verbs and groups of them. */
import { areas } from '../../catalogue/index.js'
import { commandNamed } from '../../commands/derive/index.js'
import { toolCommands } from '../../commands/index.js'
import type { About } from '../words/line.js'
import { verbsOf } from '../words/tree.js'
import type { Candidate } from './candidates.js'

/** A group is described by its verbs. */
const groupText = (verbs: readonly string[]): string => verbs.join(', ')

const verbText = async (area: string, words: string): Promise<string> =>
  (await commandNamed(area, words))?.summary ?? ''

const toolText = async (name: string): Promise<string> => {
  const verbs = await verbsOf(name)
  return verbs.includes('') ? verbText(name, '') : groupText(verbs)
}

/** What may stand first. */
export const firstWords = async (): Promise<Candidate[]> => {
  const own = [...new Set(toolCommands.map((c) => c.area))].map(async (name) => ({
    value: name,
    text: await toolText(name),
  }))
  const { aliasNames } = await import('../words/alias.js')
  const aliases = Object.entries(aliasNames(process.env))
  return [
    ...aliases.map(([value, line]) => ({ value, text: `svcctl ${line}` })),
    ...areas.map((a) => ({ value: a.name, text: a.summary })),
    ...(await Promise.all(own)),
    { value: 'help', text: 'help on a command or a topic' },
  ]
}

/** Verbs of an area or of a group, each group of an area's once. */
const verbs = async (area: string, lead: string): Promise<Candidate[]> => {
  const all = (await verbsOf(area))
    .filter((words) => words.startsWith(lead))
    .map((words) => words.slice(lead.length))
  const below = (word: string): string[] =>
    all.filter((words) => words.startsWith(`${word} `)).map((words) => words.slice(word.length + 1))
  const named = [...new Set(all.map((words) => words.split(' ')[0] ?? ''))]
  return Promise.all(
    named.map(async (value) => {
      const group = below(value)
      const text = group.length > 0 ? groupText(group) : await verbText(area, lead + value)
      return { value, text }
    }),
  )
}

/** What may stand next where the words of a line have led. */
export const nextWords = async (place: About): Promise<Candidate[]> => {
  if (place.kind === 'command') return []
  if (place.kind === 'root') return firstWords()
  return verbs(place.area, place.group === undefined ? '' : `${place.group} `)
}
