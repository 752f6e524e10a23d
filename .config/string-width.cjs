// Display columns, as cli-table3 asks for them: in place of the old string-width that it brings, which
// takes newer emoji for one column and Indic clusters for several. A newer one is an ES module and
// starts Intl: only for text that needs it.
'use strict'

const { stripVTControlCharacters } = require('node:util')

/** Matches text in which each character takes one column, as in src/base/screen-text.ts. cli-table3 measures each cell four times. */
const simple =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03c9\u0410-\u044f–—‘’“”…·‖›│░█●○◌◆▲▽▸▹✓✗⊘]*$/

module.exports = (text) => {
  if (simple.test(text)) return text.length
  const plain = stripVTControlCharacters(String(text))
  return simple.test(plain) ? plain.length : require('string-width').default(plain)
}
