/**
 * The libraries' declarations: the compiler's, in which everything of the catalogue is inferred already,
 * each rolled up into one file that imports nothing. As with the code, ES modules have a wrapper of it.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { build } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const libraries = { client: 'library/client', sandbox: 'library/sandbox', run: 'run' }
/** `Symbol.asyncDispose` is younger than the language that projects compile for by default. */
const head = '/// <reference lib="esnext.disposable" />\n'

const require = createRequire(import.meta.url)
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')

/** Has the compiler write the declarations of the libraries, and of all that they are made of. */
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

/** One declaration file with all that it names. */
const rolledUp = async (folder, name, path) => {
  const { output } = await build({
    checks: { bundlerTimings: false },
    input: { [name]: join(folder, `${path}.d.ts`) },
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    write: false,
  })
  const text = output.map((chunk) => chunk.code ?? '').join('')
  if (output.length !== 1 || /\bfrom\s*['"]|\bimport\s*\(/.test(text))
    throw new Error(`the declarations of ${name} are not one file that imports nothing`)
  return head + text
}

const folder = mkdtempSync(join(tmpdir(), 'svcctl-types-'))
try {
  declare(folder)
  for (const [name, path] of Object.entries(libraries)) {
    writeFileSync(`dist/${name}.d.cts`, await rolledUp(folder, name, path))
    writeFileSync(`dist/${name}.d.ts`, `export * from './${name}.cjs'\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
