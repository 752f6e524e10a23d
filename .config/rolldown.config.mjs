/**
 * src/main.ts → dist/main.cjs and a chunk for each dynamic import, minified. Everything is bundled
 * except the native keyring, which may be absent. CommonJS, since that starts sooner than ESM.
 */
import { readFileSync } from 'node:fs'
import { defineConfig } from 'rolldown'

const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: Object.keys(optionalDependencies),
  transform: { target: 'node20.18', define: { SVCCTL_VERSION: JSON.stringify(version) } },
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
