/** What a person left out, asked for: picked from what the instance has, where it has a list. */

import { quoteWord } from '../../base/shell-words.js'
import type { Param } from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Choice, Prompts } from '../../terminal/questions/prompts.js'
import type { AskFor, Missing, PickFlags } from '../plan/objects.js'
import type { Wanted } from '../plan/sources.js'
import { readSources } from '../plan/sources.js'
import { parseValue } from '../plan/values.js'

/** A flag that a person was asked for. */
export interface Replied {
  readonly name: string
  readonly texts: readonly string[]
  readonly secret: boolean
}

export interface AskOptions {
  readonly interactive: () => boolean
  readonly prompts: Prompts
  readonly fetch: (wanted: Wanted) => Promise<unknown>
  /** The instance's own, in which it is asked. */
  readonly words?: Words
  readonly note: (text: string) => void
  /** The command line as it was typed, after the program. */
  readonly argv: readonly string[]
}

/** What a parameter may be, where that is fixed. */
const fixedOf = (param: Param): readonly string[] => {
  if (param.type === 'enum') return param.values
  if (param.type === 'boolean') return ['true', 'false']
  if (param.type === 'list') return param.values ?? []
  return param.type === 'integer' ? (param.offers ?? Object.keys(param.names ?? {})) : []
}

const choiceOf = (value: string, text?: string): Choice<string> => ({
  value,
  name: value,
  description: text || undefined,
})

/** A question in words: help texts are for those who look a flag up. */
const questionOf = ({ name, param, several }: Missing): string => {
  const words = name
    .replaceAll(/[-_]/g, ' ')
    .replace(/\b(id|url|ip|sha)\b/g, (w) => w.toUpperCase())
  if (param.type === 'enum' || several === true) return `Which ${words}?`
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}?`
}

/** Why an answer cannot be what was asked for; undefined where it can. */
const mistakeOf = (
  { name, param, argument, several }: Missing,
  texts: readonly string[],
): string | undefined => {
  const label = argument === true ? name : `--${name}`
  try {
    for (const one of several === true ? texts.map((text) => [text]) : [texts])
      parseValue(param, one, label)
    return undefined
  } catch (error) {
    if (error instanceof Failure && error.category === 'usage') return error.message
    throw error
  }
}

/** How an answer would have been typed; a secret by the name of a variable. */
const typedAs = ({ name, param, argument }: Missing, texts: readonly string[]): string[] => {
  if (argument === true) return [...texts]
  if (param.type === 'boolean') return [texts[0] === 'true' ? `--${name}` : `--no-${name}`]
  return param.secret === true ? [`--${name}`, 'env:NAME'] : [`--${name}`, texts.join(',')]
}

/** The questions of a run. */
export class Questions {
  readonly #options: AskOptions
  /** What was answered, as it would have been typed. */
  readonly #answers: string[] = []
  /** The flags among them. */
  readonly answered: Replied[] = []

  constructor(options: AskOptions) {
    this.#options = options
  }

  /** A value, asked for until it can be what was asked; undefined where nobody can be asked. */
  readonly ask: AskFor = async (missing) => {
    if (!this.#options.interactive()) return undefined
    for (;;) {
      const texts = (await this.#answer(missing)).filter((text) => text !== '')
      if (texts.length === 0) return undefined
      const wrong = mistakeOf(missing, texts)
      if (wrong === undefined) {
        this.#answers.push(...typedAs(missing, texts))
        if (missing.argument !== true)
          this.answered.push({ name: missing.name, texts, secret: missing.param.secret === true })
        return texts
      }
      this.#options.note(wrong)
    }
  }

  /** Flags that a person wants to give; undefined where nobody can be asked. */
  readonly pick: PickFlags = async (question, flags) => {
    if (!this.#options.interactive()) return undefined
    return this.#options.prompts.selectMany(
      question,
      flags.map(({ name, param }) => choiceOf(name, param.help)),
    )
  }

  /** Shows the line that would not have asked, so that it is learned. */
  teach(): void {
    if (this.#answers.length === 0) return
    const words = ['svcctl', ...this.#options.argv, ...this.#answers.splice(0)]
    this.#options.note(
      `falling back to defaults without prompts: ${words.map(quoteWord).join(' ')}`,
    )
  }

  async #choices({ param, project }: Missing): Promise<readonly Choice<string>[]> {
    const fixed = fixedOf(param)
    if (fixed.length > 0) return fixed.map((value) => choiceOf(value))
    if (param.completes === undefined) return []
    const found =
      (await readSources(param.completes, project, this.#options.fetch, this.#options.words)) ?? []
    return found.map(({ value, text }) => choiceOf(value, text))
  }

  async #answer(missing: Missing): Promise<readonly string[]> {
    const { param } = missing
    const { prompts } = this.#options
    const question = questionOf(missing)
    if (param.secret === true) return [await prompts.secret(question)]
    const choices = await this.#choices(missing)
    if (choices.length === 0) return [await prompts.text(question)]
    const several = missing.several === true || param.type === 'list'
    return several
      ? prompts.selectMany(question, choices)
      : [await prompts.select(question, choices)]
  }
}
