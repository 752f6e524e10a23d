// Loads the module with which Commander starts programs when it does so.
'use strict'

exports.spawn = (...args) => require('node:child_process').spawn(...args)
