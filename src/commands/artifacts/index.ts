/** `artifacts download` and `artifacts file` (API document 2, "Job artifacts"). */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { boolean, string } from '../../catalogue/endpoint.js'
import { usage } from '../../errors.js'
import type { Answer, WireRequest } from '../../http/types.js'
import type { Context, Given, Plan, Special } from '../types.js'
import { extract } from './extract.js'
import { dispositionName, safeName } from './name.js'
import { bytesText, resumed, save, sizeOf } from './save.js'
import { archive, beginningAs, checkEnding, type Expected, fileNamed, saysItsEnd } from './whole.js'

interface Download {
  readonly answer: Answer
  readonly body: AsyncIterable<Uint8Array>
  /** Looks at what was written, where HTTP cannot tell whether it is whole. */
  readonly check?: (path: string) => Promise<void>
}

const start = async (ctx: Context, plan: Plan, expected: Expected): Promise<Download> => {
  const client = await ctx.client(plan.endpoint, true)
  const request: WireRequest = await ctx.request(plan)
  const answer = await client.open(request)
  const bytes = resumed(client, request, answer, (text) => ctx.note(text))
  const body = beginningAs(expected, bytes, answer)
  if (saysItsEnd(answer)) return { answer, body }
  if (expected === archive) return { answer, body, check: (path) => checkEnding(path, answer) }
  ctx.warn('the instance does not say how long the file is: if it was cut short, nobody can tell')
  return { answer, body }
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
  for await (const chunk of body) await ctx.write(chunk)
}

const toFile = (ctx: Context, download: Download, target: string): Promise<number> =>
  ctx.progress(`downloading ${target}`, (say) =>
    save(target, download.body, sizeOf(download.answer), say, download.check),
  )

const extractInto = async (ctx: Context, download: Download, to: unknown): Promise<void> => {
  const directory = resolve(ctx.cwd, typeof to === 'string' ? to : '.')
  const scratch = await mkdtemp(join(tmpdir(), 'svcctl-'))
  try {
    const path = join(scratch, 'artifacts.zip')
    await toFile(ctx, download, path)
    const files = await extract(path, directory)
    ctx.note(`extracted ${files} file${files === 1 ? '' : 's'} into ${directory}`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
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
  const name = kind.fallback(plan)
  const download = await start(ctx, plan, kind.expected(name))
  if (to === '-') return toStdout(ctx, download)
  if (unpack === true) return extractInto(ctx, download, to)
  const target = await targetOf(ctx, to, await nameFor(download.answer, name))
  const written = await toFile(ctx, download, target)
  ctx.note(`${target}  ${bytesText(written)}`)
}

const to = string('write to this file or directory, or - for standard output')

export const download: Special = {
  description: [
    'Written beside the target and renamed when complete; resumed where the server allows ranges.',
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
