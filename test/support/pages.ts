/** The pages for users: README.md and the chapters of `.github/guide`, and the blocks of code in them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const guide = join('.github', 'guide')

/** Their paths from the root: README.md first. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, guide))
    .sort()
    .map((name) => join(guide, name)),
]

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

/** The blocks of a language, as they follow one another. */
export const blocksOf = (language: string, of: readonly string[] = pages): readonly string[] =>
  of.flatMap((page) =>
    [...textOf(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, lines = '']) => lines,
    ),
  )

/** The block of YAML that begins with a key. @throws where none */
export const jobsFrom = (key: string): string => {
  const found = blocksOf('yaml').find((block) => block.startsWith(`${key}:`))
  if (found === undefined) throw new Error(`no page has a block of YAML that begins with ${key}:`)
  return found
}
