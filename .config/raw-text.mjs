/**
 * Provides files as modules with their text (`import text from './page.css?raw'`) for the build. Vite and Vitest support this
 * themselves.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { minifySync } from 'rolldown/utils'

const mark = '?raw'

/** Returns the text to ship: code without comments, style sheets without indentation. */
const toShippedText = (file) => {
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.js')) return minifySync(file, text).code
  return file.endsWith('.css') ? text.replace(/\n\s*/g, '') : text
}

export const rawText = {
  name: 'raw-text',
  resolveId: {
    filter: { id: /\?raw$/ },
    handler: (id, importer) => resolve(dirname(importer ?? '.'), id),
  },
  load: {
    filter: { id: /\?raw$/ },
    handler: (id) => ({
      code: `export default ${JSON.stringify(toShippedText(id.slice(0, -mark.length)))}`,
      moduleType: 'js',
    }),
  },
}
