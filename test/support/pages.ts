/** Provides the pages for users, README.md and the chapters of `.github/guide`, and their code blocks. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const guide = join('.github', 'guide')

/** The paths of the pages from the root; README.md comes first. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, guide))
    .sort()
    .map((name) => join(guide, name)),
]

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Returns the code blocks of a language in page order. */
export const listCodeBlocks = (
  language: string,
  of: readonly string[] = pages,
): readonly string[] =>
  of.flatMap((page) =>
    [...readPage(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, lines = '']) => lines,
    ),
  )

/** Finds the YAML block that begins with a key. @throws Error if no page has one */
export const findYamlBlock = (key: string): string => {
  const found = listCodeBlocks('yaml').find((block) => block.startsWith(`${key}:`))
  if (found === undefined) throw new Error(`no page has a block of YAML that begins with ${key}:`)
  return found
}
