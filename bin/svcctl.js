#!/usr/bin/env node
// Starts the built program. CommonJS, and no more than each start needs: this file runs every time.
// On Node 20 it keeps V8's compiled code itself (code-cache.js); from 22.8 Node does that.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const entry = 'main.cjs'
const dist = path.join(__dirname, '..', 'dist')
const argv = process.argv.slice(2)

/** Whether this Node is new enough, from its version and the oldest that will do. */
function atLeast(major, minor, patch) {
  const [a, b, c] = process.versions.node.split('.').map(Number)
  return a > major || (a === major && (b > minor || (b === minor && c >= patch)))
}

function fail(message) {
  process.exitCode = 9
  process.stderr.write(`svcctl: ${message}\n`)
}

/** Where the tool's caches are, as src/profile/paths.ts has it; undefined where none shall be or can be. */
function cacheHome() {
  const { env, platform } = process
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined
  if (env.SVC_CONFIG_DIR) return path.resolve(env.SVC_CONFIG_DIR, 'cache')
  if (platform === 'win32')
    return env.LOCALAPPDATA && path.join(env.LOCALAPPDATA, 'svcctl', 'Cache')
  if (platform === 'darwin') return env.HOME && path.join(env.HOME, 'Library', 'Caches', 'svcctl')
  const base = env.XDG_CACHE_HOME || (env.HOME && path.join(env.HOME, '.cache'))
  return base && path.resolve(base, 'svcctl')
}

function load() {
  const home = cacheHome()
  if (home && !atLeast(22, 8, 0)) return require('./code-cache.js').load(dist, entry, home)
  if (home) require('node:module').enableCompileCache(path.join(home, 'code'))
  return require(path.join(dist, entry))
}

if (!atLeast(20, 18, 1)) {
  fail(`Node.js 20.18.1 or newer is needed, this is ${process.versions.node}`)
} else if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  fs.writeSync(1, `${require('../package.json').version}\n`)
} else if (!fs.existsSync(path.join(dist, entry))) {
  fail(`not built yet; run "npm run build" in ${path.dirname(dist)}`)
} else {
  load().main(argv)
}
