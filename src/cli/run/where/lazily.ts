/** `--where` of a run: nothing of it is loaded before a list asks for it. */
import type { AnswerService, PersonService } from '../../../commands/services.js'
import { exitCodes, Failure } from '../../../errors.js'
import type { Planning, Reads } from '../instance/planning.js'
import { widthOf } from '../many/each.js'
import type { RunOptions } from '../options.js'
import type { RecordChoice } from './index.js'

interface Around {
  readonly answer: Pick<AnswerService, 'exit'>
  readonly person: Pick<PersonService, 'report'>
  readonly planning: Planning
  readonly reads: Reads
}

/** Which records the lists of a run give; undefined where all are wanted. */
export const choiceOf = (
  { command, globals, signal }: RunOptions,
  { answer, person, planning, reads }: Around,
): (() => Promise<RecordChoice>) | undefined => {
  const { where } = globals
  if (where === undefined) return undefined
  const failed = (text: string, { category, message, details }: Failure): void => {
    person.report(new Failure(category, `${text}: ${message}`, details))
    answer.exit(exitCodes.partial)
  }
  return async () => {
    const { RecordChoice } = await import('./index.js')
    return new RecordChoice(where, {
      command,
      paging: globals,
      width: widthOf({ globals }),
      signal,
      planned: (other, given) => planning.ofCommand(other, given),
      data: reads.data,
      failed,
    })
  }
}
