/** Builds one executable from a Node, a main script that loads the program, and the program's files. */
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'rolldown'
import { steadyFlags } from './assets.js'

const run = promisify(execFile)

/** Builds the script that an executable starts with, or the one that records compiled code. @returns its path */
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

export interface ExecutableParts {
  readonly main: string
  /** The paths of the assets, by the names that the main script uses. */
  readonly assets: Readonly<Record<string, string>>
  /** The Node without symbols that becomes the executable. */
  readonly executable: string
  readonly output: string
}

/**
 * Builds an executable.
 * @param builder a Node of the same version that runs here
 * @param own true for an executable of the platform that it is built on; V8 keeps compiled code only for that
 */
export const buildExecutable = async (
  builder: string,
  parts: ExecutableParts,
  own: boolean,
): Promise<void> => {
  const folder = dirname(parts.main)
  const settings = {
    ...parts,
    output: resolve(parts.output),
    // The name is stored in the executable, so it contains no path of this machine.
    main: basename(parts.main),
    disableExperimentalSEAWarning: true,
    useCodeCache: own,
    // NODE_OPTIONS could load other code into a tool that holds an administrator's token.
    execArgvExtension: 'none',
  }
  const file = `${resolve(parts.output)}.json`
  writeFileSync(file, JSON.stringify(settings))
  await run(builder, [...steadyFlags, '--build-sea', file], { cwd: folder })
  rmSync(file)
}
