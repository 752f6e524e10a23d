/** `npm run faults`: runs the matrix and prints it. */
import '../support/alone.js'
import { formatMessages, formatTable, listProblems, runMatrix } from './matrix.js'

const judged = await runMatrix()
const complaints = listProblems(judged)
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
// Processes that lines were run in wait for more: they end with this one, once all is printed.
process.stdout.write(`${formatTable(judged)}\n\n${formatMessages(judged)}\n`, () =>
  process.exit(complaints.length === 0 ? 0 : 1),
)
