/** Writes answers to a file (`--to`), and opens pages in a browser (`--open`, `--web`). */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openWhole } from '../base/files/files.js'
import { type Environment, getTemporaryFolder, resolvePath, type Stdout } from '../base/io.js'
import { isObject, toText } from '../base/objects.js'
import { startProgram } from '../base/processes.js'
import { isSwitchedOn } from '../base/switches.js'
import type { UiService } from '../engine/command/context.js'
import { type Globals, isRepeated } from '../engine/command/globals.js'
import type { Command } from '../engine/command/types.js'
import { createPartFailure, toPartOfAnswer } from '../engine/records/object-rows.js'
import type { RecordView } from '../engine/rows.js'
import { exitCodes, Failure, getReason, toWriteFailure, usage } from '../errors.js'
import type { EndPage, Format, Writer } from '../output/types.js'
import type { Notes } from '../terminal/notes.js'
import type { RunEnd, Streams } from './options.js'
import type { RunAnswer } from './run-answer.js'

// `--web`: opens the page of an object, or the page above the objects of a list, with the system's own program and no shell.

/** The program for Windows, and for Linux inside Windows. */
const windows = ['rundll32.exe', 'url.dll,FileProtocolHandler'] as const

/** Finds the program that opens an address, with its first arguments. */
const findOpener = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly string[] => {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return windows
  return env.WSL_DISTRO_NAME && !env.DISPLAY && !env.WAYLAND_DISPLAY ? windows : ['xdg-open']
}

/**
 * Opens an address in the browser, and waits only until the program has started.
 * @throws Error if the program cannot be started
 */
const openPage = async (url: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const [program = '', ...args] = findOpener(env, process.platform)
  const child = await startProgram(program, [...args, url], {
    as: 'tool',
    env,
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  })
  await once(child, 'spawn')
  child.unref()
}

/** The parts of a run that `--web` uses. */
interface PageContext {
  readonly command: Pick<Command, 'naming'>
  readonly env: NodeJS.ProcessEnv
  /** Returns the address of the instance. Only its pages are opened. */
  readonly getBaseUrl: () => Promise<string>
  readonly note: UiService['note']
}

const isSet = (text: string | undefined): boolean => text !== undefined && text !== ''

/** True if a browser can open on this machine. Over SSH and in CI it cannot. */
export const hasDisplay = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean => {
  const isRemote = ['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'].some((name) => isSet(env[name]))
  if (isRemote || isSwitchedOn(env.CI)) return false
  if (platform === 'win32' || platform === 'darwin') return true
  return ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => isSet(env[name]))
}

/**
 * Returns the address of a record's page.
 * @throws Failure `failed` if the address is not on the instance, since anybody who can write the record could have chosen it
 */
export const requireWebUrl = (record: unknown, baseUrl: string, field = 'web_url'): string => {
  const text = isObject(record) ? toText(record[field]) : undefined
  if (text === undefined)
    throw new Failure('failed', 'the instance reports no web page for this object', {
      hint: 'Omit --web to print its record.',
    })
  const { origin } = new URL(baseUrl)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const web = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === undefined || !web || url.origin !== origin || url.username + url.password !== '')
    throw new Failure(
      'failed',
      `the page of this object was not opened: ${text} is not on ${origin}`,
      {
        hint: 'svcctl opens only pages of the instance. Use --fields web_url to print the URL.',
      },
    )
  return url.href
}

/** Returns the page above the pages of several records: that of their list, their group or the instance. */
export const getListUrl = (urls: readonly string[]): string => {
  const folders = urls.map((url) => new URL(url).pathname.split('/').slice(0, -1))
  const [first = [], ...others] = folders
  const length = first.findIndex((part, i) => others.some((other) => other[i] !== part))
  const whole = (length < 0 ? first : first.slice(0, length)).join('/').replace(/\/-$/, '')
  // A commit is the only object whose list has a page of another word.
  const common = whole.replace(/\/-\/commit$/, '/-/commits')
  return new URL(common === '' ? '/' : common, urls[0]).href
}

/**
 * Returns the page of a list. The members of a project have pages directly below the instance, so the page above them is not theirs.
 * @throws Failure `failed` if the records belong to a project or group, and their pages do not
 */
const requireListUrl = (urls: readonly string[], base: string, route = ''): string => {
  const hasParent = /^GET \/(?:projects|groups)\/:id\//.test(route)
  if (hasParent && new URL(getListUrl(urls.slice(0, 1))).href === new URL(base).href)
    throw new Failure('failed', 'the instance reports no web page for this list', {
      hint: 'Omit --web to print its records.',
    })
  return getListUrl(urls)
}

