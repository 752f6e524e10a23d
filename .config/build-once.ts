/** Before the tests: builds dist/ when a source is newer, so that tests may run the real program. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What the program is built from. */
export const builtFrom: readonly string[] = ['src', 'package.json', '.config/build.mjs']

const changed = (path: string): number => {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => changed(join(path, name))))
}

/** Whether a file is there, and newer than all that it is made of. */
export const isNewer = (made: string, from: readonly string[]): boolean =>
  (statSync(made, { throwIfNoEntry: false })?.mtimeMs ?? 0) > Math.max(...from.map(changed))

export default (): void => {
  if (isNewer('dist/main.cjs', builtFrom)) return
  execFileSync(process.execPath, ['.config/build.mjs'], { stdio: 'inherit' })
}
