/** Tests the grid on top of cli-table3: how many rows each table gets, and that the costs and habits of the library stay outside. */
import { createRequire } from 'node:module'
import { describe, expect, it, vi } from 'vitest'

/** The number of rows of each table. */
const tables: number[] = []
vi.mock('cli-table3', async (load) => {
  const { default: Table } = await load<{ default: typeof import('cli-table3') }>()
  class Counted extends Table {
    override toString(): string {
      tables.push(this.length)
      return super.toString()
    }
  }
  return { default: Counted }
})
// Other tests in this process have loaded the module with the real library.
vi.resetModules()
const { formatGrid } = await import('../../src/output/grid.js')
const { printValues } = await import('./open.js')

describe('a grid', () => {
  const rows = Array.from({ length: 115 }, (_, i) => [`${i}`, '大'.repeat(i % 4), `end ${i % 7}`])

  it('is made of tables of at most ten rows, aligned as one', () => {
    tables.length = 0
    const lines = formatGrid(rows, [3, 8, 6]).split('\n')
    expect(tables).toEqual([...Array(11).fill(10), 5])
    expect(lines).toHaveLength(116)
    for (const [i, [id = '', wide = '', end]] of rows.entries())
      expect(lines[i]).toBe(`${id.padEnd(5)}${wide}${' '.repeat(10 - wide.length * 2)}${end}`)
  })
  it('has nothing behind the last character of a line', () => {
    const text = formatGrid(
      [
        ['a', ''],
        ['', 'b'],
        ['', ''],
      ],
      [4, 4],
    )
    expect(text).toBe('a\n      b\n\n')
  })
  it('gives a column of no width one, in every table, where the library would give it what it takes', () => {
    const lines = formatGrid([...Array.from({ length: 50 }, () => ['', 'c']), ['語', 'c']], [0, 1])
    expect(new Set(lines.split('\n'))).toEqual(new Set(['   c', '…  c', '']))
  })
  it('breaks lines where the caller did', () => {
    expect(formatGrid([['語語語 語語', 'x\ny']], [11, 1])).toBe('語語語 語語  x\n             y\n')
  })
})

it('tables of both kinds never load the colours of cli-table3', async () => {
  const record = { id: 1, name: 'x', status: 'online', text: 'a\nb' }
  const view = { terminal: true, color: true }
  for (const many of [true, false])
    expect(await printValues('table', [record], { ...view, many })).toContain('online')
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  expect(loaded.some((file) => /[\\/]cli-table3[\\/]/.test(file))).toBe(true)
  expect(loaded.filter((file) => /[\\/]@colors[\\/]/.test(file))).toEqual([])
})
