/** Builds dist/ before the tests if a source is newer, so that tests can run the real program. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The files and folders that the program is built from. */
export const builtFrom: readonly string[] = ['src', 'package.json', '.config/build.mjs']

const getChangeTime = (path: string): number => {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return Math.max(
    found.mtimeMs,
    ...readdirSync(path).map((name) => getChangeTime(join(path, name))),
  )
}

/** True if a file exists and is newer than all its sources. */
export const isNewer = (made: string, from: readonly string[]): boolean =>
  (statSync(made, { throwIfNoEntry: false })?.mtimeMs ?? 0) > Math.max(...from.map(getChangeTime))

export default (): void => {
  if (isNewer('dist/main.cjs', builtFrom)) return
  execFileSync(process.execPath, ['.config/build.mjs'], { stdio: 'inherit' })
}
