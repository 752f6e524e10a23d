// Before the tests: cli-table3 measures by the shim, as the build has it.
'use strict'

const Module = require('node:module')
const { join } = require('node:path')

const resolveFilename = Module._resolveFilename
Module._resolveFilename = (request, parent, ...rest) =>
  request === 'string-width' && /[\\/]cli-table3[\\/]/.test(parent?.filename ?? '')
    ? join(__dirname, 'string-width.cjs')
    : resolveFilename(request, parent, ...rest)
