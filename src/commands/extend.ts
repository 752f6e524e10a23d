/**
 * Implements `extend add`, `list`, `show`, `update`, `remove` and `schema`: commands from files of the user, for requests that the
 * documents lack.
 */
import { basename } from 'node:path'
import { groupBy } from '../base/collections.js'
import { resolvePath } from '../base/io.js'
import { quoteWord } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { boolean, list, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { Argument, Given } from '../engine/command/types.js'
import { createNoteRow, createTextRow, type Rows, yieldRecords } from '../engine/rows.js'
import { Failure, recoverFrom, usage } from '../errors.js'
import { type CompiledExtension, compileExtension } from '../extension/compile.js'
import type { Operation } from '../extension/operation.js'
import { commandsSchema, extensionName } from '../extension/schema.js'
import { toCommandWord } from '../extension/words.js'
import type { ExtensionRecord } from '../profile/extension-schemas.js'
import {
  changeExtensions,
  isStale,
  listExtensions,
  readEndpoints,
  readOperations,
  removeExtension,
  type StoredExtension,
  saveExtension,
} from '../profile/extension-store.js'
import { createWaitOptions } from '../profile/index.js'
import { type Arguments, define } from './define.js'
import { gatherContext, nameAreas, type ReadExtension, readExtension } from './extend-compile.js'
import { compareRows, type ExtensionState, toCommandRows, toRows } from './extend-rows.js'
import { openProfileStore } from './profile.js'

/** Describes how many operations were left out, by reason. */
const describeLeftOut = ({ leftOut }: CompiledExtension): string => {
  if (leftOut.length === 0) return ''
  const counts = [...groupBy(leftOut, ({ reason }) => reason.replace(/:.*/, ''))]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, all]) => `${all.length}: ${reason}`)
  return `; ${formatCount(leftOut.length, 'operation')} left out (${counts.slice(0, 4).join('; ')})`
}

/** Checks that a file has at least one command. @throws Failure `usage` if it has none */
const checkSome = (
  { areas: compiled, leftOut: [first] }: CompiledExtension,
  source: string,
): void => {
  if (Object.keys(compiled).length > 0) return
  const why = first === undefined ? '' : `: ${first.request}: ${first.reason}`
  throw usage(`no command comes of ${source}${why}`)
}

const columns = ['command', 'request', 'summary']

/** The facts of an extension that come from the line that added it. */
type AddedFacts = Pick<
  ExtensionRecord,
  'name' | 'source' | 'profile' | 'added_at' | 'only' | 'except' | 'with'
>

interface PreparedExtension {
  readonly record: ExtensionRecord
  readonly compiled: CompiledExtension
  readonly operations: readonly Operation[]
}

/** Compiles operations into an extension that can be stored. @throws Failure `usage` if they result in no command */
const buildExtension = async (
  context: Context,
  { title, digest, operations, skipped }: Omit<ReadExtension, 'name'>,
  facts: AddedFacts,
): Promise<PreparedExtension> => {
  const compileContext = await gatherContext(context, facts.name)
  const own = compileExtension(facts.name, operations, compileContext)
  const compiled = { ...own, leftOut: [...skipped, ...own.leftOut] }
  checkSome(compiled, facts.source)
  const record = {
    ...facts,
    title: title ?? null,
    digest,
    commands: toCommandRows(compiled).length,
    areas: nameAreas(compiled, compileContext),
    kinds: compiled.kinds,
    served: compiled.served,
    left_out: compiled.leftOut,
  }
  return { record, compiled, operations }
}

/** Prepares an extension, and stores it unless this is a dry run. */
const storeExtension = async (
  context: Context,
  prepare: () => Promise<PreparedExtension>,
): Promise<PreparedExtension> => {
  const { env, globals } = context.place
  if (globals.dryRun) return prepare()
  const store = async (): Promise<PreparedExtension> => {
    const prepared = await prepare()
    const { record, compiled, operations } = prepared
    await saveExtension(env, record, compiled, operations)
    return prepared
  }
  return changeExtensions(env, store, createWaitOptions(context))
}

/** Compiles all extensions again if another version of svcctl compiled them. */
const renewStale = async (context: Context): Promise<void> => {
  const { env } = context.place
  if (!isStale(env)) return
  for (const found of listExtensions(env)) {
    const { source = '', digest = '', added_at = '', title, profile = null } = found
    const { only = [], except = [], with: beside = null, name, left_out = [] } = found
    const facts = { name, source, profile, added_at, only, except, with: beside }
    try {
      const operations = readOperations(env, found)
      const skipped = left_out.filter(({ command }) => command === null)
      const read = { title: title ?? undefined, digest, operations, skipped }
      await storeExtension(context, () => buildExtension(context, read, facts))
    } catch (error) {
      context.ui.warn(`${name} cannot be compiled again: ${recoverFrom(error).message}`)
    }
  }
}