/** Returns the record without the name of its parent, which it has if the line reads several parents. */
const unwrapRecord = (value: unknown): unknown =>
  isObject(value) && isObject(value.record) ? value.record : value

const createSeveralFailure = (): Failure =>
  usage(
    '--web opens the page of a single object, and there are several',
    'Name one of them. With --web a list opens the page above its objects.',
  )

const showPage = async (
  records: readonly unknown[],
  { command, getBaseUrl, env, note }: PageContext,
  printing: RunAnswer,
  route: string | undefined,
): Promise<void> => {
  const base = await getBaseUrl()
  const urls = records.map((record) => requireWebUrl(record, base, command.naming.name('web_url')))
  const [only = ''] = urls
  const url = urls.length === 1 ? only : requireListUrl(urls, base, route)
  if (hasDisplay(env, process.platform)) {
    try {
      await openPage(url, env)
      return note(`opened ${url}`)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      note(`cannot start a browser (${why}); the URL is`)
    }
  }
  await printing.write(`${url}\n`)
}

const openPageWriter = (
  showing: PageContext,
  printing: RunAnswer,
  { endpoint }: RecordView,
): Writer => {
  const isList = endpoint?.returns.kind === 'many'
  const found: unknown[] = []
  const record = async (value: unknown): Promise<void> => {
    if (found.push(unwrapRecord(value)) > 1 && !isList) throw createSeveralFailure()
  }
  return {
    record,
    raw: async (batch) => {
      for (const bytes of batch) await record(JSON.parse(Buffer.from(bytes).toString()))
    },
    close: async () => {
      if (found.length === 0) throw new Failure('not_found', 'no object to open in the browser')
      await showPage(found, showing, printing, endpoint?.route)
    },
    abandon: async () => {},
  }
}

const refuseText = async (): Promise<never> => {
  throw createPartFailure('instance')
}

/** Creates the answer that opens a page in the browser instead of printing records. */
export const createWebPage = (printing: RunAnswer, showing: PageContext): RunAnswer => ({
  ...toPartOfAnswer(printing),
  splitsLists: true,
  applyStages: (rows) => printing.applyStages(rows),
  holdPeopleRows: (view) => printing.holdPeopleRows(view),
  writeReport: (text) => printing.writeReport(text),
  addFooter: (text) => printing.addFooter(text),
  printDocument: refuseText,
  write: refuseText,
  flush: async () => {},
  openWriter: async (_, view) => openPageWriter(showing, printing, view),
})

type FileFlags = Pick<Globals, 'to' | 'open' | 'watch' | 'waitUntil'>

/** @throws Failure `usage` for a page with `--watch`, and for a page on a terminal */
export const checkPage = ({ name, page }: Format, asked: FileFlags, terminal: boolean): void => {
  if (page === undefined) return
  if (isRepeated(asked)) throw usage(`-o ${name} writes one answer, so it cannot be repeated`)
  if (terminal && !asked.open && asked.to === undefined)
    throw usage(`-o ${name} is a page for a browser`, 'Add --open, or --to page.html.')
}

/** @throws Failure `usage` for `--open` and `--to` that do not fit the format, and as `checkPage` */
export const checkFileFlags = (format: Format, asked: FileFlags, terminal: boolean): void => {
  const { name, page } = format
  const { to, open } = asked
  if (open && page === undefined)
    throw usage(`--open shows a page in a browser, and ${name} is not one`, 'Add -o html.')
  if (to === '') throw usage('--to requires the name of a file')
  checkPage(format, asked, terminal)
}

/** A file for an answer. Each write goes to the file at once, so that `end` has nothing to do. */
interface AnswerFile extends Stdout {
  readonly path: string
  /** Returns the failure of a write, if there was one. */
  readonly getFailure: () => Failure | undefined
  /** Gives the complete file its name. Nothing can be written afterwards. */
  publish(): Promise<void>
  /** Deletes the file. */
  discard(): Promise<void>
}

/**
 * Creates a file that gets its name once it is complete.
 * @throws Failure `failed` if it cannot be created
 */
