// Of Node's HTTP, undici has the limit of headers, and looks whether a body is an answer of it, which none is here.
'use strict'

/** The default of Node's --max-http-header-size, in bytes. */
const usual = 16_384
const options = [...process.execArgv, process.env.NODE_OPTIONS ?? '']
const isSet = options.some((option) => option.includes('--max-http-header-size'))

exports.IncomingMessage = class {}
exports.maxHeaderSize = isSet ? require('node:http').maxHeaderSize : usual
