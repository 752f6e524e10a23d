import { describe, expect, it } from 'vitest'
import { Speed } from '../../src/terminal/progress.js'

describe('the speed', () => {
  it('is that of the last ten seconds', () => {
    let now = 0
    const speed = new Speed(() => now)
    expect(speed.value).toBeUndefined()
    for (; now < 20_000; now += 10) speed.add()
    expect(speed.value).toBeCloseTo(100, -1)
    for (; now < 40_000; now += 100) speed.add()
    expect(speed.value).toBeCloseTo(10, 0)
  })
})
