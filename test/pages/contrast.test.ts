/** Tests the contrasts of a page, computed from its style: text on each background, numbers in bars, shapes on cards, shaded cells. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const style = readFileSync('src/output/html/page.css', 'utf8')

/** The colours of the style by name, in the light and the dark scheme. */
const colors = new Map(
  [...style.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)

const getLuminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const getContrast = (a: string, b: string): number => {
  const [x, y] = [getLuminance(a), getLuminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

const inks = [
  'ink',
  ...['quiet', 'good', 'warn', 'bad', 'busy', 'grave'].map((one) => `${one}-ink`),
]
const shapes = ['good', 'warn', 'bad', 'busy', 'quiet', 'grave', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']

/** Returns the least contrast between a colour of the first list and one of the second. */
const findLeastContrast = (
  scheme: 'light' | 'dark',
  first: readonly string[],
  second: readonly string[],
): number =>
  Math.min(
    ...first.flatMap((a) =>
      second.map((b) => getContrast(colors.get(a)?.[scheme] ?? '', colors.get(b)?.[scheme] ?? '')),
    ),
  )

describe.each(['light', 'dark'] as const)('the colours of a page, %s', (scheme) => {
  it('are told apart from their ground', () => {
    const isLight = scheme === 'light'
    expect(findLeastContrast(scheme, inks, ['page', 'card', 'head'])).toBeGreaterThan(
      isLight ? 5.65 : 6.43,
    )
    expect(findLeastContrast(scheme, shapes, ['on'])).toBeGreaterThan(isLight ? 4.87 : 6.01)
    expect(findLeastContrast(scheme, shapes, ['card'])).toBeGreaterThan(isLight ? 4.87 : 5.27)
    expect(
      findLeastContrast(scheme, ['heat-ink'], ['heat0', 'heat1', 'heat2', 'heat3']),
    ).toBeGreaterThan(4.76)
    expect(findLeastContrast(scheme, ['heat-on'], ['heat4', 'heat5'])).toBeGreaterThan(4.76)
  })
})
