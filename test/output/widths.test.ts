import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gap, splitWidth } from '../../src/output/grid.js'

describe('columns on a terminal', () => {
  it('are as wide as their values where those fit, the last one taking the rest', () => {
    expect(splitWidth([5, 10, 20], 80)).toEqual([5, 10, 61])
  })
  it('keep the name of the object before anything else', () => {
    expect(splitWidth([30, 60, 60], 80)).toEqual([30, 23, 23])
  })
  it('keep the name whole, and leave out on the right what then has no room', () => {
    expect(splitWidth([60, 60], 80)).toEqual([60, 18])
    expect(splitWidth([72, 60], 80)).toEqual([80])
    expect(splitWidth([14, 10, 30, 9], 40)).toEqual([14, 10, 12])
    expect(splitWidth([90, 6], 80)).toEqual([80])
  })
  it('keep words whole before texts', () => {
    expect(splitWidth([5, 40, 12, 40, 15], 80)).toEqual([5, 20, 12, 20, 15])
  })
  it('are shared equally where words leave nothing of the texts', () => {
    expect(splitWidth([4, 16, 16, 40], 50)).toEqual([4, 13, 13, 14])
  })
  it('never make a line longer than the terminal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(90), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 200 }),
        (natural, terminal) => {
          const widths = splitWidth(natural, terminal)
          expect(widths.every((width) => width >= 0)).toBe(true)
          expect(widths.reduce((total, width) => total + width + gap, -gap)).toBe(terminal)
        },
      ),
    )
  })
})