const createAnswerFile = async (
  path: string,
  options: Pick<FileOptions, 'secret' | 'signal'>,
): Promise<AnswerFile> => {
  try {
    const file = await openWhole(resolvePath(path), options)
    /** The first failure. All later ones are its consequences. */
    let broken: Failure | undefined
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      if (broken !== undefined) throw broken
      try {
        await work()
      } catch (cause) {
        broken = toWriteFailure(path, cause)
        await file.discard()
        throw broken
      }
    }
    return {
      path,
      getFailure: () => broken,
      write: (chunk) =>
        attempt(() => file.write([typeof chunk === 'string' ? Buffer.from(chunk) : chunk])),
      end: async () => {},
      publish: () => attempt(() => file.publish()),
      discard: () => file.discard(),
    }
  } catch (cause) {
    throw toWriteFailure(path, cause)
  }
}

/** Creates a folder that only the owner can read, and returns the path of a page in it. The browser reads the page after the run. */
const createPageFile = async (name: string, env: Environment): Promise<string> =>
  join(await mkdtemp(join(getTemporaryFolder(env), 'svcctl-')), `${name.replaceAll(' ', '-')}.html`)

const showInBrowser = async (
  path: string,
  env: NodeJS.ProcessEnv,
  { note }: Notes,
): Promise<void> => {
  try {
    if (!hasDisplay(env, process.platform)) return note(`no display; the page is in ${path}`)
    await openPage(path, env)
    note(`opened ${path}`)
  } catch (error) {
    note(`cannot start a browser (${getReason(error)}); the page is in ${path}`)
  }
}

/** Wraps notes so that their texts are kept for the page as well. @param label the instance that they are about */
const keepNotes = (notes: Notes, texts: string[], label?: string): Notes => {
  const keep = (...words: readonly (string | undefined)[]): void => {
    texts.push([label, ...words].filter((word) => word !== undefined).join(': '))
  }
  return {
    note: (text) => {
      keep([text].flat().join('\n'))
      notes.note(text)
    },
    warn: (text) => {
      keep('warning', text)
      notes.warn(text)
    },
    report: (failure, of) => {
      keep(of, failure.message)
      notes.report(failure, of)
    },
  }
}

/** Describes why an answer is incomplete; undefined if it is complete. */
const describeMissing = ({ failed: error, code }: RunEnd): string | undefined => {
  if (error !== undefined) return error instanceof Error ? error.message : String(error)
  return code === exitCodes.partial ? 'not everything could be read' : undefined
}

/** True if the file is kept. An incomplete list is, because it says that it is incomplete. */
const isWorthKeeping = ({ failed: error }: RunEnd): boolean =>
  error === undefined || (error instanceof Failure && error.category === 'partial')

interface FileOptions {
  readonly name: string
  readonly globals: FileFlags
  readonly env: NodeJS.ProcessEnv
  /** True if the answer may contain a secret, so that only the owner may read the file. */
  readonly secret: boolean
  readonly signal: AbortSignal
}

/**
 * Opens the streams of a run whose answer is a page or goes to a file.
 * @param endPage returns the end of the page; undefined if the format is no page
 */
export const openAnswerFile = async (
  screen: Streams,
  endPage: EndPage | undefined,
  { name, globals: { to, open }, env, ...options }: FileOptions,
): Promise<Streams> => {
  const path = open ? await createPageFile(name, env) : to
  const file =
    path === undefined || path === '-' ? undefined : await createAnswerFile(path, options)
  const { notes: plainNotes, style } = screen
  const texts: string[] = []
  const notes = endPage === undefined ? plainNotes : keepNotes(plainNotes, texts)
  const out = file ?? screen.plain
  let begun = false
  const finish = async (say: () => void, end: RunEnd): Promise<void> => {
    say()
    const kept = isWorthKeeping(end)
    if (kept && endPage !== undefined && begun)
      await out.write(endPage(texts, describeMissing(end), style))
    if (file !== undefined && !kept) {
      await file.discard()
      if (open) await rm(dirname(file.path), { recursive: true, force: true })
      if (file.getFailure() === undefined) plainNotes.note(`${file.path} was not written`)
      return
    }
    if (file === undefined) return out.end()
    await file.publish()
    if (open) await showInBrowser(file.path, env, plainNotes)
    else plainNotes.note(`wrote ${file.path}`)
  }
  const begin = (): boolean => {
    const first = !begun
    begun = true
    return first
  }
  const page = endPage && {
    begin,
    keepNotes: (own: Notes, label: string): Notes => keepNotes(own, texts, label),
  }
  return { ...screen, out, plain: out, notes, finish, page }
}
