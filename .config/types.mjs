/**
 * Builds the declarations of the libraries: the compiler writes them, with the types of the catalogue inferred, and each library's
 * are bundled into one file without imports. A wrapper serves ES modules, as for the code.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { build } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const libraries = { client: 'library/client', sandbox: 'library/sandbox', run: 'run' }
/** `Symbol.asyncDispose` is newer than the default language version of projects. */
const fileHead = '/// <reference lib="esnext.disposable" />\n'

const require = createRequire(import.meta.url)
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')

/** Runs the compiler to write the declarations of the libraries and of all files that they use. */
const declare = (folder) => {
  const project = join(folder, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: resolve('src'),
    outDir: folder,
    typeRoots: [resolve('node_modules/@types')],
  }
  const files = [
    ...Object.values(libraries).map((path) => `${path}.ts`),
    'http/undici.d.ts',
    'base/raw.d.ts',
  ]
  writeFileSync(
    project,
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions,
      include: [],
      files: files.map((file) => resolve('src', file)),
    }),
  )
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the declarations of the libraries do not compile')
}

/** Bundles a declaration file with all that it imports. */
const buildDeclarations = async (folder, name, path) => {
  const { output } = await build({
    checks: { bundlerTimings: false },
    input: { [name]: join(folder, `${path}.d.ts`) },
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    write: false,
  })
  const text = output.map((chunk) => chunk.code ?? '').join('')
  if (output.length !== 1 || /\bfrom\s*['"]|\bimport\s*\(/.test(text))
    throw new Error(`the declarations of ${name} are not one file that imports nothing`)
  return fileHead + text
}

const folder = mkdtempSync(join(tmpdir(), 'svcctl-types-'))
try {
  declare(folder)
  for (const [name, path] of Object.entries(libraries)) {
    writeFileSync(`dist/${name}.d.cts`, await buildDeclarations(folder, name, path))
    writeFileSync(`dist/${name}.d.ts`, `export * from './${name}.cjs'\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
