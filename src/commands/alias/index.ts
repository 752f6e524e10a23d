/** `svcctl alias set|list|remove`: names for lines that are typed often. */
import { quoted } from '../../base/shell-words.js'
import { didYouMean } from '../../base/suggest.js'
import { usage } from '../../errors.js'
import { openStore, pathsOf } from '../../profile/index.js'
import { define } from '../define.js'
import { storeOf } from '../stores.js'
import type { Argument } from '../types.js'
import { checkAliasLine, checkAliasName } from './rules.js'

const nameArgument: Argument = {
  name: 'alias',
  required: true,
  variadic: false,
  help: 'its name',
}

const known: Argument = {
  ...nameArgument,
  values: async () =>
    Object.entries(openStore(pathsOf(process.env)).aliases()).map(([value, text]) => ({
      value,
      text,
    })),
}

export const setCommand = define({
  summary: 'Call a line by a name',
  description: [
    'The line is what follows svcctl, as one argument; what is typed behind the name is put behind it. It is split into words as a shell would, and no shell runs it.',
    'A name is free where svcctl has no command of it; an alias calls no other, and holds no credential. Completion knows it.',
  ],
  args: [
    nameArgument,
    {
      name: 'line',
      required: true,
      variadic: true,
      help: 'what it stands for: a command with its flags, in quotes',
    },
  ],
  examples: [
    "alias set stuck 'jobs list --all-projects --where status=pending'",
    "alias set idle 'runners list --instance --where contacted_at>30d'",
  ],
  run: async (services, { args }) => {
    const [name, ...line] = args
    if (name === undefined || line.length === 0)
      throw usage(
        'alias set needs a name and a line',
        "svcctl alias set stuck 'jobs list --scope pending'",
      )
    // Unquoted words of a line come one by one.
    const text = line.length === 1 ? (line[0] ?? '') : line.map(quoted).join(' ')
    const commands = await services.place.commands()
    checkAliasName(name, commands)
    checkAliasLine(text, commands, services.place.env)
    const before = await storeOf(services).setAlias(name, text)
    const told = before === undefined || before === text ? '' : `; it was ${before}`
    services.person.note(`${name} stands for: ${text}${told}`)
  },
})

export const listCommand = define({
  summary: 'List the aliases',
  examples: ['alias list', 'alias list -o json'],
  run: async (services) => {
    const rows = Object.entries(storeOf(services).aliases())
      .map(([name, line]) => ({ name, line }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    if (rows.length === 0) services.person.note('no aliases; svcctl alias set makes one')
    await services.answer.printMany(rows, { columns: ['name', 'line'] })
  },
})

export const removeCommand = define({
  summary: 'Remove an alias',
  args: [known],
  examples: ['alias remove stuck', 'alias remove idle -q'],
  run: async (services, { args }) => {
    const [name] = args
    if (name === undefined)
      throw usage('alias remove needs the name of an alias', 'svcctl alias list shows them.')
    const store = storeOf(services)
    const names = Object.keys(store.aliases())
    if (!names.includes(name))
      throw usage(
        `there is no alias "${name}"`,
        didYouMean(name, names) ?? 'svcctl alias list shows them.',
      )
    await store.setAlias(name, undefined)
    services.person.note(`the alias ${name} is gone`)
  },
})
