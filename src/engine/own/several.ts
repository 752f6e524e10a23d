/** The words of several instances: of each, of the line that asks them, and of the one answer that they write to. */
import type { Words } from '../../catalogue/words.js'
import { getPaths, isPattern, openStore, profilesIn, resolveProfiles } from '../../profile/index.js'
import type { Profile } from '../../profile/types.js'

/** What all of them say, else what the documents say. */
const agreed = (all: readonly string[], otherwise: string): string =>
  all.every((one) => one === all[0]) ? (all[0] ?? otherwise) : otherwise

/**
 * Fields are found by the name that any of them has, headed by one that all have, and secret where they
 * are so for one.
 * @returns undefined where none has words of its own
 */
export const wordsOfAll = (each: readonly (Words | undefined)[]): Words | undefined => {
  const [first, ...others] = each.filter((words) => words !== undefined)
  if (first === undefined) return undefined
  const all = [first, ...others]
  const neutral = (own: string): string =>
    all.map((words) => words.neutral(own)).find((name) => name !== own) ?? own
  return {
    ...first,
    neutral,
    name: (name) =>
      agreed(
        each.map((words) => words?.name(name) ?? name),
        name,
      ),
    each: (name) => all.map((words) => words.name(neutral(name))),
    values: (of) => [...new Set(all.flatMap((words) => [...words.values(of)]))],
    named: (own) => all.some((words) => words.named(own)),
    secretEndings: [...new Set(all.flatMap(({ secretEndings }) => [...secretEndings]))],
  }
}

/** What an instance without words of its own calls things. */
const documented: Words = {
  name: (name) => name,
  neutral: (own) => own,
  path: (path) => path,
  slugs: () => [],
  family: () => undefined,
  header: (name) => name,
  cookie: (name) => name,
  values: () => [],
  gone: () => undefined,
  named: () => false,
  secretEndings: [],
  check: async () => {},
}

/**
 * The words of one of several: its own names count first, then what another one calls so, since a line
 * says the same to each.
 */
export const wordsAmong = (own: Words = documented, all: Words): Words => {
  const neutral = (name: string): string => {
    const mine = own.neutral(name)
    return mine === name ? all.neutral(name) : mine
  }
  const each: Words['each'] = (name) => [own.name(neutral(name)), ...(all.each?.(name) ?? [])]
  return { ...own, neutral, each }
}

/** The profiles that a text means; none where that is wrong, which is told where they are asked. */
export const profilesOf = (text: string, env: NodeJS.ProcessEnv): readonly Profile[] => {
  try {
    const asked = profilesIn(text)
    const parts = 'one' in asked ? [asked.one] : asked.several
    const store = openStore(getPaths(env))
    if (parts.some(isPattern)) return resolveProfiles(parts, store.list())
    return parts.flatMap((name) => store.get(name) ?? [])
  } catch {
    return []
  }
}

/**
 * The words that a line to several instances may be written in: those of any of them.
 * @param text what it says of its profiles
 * @param load reads a vocabulary; one that cannot be read is told of where its instance is asked
 */
export const wordsOfLine = async (
  text: string,
  env: NodeJS.ProcessEnv,
  load: (file: string) => Promise<Words>,
): Promise<Words | undefined> =>
  wordsOfAll(
    await Promise.all(
      profilesOf(text, env).map(async ({ vocabulary }) =>
        vocabulary === undefined ? undefined : load(vocabulary).catch(() => undefined),
      ),
    ),
  )
