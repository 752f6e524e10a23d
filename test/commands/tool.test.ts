/** Commands of the tool itself: its map, its completion, and the state of the embedded instance. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { parseRows } from './calling.js'

describe('commands', () => {
  it('lists each with its endpoints, arguments and flags', async () => {
    const rows = JSON.parse((await svcctl(['commands', '-o', 'json'])).stdout)
    expect(rows).toHaveLength((await loadAllCommands()).length)
    const named = (name: string) => rows.find((r: { command: string }) => r.command === name)
    expect(named('runners jobs')).toMatchObject({
      endpoints: ['GET /runners/:id/jobs'],
      arguments: [{ name: 'id', required: true, variadic: false }],
    })
    expect(named('runners jobs').flags).toContainEqual({
      name: 'status',
      type: 'enum',
      required: false,
      values: ['running', 'success', 'failed', 'canceled'],
      parameter: 'status',
    })
    expect(named('runners list').flags).toContainEqual({
      name: 'tag-list',
      type: 'list of string',
      required: false,
      values: null,
      parameter: 'tag_list',
    })
    expect(named('doctor')).toMatchObject({ endpoints: [], arguments: [] })
    expect(parseRows((await svcctl(['commands'])).stdout)[0]).toHaveProperty('summary')
  })
})

describe('completion', () => {
  it.each([
    ['bash', 'svcctl.bash'],
    ['zsh', '_svcctl'],
    ['fish', 'svcctl.fish'],
    ['powershell', 'svcctl.ps1'],
  ])('prints the script of %s', async (shell, file) => {
    const ran = await svcctl(['completion', shell])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toBe(readFileSync(join('completions', file), 'utf8'))
  })

  it('is that of the present shell, where it is known', async () => {
    const fish = await svcctl(['completion'], { env: { SHELL: '/usr/bin/fish' } })
    expect(fish.stdout).toBe(readFileSync('completions/svcctl.fish', 'utf8'))
    const unknown = await svcctl(['completion'], { env: { SHELL: '/bin/other' } })
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('unknown shell')
    const strange = await svcctl(['completion', 'tcsh'])
    expect(strange.code).toBe(2)
    expect(strange.stderr).toContain('there is no completion for "tcsh"')
  })
})

describe('sandbox status', () => {
  it('says where the state is and what is in it', async () => {
    const state = createFolder()
    const config = createConfiguration()
    const env = { SVC_CONFIG_DIR: config }
    const given = await svcctl(['sandbox', 'status', '--state-dir', state, '-o', 'json'], { env })
    const own = await svcctl(['sandbox', 'status', '-o', 'json'], { env })
    const old = await svcctl(['sandbox', 'status', '--state', state, '-o', 'json'], { env })
    expect(old).toEqual(given)
    expect(JSON.parse(given.stdout)).toMatchObject({ folder: state, runners: expect.any(Number) })
    expect(JSON.parse(own.stdout).folder).toBe(join(config, 'state', 'sandbox'))
    expect(JSON.parse(own.stdout).runners).toBeGreaterThan(0)
  })
})

describe('sandbox reset', () => {
  it('begins again with the sample data, when that is confirmed', async () => {
    const env = { SVC_CONFIG_DIR: createConfiguration() }
    const run = (line: string) => svcctl(line.split(' '), { env })
    const described = async () =>
      JSON.parse((await run('runners get 1 --sandbox -o json')).stdout).description
    const sample = await described()
    await run('runners update 1 --description changed --sandbox')
    expect(await described()).toBe('changed')
    const folder = JSON.parse((await run('sandbox status -o json')).stdout).folder
    expect((await run('sandbox reset')).code).toBe(2)
    expect(await described()).toBe('changed')
    const ran = await run('sandbox reset --yes')
    expect(ran.stderr).toContain(`reset the embedded instance in ${folder} to its sample data`)
    expect(existsSync(join(folder, 'state.json'))).toBe(false)
    expect(await described()).toBe(sample)
  })
})
