/**
 * Around packing: the manifest that is packed has no `prepare`, which builds a clone and is nothing for whoever installs
 * the package; npm would warn of it. node .config/packing.mjs before|after
 */
import { readFileSync, writeFileSync } from 'node:fs'

const line = '    "prepare": "npm run build",\n'
const next = '    "prepack"'
const without = readFileSync('package.json', 'utf8').replace(line, '')
if (!without.includes(next))
  throw new Error(`package.json has no ${next.trim()} before which prepare stands`)
writeFileSync(
  'package.json',
  process.argv[2] === 'after' ? without.replace(next, `${line}${next}`) : without,
)
