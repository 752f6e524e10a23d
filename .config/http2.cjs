// HTTP/2, as undici finds it in a Node without it: this program asks for HTTP/1.1 alone.
'use strict'

exports.constants = {}
