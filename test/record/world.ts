/** What the lines of the record run in: embedded instances with the clock and the random values of the record, and folders. */

import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type Io, processIo, runWithIo } from '../../src/base/io.js'
import { splitCommand } from '../../src/base/shell-words.js'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js'
import { loadChecked } from '../../src/vocabulary/index.js'
import { changesByFolder } from '../support/lines-of-shells.js'
import { clean, configuration, folder } from '../support/program.js'
import { openScreen } from '../support/screen.js'
import { needsShell, pathToLines } from '../support/shell.js'
import { started } from '../support/starting.js'
import { svcctl } from '../support/within.js'
import type { Entry, Step } from './entries.js'
import { sampleFiles, sampleJournal, samplePlans, words } from './files.js'
import { createPinnedRandom } from './random.js'
import { describeBytes, type Placeholders, pinText, printBlock } from './text.js'
import { Wire } from './wire.js'

/** The moment of the record. Each line of an entry is a minute after the one before. */
const moment = Date.parse('2026-11-20T12:00:00Z')
const minute = 60_000

/** A line that goes on for longer has no end, in milliseconds: it is interrupted. */
const patience = 20_000

const token = 'sandbox-root-token'

/** A port on which nobody listens. */
const deadUrl = 'http://127.0.0.1:9'

interface RunningInstance extends Sandbox {
  /** The state that entries begin with. */
  readonly initial: ReturnType<Sandbox['double']['snapshot']>
  /** Seeds what it draws at random. */
  readonly reseed: (text: string) => void
}

/** A file as it stands in a folder: what is recorded of it. */
type Tree = ReadonlyMap<string, string>

interface Place {
  readonly cwd: string
  readonly config: string
  readonly env: Readonly<Record<string, string>>
  readonly placeholders: Placeholders
}

/** How a line ended, and what it printed. */
interface Printed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly screen?: string
}

/** What is the same in each line that runs: the clock, and random values that follow from the line. */
type Pinned = Pick<Io, 'now' | 'uptime' | 'random' | 'randomBytes'>

/** Keeps the order of what became of each object, and not that among objects, which several requests at once have. */
const sortObjects = (text: string): string => {
  if (!/^\{"journal":/.test(text)) return text
  const rows = text.split('\n')
  const sorted: string[] = []
  let objects: [number, string][] = []
  const flush = (): void => {
    sorted.push(...objects.sort(([a], [b]) => a - b).map(([, row]) => row))
    objects = []
  }
  for (const row of rows) {
    const [, n] = /^\{"n":(\d+),/.exec(row) ?? []
    if (n !== undefined) objects.push([Number(n), row])
    else {
      flush()
      sorted.push(row)
    }
  }
  flush()
  return sorted.join('\n')
}

/** Returns what stands in a folder, without code that is kept to start faster. */
const readTree = (root: string, label: string, digests: Map<string, string>): Tree => {
  const tree = new Map<string, string>()
  if (!existsSync(root)) return tree
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = `${label}/${relative(root, path)}`
    if (name === '<config>/cache/code' || entry.isDirectory()) continue
    const mode = (lstatSync(path).mode & 0o777).toString(8)
    if (entry.isSymbolicLink()) tree.set(name, `link to ${readlinkSync(path)}\n`)
    else {
      const bytes = readFileSync(path)
      digests.set(createHash('sha256').update(bytes).digest('hex'), bytes.toString())
      tree.set(`${name} ${mode}`, sortObjects(describeBytes(bytes)))
    }
  }
  return tree
}

/** Replaces the digests of files in which something stands that differs from run to run. */
const nameDigests = (
  text: string,
  digests: ReadonlyMap<string, string>,
  pin: (text: string) => string,
): string =>
  text.replace(/\b[0-9a-f]{64}\b/g, (digest) => {
    const of = digests.get(digest)
    return of === undefined || pin(of) === of ? digest : '<sha256 of the file>'
  })

/** Says what is new, other or gone in a folder. */
const printChanges = (before: Tree, after: Tree, pin: (text: string) => string): string => {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  const parts = names.flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    if (was === is) return []
    const title = pin(name).replace(/[0-9a-f]{32,64}/g, '<hash>')
    return is === undefined
      ? [`${title}: removed\n`]
      : [printBlock(title, pin(is)) || `${title}: empty\n`]
  })
  return parts.sort().join('')
}

