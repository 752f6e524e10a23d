/** README files name only what there is. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const text = readFileSync(join(root, 'src', 'README.md'), 'utf8')
const paths = [
  ...new Set(
    [...text.matchAll(/`([\w./-]+\/[\w./-]*|[\w-]+\.ts)`/g)].map(([, path]) => path ?? ''),
  ),
]

describe('src/README.md', () => {
  it('walks through the program', () => {
    expect(paths.length).toBeGreaterThan(25)
  })

  it.each(paths)('names %s, which exists', (path) => {
    expect(existsSync(join(root, 'src', path))).toBe(true)
  })
})
