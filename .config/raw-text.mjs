/** A file as a module with its text (`import text from './page.css?raw'`), for the build. Vite and vitest know it by themselves. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { minifySync } from 'rolldown/utils'

const mark = '?raw'

/** What is shipped of a file: its code without comments, its style without indents. */
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
