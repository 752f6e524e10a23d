/** Runs the lines of the record with embedded instances and folders, and collects what is recorded. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildSampleJournal, sampleFiles } from '../support/sample-files.js'
import { Configurations } from './configurations.js'
import type { Entry, Step } from './entries.js'
import { addFault, Instances, type RunningInstance, restoreInstance, token } from './instances.js'
import { Clock, createFolder, type LineResult, runLine } from './running.js'
import { type Placeholders, printBlock, replaceVolatile } from './text.js'
import { printChanges, type Roots, readTree, setFileTimes } from './tree.js'
import { Wire } from './wire.js'

interface EntryPlace {
  readonly cwd: string
  readonly roots: Roots
  readonly env: Readonly<Record<string, string>>
  readonly instance: RunningInstance
  readonly placeholders: Placeholders
}

/** Writes the files in the folder of an entry. */
const writeFiles = (cwd: string, { files }: Entry, { url }: RunningInstance): void => {
  const journal = buildSampleJournal(url)
  const all = { ...sampleFiles, 'part-1.ndjson': journal, 'part-2.ndjson': journal, ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
}

/** Addresses that examples show as that of an instance. */
const instanceAddress = /https:\/\/(svc|staging)\.example/g

export class World {
  readonly #clock = new Clock()
  readonly #wire = new Wire()
  readonly #instances = new Instances(this.#clock, (name, port) =>
    this.#wire.name(port, name === 'b' ? 'b' : ''),
  )
  readonly #configurations = new Configurations(this.#instances, this.#clock)
  /** Files whose time of change has been set. */
  readonly #stamped = new Set<string>()
  /** Descriptions of the requests that set up configurations, by request ID. */
  readonly #earlierIds = new Map<string, string>()

  constructor() {
    this.#wire.open()
  }

  async close(): Promise<void> {
    this.#wire.close()
    await this.#instances.close()
  }

  /** Runs an entry on instances in their initial state. @returns the text to record */
  async record(entry: Entry): Promise<string> {
    this.#clock.goTo(0)
    const instance = await this.#instances.get(
      entry.place === 'examples' ? 'examples' : entry.instance,
    )
    const several = entry.place === 'profiles' || entry.place === 'stages'
    const all = [instance, ...(several ? [await this.#instances.get('b')] : [])]
    const place = await this.#createPlace(entry, instance)
    try {
      for (const one of all) one.reseed(entry.title)
      if (entry.seed !== undefined) instance.double.seed(JSON.parse(entry.seed))
      for (const [at, line] of entry.before.entries())
        await this.#run(entry, { line }, place, `before ${at}`)
      const { ids } = await this.#wire.take(true)
      for (const [id, request] of ids) this.#earlierIds.set(id, request)
      setFileTimes(place.roots, this.#stamped, this.#clock.now())
      return await this.#recordSteps(entry, place)
    } finally {
      for (const one of all) await restoreInstance(entry, one)
      for (const path of Object.values(place.roots)) rmSync(path, { recursive: true, force: true })
    }
  }

  async #recordSteps(entry: Entry, place: EntryPlace): Promise<string> {
    const ids = new Map(this.#earlierIds)
    const parts: string[] = []
    for (const [at, step] of entry.steps.entries()) {
      this.#clock.goTo(at)
      const isTitle = entry.steps.length === 1 && step.line === `svcctl ${entry.title}`
      parts.push(isTitle ? '' : `$ ${step.line}\n`)
      parts.push(await this.#recordStep(entry, step, place, { ids, key: String(at) }))
    }
    return parts.join('')
  }

  async #recordStep(
    entry: Entry,
    step: Step,
    place: EntryPlace,
    { ids, key }: { readonly ids: Map<string, string>; readonly key: string },
  ): Promise<string> {
    const before = readTree(place.roots)
    for (const fault of step.faults ?? []) addFault(place.instance, fault)
    const ran = await this.#run(entry, step, place, key)
    const heard = await this.#wire.take(entry.unordered)
    for (const [id, request] of heard.ids) ids.set(id, request)
    const requests = entry.rounds ? [...new Set(heard.lines)] : heard.lines
    const named = [...ids].map(([id, request]) => [id, `<id of ${request}>`] as const)
    const pin = (text: string): string => replaceVolatile(text, [...named, ...place.placeholders])
    const after = readTree(place.roots)
    setFileTimes(place.roots, this.#stamped, this.#clock.now())
    return [
      `exit ${ran.code}\n`,
      printBlock('screen', pin(ran.screen ?? '')),
      printBlock('stdout', pin(ran.stdout)),
      printBlock('stderr', pin(ran.stderr)),
      printBlock('requests', pin(requests.map((line) => `${line}\n`).join(''))),
      printBlock('files', printChanges(before, after, pin)),
    ].join('')
  }

  #run(entry: Entry, step: Step, place: EntryPlace, key: string): Promise<LineResult> {
    const { cwd, instance } = place
    const fill = (text: string): string =>
      text.replaceAll('{url}', instance.url).replaceAll('{token}', token).replaceAll('{cwd}', cwd)
    const variables = Object.entries({ ...entry.env, ...step.env })
    const { input } = step
    return runLine(fill(step.line).replace(instanceAddress, instance.url), {
      entry,
      step: input === undefined ? step : { ...step, input: fill(input) },
      cwd,
      env: {
        ...place.env,
        ...Object.fromEntries(variables.map(([name, value]) => [name, fill(value)])),
      },
      pin: (args) => this.#clock.pin([entry.title, key, ...args].join('\n'), step.ticks === true),
      seed: (rows) => void instance.double.seed(JSON.parse(rows)),
    })
  }

  async #createPlace(entry: Entry, instance: RunningInstance): Promise<EntryPlace> {
    const [cwd, home] = [createFolder(), createFolder()]
    const config = await this.#configurations.create(entry)
    const { port } = new URL(instance.url)
    writeFiles(cwd, entry, instance)
    return {
      cwd,
      instance,
      roots: { '<cwd>': cwd, '<config>': config, '<home>': home },
      env: {
        HOME: home,
        SHELL: '/bin/bash',
        LANG: 'C.UTF-8',
        SVC_CONFIG_DIR: config,
        SVC_NO_KEYRING: '1',
        ...(entry.place === 'plain' ? { SVC_BASE_URL: instance.url, SVC_TOKEN: token } : {}),
      },
      placeholders: [
        [cwd, '<cwd>'],
        [config, '<config>'],
        [home, '<home>'],
        [tmpdir(), '<tmp>'],
        [process.cwd(), '<source>'],
        [`port ${port}`, 'port <port>'],
        [`127.0.0.1-${port}`, '127.0.0.1-<port>'],
      ],
    }
  }
}
