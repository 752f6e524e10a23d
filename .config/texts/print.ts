/** Prints every text that a user reads, with its place, as one Markdown file: `npm run texts`. */
import { collectTexts, documentOf } from './collect.js'

process.stdout.write(documentOf(collectTexts()))
