/** Whether there is colour, and the few colours there are: those of every terminal's palette. */
import type { Tone } from '../../base/text.js'

/** What `--color` says. */
export type ColorFlag = 'auto' | 'always' | 'never'

export type Env = Readonly<Record<string, string | undefined>>

const given = (value: string | undefined): boolean => value !== undefined && value !== ''
/** True in CI (the `CI` variable). */
export const inCi = (env: Env): boolean => given(env.CI) && env.CI !== 'false' && env.CI !== '0'
/** True where SVC_ACCESSIBLE asks for what a screen reader reads: words, one line after the other, nothing redrawn. */
export const accessible = (env: Env): boolean =>
  env.SVC_ACCESSIBLE !== undefined && !['', '0', 'false'].includes(env.SVC_ACCESSIBLE)
const forced = (value: string | undefined): boolean | undefined =>
  value === undefined ? undefined : value !== '0' && value !== 'false'

/**
 * Whether to colour. The flag beats FORCE_COLOR, which beats NO_COLOR, CLICOLOR=0, TERM=dumb and
 * CI; otherwise terminals are coloured.
 */
export const useColor = (flag: ColorFlag, env: Env, isTTY: boolean): boolean => {
  if (flag !== 'auto') return flag === 'always'
  const force = forced(env.FORCE_COLOR)
  if (force !== undefined) return force
  if (given(env.NO_COLOR) || env.CLICOLOR === '0' || env.TERM === 'dumb' || inCi(env)) return false
  return isTTY
}

export interface Painter {
  bold(text: string): string
  dim(text: string): string
  paint(text: string, tone: Tone): string
}

const same = (text: string): string => text
const uncolored: Painter = { bold: same, dim: same, paint: same }

/** Loads what paints; text stays as it is without colour. */
export const createPainter = async (color: boolean): Promise<Painter> => {
  if (!color) return uncolored
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    busy: chalk.cyan,
    quiet: chalk.dim,
  }
  return { bold: chalk.bold, dim: chalk.dim, paint: (text, tone) => tones[tone](text) }
}
