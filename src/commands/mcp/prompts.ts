/** Prompts: the recipes of the guide that only read. */
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js'
import recipesPage from '../../../.github/guide/recipes.md?raw'
import { splitCommand } from '../../base/shell-words.js'
import type { Offer } from './offers.js'

interface Recipe {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly lines: readonly string[]
}

const recipesIn = (page: string): readonly Recipe[] =>
  [...page.matchAll(/^## (.+)\n\n((?:(?!```|## ).*\n)*?)```sh\n([\s\S]*?)\n```/gm)].map(
    ([, title = '', about = '', lines = '']) => ({
      name: title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .slice(0, 60),
      title,
      about: about.trim().replaceAll('\n', ' '),
      lines: lines.split('\n'),
    }),
  )

/** Whether a line of a recipe is one command that an agent may read by. */
const isReading = (line: string, reads: readonly string[]): boolean => {
  if (!line.startsWith('svcctl ') || /[|>$`;&]/.test(line)) return false
  const words = splitCommand(line.slice('svcctl '.length))
  return reads.some((name) => name.split(' ').every((word, i) => words[i] === word))
}

const reading = (offers: readonly Offer[]): readonly Recipe[] => {
  const reads = offers.filter(({ reads, plain }) => reads && !plain).map(({ name }) => name)
  return recipesIn(recipesPage).filter(({ lines }) => lines.every((line) => isReading(line, reads)))
}

/** The recipes, as prompts. */
export const listPrompts = (offers: readonly Offer[]): Prompt[] =>
  reading(offers).map(({ name, title }) => ({ name, title }))

/** A recipe in words for an agent; undefined where there is none of that name. */
export const promptNamed = (
  offers: readonly Offer[],
  name: string,
): GetPromptResult | undefined => {
  const recipe = reading(offers).find((one) => one.name === name)
  if (recipe === undefined) return undefined
  const { title, about, lines } = recipe
  const text = [
    `${title}. ${about}`,
    'A person would run these command lines; use the tool read with the same commands, and the names of arguments instead of flags:',
    ...lines,
  ].join('\n')
  return { description: title, messages: [{ role: 'user', content: { type: 'text', text } }] }
}