const addFlags = {
  only: list('string', 'of an OpenAPI document, paths to add: users/**,projects/*/pipelines/**', {
    placeholder: 'path,…',
  }),
  except: list('string', 'of an OpenAPI document, paths to leave out', { placeholder: 'path,…' }),
  with: string('file of commands that adds to those of an OpenAPI document', {
    completes: 'file',
    placeholder: 'file',
  }),
  name: string('name of the extension [the file’s own]'),
} as const

/** Chooses the name of an extension: that of `--name`, that in the file, or that of the file. @throws Failure `usage` if it is not valid */
const chooseName = (given: string | undefined, own: string | undefined, source: string): string => {
  const name = given ?? own ?? toCommandWord(basename(source).replace(/\.\w+$/, ''))
  if (extensionName.test(name)) return name
  throw usage(
    `"${name}" is not a valid name of an extension`,
    'Pass --name with at most 32 lowercase letters, digits and dashes that begin with a letter.',
  )
}

/** Notes the aliases that an extension hides, because its areas have their names. */
const noteHiddenAliases = (context: Context, { areas }: ExtensionRecord): void => {
  const words = new Set(Object.entries(areas).flatMap(([name, { alias = name }]) => [name, alias]))
  const hidden = Object.keys(openProfileStore(context).getAliases()).filter((one) => words.has(one))
  for (const name of hidden)
    context.ui.note(`the alias ${name} is hidden by the commands of that name`)
}

/** The number of commands above which `extend add` suggests `--only`. */
const manyCommands = 200

async function* addExtension(context: Context, given: Arguments<typeof addFlags>): Rows {
  const { place, ui } = context
  const [file] = given.args
  const { only = [], except = [], with: beside } = given.flags
  if (file === undefined) throw usage('extend add requires a file', 'svcctl help extend shows one.')
  await renewStale(context)
  const from = {
    source: resolvePath(file, place.cwd),
    only,
    except,
    with: beside === undefined ? null : resolvePath(beside, place.cwd),
  }
  const prepare = async () => {
    const read = await readExtension(context, from)
    return buildExtension(context, read, {
      ...from,
      name: chooseName(given.flags.name, read.name, from.source),
      profile: place.globals.profile ?? null,
      added_at: place.clock.now().toISOString(),
    })
  }
  const { record, compiled } = await ui.showProgress(`reading ${file}`, () =>
    storeExtension(context, prepare),
  )
  const { dryRun } = place.globals
  yield* yieldRecords(toCommandRows(compiled), { columns })
  if (record.commands > manyCommands && only.length === 0)
    ui.note(`${record.commands} commands are many; --only users/** adds those of some paths`)
  const size = `${formatCount(record.commands, 'command')} in ${formatCount(Object.keys(compiled.areas).length, 'area')}`
  ui.note(`${dryRun ? 'would add' : 'added'} ${record.name}: ${size}${describeLeftOut(compiled)}`)
  noteHiddenAliases(context, record)
}

/** @throws Failure `usage` for the file of another extension, whose commands would replace those of this one */
const checkOwnName = (own: string | undefined, known: string, file: string): void => {
  if (own === undefined || own === known) return
  throw usage(
    `${file} is a file of the extension "${own}", not of "${known}"`,
    `Run "svcctl extend add ${quoteWord(file)}", or correct the name in the file.`,
  )
}

/**
 * Updates extensions one by one, and yields what changed of each.
 * @param file the path of the file that replaces the file of the extension
 */
async function* updateEach(
  context: Context,
  extensions: readonly StoredExtension[],
  file?: string,
) {
  const { place, ui } = context
  for (const found of extensions) {
    const { name: known, added_at = '', profile = null, only = [], except = [] } = found
    if (found.source === undefined)
      throw usage(`the files of ${known} are damaged`, 'Add its file again.')
    const from = { source: file ?? found.source, only, except, with: found.with ?? null }
    const read = await readExtension(context, from, [found.source, from.with])
    if (file !== undefined) checkOwnName(read.name, known, file)
    const facts = { ...from, name: known, profile, added_at }
    let before: ExtensionState = { rows: [], operations: [] }
    const prepared = await storeExtension(context, () => {
      // Another process may have replaced or removed the extension while its file was read.
      const stored = findExtension(context, known)
      const operations = readOperations(place.env, stored)
      before = { rows: toRows(readEndpoints(place.env, stored)), operations }
      return buildExtension(context, read, facts)
    })
    const { record, compiled, operations } = prepared
    const rows = compareRows(before, { rows: toCommandRows(compiled), operations })
    yield* rows
    const state =
      read.digest === found.digest ? 'the file has not changed' : formatCount(rows.length, 'change')
    ui.note(`${found.name}: ${state}${describeLeftOut(compiled)}`)
    noteHiddenAliases(context, record)
  }
}

