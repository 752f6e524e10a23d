/**
 * npm run build: src/main.ts → dist/main.cjs and a chunk for each dynamic import, minified, with the
 * licences of what is bundled. CommonJS, since that starts sooner than ESM. Only the native keyring
 * stays outside, which may be absent. The libraries share the program's chunks; whoever imports them has a
 * wrapper of their names (.mjs). Their types: types.mjs.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build } from 'rolldown'
import { packedFiles, toPackedFile } from './packed-files.mjs'
import { rawText } from './raw-text.mjs'

const { version, bugs, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The packages that modules of the bundle come from, by folder. */
const packagesOf = (modules) =>
  new Set(
    modules.flatMap(
      (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(toPackedFile(id))?.[0] ?? [],
    ),
  )

/** Name, version and licence text of a package, with those of programs in it that it has no text of (`.config/licences`). */
const licenceOf = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const texts = [join(folder, file ?? ''), join('.config/licences', `${name}.txt`)]
    .filter((one) => statSync(one, { throwIfNoEntry: false })?.isFile())
    .map((one) => readFileSync(one, 'utf8').trim())
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}`
}

/** The modules that are loaded with these: what they import, and so on. */
const reached = (files, graph) => {
  const moved = files.find((file) => !existsSync(file))
  if (moved !== undefined) throw new Error(`${moved} is not there any more`)
  const found = new Set(files.map((file) => resolve(file)))
  for (const id of found)
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  return found
}

/**
 * Small modules that are always wanted together stand in one file: each file costs a start time. What
 * every line needs, and what help needs no more than, is one; what runs a command is another. So are a table, the
 * fields that are known of records, what reads standard input, and what writes with a journal: of two that both want a module
 * the first has it.
 */
let parts
const partsOf = (graph) => {
  // Each start looks whether it may believe the index of extensions.
  const core = reached(['src/main.ts', 'src/base/files/trust.ts'], graph)
  // With what is loaded by import() and yet by nearly every run.
  const usual = ['src/answer/failure-report.ts', 'src/output/json.ts']
  const run = reached(['src/answer/execute.ts', ...usual, 'src/output/formats.ts'], graph)
  const tab = reached(['src/cli/tab.ts'], graph)
  const rest = {
    fields: ['src/engine/records/known-fields.ts'],
    table: ['src/output/table.ts'],
    input: ['src/engine/targets/stdin.ts', 'src/engine/plan/stream.ts'],
    write: ['src/engine/bulk/queues.ts'],
  }
  // Every area describes its options with these, for help and completion as well; not with what checks files by them.
  const shapes = reached(['src/catalogue/shapes/common.ts'], graph)
  const further = Object.entries(rest).map(([name, files]) => [name, reached(files, graph)])
  return { core, run, tab, shapes, further }
}
const chunkOf = (id, graph) => {
  parts ??= partsOf(graph)
  // Typebox's types name what its checks generate code with, and do not use it.
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
 * What a library gets in the place of another: cli-table3 measures by the shim, the shim by the package itself. What Commander
 * starts programs with, which this program never does, loads Node's sockets and streams: help takes 11 % more processor time
 * with it (medians of 41 pairs). undici loads HTTP/2, which this program never asks for, and with it Node's TLS, its cryptography and
 * its promises of files: one record takes 6 % more processor time with it (medians of 41 pairs).
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

/** How every file is written. */
const output = {
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  minify: true,
  comments: false,
  charset: 'ascii',
}
/** The bundler's words on how long its parts took are no result of an installation. */
const checks = { bundlerTimings: false }
const transform = {
  target: 'node20.18',
  define: { SVCCTL_VERSION: JSON.stringify(version), SVCCTL_BUGS: JSON.stringify(bugs.url) },
}

/** The package's libraries, by their names in its `exports`. */
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
  // The others are optional parts of the CycloneDX library that nothing here asks for.
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
      groups: [{ debugName: 'start', name: chunkOf }],
      includeDependenciesRecursively: false,
    },
    // The optional package is required, not imported: Node's ESM loader costs milliseconds to start.
    dynamicImportInCjs: false,
  },
})
for (const { name, exports, isEntry } of chunks)
  if (isEntry && Object.hasOwn(libraries, name))
    writeFileSync(
      `dist/${name}.mjs`,
      `import library from './${name}.cjs'\nexport const { ${exports.join(', ')} } = library\n`,
    )
// Which module stands in which file, for a test of what is bundled: it is not packed.
const listed = chunks.flatMap(({ fileName, moduleIds }) =>
  moduleIds.map((id) => `${fileName}\t${relative('.', toPackedFile(id))}`),
)
writeFileSync('dist/modules.txt', `${listed.sort().join('\n')}\n`)
// What loads them, each a whole of its own: what it shares with the program is not loaded from there,
// since it decides what of the program is loaded.
for (const [name, file] of [
  ['start', 'src/start/load.ts'],
  ['keep', 'src/start/keep.ts'],
])
  await build({ checks, input: { [name]: file }, platform: 'node', transform, output })
const bundled = packagesOf(chunks.flatMap((chunk) => chunk.moduleIds ?? []))
const folders = [...bundled].filter((folder) => existsSync(join(folder, 'package.json'))).sort()
const licences = [...new Set(folders.map(licenceOf))]
writeFileSync('dist/licences.txt', `${licences.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
