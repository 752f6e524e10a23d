// Keeps what V8 compiled in this run; loaded only when something new was compiled.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

/** Builds (of this and of other versions of Node) whose code is kept. */
const kept = 4

function forget(folder) {
  const age = (name) => fs.statSync(path.join(folder, name)).mtimeMs
  const builds = fs.readdirSync(folder).sort((a, b) => age(b) - age(a))
  for (const name of builds.slice(kept))
    fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}

/** Makes a folder with those above it; true when it was not there. Node's own way never ends in /proc. */
function make(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    if (error.code !== 'ENOENT' || fs.existsSync(path.dirname(folder))) throw error
    make(path.dirname(folder))
    return make(folder)
  }
}

/** Each file appears whole or not at all: several processes may write the same one. */
function put(file, data) {
  const partial = `${file}.${process.pid}.tmp`
  try {
    fs.writeFileSync(partial, data, { mode: 0o600 })
    fs.renameSync(partial, file)
  } catch (error) {
    fs.rmSync(partial, { force: true })
    throw error
  }
}

/** Writes the compiled code of `scripts` (file name → vm.Script) into `folder`, if that can be. */
exports.write = function write(folder, scripts) {
  try {
    const build = path.dirname(folder)
    if (make(folder)) forget(path.dirname(build))
    fs.accessSync(folder, fs.constants.W_OK)
    for (const [name, script] of scripts) put(path.join(folder, name), script.createCachedData())
  } catch {
    // A read-only or full disk: the next start is as slow as this one was.
  }
}
