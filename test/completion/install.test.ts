/** `completion --install`: the shell loads the script from its next start, however often it is asked for. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const install = (shell: string, HOME: string) =>
  svcctl(['completion', shell, '--install'], { env: { HOME, ZDOTDIR: '', XDG_CONFIG_HOME: '' } })

it.each([
  ['bash', '.bashrc'],
  ['zsh', '.zshrc'],
])('adds a line for %s once, behind what is there', async (shell, name) => {
  const home = createFolder()
  writeFileSync(join(home, name), 'alias x=y')
  const { code, stderr } = await install(shell, home)
  expect([code, stderr]).toEqual([0, `added a line to ${join(home, name)}; start a new shell\n`])
  expect((await install(shell, home)).stderr).toContain('already loads the completion')
  const text = readFileSync(join(home, name), 'utf8')
  expect(text).toBe(`alias x=y\nsource <(svcctl completion ${shell})\n`)
})

it('writes the script of fish where fish looks', async () => {
  const home = createFolder()
  await install('fish', home)
  const { stdout } = await svcctl(['completion', 'fish'])
  const file = join(home, '.config/fish/completions/svcctl.fish')
  expect(readFileSync(file, 'utf8')).toBe(stdout)
})

it('says what to do where it cannot', async () => {
  const home = createFolder()
  mkdirSync(join(home, '.bashrc'))
  const { code, stderr } = await install('bash', home)
  expect(code).toBe(1)
  expect(stderr).toContain("echo 'source <(svcctl completion bash)' >> ~/.bashrc")
  expect((await install('powershell', home)).code).toBe(2)
})
