import { describe, expect, it } from 'vitest'
import { parseMoment, parseSpan, toSentTime } from '../../src/base/dates.js'

const now = Date.parse('2026-11-21T12:34:56.789Z')
const toIso = (text: string): string | undefined => {
  const time = parseMoment(text, now)
  return time === undefined ? undefined : new Date(time).toISOString()
}

describe('a length of time', () => {
  it.each([
    ['30d', 30 * 86_400_000],
    ['12h', 12 * 3_600_000],
    ['1d12h', 36 * 3_600_000],
    ['2w', 14 * 86_400_000],
    ['1.5m', 90_000],
    ['10s', 10_000],
  ])('%s', (text, length) => expect(parseSpan(text)).toBe(length))
  it.each(['', '30', 'd', '-1d', '+1d', '1y', '1mo', '1 d', '1D'])('%j is none', (text) => {
    expect(parseSpan(text)).toBeUndefined()
  })
})

describe('a moment', () => {
  it.each([
    ['today', '2026-11-21T00:00:00.000Z'],
    ['yesterday', '2026-11-20T00:00:00.000Z'],
    ['+30d', '2026-12-21T12:34:56.789Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T10:00:00+0200', '2026-01-31T08:00:00.000Z'],
    ['30d', undefined],
    ['tomorrow', undefined],
    ['2026-02-30', undefined],
    ['+99999999999d', undefined],
  ])('%s is %s', (text, expected) => expect(toIso(text)).toBe(expected))
})

describe('a flag of a date', () => {
  it.each([
    ['30d', '2026-10-22T12:34:56Z', '2026-10-22'],
    ['12h', '2026-11-21T00:34:56Z', '2026-11-21'],
    ['+30d', '2026-12-21T12:34:56Z', '2026-12-21'],
    ['today', '2026-11-21T00:00:00Z', '2026-11-21'],
    ['yesterday', '2026-11-20T00:00:00Z', '2026-11-20'],
    ['2026-01-31', '2026-01-31', '2026-01-31'],
    ['2026-01-31T10:00:00.5Z', '2026-01-31T10:00:00.5Z', undefined],
    ['2026-01-31T10:00:00+02:00', '2026-01-31T10:00:00+02:00', undefined],
    ['2026-03-29T02:30', '2026-03-29T02:30Z', undefined],
    ['2026-03-29T02:30:00.5', '2026-03-29T02:30:00.5Z', undefined],
    ['2026-03-29T02:30+0545', '2026-03-29T02:30+0545', undefined],
    ['soon', undefined, undefined],
    ['99999999999d', undefined, undefined],
  ])('%s sends %s, or the day %s', (text, moment, day) => {
    expect(toSentTime(text, 'datetime', now)).toBe(moment)
    expect(toSentTime(text, 'date', now)).toBe(day)
  })
})

it('takes a time without an offset as UTC, whatever the zone of the machine is', () => {
  const zone = process.env.TZ
  process.env.TZ = 'Asia/Tokyo'
  try {
    expect(new Date(0).getTimezoneOffset()).toBe(-540)
    const ten = Date.UTC(2026, 0, 31, 10)
    expect(parseMoment('2026-01-31T10:00', 0)).toBe(ten)
    expect(parseMoment('2026-01-31T10:00:00.000', 0)).toBe(ten)
    expect(parseMoment('2026-01-31T11:00+0100', 0)).toBe(ten)
    expect(parseMoment('2026-01-31T10:00Z', 0)).toBe(ten)
    expect(parseMoment('2026-01-31', 0)).toBe(Date.UTC(2026, 0, 31))
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})
