/** The terminal's manners, for those who compose them. Heavy libraries load when first used. */
export { bar } from './bar.js'
export { type ColorFlag, type Env, inCi, type Tone, useColor } from './color.js'
export { visible } from './escape.js'
export {
  accessible,
  createNotes,
  failureText,
  type Liveness,
  livenessOf,
  type Notes,
  printError,
} from './notes.js'
export { openPager } from './pager.js'
export { progress, type Say } from './progress.js'
export { type Choice, createPrompts, interactive, type Prompts } from './prompts.js'
export { ClosedPipe, openStdout, type Stdout } from './stdout.js'
export { type Screen, type Style, styleOf } from './style.js'
export { ageOf, span } from './time.js'
