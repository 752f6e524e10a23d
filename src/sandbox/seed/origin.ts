/** The moment the sample data leads up to. It never moves: the same start gives the same data. */
export const origin = '2026-11-02T09:00:00.000Z'

const start = Date.parse(origin)
const hour = 3_600_000

/** A time so many days (and hours) before the origin, as the API writes it. */
export const ago = (days: number, hours = 0): string =>
  new Date(start - (days * 24 + hours) * hour).toISOString()

/** A day so many days before the origin (after it, when negative): `YYYY-MM-DD`. */
export const dayAgo = (days: number): string => ago(days).slice(0, 10)
