/** What was asked in the words of the instance, in those of the documents: the rest of the program has one name for a thing. */
import type { Words } from '../../catalogue/words.js'
import type { Command, Given } from '../../commands/types.js'
import { bothNames, type Spelt } from './both.js'

type Spelling = 'own' | 'neutral'

/** Which names stand on a line, and how each is spelled. */
class Spelled {
  readonly #seen = new Map<string, Spelling>()

  constructor(
    private readonly command: Command,
    private readonly words: Words,
  ) {}

  /** A name by that of the documents, which come first: what they call so is that. */
  take(name: string): string {
    const [root = ''] = name.split('[')
    const known = Object.values(this.command.endpoints).some((e) => Object.hasOwn(e.params, root))
    const neutral = known ? name : this.words.neutral(name)
    this.see(neutral, neutral === name ? 'neutral' : 'own')
    return neutral
  }

  /** @throws Failure `usage` where a name stands there in both its spellings */
  see(neutral: string, spelling: Spelling): void {
    const own = this.words.name(neutral)
    if (own === neutral) return
    const before = this.#seen.get(neutral)
    if (before !== undefined && before !== spelling) throw bothNames(own, neutral)
    this.#seen.set(neutral, spelling)
  }
}

/**
 * The same by the names of the documents.
 * @throws Failure `usage` where a parameter is given by both its names
 */
export const neutralGiven = (given: Given, raw: Spelt, command: Command, words: Words): Given => {
  const spelled = new Spelled(command, words)
  for (const { name, parameter } of command.flags)
    if (parameter !== undefined && raw.flags.has(name))
      spelled.see(parameter, raw.own?.has(name) === true ? 'own' : 'neutral')
  const renamed = <V>(values: Readonly<Record<string, V>>): Readonly<Record<string, V>> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [spelled.take(name), value]))
  const { extra, input } = given
  return {
    ...given,
    extra: renamed(extra),
    ...(input === undefined ? {} : { input: renamed(input) }),
  }
}
