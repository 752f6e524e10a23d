/** The configuration folders of entries: empty ones, and those with profiles, which are copied from one that was made by lines. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitCommand } from '../../src/base/shell-words.js'
import { copyConfiguration, createConfiguration } from '../support/program.js'
import { buildSampleJournal, writeSamplePlans } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'
import type { Entry, PlaceName } from './entries.js'
import { type Instances, token } from './instances.js'
import { type Clock, createFolder } from './running.js'

/** A port on which nobody listens. */
const deadUrl = 'http://127.0.0.1:9'

/** Adds a profile like another one, of an instance that is not there. */
const addDead = (config: string, like: string): void => {
  const change = (name: string, edit: (value: Record<string, object>) => void): void => {
    const file = join(config, name)
    const value = JSON.parse(readFileSync(file, 'utf8'))
    edit(name === 'config.json' ? value.profiles : value)
    writeFileSync(file, JSON.stringify(value))
  }
  for (const name of ['config.json', 'tokens.json'])
    change(name, (known) => Object.assign(known, { dead: { ...known[like], baseUrl: deadUrl } }))
}

export class Configurations {
  readonly #made = new Map<PlaceName, Promise<string>>()

  constructor(
    private readonly instances: Instances,
    private readonly clock: Clock,
  ) {}

  /** Makes the configuration folder of an entry. */
  async create({ place, instance }: Entry): Promise<string> {
    const copy = createFolder()
    if (place === 'plain') {
      writeSamplePlans(copy, (await this.instances.get(instance)).url, this.clock.now())
      return createConfiguration(copy)
    }
    const made = this.#made.get(place) ?? this.#make(place)
    this.#made.set(place, made)
    copyConfiguration(await made, copy)
    const file = join(copy, 'config.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(await made, copy))
    return copy
  }

  async #make(place: PlaceName): Promise<string> {
    const config = createConfiguration(createFolder())
    if (place === 'examples') await this.#makeForExamples(config)
    else {
      const [first, second] = place === 'stages' ? ['staging', 'prod'] : ['a', 'b']
      await this.#signIn(config, first, 'a')
      await this.#signIn(config, second, 'b')
      if (place === 'profiles') addDead(config, first)
      await this.#run(config, `auth switch ${first}`)
    }
    return config
  }

  async #run(config: string, line: string): Promise<void> {
    const { code, stderr } = await svcctl(splitCommand(line), {
      env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' },
      input: `${token}\n`,
      io: this.clock.pin(line, false),
    })
    if (code !== 0) throw new Error(`${line}: ${stderr}`)
  }

  async #signIn(config: string, profile: string, instance: string): Promise<void> {
    const { url } = await this.instances.get(instance)
    await this.#run(config, `auth login ${profile} --base-url ${url} --token-stdin`)
  }

  /** Makes what examples name: two profiles, aliases, an audit log, the journal of a run, and a last write, which is undone. */
  async #makeForExamples(config: string): Promise<void> {
    const instance = await this.instances.get('examples')
    for (const name of ['default', 'staging']) await this.#signIn(config, name, 'examples')
    await this.#run(config, `profile set default --audit-log ${join(config, 'audit.ndjson')}`)
    await this.#run(config, 'auth switch default')
    for (const name of ['stuck', 'idle']) await this.#run(config, `alias set ${name} 'jobs list'`)
    const journals = join(config, 'state', 'runs')
    mkdirSync(journals, { recursive: true })
    writeFileSync(
      join(journals, '1-20261121T120102-runners-pause.ndjson'),
      buildSampleJournal(instance.url),
    )
    writeSamplePlans(config, instance.url, this.clock.now(), 'default')
    await this.#run(config, 'runners pause 7')
    instance.initial = instance.double.snapshot()
  }
}
