// Runs the built program for one command line after the other, each time with modules of its own: what a process costs is
// paid once. `within.ts` asks it. A run is over when nothing of it would keep a process, and not before.
'use strict'

const fs = require('node:fs')
const channels = require('node:diagnostics_channel')
const { join } = require('node:path')
const { Readable, Writable } = require('node:stream')
const { Script } = require('node:vm')

/** `bin/svcctl.js` of the build that is meant. */
const [, , program = ''] = process.argv
const dist = join(program, '..', '..', 'dist')
/** So long may a run keep what it holds once its work is done. */
const patience = 10_000

const scripts = new Map()
/** A file of the program as a function, compiled once. */
const compiled = (name) => {
  const filename = join(dist, name)
  if (!scripts.has(name))
    scripts.set(
      name,
      new Script(
        `(function(exports,require,module,__filename,__dirname){${fs.readFileSync(filename, 'latin1')}\n})`,
        { filename },
      ),
    )
  return scripts.get(name).runInThisContext()
}

/** Libraries that keep nothing of a run. */
const library =
  /^node_modules\/(?:undici|yaml|ajv|ajv-formats|re2js|semver|csv-parse|fast-xml-builder)\//

/** The files of the build in which nothing else stands; of a program without a list of its modules, none. */
const kept = (() => {
  const list = join(dist, 'modules.txt')
  const modules = new Map()
  if (!fs.existsSync(list)) return new Set()
  for (const line of fs.readFileSync(list, 'utf8').trimEnd().split('\n')) {
    const [file, module] = line.split('\t')
    modules.set(file, [...(modules.get(file) ?? []), module])
  }
  const names = fs.readdirSync(dist).filter((name) => /^rolldown-runtime-/.test(name))
  for (const [file, all] of modules) if (all.every((one) => library.test(one))) names.push(file)
  return new Set(names)
})()
const keptModules = new Map()

/** The program's exports, every module of its own fresh, and some of Node's exchanged. Libraries are loaded once. */
const fresh = (entry, instead) => {
  const own = new Map()
  const load = (name) => {
    const shared = kept.has(name)
    const modules = shared ? keptModules : own
    const earlier = modules.get(name)
    if (earlier !== undefined) return earlier.exports
    const module = { exports: {} }
    modules.set(name, module)
    const from = (id) => {
      if (!id.startsWith('./')) return (shared ? undefined : instead.get(id)) ?? require(id)
      if (shared && !kept.has(id.slice(2)))
        throw new Error(`${name} is of libraries, and loads ${id}`)
      return load(id.slice(2))
    }
    compiled(name).call(module.exports, module.exports, from, module, join(dist, name), dist)
    return module.exports
  }
  return load(entry)
}

const turn = () => new Promise((resolve) => setTimeout(() => setImmediate(resolve), 1))

/** How many of each kind of thing keep this process. */
const holding = () => {
  const kinds = new Map()
  for (const kind of process.getActiveResourcesInfo()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  return kinds
}

/** What keeps this process beyond what did before. */
const beyond = (before) =>
  [...holding()].flatMap(([kind, count]) => (count > (before.get(kind) ?? 0) ? [kind] : []))

const idle = async (before) => {
  for (const end = Date.now() + patience; ; ) {
    await turn()
    const held = beyond(before)
    if (held.length === 0) return
    if (Date.now() > end) throw new Error(`the program has ended, and yet holds ${held}`)
  }
}

const gathering = () => {
  const chunks = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** Node's files, where what is written to a standard stream by its number goes with the rest of it. */
const filesBeside = (streams) => ({
  ...fs,
  writeSync: (descriptor, bytes, ...place) => {
    const stream = streams[descriptor]
    if (stream === undefined) return fs.writeSync(descriptor, bytes, ...place)
    const rest = Buffer.from(bytes).subarray(typeof bytes === 'string' ? 0 : (place[0] ?? 0))
    stream.write(rest)
    return rest.length
  },
})

/** Node's channels, where nobody listens on behalf of a run that is over. */
const channelsUntil = (ends) => ({
  ...channels,
  subscribe: (name, listener) => {
    channels.subscribe(name, listener)
    ends.push(() => channels.unsubscribe(name, listener))
  },
})

/** Node's V8, where no run says how the memory of the others is kept. */
const withoutFlags = { ...require('node:v8'), setFlagsFromString: () => {} }

const stand = (name, value) =>
  Object.defineProperty(process, name, { value, configurable: true, writable: true })

/** What hears of the process's events now. */
const heard = () =>
  new Map(process.eventNames().map((event) => [event, process.rawListeners(event)]))

/** Takes away who has begun to listen since, and has those who wait for the end do what they would. */
const unhear = (before, code) => {
  for (const [event, listeners] of heard())
    for (const listener of listeners)
      if (!before.get(event)?.includes(listener)) {
        process.off(event, listener)
        if (event === 'exit') listener.call(process, code)
      }
}

const setVariables = (wanted) => {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name]
  Object.assign(process.env, wanted)
}

/** What a run that ends its process is left by. */
class Ended extends Error {}

const run = async ({ args, env, cwd, input }) => {
  await turn()
  const [before, listeners, symbols] = [holding(), heard(), Reflect.ownKeys(globalThis)]
  const [out, err] = [gathering(), gathering()]
  const ends = []
  process.chdir(cwd)
  setVariables(env)
  process.argv = [process.execPath, program, ...args]
  process.exitCode = undefined
  stand('stdin', Readable.from(input === undefined ? [] : [Buffer.from(input)]))
  stand('stdout', out.stream)
  stand('stderr', err.stream)
  await new Promise((resolve, reject) => {
    // As Node would end a process with what nobody caught.
    process.on('uncaughtException', reject)
    process.on('unhandledRejection', reject)
    fresh(
      'main.cjs',
      new Map([
        ['node:fs', filesBeside({ 1: out.stream, 2: err.stream })],
        ['node:v8', withoutFlags],
        ['node:diagnostics_channel', channelsUntil(ends)],
      ]),
    )
      .main()
      .catch((error) => {
        if (!(error instanceof Ended)) throw error
      })
      .then(() => idle(before))
      .then(resolve, reject)
  }).catch((error) => {
    err.stream.write(`${error?.stack ?? error}\n`)
    process.exitCode = 1
  })
  const code = process.exitCode ?? 0
  unhear(listeners, code)
  for (const end of ends) end()
  for (const key of Reflect.ownKeys(globalThis))
    if (!symbols.includes(key)) Reflect.deleteProperty(globalThis, key)
  process.exitCode = undefined
  return { stdout: out.text(), stderr: err.text(), code }
}

// What is said past the streams is seen by whoever started this; nothing of the program may end it.
const { exit } = process
process.exit = (code) => {
  // TAB ends it once everything is said.
  if (process.argv[2] === '__complete') throw new Ended()
  throw new Error(`the program ends its process with ${code}: run it in one of its own`)
}
process.on('disconnect', () => exit(0))
process.on('message', (asked) => {
  run(asked).then((ran) => process.send(ran))
})
