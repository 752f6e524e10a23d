/** Answers that go to a file (`--to`) or to a browser (`--open`), and the end of a page. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { openWhole } from '../../base/files/files.js'
import { exitCodes, Failure, getReason, usage } from '../../errors.js'
import type { EndPage, Format } from '../../output/types.js'
import type { Notes } from '../../terminal/streams/notes.js'
import type { Stdout } from '../../terminal/streams/stdout.js'
import type { Globals } from '../command/globals.js'
import { isRepeated } from '../command/many-flags.js'
import type { RunEnd, Streams } from '../options.js'
import { hasDisplay, openPage } from './web-page.js'

type FileFlags = Pick<Globals, 'to' | 'open' | 'watch' | 'waitUntil'>

/** @throws Failure `usage` for flags that say nothing of this format, and for a page on a terminal */
export const checkFile = ({ name, page }: Format, asked: FileFlags, terminal: boolean): void => {
  const { to, open } = asked
  if (open && page === undefined)
    throw usage(`--open shows a page in a browser, and ${name} is not one`, 'Add -o html.')
  if (open && to !== undefined) throw usage('--open and --to exclude each other')
  if (to === '') throw usage('--to requires the name of a file')
  if (isRepeated(asked))
    throw usage(
      `${to === undefined ? '-o html' : '--to'} writes one answer, so it cannot be repeated`,
    )
  if (page === undefined) return
  if (terminal && !open && to === undefined)
    throw usage('-o html is a page for a browser', 'Add --open, or --to page.html.')
}

/** A file in which an answer is written. */
interface AnswerFile extends Stdout {
  readonly path: string
  /** Why it could not be written, where that is so. */
  readonly failure: () => Failure | undefined
  /** Leaves no trace of it. */
  discard(): Promise<void>
}

const writeFailure = (path: string, cause: unknown): Failure =>
  cause instanceof Failure
    ? cause
    : new Failure('failed', `cannot write ${path}: ${getReason(cause)}`, {
        hint: 'Check the free space and the permissions, or choose another place with --to.',
        cause,
      })

/**
 * Begins to write a file, which is there once it is whole.
 * @throws Failure `failed` where it cannot be written
 */
const openFile = async (path: string, signal: AbortSignal): Promise<AnswerFile> => {
  try {
    const file = await openWhole(resolve(path), { signal })
    /** What went wrong first: all that comes after it is its consequence. */
    let broken: Failure | undefined
    const trying = async (work: () => Promise<void>): Promise<void> => {
      if (broken !== undefined) throw broken
      try {
        await work()
      } catch (cause) {
        broken = writeFailure(path, cause)
        await file.discard()
        throw broken
      }
    }
    return {
      path,
      failure: () => broken,
      write: (chunk) =>
        trying(() => file.write([typeof chunk === 'string' ? Buffer.from(chunk) : chunk])),
      end: () => trying(() => file.publish()),
      discard: () => file.discard(),
    }
  } catch (cause) {
    throw writeFailure(path, cause)
  }
}

/** A page that only its owner can read, and that outlives the run: the browser reads it afterwards. */
const pageToOpen = async (name: string): Promise<string> =>
  join(await mkdtemp(join(tmpdir(), 'svcctl-')), `${name.replaceAll(' ', '-')}.html`)

const show = async (path: string, env: NodeJS.ProcessEnv, { note }: Notes): Promise<void> => {
  try {
    if (!hasDisplay(env, process.platform)) return note(`no display; the page is in ${path}`)
    await openPage(path, env)
    note(`opened ${path}`)
  } catch (error) {
    note(`cannot start a browser (${getReason(error)}); the page is in ${path}`)
  }
}

/** Notes that are kept as well, for the page that they are about. */
const keepNotes = (notes: Notes, texts: string[]): Notes => ({
  note: (text) => {
    texts.push([text].flat().join('\n'))
    notes.note(text)
  },
  warn: (text) => {
    texts.push(`warning: ${text}`)
    notes.warn(text)
  },
  report: (failure, of) => {
    texts.push(of === undefined ? failure.message : `${of}: ${failure.message}`)
    notes.report(failure, of)
  },
})

/** What is missing of an answer, in a sentence; undefined where all of it is there. */
const describeMissing = ({ failed: error, code }: RunEnd): string | undefined => {
  if (error !== undefined) return error instanceof Error ? error.message : String(error)
  return code === exitCodes.partial ? 'not everything could be read' : undefined
}

/** Whether what was written is worth keeping: a list that lacks some of its objects says so. */
const isWorthKeeping = ({ failed: error }: RunEnd): boolean =>
  error === undefined || (error instanceof Failure && error.category === 'partial')

interface FileOptions {
  readonly name: string
  readonly globals: FileFlags
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/**
 * The streams of a run whose answer is a page, or goes to a file.
 * @param endPage ends the page, where it is one
 */
export const withFile = async (
  screen: Streams,
  endPage: EndPage | undefined,
  { name, globals: { to, open }, env, signal }: FileOptions,
): Promise<Streams> => {
  const path = open ? await pageToOpen(name) : to
  const file = path === undefined || path === '-' ? undefined : await openFile(path, signal)
  const { notes: plainNotes, style } = screen
  const said: string[] = []
  const notes = endPage === undefined ? plainNotes : keepNotes(plainNotes, said)
  const out = file ?? screen.plain
  let begun = false
  const finish = async (say: () => void, end: RunEnd): Promise<void> => {
    say()
    const kept = isWorthKeeping(end)
    if (kept && endPage !== undefined && begun)
      await out.write(endPage(said, describeMissing(end), style))
    if (file !== undefined && !kept) {
      await file.discard()
      if (open) await rm(dirname(file.path), { recursive: true, force: true })
      if (file.failure() === undefined) plainNotes.note(`${file.path} was not written`)
      return
    }
    await out.end()
    if (open && file !== undefined) await show(file.path, env, plainNotes)
    else if (file !== undefined) plainNotes.note(`wrote ${file.path}`)
  }
  const begin = (): boolean => {
    const first = !begun
    begun = true
    return first
  }
  return { ...screen, out, plain: out, notes, finish, page: endPage && { begin } }
}
