/**
 * npm run reproducible: builds the executables in release/ again, from a copy of this commit in another folder, and compares the
 * sums. Compressed files are not built again, because `xz` and `dpkg-deb` are deterministic. Exits with 1 if a file differs.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manifest, parseSums, releaseFolder } from './beside.js'
import { platformNames } from './nodes.js'

const readSums = (folder: string): ReadonlyMap<string, string> =>
  parseSums(readFileSync(join(folder, releaseFolder, 'SHA256SUMS'), 'utf8'))

const before = readSums('.')
const built = platformNames.filter((name) =>
  [...before.keys()].some((file) => file.startsWith(`svcctl-${manifest.version}-${name}`)),
)
const copy = mkdtempSync(join(tmpdir(), 'svcctl-again-'))
try {
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', args, { maxBuffer: 2 ** 28 })
  if (git('status', '--porcelain').length > 0) throw new Error('there are changes without a commit')
  execFileSync('tar', ['-x', '-C', copy], { input: git('archive', 'HEAD') })
  cpSync('node_modules', join(copy, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  const epoch = process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct').toString().trim()
  const chosen = built.length === platformNames.length ? [] : built
  execFileSync('npm', ['run', '--silent', 'executables', '--', '--plain', ...chosen], {
    cwd: copy,
    stdio: 'inherit',
    env: { ...process.env, SOURCE_DATE_EPOCH: epoch, SVCCTL_RELEASE_KEY: '' },
  })
  for (const [name, sum] of readSums(copy)) {
    const equal = before.get(name) === sum
    console.log(`${equal ? 'equal    ' : 'DIFFERENT'}  ${name}`)
    if (!equal) process.exitCode = 1
  }
} finally {
  rmSync(copy, { recursive: true })
}
