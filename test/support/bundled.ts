/** Files of TypeScript that tests start as processes of their own, many times: each is bundled once by a process of tests. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'

const bundles = new Map<string, Promise<string>>()

const bundle = async (input: string): Promise<string> => {
  const file = join(
    mkdtempSync(join(process.env.SVCCTL_TESTS ?? tmpdir(), 'bundled-')),
    'bundle.mjs',
  )
  await build({
    input,
    platform: 'node',
    // Native, and not needed to run.
    external: ['@napi-rs/keyring'],
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  })
  return file
}

/** Gives a file of JavaScript that does what one of TypeScript does. */
export const bundled = (file: string): Promise<string> => {
  const known = bundles.get(file) ?? bundle(file)
  bundles.set(file, known)
  return known
}
