/** Prints every text that a user reads, with its place, as one Markdown file: `npm run texts`. */
import { buildDocument, collectTexts } from './collect.js'

process.stdout.write(buildDocument(collectTexts()))