export class World {
  readonly #wire = new Wire()
  readonly #instances = new Map<string, Promise<RunningInstance>>()
  readonly #configs = new Map<string, Promise<string>>()
  #path = ''
  /** The requests of the entry by their IDs, and those that made its configuration. */
  #ids = new Map<string, string>()
  readonly #earlierIds = new Map<string, string>()
  /** Files whose time of change is that of the record. */
  readonly #stamped = new Set<string>()
  #now = moment

  static async open(): Promise<World> {
    const world = new World()
    world.#wire.open()
    world.#path = await pathToLines()
    return world
  }

  async close(): Promise<void> {
    this.#wire.close()
    for (const instance of this.#instances.values()) await (await instance).close()
  }

  /** Runs an entry on instances as they were. @returns the text that is recorded of it */
  async record(entry: Entry): Promise<string> {
    this.#now = moment
    const instance = await this.#getInstance(
      entry.place === 'examples' ? 'examples' : entry.instance,
    )
    const b =
      entry.place === 'profiles' || entry.place === 'stages' ? [await this.#getInstance('b')] : []
    const config = await this.#copyConfig(entry)
    const all = [instance, ...b]
    for (const one of all) one.reseed(entry.title)
    const place = this.#createPlace(entry, config, instance)
    if (entry.seed !== undefined) instance.double.seed(JSON.parse(entry.seed))
    for (const [at, line] of entry.before.entries())
      await this.#run(entry, { line }, place, instance, `before ${at}`)
    const { ids } = await this.#wire.take(true)
    for (const [id, request] of ids) this.#earlierIds.set(id, request)
    this.#ids = new Map(this.#earlierIds)
    this.#stampFiles(place)
    const parts: string[] = []
    try {
      for (const [at, step] of entry.steps.entries()) {
        this.#now = moment + at * minute
        const head =
          entry.steps.length > 1 || step.line !== `svcctl ${entry.title}` ? `$ ${step.line}\n` : ''
        parts.push(head + (await this.#recordStep(entry, step, place, instance, String(at))))
      }
      return parts.join('')
    } finally {
      changesByFolder.delete(place.cwd)
      for (const one of all) await this.#restore(one)
      for (const path of [place.cwd, place.config]) rmSync(path, { recursive: true, force: true })
    }
  }

  async #recordStep(
    entry: Entry,
    step: Step,
    place: Place,
    instance: RunningInstance,
    key: string,
  ): Promise<string> {
    const digests = new Map<string, string>()
    const read = () =>
      new Map([
        ...readTree(place.cwd, '<cwd>', digests),
        ...readTree(place.config, '<config>', digests),
      ])
    const before = read()
    for (const fault of step.faults ?? []) {
      const [, route = '', how = '{}'] = /^(\S+ \S+)(?: (.*))?$/.exec(fault) ?? []
      instance.double.fail(route, JSON.parse(how))
    }
    const ran = await this.#run(entry, step, place, instance, key)
    const { ids, lines } = await this.#wire.take(entry.unordered)
    for (const [id, request] of ids) this.#ids.set(id, request)
    const named = [...this.#ids].map(([id, request]) => [id, `<id of ${request}>`] as const)
    const pin = (text: string): string => pinText(text, [...named, ...place.placeholders])
    const after = read()
    const pinAll = (text: string): string => pin(nameDigests(text, digests, pin))
    this.#stampFiles(place)
    const requests = lines.map((line) => `${line}\n`).join('')
    const blocks = [
      ran.screen === undefined ? '' : printBlock('screen', pin(ran.screen)),
      printBlock('stdout', pin(ran.stdout)),
      printBlock('stderr', pin(ran.stderr)),
      printBlock('requests', pin(requests)),
      printBlock('files', printChanges(before, after, pinAll)),
    ]
    return `exit ${ran.code}\n${blocks.join('')}`
  }

  /** Gives files the time of the line that wrote them: what came last is known by it. */
  #stampFiles({ cwd, config }: Place): void {
    const earliest = new Date(moment - minute)
    for (const root of [cwd, config])
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue
        const path = join(entry.parentPath, entry.name)
        if (!this.#stamped.has(path)) utimesSync(path, earliest, new Date(this.#now))
        this.#stamped.add(path)
      }
  }

  /** Runs a line: in a shell only where it needs one. */
  async #run(
    entry: Entry,
    step: Step,
    place: Place,
    instance: RunningInstance,
    key: string,
  ): Promise<Printed> {
    const fill = (text: string): string =>
      text
        .replaceAll('{url}', instance.url)
        .replaceAll('{token}', token)
        .replaceAll('{cwd}', place.cwd)
    const env = { ...place.env, ...mapValues({ ...entry.env, ...step.env }, fill) }
    const line = fill(step.line).replace(/https:\/\/(svc|staging)\.example/g, instance.url)
    const pin = (args: readonly string[]) =>
      this.#pin(`${entry.title}\n${key}\n${args.join(' ')}`, step)
    const words = /^svcctl ?(.*)$/s.exec(line)?.[1]
    if (words === undefined || needsShell(words)) {
      changesByFolder.set(place.cwd, pin)
      const { code, stdout, stderr } = await started('bash', ['-o', 'pipefail', '-c', line], {
        cwd: place.cwd,
        env: { ...clean(), ...env, PATH: this.#path },
      })
      return { code: code ?? -1, stdout: stdout.toString(), stderr: stderr.toString() }
    }
    const args = splitCommand(words)
    if (entry.terminal !== undefined)
      return this.#runAtTerminal(entry.terminal, args, step, { ...place, env }, pin(args))
    const stop = new AbortController()
    let outputs = 0
    const timer = setTimeout(() => stop.abort(), patience)
    return svcctl(args, {
      cwd: place.cwd,
      env,
      io: pin(args),
      stop: stop.signal,
      ...(step.stopAfter === undefined
        ? {}
        : { afterOutput: () => ++outputs >= (step.stopAfter ?? 0) && stop.abort() }),
      ...(step.input === undefined ? {} : { input: fill(step.input) }),
    }).finally(() => clearTimeout(timer))
  }

  async #runAtTerminal(
    size: string,
    args: readonly string[],
    step: Step,
    place: Place,
    pinned: Pinned,
  ): Promise<Printed> {
    const [columns = 80, rows = 24] = size.split('x').map(Number)
    const screen = openScreen([args], { ...place, columns, rows, io: pinned })
    const shown: string[] = []
    const keep = async () => shown.push(`${(await screen.coloured()).trimEnd()}\n`)
    try {
      for (const action of step.keys ?? []) {
        const [verb = '', rest = ''] = /^(\w+) ?(.*)$/.exec(action)?.slice(1) ?? []
        if (verb === 'wait') await screen.until((text) => text.includes(rest))
        else if (verb === 'type') screen.type(rest)
        else if (verb === 'press') screen.press(...rest.split(' '))
        else if (verb === 'show') await keep()
        else throw new Error(`there is no action "${action}"`)
      }
      const code = await screen.ended
      await keep()
      return { code, stdout: '', stderr: '', screen: shown.join('--------\n') }
    } finally {
      await screen.close()
    }
  }

  #pin(seed: string, { ticks }: Step): Pinned {
    const began = performance.now()
    const now = () => new Date(this.#now + (ticks === true ? performance.now() - began : 0))
    return { now, uptime: () => 0, ...createPinnedRandom(seed) }
  }

  #createPlace(entry: Entry, config: string, instance: RunningInstance): Place {
    const cwd = folder()
    const { port } = new URL(instance.url)
    const place = entry.place
    const journal = sampleJournal(instance.url)
    const files = {
      ...sampleFiles,
      ...entry.files,
      'part-1.ndjson': journal,
      'part-2.ndjson': journal,
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true })
      writeFileSync(join(cwd, name), text)
    }
    return {
      cwd,
      config,
      env: {
        SVC_CONFIG_DIR: config,
        SVC_NO_KEYRING: '1',
        ...(place === 'plain' ? { SVC_BASE_URL: instance.url, SVC_TOKEN: token } : {}),
      },
      placeholders: [
        [cwd, '<cwd>'],
        [config, '<config>'],
        [tmpdir(), '<tmp>'],
        [`port ${port}`, 'port <port>'],
        [`127.0.0.1-${port}`, '127.0.0.1-<port>'],
        [process.cwd(), '<source>'],
      ],
    }
  }

  #getInstance(name: string): Promise<RunningInstance> {
    const known = this.#instances.get(name) ?? this.#start(name)
    this.#instances.set(name, known)
    return known
  }

  async #start(name: string): Promise<RunningInstance> {
    let random = createPinnedRandom(name)
    const io = Object.create(processIo, {
      randomBytes: { value: (size: number) => random.randomBytes(size) },
    })
    const options: SandboxOptions = {
      stateDir: folder(),
      testable: true,
      now: () => new Date(this.#now),
      speed: Number.POSITIVE_INFINITY,
      ...(name === 'hold' ? { jobs: 'hold' } : {}),
      ...(name === 'slow' ? { speed: 0 } : {}),
      ...(name === 'words' ? { words: await loadWords() } : {}),
    }
    const sandbox = await runWithIo(io, () => startSandbox(options))
    if (name === 'b') await this.#changeSecond(sandbox)
    this.#wire.name(Number(new URL(sandbox.url).port), name === 'b' ? 'b' : '')
    const initial = sandbox.double.snapshot()
    const reseed = (text: string): void => {
      random = createPinnedRandom(text)
    }
    return { ...sandbox, initial, reseed }
  }

  /** Makes the second instance another one than the first. */
  async #changeSecond(sandbox: Sandbox): Promise<void> {
    const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: token, SVC_CONFIG_DIR: configuration() }
    for (const line of [
      'runners pause 1 2 -q',
      'runners update 5 --description other',
      'settings update --default-projects-limit 7',
    ])
      await svcctl(splitCommand(line), { env, io: this.#pin(line, { line }) })
  }

  async #restore(instance: RunningInstance): Promise<void> {
    await instance.double.reset()
    instance.double.restore(instance.initial)
  }

  async #copyConfig({ place, instance }: Entry): Promise<string> {
    if (place === 'plain') {
      const config = configuration()
      samplePlans(config, (await this.#getInstance(instance)).url, new Date(moment))
      return config
    }
    const template = this.#configs.get(place) ?? this.#createConfig(place)
    this.#configs.set(place, template)
    const copy = folder()
    cpSync(await template, copy, { recursive: true, verbatimSymlinks: true })
    const file = join(copy, 'config.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(await template, copy))
    return copy
  }

  /** Signs in to the profiles of a place. */
  async #createConfig(place: string): Promise<string> {
    const config = configuration()
    const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
    const instance = await this.#getInstance(place === 'examples' ? 'examples' : 'a')
    const { url } = instance
    const run = async (line: string): Promise<void> => {
      const { code, stderr } = await svcctl(splitCommand(line), {
        env,
        input: `${token}\n`,
        io: this.#pin(line, { line }),
      })
      if (code !== 0) throw new Error(`${line}: ${stderr}`)
    }
    const login = (name: string, to: string) =>
      run(`auth login ${name} --base-url ${to} --token-stdin`)
    if (place === 'examples') {
      for (const name of ['default', 'staging']) await login(name, url)
      await run(`profile set default --audit-log ${join(config, 'audit.ndjson')}`)
      await run('auth switch default')
      for (const name of ['stuck', 'idle']) await run(`alias set ${name} 'jobs list'`)
      const journals = join(config, 'state', 'journals')
      mkdirSync(journals, { recursive: true })
      writeFileSync(join(journals, '20261121T120102-runners-pause.ndjson'), sampleJournal(url))
      // The last write, which is undone.
      await run('runners pause 7')
      Object.assign(instance, { initial: instance.double.snapshot() })
    } else if (place === 'stages') {
      await login('staging', url)
      await login('prod', (await this.#getInstance('b')).url)
    } else {
      await login('a', url)
      await login('b', (await this.#getInstance('b')).url)
      const file = join(config, 'config.json')
      const read = JSON.parse(readFileSync(file, 'utf8'))
      read.profiles.dead = { ...read.profiles.a, baseUrl: deadUrl }
      writeFileSync(file, JSON.stringify(read))
      const tokens = join(config, 'tokens.json')
      const known = JSON.parse(readFileSync(tokens, 'utf8'))
      known.dead = { ...known.a, baseUrl: deadUrl }
      writeFileSync(tokens, JSON.stringify(known))
      await run('auth switch a')
    }
    return config
  }
}

const mapValues = (values: Readonly<Record<string, string>>, change: (text: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

const loadWords = () => {
  const file = join(folder(), 'work.yml')
  writeFileSync(file, words)
  return loadChecked(file)
}
