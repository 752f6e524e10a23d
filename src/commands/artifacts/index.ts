/** `artifacts download` and `artifacts file` (`catalogue/reference/artifacts.md`). */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { boolean, string } from '../../catalogue/params.js'
import { Failure, usage } from '../../errors.js'
import type { Answer, Client, WireRequest } from '../../http/types.js'
import type { Context, Given, Plan, Special } from '../types.js'
import { extract } from './extract.js'
import { dispositionName, safeName } from './name.js'
import { existingFolder } from './publish.js'
import { BeginAgain, resumed, sizeOf } from './resume.js'
import { bytesText, givenAway, type Progress, save } from './save.js'
import {
  archive,
  beginningAs,
  checkContents,
  checkStatus,
  type Expected,
  endingWhole,
  fileNamed,
  saysItsEnd,
} from './whole.js'

interface Download {
  readonly answer: Answer
  readonly body: AsyncIterable<Uint8Array>
  /** Looks at what was written, where more can be told of that than of what passes by. */
  readonly check?: (path: string) => Promise<void>
  /** All of it again, from the whole that the instance answered with, or asked for once more. */
  readonly again: (answer: Answer | undefined) => Promise<Download>
}

const start = async (ctx: Context, plan: Plan, expected: Expected): Promise<Download> => {
  const client: Client = await ctx.client(plan.endpoint, true)
  const request: WireRequest = await ctx.request(plan)
  const again = async (given: Answer | undefined): Promise<Download> => {
    const answer = given ?? (await client.open(request))
    checkStatus(answer)
    const bytes = resumed(client, request, answer, (text) => ctx.note(text))
    const body = beginningAs(expected, bytes, answer)
    if (expected === archive) {
      const check = (path: string) => checkContents(path, answer)
      return { answer, body: endingWhole(body, answer), check, again }
    }
    if (!saysItsEnd(answer))
      ctx.warn(
        'the instance does not say how long the file is: if it was cut short, nobody can tell',
      )
    return { answer, body, again }
  }
  return again(undefined)
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (s) => s.isDirectory(),
    () => false,
  )

/** The file to write: `--to` as a file or a directory, else the name the instance gives. */
const targetOf = async (ctx: Context, to: unknown, name: string): Promise<string> => {
  const path = resolve(ctx.cwd, typeof to === 'string' ? to : '.')
  const directory = to === undefined || String(to).endsWith('/') || (await isDirectory(path))
  return directory ? join(path, safeName(name)) : path
}

const nameFor = async (answer: Answer, fallback: string): Promise<string> =>
  (await dispositionName(answer.headers['content-disposition'])) ?? fallback

const toStdout = async (ctx: Context, { body }: Download): Promise<void> => {
  let written = 0
  try {
    for await (const chunk of body) {
      await ctx.write(chunk)
      written += chunk.length
    }
  } catch (error) {
    throw givenAway(error, written, 'standard output')
  }
}

const changing = (answer: Answer): Failure =>
  new Failure(
    'unreachable',
    'the file changed on the way, and again when all of it was asked for once more',
    { request: `GET ${answer.url}`, hint: 'Try again when nothing writes it.' },
  )

/** Saves a download; once more from its beginning where the rest of a cut one cannot be had. */
const toFile = async (
  ctx: Context,
  download: Download,
  target: string,
  progress: Progress,
): Promise<number> => {
  const saved = ({ answer, body, check }: Download): Promise<number> =>
    save(target, body, { total: sizeOf(answer), progress, check, signal: ctx.signal })
  try {
    return await saved(download)
  } catch (error) {
    if (!(error instanceof BeginAgain)) throw error
    ctx.note('what the instance has is not the rest of what came: beginning again')
    const whole = await download.again(error.answer)
    return saved(whole).catch((second: unknown) => {
      throw second instanceof BeginAgain ? changing(whole.answer) : second
    })
  }
}

const extractInto = async (ctx: Context, download: Download, folder: string): Promise<void> => {
  const files = await ctx.progress(`downloading and extracting into ${folder}`, (progress) =>
    extract((path) => toFile(ctx, download, path, progress), folder, {
      signal: ctx.signal,
      progress,
    }),
  )
  ctx.note(`extracted ${files} file${files === 1 ? '' : 's'} into ${folder}`)
}

const deliver = async (
  ctx: Context,
  given: Given,
  kind: {
    readonly fallback: (plan: Plan) => string
    readonly expected: (name: string) => Expected
  },
): Promise<void> => {
  const plan = await ctx.plan(given)
  if (ctx.globals.curl) return ctx.showCurl(plan)
  const { to, extract: unpack } = given.flags
  if (unpack === true && to === '-') throw usage('--extract and --to - exclude each other')
  const folder = resolve(ctx.cwd, typeof to === 'string' ? to : '.')
  if (unpack === true) await existingFolder(folder)
  const name = kind.fallback(plan)
  const download = await start(ctx, plan, kind.expected(name))
  if (to === '-') return toStdout(ctx, download)
  if (unpack === true) return extractInto(ctx, download, folder)
  const target = await targetOf(ctx, to, await nameFor(download.answer, name))
  const written = await ctx.progress(`downloading ${target}`, (progress) =>
    toFile(ctx, download, target, progress),
  )
  ctx.note(`${target}  ${bytesText(written)}`)
}

const to = string('write to this file or directory, or - for standard output', {
  completes: 'file',
})

export const download: Special = {
  description: [
    'Written beside the target and renamed when complete; resumed where the server allows ranges.',
    'A device or a pipe is written into. --extract checks the whole archive before any file appears.',
  ],
  flags: {
    to,
    extract: boolean('unpack the archive into --to (the working directory unless given)'),
  },
  examples: [
    'artifacts download 13 --project platform/app',
    'artifacts download --ref main --job build --project platform/app --extract --to out',
  ],
  run: (ctx, given) =>
    deliver(ctx, given, { fallback: () => 'artifacts.zip', expected: () => archive }),
}

export const file: Special = {
  flags: { to },
  examples: [
    'artifacts file dist/app.txt --job-id 13 --project platform/app',
    'artifacts file dist/app.txt --ref main --job build --project platform/app --to -',
  ],
  run: (ctx, given) =>
    deliver(ctx, given, {
      fallback: (plan) =>
        String(plan.values.artifact_path ?? 'file')
          .split('/')
          .at(-1) ?? 'file',
      expected: fileNamed,
    }),
}
