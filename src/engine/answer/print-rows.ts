/** Prints the rows of a command as they come. */
import { Failure } from '../../errors.js'
import type { Services } from '../command/services.js'
import type { Row, Rows } from '../rows.js'

/** Where rows go: standard output, and the person beside it. */
type Printing = Pick<Services, 'answer' | 'ui'>

/** Prints what has its place among the parts of an answer, and is none itself. */
const printBetween = async (row: Row, { answer, ui }: Printing): Promise<void> => {
  switch (row.kind) {
    case 'answer':
      return answer.printAnswer(row.answer, row.view)
    case 'document':
      return answer.printDocument(row.value)
    case 'text':
      return answer.write(row.chunk)
    case 'flush':
      return answer.flush()
    case 'note':
      return ui[row.level](row.text)
    case 'exit':
      return answer.exit(row.code)
    default:
      throw new Failure('internal', `a row "${row.kind}" outside of a part of the answer`)
  }
}

/** The values of the part that is open, up to its end. */
async function* readPart(
  rows: AsyncIterator<Row>,
  { answer, ui }: Printing,
): AsyncGenerator<unknown, void> {
  for (;;) {
    const step = await rows.next()
    if (step.done === true) throw new Failure('internal', 'a part of the answer without an end')
    const { value: row } = step
    if (row.kind === 'end') return
    if (row.kind === 'value') yield row.value
    else if (row.kind === 'exit') answer.exit(row.code)
    else if (row.kind === 'note') ui[row.level](row.text)
    else throw new Failure('internal', `a row "${row.kind}" within a part of the answer`)
  }
}

/** Prints a part of the answer, and leaves none of its values unread. */
const printPart = async (
  { many, view }: Extract<Row, { kind: 'open' }>,
  values: AsyncGenerator<unknown, void>,
  { answer }: Printing,
): Promise<void> => {
  if (many) await answer.printMany(values, view)
  else for await (const value of values) await answer.print(value, view)
  for await (const _ of values);
}

/** Prints the rows of a command; what cannot be printed ends the command where it is. */
export const printRows = async (rows: Rows, printing: Printing): Promise<void> => {
  const each = rows[Symbol.asyncIterator]()
  try {
    for (let step = await each.next(); step.done !== true; step = await each.next()) {
      const { value: row } = step
      if (row.kind !== 'open') await printBetween(row, printing)
      else await printPart(row, readPart(each, printing), printing)
    }
  } finally {
    await each.return?.()
  }
}
