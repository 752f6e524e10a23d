/** Tests the printing of answers: fields, secrets and lists in the requested format. */
import { expect, it } from 'vitest'
import { AnswerPrinter } from '../../src/answer/answer-printer.js'
import { printRows } from '../../src/answer/print-rows.js'
import { runners } from '../../src/catalogue/areas/runners.js'
import { deriveCommand } from '../../src/engine/command/derive.js'
import {
  type PlanAnswer,
  type RecordView,
  type Rows,
  yieldRecord,
  yieldRecords,
} from '../../src/engine/rows.js'
import { getFormat } from '../../src/output/formats.js'
import { createStyle } from '../../src/terminal/style.js'

type PrinterArguments = ConstructorParameters<typeof AnswerPrinter>

const createPrinter = async (name: string, globals: object = {}, terminal = false) => {
  const printed: Buffer[] = []
  const notes: string[] = []
  const out = { write: async (chunk: string | Uint8Array) => void printed.push(Buffer.from(chunk)) }
  const style = await createStyle(
    { isTTY: terminal, columns: 100 } as NodeJS.WriteStream,
    {},
    'never',
  )
  const answer = new AnswerPrinter(
    {
      command: deriveCommand('runners', 'list', {}),
      format: getFormat(name),
      globals: { showSecrets: false, csvRaw: false, ...globals },
    } as unknown as PrinterArguments[0],
    { style, width: 100, out, plain: { end: async () => {} } } as unknown as PrinterArguments[1],
    (text) => void notes.push(text),
    { clock: { now: () => new Date(), asOf: async () => new Date() } },
  )
  return { answer, notes, text: () => Buffer.concat(printed).toString() }
}

const print = (answer: AnswerPrinter, rows: Rows): Promise<void> => printRows(rows, { answer })

async function* yieldAnswer(answer: PlanAnswer, view: RecordView): Rows {
  yield { kind: 'answer', answer, view }
}

const record = { id: 7, description: 'one', token: 'canary' }
const bytes = Buffer.from(JSON.stringify(record))

it('hides secrets unless the flag or the command asks for them', async () => {
  const shown = async (globals: object, emit: object) => {
    const { answer, text } = await createPrinter('json', globals)
    await print(answer, yieldRecord(record, { endpoint: runners.get, ...emit }))
    return text().includes('canary')
  }
  expect(await shown({}, {})).toBe(false)
  expect(await shown({ showSecrets: true }, {})).toBe(true)
  expect(await shown({}, { reveal: true })).toBe(true)
  const { answer, text } = await createPrinter('json')
  await print(answer, yieldAnswer({ bytes }, { endpoint: runners.get }))
  expect(text()).not.toContain('canary')
})

it('shows of columns those of the command, else of the endpoint, else what was asked for', async () => {
  const head = async (globals: object, emit: object) => {
    const { answer, text } = await createPrinter('csv', globals)
    await print(answer, yieldRecords([record], emit))
    return text().split(/\r?\n/)[0]
  }
  expect(await head({}, { endpoint: runners.list })).toBe(runners.list.columns?.join(','))
  expect(await head({}, { endpoint: runners.list, columns: ['description'] })).toBe('description')
  expect(await head({ fields: ['id'] }, { endpoint: runners.list })).toBe('id')
})

it('lets a column lead whatever fields are asked for, but not in what programs read', async () => {
  const { answer, text } = await createPrinter('csv', { fields: ['id'] })
  await print(answer, yieldRecords([{ object: 'a', ...record }], { lead: 'object' }))
  expect(text().split(/\r?\n/)).toEqual(['object,id', 'a,7', ''])
  const programs = await createPrinter('ndjson', { fields: ['id'] })
  await print(programs.answer, yieldRecords([{ object: 'a', ...record }], { lead: 'object' }))
  expect(programs.text()).toBe('{"id":7}\n')
})

it('prints an answer that is a list as records, and bytes as they came', async () => {
  const { answer, text } = await createPrinter('ndjson')
  await print(answer, yieldAnswer({ bytes: Buffer.from('[{"id":1},{"id":2}]') }, {}))
  expect(text()).toBe('{"id":1}\n{"id":2}\n')
  const json = await createPrinter('ndjson')
  await print(json.answer, yieldAnswer({ bytes: Buffer.from('{"id":9007199254740993}') }, {}))
  expect(json.text()).toBe('{"id":9007199254740993}\n')
})

it('leaves to notes what they told people already', async () => {
  const people = await createPrinter('table')
  await print(people.answer, yieldRecord(record, { noted: true }))
  expect(people.text()).toBe('')
  const programs = await createPrinter('json')
  await print(programs.answer, yieldRecord(record, { noted: true }))
  expect(programs.text()).toContain('"id"')
})

it('makes control characters visible on a terminal, also of a text cut within a character', async () => {
  const { answer, text } = await createPrinter('table', {}, true)
  await answer.write('a\u001b[31mb\n')
  const [first, rest] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]
  await answer.write(first)
  await answer.write(rest)
  expect(text()).not.toContain('\u001b')
  expect(text().endsWith('é')).toBe(true)
  const piped = await createPrinter('table')
  await piped.answer.write(Buffer.from([0, 27, 255]))
  expect(piped.text()).toBe(Buffer.from([0, 27, 255]).toString())
})

it('ends with the worst of the codes it was told', async () => {
  const { answer } = await createPrinter('json')
  expect(answer.code).toBe(0)
  for (const code of [1, 8, 2]) answer.setExitCode(code)
  expect(answer.code).toBe(8)
})
