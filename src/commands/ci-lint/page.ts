/** Verdicts as they are shown: a page for people, rows for sheets, records for programs. */
import type { Services } from '../services.js'
import { type Problem, placeOf, type Verdict } from './types.js'
import { fails } from './verdict.js'

/** How files are judged and shown. */
export interface Choices {
  readonly strict: boolean
  readonly merged: boolean
}

const record = ({ file, valid, errors, warnings, merged }: Verdict) => ({
  file,
  valid,
  errors: errors.map((p) =>
    p.line === undefined ? p.message : `${placeOf(file, p)}: ${p.message}`,
  ),
  warnings: warnings.map((p) => p.message),
  merged_yaml: merged,
})

const place = (v: Verdict, p: Problem): string =>
  v.local === true && p.line !== undefined ? `${placeOf(v.file, p)}: ` : ''

/** A verdict with its problems in one cell each. */
const rowOf = (verdict: Verdict) => {
  const { errors, warnings, ...row } = record(verdict)
  return { ...row, errors: errors.join('; '), warnings: warnings.join('; ') }
}

/** A verdict for a person: a line for the file, its errors and warnings below. */
const pageOf = ({ answer }: Services, v: Verdict, strict: boolean): string => {
  const warned = v.warnings.length > 0
  const word = v.valid ? (warned ? 'valid, with warnings' : 'valid') : 'invalid'
  const mark = answer.text.mark(fails(v, strict) ? 'bad' : warned ? 'warn' : 'good')
  const below = (kind: 'bad' | 'warn') => (p: Problem) =>
    `    ${answer.text.mark(kind)} ${answer.text.hanging(place(v, p) + p.message, 6)}`
  const lines = [
    `${mark} ${answer.text.safe(v.file)}  ${word}`,
    ...v.errors.map(below('bad')),
    ...v.warnings.map(below('warn')),
  ]
  return `${lines.join('\n')}\n`
}

const mergedText = (verdicts: readonly Verdict[]): string =>
  verdicts
    .flatMap((v) =>
      v.merged === undefined ? [] : [verdicts.length > 1 ? `# ${v.file}\n${v.merged}` : v.merged],
    )
    .map((text) => (text.endsWith('\n') ? text : `${text}\n`))
    .join('---\n')

/** Prints what became of the files; with `merged`, people get the expanded configurations alone. */
export const show = async (
  services: Services,
  verdicts: readonly Verdict[],
  choices: Choices,
): Promise<void> => {
  if (choices.merged && services.answer.reader === 'people') {
    for (const v of verdicts)
      for (const p of [...v.errors, ...v.warnings])
        services.person.warn(`${placeOf(v.file, p)}: ${p.message}`)
    return services.answer.write(mergedText(verdicts))
  }
  return services.answer.printMany(verdicts.map(record), {
    known: ['merged_yaml'],
    people: {
      columns: ['file', 'valid', 'errors', 'warnings'],
      rows: () => verdicts.map(rowOf),
      page: () => verdicts.map((verdict) => pageOf(services, verdict, choices.strict)),
    },
  })
}
