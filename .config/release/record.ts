/**
 * Runs a line of the program as an executable does, and adds the code that V8 compiled to that of earlier lines. Its arguments are
 * the folder of the program, the folder for the code, and the line. V8 stores the name of a file with its code, so the names contain
 * no path of this machine.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import {
  createLoader,
  getCacheGroup,
  getStartKind,
  head,
  type RequireFunction,
  tail,
  type WrappedModule,
} from '../../src/start/loader.js'

declare const require: RequireFunction

const [dist = '', folder = '', ...argv] = process.argv.slice(2)
process.argv.splice(2, 2)
const group = getCacheGroup(getStartKind(argv))
const scripts = new Map<string, Script>()

const compileFile = (name: string): WrappedModule => {
  const file = join(folder, `${group}.${name}`)
  const text = `${head}${readFileSync(join(dist, name), 'latin1')}${tail}`
  const cachedData = existsSync(file) ? readFileSync(file) : undefined
  const script = new Script(text, { filename: `svcctl/${name}`, cachedData })
  scripts.set(file, script)
  return script.runInThisContext()
}

process.once('exit', () => {
  for (const [file, script] of scripts) writeFileSync(file, script.createCachedData())
})

const { main } = createLoader(compileFile, dist, require)('main.cjs') as {
  readonly main: () => Promise<void>
}
void main()
