/** Before the tests: builds dist/ when a source is newer, so that tests may run the real program. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const builtFrom = ['src', 'package.json', '.config/build.mjs']

const changed = (path: string): number => {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => changed(join(path, name))))
}

const built = (): number => statSync('dist/main.cjs', { throwIfNoEntry: false })?.mtimeMs ?? 0

export default (): void => {
  if (built() > Math.max(...builtFrom.map(changed))) return
  execFileSync(process.execPath, ['.config/build.mjs'], { stdio: 'inherit' })
}
