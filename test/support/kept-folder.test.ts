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
import { folder } from './program.js'

let kept = ''
let putBack = (): void => {}
beforeEach(() => {
  kept = folder()
  mkdirSync(join(kept, 'in/deep'), { recursive: true })
  writeFileSync(join(kept, 'a'), 'one')
  writeFileSync(join(kept, 'in/deep/b'), 'two', { mode: 0o600 })
  symlinkSync('nowhere', join(kept, 'in/link'))
  putBack = keepFolder(kept, join(folder(), 'copy'))
})

/** What stands in a folder: modes, and texts or where links lead. Since Node 22, a recursive readdirSync follows links. */
const list = (at: string): readonly (readonly [string, number, string | false])[] =>
  readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name)
    const text = entry.isSymbolicLink()
      ? readlinkSync(path)
      : entry.isFile() && readFileSync(path, 'utf8')
    return [[path, lstatSync(path).mode, text], ...(entry.isDirectory() ? list(path) : [])]
  })
const read = () => [...list(kept)].sort()

/** Removes what stands somewhere, and makes something else there. */
const exchange = (path: string, make: (path: string) => void): void => {
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
  ['a file becomes a folder', (at) => exchange(at('a'), (path) => mkdirSync(path))],
  ['a folder becomes a link', (at) => exchange(at('in'), (path) => symlinkSync('/', path))],
  ['a link leads elsewhere', (at) => exchange(at('in/link'), (path) => symlinkSync('a', path))],
  ['something is added', (at) => mkdirSync(at('in/more/of/it'), { recursive: true })],
])('finds its folder as it was after %s', (_, change) => {
  const before = read()
  for (let i = 0; i < 2; i++) {
    change((path) => join(kept, path))
    expect(read()).not.toEqual(before)
    putBack()
    expect(read()).toEqual(before)
  }
})
