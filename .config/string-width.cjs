// Display columns, as cli-table3 asks for them: in place of the old string-width that it brings, which
// takes newer emoji for one column and Indic clusters for several. A newer one is an ES module and
// starts Intl: only for text that needs it.
'use strict'

const { stripVTControlCharacters } = require('node:util')

module.exports = (text) => {
  const plain = stripVTControlCharacters(String(text))
  return /^[\x20-\x7e]*$/.test(plain) ? plain.length : require('string-width').default(plain)
}
