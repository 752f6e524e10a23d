/** Files that are too large or too expensive to parse: they are rejected with an error before a parser reads them. */
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const buildNested = (open: string, close: string): string =>
  `${open.repeat(5000)}${close.repeat(5000)}`
/** A double-quoted text costs a parser memory for each character, and an error for each wrong escape. */
const quoted = `"${'x'.repeat(33e6)}"`
const escapes = `"${'\\q'.repeat(41e5)}"`
const createSizedWriter = (bytes: number) => (file: string) => {
  writeFileSync(file, '')
  truncateSync(file, bytes)
}
const createTextWriter = (content: string) => (file: string) => writeFileSync(file, content)

const declared = ['plan F', 'apply F --yes', 'drift F', 'check policy F']
const body = ['settings update --yes --input F', 'api PUT settings --yes --input F']
const tooLarge = 'too large or too deeply nested'

const cases: readonly (readonly [
  string,
  readonly string[],
  string,
  (file: string) => void,
  string,
])[] = [
  ['of 33 MB', declared, 'f.yml', createSizedWriter(33e6), 'larger than 32 MB'],
  ['of 33 MB', ['plan F --out p.json'], 'f.json', createSizedWriter(33e6), 'larger than 32 MB'],
  ['of 257 MB', ['apply F --yes'], 'f.json', createSizedWriter(257e6), 'larger than 256 MB'],
  [
    'of 4 million escapes',
    declared,
    'f.yml',
    createTextWriter(`version: 1\nsite: ${escapes}\n`),
    tooLarge,
  ],
  [
    'nested deep',
    declared,
    'f.yml',
    createTextWriter(`site: ${buildNested('[', ']')}\n`),
    tooLarge,
  ],
  ['of one text of 33 MB', body, 'f.yml', createTextWriter(`a: ${quoted}\n`), tooLarge],
  ['nested deep', body, 'f.yml', createTextWriter(`a: ${buildNested('[', ']')}\n`), tooLarge],
  [
    'nested deep in JSON',
    body,
    'f.json',
    createTextWriter(`{"a":${buildNested('[', ']')}}\n`),
    tooLarge,
  ],
  [
    'nested deep',
    ['commits create -P a/b --branch main --message x --actions @F --yes'],
    'f.json',
    createTextWriter(buildNested('[', ']')),
    tooLarge,
  ],
  [
    'that has no end',
    ['commits create -P a/b --branch main --message x --actions @/dev/zero --yes'],
    'f',
    createTextWriter(''),
    'larger than 100 MB',
  ],
  [
    'that has no end',
    ['pages-domains add -P a/b x.example --certificate /dev/zero --key F --yes'],
    'f',
    createTextWriter(''),
    'larger than 4 MB',
  ],
  ['of 2 MB', ['vocabulary check F'], 'f.yml', createSizedWriter(2e6), 'larger than 1 MB'],
  [
    'nested deep',
    ['vocabulary check F'],
    'f.yml',
    createTextWriter(`vocabulary: ${buildNested('[', ']')}`),
    tooLarge,
  ],
  [
    'whose text is of 20 MB',
    ['apply F --yes'],
    'f.json',
    createTextWriter(`{"plan":2,"tool":"${'\\n'.repeat(1e7)}","actions":[]}`),
    'it was edited after it was written',
  ],
]

it.each(cases)('refuses a file %s: %j', async (_, lines, name, write, says) => {
  const cwd = createFolder()
  write(join(cwd, name))
  for (const line of lines) {
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'any' }
    const ran = await svcctl(line.replace('F', name).split(' '), { cwd, env })
    expect([line, ran.code, ran.stderr]).toEqual([line, 2, expect.stringContaining(says)])
  }
})
