// Preloaded into a measured program: no flag of V8 is set.
'use strict'

require('node:v8').setFlagsFromString = () => {}