async function* updateExtensions(context: Context, given: Given): Rows {
  const [name, file] = given.args
  await renewStale(context)
  const { cwd, env } = context.place
  const wanted = name === undefined ? listExtensions(env) : [findExtension(context, name)]
  const source = file === undefined ? undefined : resolvePath(file, cwd)
  yield* yieldRecords(updateEach(context, wanted, source), { columns: ['change', ...columns] })
}

const fileArgument: Argument = {
  name: 'file',
  required: true,
  variadic: false,
  help: 'file of commands or OpenAPI document, YAML or JSON',
  file: true,
}

export const addCommand = define({
  description: [
    'The file declares requests that the API documents leave out. Each becomes a command with all flags of svcctl: lists, bulk runs, dry run, journal and completion. An extension of the same name is replaced.',
    'Commands of an OpenAPI document are named by their paths. Its servers are not used: requests go to the instance of the profile.',
  ],
  args: [fileArgument],
  flags: addFlags,
  writes: true,
  rows: addExtension,
})

const nameArgument: Argument = {
  name: 'name',
  required: true,
  variadic: false,
  help: 'name of the extension',
  values: async ({ io }) =>
    listExtensions(io.env).map(({ name, title }) => ({
      value: name,
      text: title ?? '',
    })),
}

/** Finds a stored extension. @throws Failure `not_found` if there is none of that name, `usage` without a name */
const findExtension = ({ place }: Context, name: string | undefined): StoredExtension => {
  if (name === undefined)
    throw usage('the name of an extension is required', 'svcctl extend list shows them.')
  const all = listExtensions(place.env)
  const found = all.find((one) => one.name === name)
  if (found !== undefined) return found
  throw new Failure('not_found', `there is no extension "${name}"`, {
    hint: 'svcctl extend list shows the extensions.',
  })
}

export const listCommand = define({
  rows: async function* (context) {
    const { place } = context
    await renewStale(context)
    const all = listExtensions(place.env).map((one) => ({
      name: one.name,
      title: one.title ?? null,
      commands: one.commands ?? null,
      areas: Object.keys(one.areas ?? {}),
      left_out: one.left_out?.length ?? null,
      profile: one.profile ?? null,
      source: one.source ?? null,
      added_at: one.added_at ?? null,
    }))
    if (all.length === 0) yield createNoteRow('no extensions; add one with "svcctl extend add"')
    yield* yieldRecords(all, {
      columns: ['name', 'title', 'commands', 'left_out', 'profile', 'source'],
    })
  },
})

const showFlags = {
  'left-out': boolean('show the operations that became no command, and why'),
} as const

export const showCommand = define({
  args: [nameArgument],
  flags: showFlags,
  rows: async function* (context, { args: [name], flags }) {
    const found = findExtension(context, name)
    if (flags['left-out'] === true)
      return yield* yieldRecords(found.left_out ?? [], {
        columns: ['command', 'request', 'reason'],
      })
    yield* yieldRecords(toRows(readEndpoints(context.place.env, found)), { columns })
  },
})

export const updateCommand = define({
  description: [
    'Without a name, all extensions are updated. With a file, the extension has the commands of that file from now on, and keeps its --only, --except, --with and profile.',
  ],
  args: [
    { ...nameArgument, required: false },
    { ...fileArgument, required: false, help: 'file to read from now on [the same as before]' },
  ],
  writes: true,
  rows: updateExtensions,
})

/** Removes extensions one by one unless this is a dry run, and yields the outcome of each. */
async function* removeEach({ place, ...services }: Context, names: readonly string[]) {
  const { env, globals } = place
  const waiting = createWaitOptions({ place, ...services })
  for (const name of names) {
    if (!globals.dryRun) await changeExtensions(env, () => removeExtension(env, name), waiting)
    yield { name, outcome: globals.dryRun ? 'planned' : 'removed' }
  }
}

async function* removeAll(context: Context): Rows {
  const names = listExtensions(context.place.env).map(({ name }) => name)
  if (names.length === 0) yield createNoteRow('no extensions')
  yield* yieldRecords(removeEach(context, names), { columns: ['name', 'outcome'] })
}

export const removeCommand = define({
  args: [{ ...nameArgument, required: false }],
  flags: { all: boolean('remove all extensions') },
  writes: true,
  rows: async function* (context, { args: [name], flags: { all = false } }) {
    const isNamed = name !== undefined
    if (all === isNamed)
      throw usage(
        'extend remove requires a name or --all',
        'svcctl extend list shows the extensions.',
      )
    if (all) return yield* removeAll(context)
    const found = findExtension(context, name)
    for await (const { outcome } of removeEach(context, [found.name]))
      yield createNoteRow(`${outcome === 'planned' ? 'would remove' : outcome} ${found.name}`)
  },
})

export const schemaCommand = define({
  description: ['Editors complete and check a file of commands by it.'],
  rows: async function* () {
    yield createTextRow(`${JSON.stringify(commandsSchema, null, 2)}\n`)
  },
})
