import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { keepFolder } from './kept-folder.js'
import { createFolder } from './program.js'

let kept = ''
let restoreKept = (): void => {}
beforeEach(() => {
  kept = createFolder()
  mkdirSync(join(kept, 'in/deep'), { recursive: true })
  writeFileSync(join(kept, 'a'), 'one')
  writeFileSync(join(kept, 'in/deep/b'), 'two', { mode: 0o600 })
  symlinkSync('nowhere', join(kept, 'in/link'))
  restoreKept = keepFolder(kept, join(createFolder(), 'copy'))
})

/** Lists the entries of a folder with their modes and texts or link targets. Since Node 22, a recursive readdirSync follows links. */
const list = (at: string): readonly (readonly [string, number, string | false])[] =>
  readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name)
    const text = entry.isSymbolicLink()
      ? readlinkSync(path)
      : entry.isFile() && readFileSync(path, 'utf8')
    return [[path, lstatSync(path).mode, text], ...(entry.isDirectory() ? list(path) : [])]
  })
const listKept = () => [...list(kept)].sort()

/** Removes an entry, and creates another in its place. */
const replaceEntry = (path: string, make: (path: string) => void): void => {
  rmSync(path, { recursive: true })
  make(path)
}

it.each<readonly [string, (at: (path: string) => string) => void]>([
  ['a file is written', (at) => writeFileSync(at('a'), 'new')],
  ['a file is replaced', (at) => renameSync(at('in/deep/b'), at('a'))],
  ['a file is removed', (at) => rmSync(at('in/deep/b'))],
  ['a file has another mode', (at) => chmodSync(at('a'), 0o400)],
  ['a folder is removed', (at) => rmSync(at('in'), { recursive: true })],
  ['a folder has another mode', (at) => chmodSync(at('in'), 0o711)],
  ['a file becomes a folder', (at) => replaceEntry(at('a'), (path) => mkdirSync(path))],
  ['a folder becomes a link', (at) => replaceEntry(at('in'), (path) => symlinkSync('/', path))],
  ['a link leads elsewhere', (at) => replaceEntry(at('in/link'), (path) => symlinkSync('a', path))],
  ['something is added', (at) => mkdirSync(at('in/more/of/it'), { recursive: true })],
])('finds its folder as it was after %s', (_, change) => {
  const before = listKept()
  for (let i = 0; i < 2; i++) {
    change((path) => join(kept, path))
    expect(listKept()).not.toEqual(before)
    restoreKept()
    expect(listKept()).toEqual(before)
  }
})
