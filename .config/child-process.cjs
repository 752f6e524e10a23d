// What Commander starts programs with, loaded when it does.
'use strict'

exports.spawn = (...args) => require('node:child_process').spawn(...args)
