/** `svcctl completion <shell>`: prints the script, and says how it is installed. */
import { basename } from 'node:path'
import { usage } from '../../errors.js'
import { define } from '../define.js'
import type { Services } from '../services.js'
import type { Given } from '../types.js'
import { type Shell, shells } from './scripts.js'

const names = shells.map((shell) => shell.name)

/** The shell that the person uses, as far as the environment tells. */
export const presentShell = (env: Readonly<NodeJS.ProcessEnv>): Shell | undefined => {
  if (env.PSModulePath !== undefined && env.SHELL === undefined)
    return shells.find((shell) => shell.name === 'powershell')
  return shells.find((shell) => shell.name === basename(env.SHELL ?? ''))
}

export const completion = define({
  summary: 'Print the completion script of a shell',
  args: [
    {
      name: 'shell',
      required: false,
      variadic: false,
      help: `${names.join(', ')}; the present one unless given`,
      values: async () => names.map((value) => ({ value })),
    },
  ],
  examples: ['completion bash', 'completion zsh'],
  run: async ({ answer, person, place }: Services, given: Given) => {
    const wanted = given.args[0] ?? presentShell(place.env)?.name
    const shell = shells.find((s) => s.name === wanted)
    if (shell === undefined)
      throw usage(
        wanted === undefined
          ? 'the present shell is not known'
          : `there is no completion for "${wanted}"`,
        `Name one of ${names.join(', ')}.`,
      )
    if (answer.terminal) person.note(`install it with: ${shell.install}`)
    await answer.write(shell.script)
  },
})
