/** Comments cite only files that are in the repository, so that every reader can look there. */
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

/** A comment at the beginning of a line: elsewhere it may be part of a text. */
const commentPattern = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/ .*$)/gm
/** Code, documents and scripts; not files that the program reads or writes, nor built files. */
const citedPath = /(?<![\w./-])(?!dist\/)(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|cjs|md|sh)\b/g

/** Lists the folder of a file and those above it: a comment may name a path relative to any of them. */
const listFoldersAbove = (file: string): string[] => {
  const folder = dirname(file)
  return folder === '.' ? [folder] : [folder, ...listFoldersAbove(folder)]
}

const findMissing = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(commentPattern)]
    .flatMap(([text]) => text.replaceAll(/\w+:\/\/\S+/g, '').match(citedPath) ?? [])
    .filter(
      (path) => ![...listFoldersAbove(file), 'src'].some((from) => existsSync(join(from, path))),
    )
    .map((path) => `${file} cites ${path}`)

/** Names of documents that are not in the repository. */
const foreignDocument = /\bAPI documents?\b|\bdocuments? \d|\bapi\/\d/i
/** A route, also if it is broken over two lines of a comment. */
const routePattern = /`((?:GET|POST|PUT|PATCH|DELETE)\s(?:\s*\* )?\/[^`\s?]*)[^`]*`/g

const listComments = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(commentPattern)].map(([text]) => text)

it('cites no document that is not there', () => {
  const found = sources.flatMap((file) =>
    listComments(file).flatMap((text) => {
      const [name] = foreignDocument.exec(text) ?? []
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
    listComments(file).flatMap((text) =>
      [...text.matchAll(routePattern)].map(([, name = '']) => [
        file,
        name.replace(/\s[\s*]*/, ' '),
      ]),
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
    sources.flatMap(findMissing),
    'the file was moved or removed: correct its path in the comment',
  ).toEqual([])
})

it('notices one that is not there', () => {
  expect(foreignDocument.test('// As API document 2 has it')).toBe(true)
  expect(foreignDocument.test('/** The OpenAPI document. */')).toBe(false)
  const texts = ['/** See `wire.md`. */', '  // As ../shared/design.md has it.', "const a = 'b.md'"]
  const found = texts.map((text) =>
    [...text.matchAll(commentPattern)].flatMap(([t]) => t.match(citedPath)),
  )
  expect(found).toEqual([['wire.md'], ['../shared/design.md'], []])
})
