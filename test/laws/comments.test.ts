/** Tests that comments are sentences with a subject: none opens with a question word, in the source, the tests or the build. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Matches a comment that opens with a question word or with a pronoun that stands for nothing. */
const riddle =
  /(?:\/\*\*|(?<=^\s*)\/\/) (?:\* )?(?:What|Whether|How|Where|Who|Whose|Whoever|Whatever|Which|Those|So many|That|As it|The same)\b.*/gm

const listRiddles = (text: string): readonly string[] =>
  [...text.matchAll(riddle)].map(([comment]) => comment)

it('lets a comment say what something does', () => {
  const files = ['src', 'test', '.config'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs|cjs)$/.test(file))
      .map((file) => join(folder, file)),
  )
  expect(files.length).toBeGreaterThan(1000)
  const found = files.flatMap((file) =>
    listRiddles(readFileSync(file, 'utf8')).map((comment) => `${file}: ${comment}`),
  )
  expect(found, 'write a sentence with a subject: what the thing does').toEqual([])
})

it('sees such comments, and no code', () => {
  const text = [
    `${'/**'} What it takes. */`,
    "  // Those that came: 'x'",
    '/** Returns the rest. What follows is not read. */',
    "const address = 'https:// Who'",
  ].join('\n')
  expect(listRiddles(text)).toEqual([`${'/**'} What it takes. */`, "// Those that came: 'x'"])
})
