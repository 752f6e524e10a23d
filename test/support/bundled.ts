/** Bundles TypeScript files that tests start many times as processes. A test process bundles each file only once. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'

const bundles = new Map<string, Promise<string>>()

const buildBundle = async (input: string): Promise<string> => {
  const file = join(
    mkdtempSync(join(process.env.SVCCTL_TESTS ?? tmpdir(), 'bundled-')),
    'bundle.mjs',
  )
  await build({
    input,
    platform: 'node',
    // A native module that these programs do not need.
    external: ['@napi-rs/keyring'],
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  })
  return file
}

/** Returns the path of a JavaScript bundle of a TypeScript file. */
export const getBundle = (file: string): Promise<string> => {
  const known = bundles.get(file) ?? buildBundle(file)
  bundles.set(file, known)
  return known
}
