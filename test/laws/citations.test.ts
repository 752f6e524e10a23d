/** A comment cites only what is in the repository: whoever reads it can look there. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { collectRoutes } from '../../src/sandbox/server/routes.js'

const sources = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'test', '.config', 'bin'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => /\.(?:ts|mjs|cjs|js)$/.test(file) && existsSync(file))

/** At the beginning of a line: elsewhere it may be part of a text. */
const comment = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/ .*$)/gm
/** Code, documents and scripts; not what the program reads and writes, nor what is built. */
const cited = /(?<![\w./-])(?!dist\/)(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|cjs|md|sh)\b/g

/** The folder of a file and those above it: a comment may name a path from any of them. */
const above = (file: string): string[] => {
  const folder = dirname(file)
  return folder === '.' ? [folder] : [folder, ...above(folder)]
}

const missing = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(comment)]
    .flatMap(([text]) => text.replaceAll(/\w+:\/\/\S+/g, '').match(cited) ?? [])
    .filter((path) => ![...above(file), 'src'].some((from) => existsSync(join(from, path))))
    .map((path) => `${file} cites ${path}`)

/** Documents by a name that leads nowhere from here. */
const elsewhere = /\bAPI documents?\b|\bdocuments? \d|\bapi\/\d/i
/** A route, also where it is broken over two lines of a comment. */
const route = /`((?:GET|POST|PUT|PATCH|DELETE)\s(?:\s*\* )?\/[^`\s?]*)[^`]*`/g

const commentsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(comment)].map(([text]) => text)

it('cites no document that is not there', () => {
  const found = sources.flatMap((file) =>
    commentsOf(file).flatMap((text) => {
      const [name] = elsewhere.exec(text) ?? []
      return name === undefined ? [] : [`${file} cites "${name}"`]
    }),
  )
  expect(found, 'cite a file of the repository, such as src/catalogue/reference/<area>.md').toEqual(
    [],
  )
})

it('cites no route that is not there', async () => {
  const known = new Set(collectRoutes().map(({ method, url }) => `${method} ${url}`))
  const cited = sources.flatMap((file) =>
    commentsOf(file).flatMap((text) =>
      [...text.matchAll(route)].map(([, name = '']) => [file, name.replace(/\s[\s*]*/, ' ')]),
    ),
  )
  expect(cited.length).toBeGreaterThan(5)
  expect(
    cited.filter(([, name = '']) => !known.has(name.replace(' /', ' /api/v4/'))),
    'correct the route in the comment: the embedded instance has none of this name',
  ).toEqual([])
})

it('cites no file that is not there', () => {
  expect(sources.length).toBeGreaterThan(400)
  expect(
    sources.flatMap(missing),
    'the file was moved or removed: correct its path in the comment',
  ).toEqual([])
})

it('notices one that is not there', () => {
  expect(elsewhere.test('// As API document 2 has it')).toBe(true)
  expect(elsewhere.test('/** The OpenAPI document. */')).toBe(false)
  const texts = ['/** See `wire.md`. */', '  // As ../shared/design.md has it.', "const a = 'b.md'"]
  const found = texts.map((text) => [...text.matchAll(comment)].flatMap(([t]) => t.match(cited)))
  expect(found).toEqual([['wire.md'], ['../shared/design.md'], []])
})
