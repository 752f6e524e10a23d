/** Compares the program with and without each flag of V8 and each deep import. One that saves less than a tenth is removed. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import type { Bench } from './bench.js'
import { buildScript, buildWatchedProgram, type Program } from './measure.js'
import { reportPair } from './pairs.js'

/** Adds a module that is loaded before the program. */
const addPreload = (program: Program, module: string): Program => ({
  ...program,
  args: ['--require', module, ...program.args],
})

const untuned = resolve('test/bench/untuned.cjs')

/**
 * Bundles a script that reads one record over undici's pool, as the program itself is bundled.
 * @param pool the import of `Pool`
 */
const buildPoolScript = async (folder: string, name: string, pool: string): Promise<Program> => {
  const [input, file] = [join(folder, `${name}.mjs`), join(folder, `${name}.cjs`)]
  writeFileSync(
    input,
    `${pool}
    const pool = new Pool(new URL(process.env.SVC_BASE_URL).origin)
    const path = new URL(process.env.SVC_BASE_URL).pathname + '/api/v4/runners/1'
    pool.dispatch({ path, method: 'GET' }, {
      onConnect: () => {},
      onHeaders: () => true,
      onData: (chunk) => process.stdout.write(chunk),
      onComplete: () => pool.close(),
      onError: (error) => { throw error },
    })`,
  )
  await build({ input, platform: 'node', output: { file, format: 'cjs', minify: true } })
  return buildScript(file)
}

/** Compares deep imports of undici's files, as in the program, with an import of its whole index. */
const measureDeepImports = async (bench: Bench, env: Program['env']): Promise<void> => {
  const { folder } = bench
  const file = resolve('node_modules/undici/lib/dispatcher/pool.js')
  const files = await buildPoolScript(folder, 'files', `import Pool from ${JSON.stringify(file)}`)
  const index = resolve('node_modules/undici/index.js')
  const whole = await buildPoolScript(
    folder,
    'whole',
    `import { Pool } from ${JSON.stringify(index)}`,
  )
  await reportPair(
    bench,
    { it: { ...files, env, silent: true }, base: { ...whole, env, silent: true } },
    { work: "one record, with undici's pool beside its whole index", budget: 0.9, pairs: 11 },
  )
}

export const measureFlags = async (bench: Bench): Promise<void> => {
  const url = bench.instance(100, 0)
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'bench' }
  const one: Program = {
    ...buildWatchedProgram('runners', 'get', '1', '-o', 'json'),
    env,
    silent: true,
  }
  await reportPair(
    bench,
    { it: one, base: addPreload(one, untuned) },
    { work: 'one record, with the quiet parser beside without', budget: 0.9, pairs: 11 },
  )
  const some = bench.instance(1000, 0)
  const listed: Program = {
    ...buildWatchedProgram('projects', 'list', '--limit', 'all', '-o', 'ndjson'),
    env: { ...env, SVC_BASE_URL: some },
    silent: true,
  }
  await reportPair(
    bench,
    { it: listed, base: addPreload(listed, untuned) },
    { work: '1,000 projects, with the quiet parser beside without', budget: 0.9, pairs: 11 },
  )
  await measureDeepImports(bench, env)
}
