/**
 * npm run build: bundles src/main.ts into dist/main.cjs and a chunk for each dynamic import, minified, with the licences of the
 * bundled packages. The output is CommonJS, which starts faster than ESM. Only the native keyring stays outside, because it may be
 * absent. The libraries share the program's chunks; each has a wrapper (.mjs) with its exports for ES modules. types.mjs builds
 * their types.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build } from 'rolldown'
import { packedFiles, toPackedFile } from './packed-files.mjs'
import { rawText } from './raw-text.mjs'

const { version, bugs, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Returns the folders of the packages that bundled modules come from. */
const listPackages = (modules) =>
  new Set(
    modules.flatMap(
      (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(toPackedFile(id))?.[0] ?? [],
    ),
  )

/** Returns name, version and licence text of a package, with those of programs in it that it has no text of (`.config/licences`). */
const readLicence = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const texts = [join(folder, file ?? ''), join('.config/licences', `${name}.txt`)]
    .filter((one) => statSync(one, { throwIfNoEntry: false })?.isFile())
    .map((one) => readFileSync(one, 'utf8').trim())
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}`
}

/** Returns the modules that are loaded with these files, directly or indirectly. */
const collectModules = (files, graph) => {
  const moved = files.find((file) => !existsSync(file))
  if (moved !== undefined) throw new Error(`${moved} is not there any more`)
  const found = new Set(files.map((file) => resolve(file)))
  for (const id of found)
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  return found
}

/**
 * Small modules that are always loaded together share a file, because each file takes time to load. One file has what every line
 * needs, and help needs no more; another has what runs a command. Tables, known fields of records, reading of standard input, and
 * writes with a journal each have a file. A module that two of them need is in the first.
 */
let parts
const splitParts = (graph) => {
  // Each start checks whether the index of extensions can be trusted.
  const core = collectModules(['src/main.ts', 'src/base/files/trust.ts'], graph)
  // The second is loaded by import(), but needed in nearly every run.
  const run = collectModules(['src/answer/execute.ts', 'src/answer/failure-report.ts'], graph)
  const tab = collectModules(['src/cli/tab.ts'], graph)
  const rest = {
    fields: ['src/engine/records/known-fields.ts'],
    table: ['src/output/table.ts'],
    input: ['src/engine/targets/stdin.ts', 'src/engine/plan/stream.ts'],
    write: ['src/engine/bulk/queues.ts'],
  }
  // Every area describes its options with these, for help and completion as well, but without the code that checks files.
  const shapes = collectModules(['src/catalogue/shapes/common.ts'], graph)
  const further = Object.entries(rest).map(([name, files]) => [name, collectModules(files, graph)])
  return { core, run, tab, shapes, further }
}
const chooseChunk = (id, graph) => {
  parts ??= splitParts(graph)
  // Typebox's types import this code generator of its checks, but do not use it.
  if (id.endsWith('/typebox/build/guard/emit.mjs')) return undefined
  if (parts.core.has(id) || parts.shapes.has(id) || id.includes('rolldown/runtime')) return 'core'
  if (parts.run.has(id)) return parts.tab.has(id) ? 'session' : 'run'
  if (parts.tab.has(id)) return 'tab'
  const [further] = parts.further.find(([, modules]) => modules.has(id)) ?? []
  if (further !== undefined) return further
  if (id.endsWith('/.config/http2.cjs')) return 'undici'
  const undici = /\/undici\/lib\/(?!api\/|core\/socks5|dispatcher\/(agent|.*proxy-agent))/.test(id)
  return undici ? 'undici' : undefined
}

/**
 * Replacements of modules in libraries. cli-table3 measures with the shim, which uses the real package. Commander imports
 * `child_process` to start programs, which this program never does, and it loads Node's sockets and streams: help takes 11 % more
 * processor time with it (medians of 41 pairs). undici loads HTTP/2, which this program never uses, and with it Node's TLS,
 * cryptography and file promises: reading one record takes 6 % more processor time with it (medians of 41 pairs).
 */
const shims = [
  ['string-width', /\/cli-table3\//, '.config/string-width.cjs'],
  ['node:child_process', /\/commander\//, '.config/child-process.cjs'],
  ['node:http2', /\/undici\//, '.config/http2.cjs'],
]
const shimmed = {
  name: 'shimmed',
  resolveId: {
    filter: { id: /^(string-width|node:child_process|node:http2)$/ },
    handler: (id, importer) => {
      const [, , file] = shims.find(([name, by]) => name === id && by.test(importer ?? '')) ?? []
      return file && resolve(file)
    },
  },
}

/** The output options of every file. */
const output = {
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  minify: true,
  comments: false,
  charset: 'ascii',
}
/** The bundler's warnings about its own timings do not help at an installation. */
const checks = { bundlerTimings: false }
const transform = {
  target: 'node20.18',
  define: { SVCCTL_VERSION: JSON.stringify(version), SVCCTL_BUGS: JSON.stringify(bugs.url) },
}

/** The libraries of the package by their names in `exports`. */
const libraries = {
  client: 'src/library/client.ts',
  sandbox: 'src/library/sandbox.ts',
  run: 'src/run.ts',
}

const { output: chunks } = await build({
  checks,
  plugins: [shimmed, rawText, packedFiles],
  input: { main: 'src/main.ts', ...libraries },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // The others are optional parts of the CycloneDX library that nothing here uses.
  external: [
    ...Object.keys(optionalDependencies),
    'ajv-formats-draft2019',
    'libxmljs2',
    'xmlbuilder2',
  ],
  transform,
  output: {
    ...output,
    cleanDir: true,
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      groups: [{ debugName: 'start', name: chooseChunk }],
      includeDependenciesRecursively: false,
    },
    // The optional package is required, not imported: Node's ESM loader takes milliseconds to start.
    dynamicImportInCjs: false,
  },
})
for (const { name, exports, isEntry } of chunks)
  if (isEntry && Object.hasOwn(libraries, name))
    writeFileSync(
      `dist/${name}.mjs`,
      `import library from './${name}.cjs'\nexport const { ${exports.join(', ')} } = library\n`,
    )
// Lists the modules of each file, for a test of the bundle. The list is not packed.
const listed = chunks.flatMap(({ fileName, moduleIds }) =>
  moduleIds.map((id) => `${fileName}\t${relative('.', toPackedFile(id))}`),
)
writeFileSync('dist/modules.txt', `${listed.sort().join('\n')}\n`)
// The loaders, each bundled by itself: they decide what is loaded of the program, so they share no file with it.
for (const [name, file] of [
  ['start', 'src/start/load.ts'],
  ['keep', 'src/start/keep.ts'],
])
  await build({ checks, input: { [name]: file }, platform: 'node', transform, output })
const bundled = listPackages(chunks.flatMap((chunk) => chunk.moduleIds ?? []))
const folders = [...bundled].filter((folder) => existsSync(join(folder, 'package.json'))).sort()
const licences = [...new Set(folders.map(readLicence))]
writeFileSync('dist/licences.txt', `${licences.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
