/** A file as a module with its text (`import text from './page.css?raw'`), for the build. Vite and vitest know it by themselves. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const mark = '?raw'

export const rawText = {
  name: 'raw-text',
  resolveId: {
    filter: { id: /\?raw$/ },
    handler: (id, importer) => resolve(dirname(importer ?? '.'), id),
  },
  load: {
    filter: { id: /\?raw$/ },
    handler: (id) => ({
      code: `export default ${JSON.stringify(readFileSync(id.slice(0, -mark.length), 'utf8'))}`,
      moduleType: 'js',
    }),
  },
}
