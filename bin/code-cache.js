// Loads the program's files with the code that V8 compiled in an earlier run, and keeps that code.
// Everything here may fail in silence: without a cache the program is only slower.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')

/** What a run is about: help, completion or an area. Each compiles other functions and has a cache of its own. */
function kindOf(argv) {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) return 'help'
  return argv.find((word) => /^[a-z_][a-z-]*$/.test(word)) || 'run'
}

/**
 * The folder of one build's compiled code, named by what makes it invalid: V8's version and the
 * entry's size and time of change (ctime: installers set mtime as they like).
 */
function folderOf(home, file) {
  const { size, ctimeMs } = fs.statSync(file)
  const { node, v8 } = process.versions
  return path.join(home, 'code', `${node}-${v8}-${process.arch}-${size}-${ctimeMs}`)
}

/** Compiled code is run unchecked, so only a folder that nobody else can write is trusted. */
function trusted(folder) {
  try {
    const { uid, mode } = fs.statSync(folder)
    return !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0)
  } catch {
    return false
  }
}

function read(file) {
  try {
    return fs.readFileSync(file)
  } catch {
    return undefined
  }
}

/** Runs `entry` of the folder `dist` and gives its exports. */
exports.load = function load(dist, entry, home) {
  const build = folderOf(home, path.join(dist, entry))
  const folder = path.join(build, kindOf(process.argv.slice(2)))
  const known = trusted(build)
  const modules = new Map()
  const fresh = new Map()

  const run = (name) => {
    const earlier = modules.get(name)
    if (earlier) return earlier.exports
    const filename = path.join(dist, name)
    // The build writes ASCII only, and this reads it fastest.
    const source = fs.readFileSync(filename, 'latin1')
    const cachedData = known ? read(path.join(folder, name)) : undefined
    const script = new vm.Script(
      `(function(exports,require,module,__filename,__dirname){${source}\n})`,
      { filename, cachedData },
    )
    if (!cachedData || script.cachedDataRejected) fresh.set(name, script)
    const module = { exports: {} }
    modules.set(name, module)
    script
      .runInThisContext()
      .call(module.exports, module.exports, requireFrom, module, filename, dist)
    return module.exports
  }
  const requireFrom = (id) => (id.startsWith('./') ? run(id.slice(2)) : require(id))

  // At exit, so that the functions which this run has called are compiled already.
  // A mistyped command (2) is not worth a cache.
  process.once('exit', (code) => {
    if (fresh.size > 0 && code !== 2 && (known || !fs.existsSync(build)))
      require('./code-cache-write.js').write(folder, fresh)
  })
  return run(entry)
}
