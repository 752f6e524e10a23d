/** `svcctl commands`: the map from commands to endpoints, from the code itself. */
import { typeText } from '../catalogue/describe.js'
import { valuesOf } from '../catalogue/params.js'
import type { Services } from '../engine/command/services.js'
import type { Described, Flag } from '../engine/command/types.js'
import { define } from './define.js'

const flagRow = (flag: Flag) => ({
  name: flag.name,
  type: typeText(flag.param),
  required: flag.required,
  values: valuesOf(flag.param).length > 0 ? valuesOf(flag.param) : (flag.param.words ?? null),
  parameter: flag.parameter ?? null,
})

/** One row of the map; paths are those of the catalogue. */
const toCommandRow = (command: Described) => ({
  command: [command.area, command.words].filter((w) => w !== '').join(' '),
  summary: command.summary,
  endpoints: Object.values(command.endpoints).map((e) => e.route),
  arguments: command.args.map(({ name, required, variadic }) => ({ name, required, variadic })),
  flags: command.flags.filter((f) => f.hidden !== true).map(flagRow),
})

export const commands = define({
  summary: 'List all commands with their API endpoints',
  examples: ['commands', "commands -o json | jq -r '.[].command'"],
  run: async ({ answer, place }: Services) => {
    const rows = (await place.commands()).map(toCommandRow)
    await answer.printMany(rows, { columns: ['command', 'summary', 'endpoints'] })
  },
})
