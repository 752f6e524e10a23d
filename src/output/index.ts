/** An answer in one of the output formats. */
import { json } from './formats.js'
import { inspected } from './inspection.js'
import { maskedPick, maskedWriter } from './masking/stage.js'
import { picker } from './record.js'
import type { Asked, Format, Hidden, Sink, Writer } from './types.js'

/**
 * Whether people see this view in a way of their own in this format. Only then is the answer held
 * until it is whole.
 */
const shapedFor = ({ reader }: Format, { people, terminal, fields }: Asked): boolean => {
  if (people === undefined) return false
  if (reader === 'sheets') return people.sheets === true
  const paged = people.page !== undefined && terminal && fields === undefined
  return reader === 'people' && (paged || people.rows !== undefined)
}

/**
 * Starts an answer: records or one object, in this format, as the view says.
 * @param hidden what no format gets to see
 */
export const openWriter = async (
  format: Format,
  sink: Sink,
  asked: Asked,
  hidden: Hidden,
): Promise<Writer> => {
  const open = await format.load()
  const start = ({ made, people: _, inspection, ...view }: Asked): Writer => {
    const pick = maskedPick(picker(made, view.words), hidden, view.words)
    const printer = open(sink, { ...view, pick })
    const whole = inspection === undefined ? printer : inspected(printer, inspection)
    return maskedWriter(whole, hidden, view.words)
  }
  if (!shapedFor(format, asked)) return start(asked)
  const { printerForPeople } = await import('./people.js')
  return maskedWriter(printerForPeople(start, sink, asked), hidden, asked.words)
}

/** Starts a document, which has no rows: JSON where the format cannot hold it. It hides nothing. */
export const openDocument = (format: Format, sink: Sink, asked: Asked): Promise<Writer> =>
  openWriter(format.nests === true ? format : json, sink, asked, 'nothing')
