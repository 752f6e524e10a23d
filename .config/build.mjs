/**
 * npm run build: src/main.ts → dist/main.cjs and a chunk for each dynamic import, minified, with the
 * licences of what is bundled. CommonJS, since that starts sooner than ESM. Only the native keyring
 * stays outside, which may be absent.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The packages that modules of the bundle come from, by folder. */
const packagesOf = (modules) =>
  new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))

/** Name, version and licence text of a package. */
const licenceOf = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version} (${license})\n\n${text}`
}

const { output } = await build({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: Object.keys(optionalDependencies),
  transform: { target: 'node20.18', define: { SVCCTL_VERSION: JSON.stringify(version) } },
  onLog(level, log, next) {
    // A bundle that only nearly works is not a bundle.
    next(level === 'warn' && !log.id?.includes('node_modules') ? 'error' : level, log)
  },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
    comments: false,
    // The optional package is required, not imported: Node's ESM loader costs milliseconds to start.
    dynamicImportInCjs: false,
  },
})
const bundled = packagesOf(output.flatMap((chunk) => chunk.moduleIds ?? []))
const licences = [...bundled].filter((folder) => existsSync(join(folder, 'package.json'))).sort()
writeFileSync('dist/licences.txt', `${licences.map(licenceOf).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
