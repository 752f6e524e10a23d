/** `--where` of a run: nothing of it is loaded before a list asks for it. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { exitCodes, usage } from '../../errors.js'
import { getSelects } from '../command/derive/index.js'
import { concurrencyLimit } from '../command/globals.js'
import type { AnswerService, UiService } from '../command/services.js'
import type { Given } from '../command/types.js'
import type { Planning, Reads } from '../instance/planning.js'
import type { RunOptions } from '../options.js'
import { mayAskSingles, type SingleBudget } from '../records/budget.js'
import type { RecordChoice, RecordChoiceOptions } from '../records/where.js'
import type { Selecting, Selection } from './selection.js'

interface Around {
  readonly answer: Pick<AnswerService, 'exit'>
  readonly ui: Pick<UiService, 'report'>
  readonly planning: Planning
  readonly reads: Reads
}

/** What reading single records takes of a run. */
const readingFor = (
  globals: RunOptions['globals'],
  { answer, ui, planning, reads }: Around,
): Pick<RecordChoiceOptions, 'planned' | 'data' | 'failed' | 'width'> => ({
  width: concurrencyLimit(globals),
  planned: (other, given) => planning.ofCommand(other, given),
  data: reads.data,
  failed: (text, failure) => {
    ui.report(failure, text)
    answer.exit(exitCodes.partial)
  },
})

/** Which records the lists of a run give; undefined where all are wanted. */
export const loadChoice = (
  { command, globals, signal, words }: RunOptions,
  around: Around & { readonly budget: SingleBudget },
): ((endpoint?: Endpoint) => Promise<RecordChoice | undefined>) | undefined => {
  const { where } = globals
  const asks = mayAskSingles(command, globals)
  if (where === undefined && !asks) return undefined
  return async (endpoint) => {
    if (where === undefined) {
      const { getSingleFields } = await import('../records/single.js')
      const emit = endpoint === undefined ? {} : { endpoint }
      if ((await getSingleFields({ command, emit, words }, globals)) === undefined) return undefined
    }
    const { RecordChoice } = await import('../records/where.js')
    return new RecordChoice(where ?? [], {
      command,
      paging: globals,
      asked: globals,
      budget: around.budget,
      signal,
      words,
      ...readingFor(globals, around),
    })
  }
}

/** `--select` of a run; undefined where nothing is to be selected. */
export const loadSelection =
  (options: RunOptions, around: Around & Pick<Selecting, 'exchange' | 'ui' | 'place'>) =>
  async (given: Given): Promise<Selection | undefined> => {
    const { select } = options.globals
    const alone = getSelects(options.command)?.by?.find((name) => given.flags[name] === true)
    if (select === undefined && alone !== undefined) throw usage(`--${alone} requires --select`)
    if (select === undefined) return undefined
    const { Selection } = await import('./selection.js')
    return new Selection(options, { ...around, ...readingFor(options.globals, around) }, select)
  }
