/** One executable: a Node, the main that loads the program, the program's files. */
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'rolldown'
import { steady } from './assets.js'

const run = promisify(execFile)

/** Builds what runs first in an executable, or what records what it compiles. @returns its file */
export const buildMain = async (
  folder: string,
  version: string,
  name: 'main' | 'record' = 'main',
): Promise<string> => {
  await build({
    checks: { bundlerTimings: false },
    input: { [name]: resolve(`.config/release/${name}.ts`) },
    platform: 'node',
    transform: { target: 'node26', define: { SVCCTL_VERSION: JSON.stringify(version) } },
    output: { dir: folder, format: 'cjs', entryFileNames: '[name].cjs', minify: true },
  })
  return join(folder, `${name}.cjs`)
}

export interface Parts {
  readonly main: string
  /** Files by the names that the main asks for. */
  readonly assets: Readonly<Record<string, string>>
  /** The Node that it becomes, without symbols. */
  readonly executable: string
  readonly output: string
}

/**
 * Puts an executable together.
 * @param builder a Node of the same version that runs here
 * @param own whether the executable is for the platform that it is built on, of which alone V8 keeps compiled code
 */
export const single = async (builder: string, parts: Parts, own: boolean): Promise<void> => {
  const folder = dirname(parts.main)
  const settings = {
    ...parts,
    output: resolve(parts.output),
    // It stands in the executable: where it was built is nobody's business.
    main: basename(parts.main),
    disableExperimentalSEAWarning: true,
    useCodeCache: own,
    // NODE_OPTIONS would bring foreign code into a tool that holds an administrator's token.
    execArgvExtension: 'none',
  }
  const file = `${resolve(parts.output)}.json`
  writeFileSync(file, JSON.stringify(settings))
  await run(builder, [...steady, '--build-sea', file], { cwd: folder })
  rmSync(file)
}
