#!/usr/bin/env node
// Starts the built program. CommonJS, and no more than each start needs: this file runs every time.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const entry = 'main.cjs'
const dist = path.join(__dirname, '..', 'dist')
const argv = process.argv.slice(2)

/** Whether this Node is older than the oldest that will do, 20.18.1. */
function tooOld() {
  const [major, minor, patch] = process.versions.node.split('.').map(Number)
  return major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)))
}

function fail(message, code = 9) {
  process.exitCode = code
  // Where nobody hears it, the exit code says enough.
  process.stderr.on('error', () => {})
  process.stderr.write(`svcctl: ${message}\n`)
}

function version() {
  try {
    fs.writeSync(1, `${require('../package.json').version}\n`)
  } catch (error) {
    if (error.code !== 'EPIPE') fail(`cannot write to standard output: ${error.message}`, 1)
  }
}

/** Where the tool's caches are, as src/profile/paths.ts has it; undefined where none shall be or can be. */
function cacheHome() {
  const { env, platform } = process
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined
  const own = (env.SVC_CONFIG_DIR || '').trim()
  // A shell leaves ~ as it is in a file of variables.
  if (own === '~' || own.startsWith('~/'))
    return env.HOME && path.resolve(env.HOME, own.slice(2), 'cache')
  if (own) return path.resolve(own, 'cache')
  if (platform === 'win32')
    return env.LOCALAPPDATA && path.join(env.LOCALAPPDATA, 'svcctl', 'Cache')
  if (platform === 'darwin') return env.HOME && path.join(env.HOME, 'Library', 'Caches', 'svcctl')
  const base = env.XDG_CACHE_HOME || (env.HOME && path.join(env.HOME, '.cache'))
  return base && path.resolve(base, 'svcctl')
}

function load() {
  let home
  try {
    home = cacheHome()
  } catch {
    // The folder is a relative path, and the current folder was deleted.
  }
  // Node's own module.enableCompileCache() would do from 22.8 on, but starts 4 to 8 ms later.
  return home
    ? require(path.join(dist, 'start.cjs')).load(dist, entry, home, require)
    : require(path.join(dist, entry))
}

if (tooOld()) {
  fail(`Node.js 20.18.1 or newer is needed, this is ${process.versions.node}`)
} else if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  version()
} else if (!fs.existsSync(path.join(dist, entry))) {
  fail(`not built yet; run "npm run build" in ${path.dirname(dist)}`)
} else {
  load().main()
}
