// Node's HTTP/2, as undici takes it where there is none.
'use strict'

exports.constants = {}
