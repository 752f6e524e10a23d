/** What each flag of V8 and each deep import is worth, beside the same without it. What wins no tenth goes. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import type { Bench } from './bench.js'
import { type Program, script, watched } from './measure.js'
import { reportPair } from './pairs.js'

/** The same program with something loaded before it. */
const preloading = (program: Program, module: string): Program => ({
  ...program,
  args: ['--require', module, ...program.args],
})

const untuned = resolve('test/bench/untuned.cjs')

/**
 * One record over undici's pool, bundled as the program is.
 * @param pool the import of `Pool`
 */
const bundled = async (folder: string, name: string, pool: string): Promise<Program> => {
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
  return script(file)
}

/** What the program takes of undici by its files, beside its whole index. */
const deepImports = async (bench: Bench, env: Program['env']): Promise<void> => {
  const { folder } = bench
  const file = resolve('node_modules/undici/lib/dispatcher/pool.js')
  const files = await bundled(folder, 'files', `import Pool from ${JSON.stringify(file)}`)
  const index = resolve('node_modules/undici/index.js')
  const whole = await bundled(folder, 'whole', `import { Pool } from ${JSON.stringify(index)}`)
  await reportPair(
    bench,
    { it: { ...files, env, silent: true }, base: { ...whole, env, silent: true } },
    { work: "one record, with undici's pool beside its whole index", budget: 0.9, pairs: 11 },
  )
}

export const flags = async (bench: Bench): Promise<void> => {
  const url = bench.instance(100, 0)
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'bench' }
  const one: Program = { ...watched('runners', 'get', '1', '-o', 'json'), env, silent: true }
  await reportPair(
    bench,
    { it: one, base: preloading(one, untuned) },
    { work: 'one record, with the quiet parser beside without', budget: 0.9, pairs: 11 },
  )
  const some = bench.instance(1000, 0)
  const listed: Program = {
    ...watched('projects', 'list', '--limit', 'all', '-o', 'ndjson'),
    env: { ...env, SVC_BASE_URL: some },
    silent: true,
  }
  await reportPair(
    bench,
    { it: listed, base: preloading(listed, untuned) },
    { work: '1,000 projects, with the quiet parser beside without', budget: 0.9, pairs: 11 },
  )
  await deepImports(bench, env)
}
