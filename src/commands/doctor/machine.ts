/** What this machine has: readable configuration, a keyring, completion in the shell. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { distrust, wordsOf } from '../../base/files/trust.js'
import { openKeyring, openStore, pathsOf } from '../../profile/index.js'
import type { Environment } from '../../profile/types.js'
import { presentShell } from '../completion.js'
import { type Check, failedBy, ok, warning } from './check.js'

export const configurationCheck = (env: Environment): Check => {
  const check = 'configuration'
  const { config } = pathsOf(env)
  try {
    const store = openStore(pathsOf(env))
    const count = store.list().length
    const current = store.current()
    const now = current === undefined ? '' : `, "${current}" is the current one`
    return ok(check, `${config}: ${count} profile${count === 1 ? '' : 's'}${now}`)
  } catch (error) {
    return failedBy(check, error)
  }
}

/** What others may have changed is not believed: the file of profiles, the caches. */
export const trustChecks = (env: Environment): readonly Check[] => {
  const { config, cache } = pathsOf(env)
  const checked = (check: string, path: string, without: string): Check => {
    const found = distrust(path)
    if (found === undefined) return ok(check, `only you can write ${path}`)
    const { message, remedy } = wordsOf(found)
    return warning(check, `${message}: ${without}`, `Run: ${remedy}`)
  }
  return [
    checked('trusted profiles', join(config, 'config.json'), 'no token command of it is run'),
    checked('trusted cache', cache, 'no cache is used, so that starts and completion are slower'),
  ]
}

/** Whether this is an executable of its own, which can load no native part of a library. */
const isSingle = async (): Promise<boolean> => (await import('node:sea')).isSea()

export const keyringCheck = async (env: Environment, single = isSingle): Promise<Check> => {
  const check = 'keyring'
  if (pathsOf(env).portable) return ok(check, 'not used: SVC_CONFIG_DIR keeps tokens in its folder')
  const remedy = 'Tokens are kept in a file that only you can read; a keyring is safer.'
  if (await single())
    return warning(check, 'an executable can use none; what npm installs can', remedy)
  const keyring = await openKeyring()
  if (keyring === undefined) return warning(check, 'there is none', remedy)
  try {
    await keyring.get('doctor')
    return ok(check, 'the keyring of the system answers')
  } catch {
    return warning(check, 'the keyring of the system does not answer', remedy)
  }
}

/** Files of a shell that load its completion: start files that name it, or the script itself. */
const placesOf = (shell: string, env: Environment): { starts: string[]; scripts: string[] } => {
  const home = env.HOME ?? homedir()
  const data = env.XDG_DATA_HOME ?? join(home, '.local/share')
  const config = env.XDG_CONFIG_HOME ?? join(home, '.config')
  if (shell === 'bash')
    return {
      starts: ['.bashrc', '.bash_profile', '.profile', '.bash_completion'].map((n) =>
        join(home, n),
      ),
      scripts: [
        join(data, 'bash-completion/completions/svcctl'),
        '/usr/share/bash-completion/completions/svcctl',
        '/etc/bash_completion.d/svcctl',
      ],
    }
  if (shell === 'zsh')
    return {
      starts: ['.zshrc', '.zprofile', '.zshenv'].map((n) => join(env.ZDOTDIR ?? home, n)),
      scripts: ['site-functions', 'vendor-completions'].flatMap((n) => [
        `/usr/share/zsh/${n}/_svcctl`,
        `/usr/local/share/zsh/${n}/_svcctl`,
      ]),
    }
  if (shell === 'fish')
    return {
      starts: [join(config, 'fish/config.fish')],
      scripts: [
        join(config, 'fish/completions/svcctl.fish'),
        '/usr/share/fish/vendor_completions.d/svcctl.fish',
      ],
    }
  return { starts: [], scripts: [] }
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

export const completionCheck = async (env: Environment): Promise<Check> => {
  const check = 'completion'
  const shell = presentShell(env)
  if (shell === undefined) return ok(check, 'the present shell is not known')
  const { starts, scripts } = placesOf(shell.name, env)
  for (const file of [...starts, ...scripts])
    if (/svcctl.*completion|_svcctl/.test(await textOf(file)))
      return ok(check, `${shell.name} loads it from ${file}`)
  return warning(check, `${shell.name} does not load it`, `Install it with: ${shell.install}`)
}
