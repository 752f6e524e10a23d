/**
 * A file of a package as a module with its bytes (`import bytes from 'packed:jq-wasm/dist/build/jq.wasm'`): compressed, as base64 text.
 * It is part of a chunk then, so that the program needs no file beside it. For the build and for vitest.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const mark = 'packed:'
/** The end of such a module's name, since that of the file would say what is in it. */
const end = '.text'

/** Returns the file that such a module is made of; other modules are their own. */
export const toPackedFile = (id) =>
  id.startsWith(`\0${mark}`) ? resolve('node_modules', id.slice(mark.length + 1, -end.length)) : id

/** The best compression, 11, takes 14 seconds and saves 30 KB. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }

const compress = (file) => brotliCompressSync(readFileSync(file), { params }).toString('base64')

export const packedFiles = {
  name: 'packed-files',
  resolveId: {
    filter: { id: /^packed:/ },
    handler: (id) => `\0${id}${end}`,
  },
  load: {
    filter: { id: /^\0packed:/ },
    handler: (id) => ({
      code: `export default ${JSON.stringify(compress(toPackedFile(id)))}`,
      moduleType: 'js',
    }),
  },
}
