/** A comment cites only what is in the repository: whoever reads it can look there. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

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

it('cites no file that is not there', () => {
  expect(sources.length).toBeGreaterThan(400)
  expect(sources.flatMap(missing)).toEqual([])
})

it('notices one that is not there', () => {
  const texts = ['/** See `wire.md`. */', '  // As ../shared/design.md has it.', "const a = 'b.md'"]
  const found = texts.map((text) => [...text.matchAll(comment)].flatMap(([t]) => t.match(cited)))
  expect(found).toEqual([['wire.md'], ['../shared/design.md'], []])
})
