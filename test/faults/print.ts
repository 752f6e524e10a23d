/** `npm run faults`: runs the matrix and prints it. */
import '../support/alone.js'
import { complaintsOf, runMatrix, sayingsOf, tableOf } from './matrix.js'

const judged = await runMatrix()
process.stdout.write(`${tableOf(judged)}\n\n${sayingsOf(judged)}\n`)
const complaints = complaintsOf(judged)
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
process.exitCode = complaints.length === 0 ? 0 : 1
