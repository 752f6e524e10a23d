/**
 * Implements `artifacts download` and `artifacts file`, which save, resume, check and extract downloads
 * (`catalogue/reference/artifacts.md`).
 */

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { resolvePath } from '../../base/io.js'
import { redactedMark, redactSecrets } from '../../base/secrets/redact.js'
import { formatCount } from '../../base/text.js'
import { boolean, string } from '../../catalogue/params.js'
import type { Context } from '../../engine/command/context.js'
import type { Given, Plan } from '../../engine/command/types.js'
import { createNoteRow, type Rows } from '../../engine/rows.js'
import { Failure, usage } from '../../errors.js'
import type { Answer } from '../../http/types.js'
import { listWritten } from '../answers.js'
import { define } from '../define.js'
import { isUnsafeName } from './archive.js'
import { downloadAndExtract, findFolder } from './extract.js'
import { followFile } from './follow.js'
import { type CheckedDownload, formatBytes, openDownload, saveToFile, yieldBody } from './save.js'

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (s) => s.isDirectory(),
    () => false,
  )

/**
 * Returns the last segment of a file name, so that the instance cannot choose another folder.
 * @throws Failure `failed` if the name is unsafe
 */
const toSafeName = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  if (last === '' || isUnsafeName(last))
    throw new Failure('failed', `the instance sent the unsafe file name ${JSON.stringify(name)}`, {
      hint: 'Pass the name with --to <file>.',
    })
  return last
}

/** Returns the file name of a Content-Disposition header, with secrets masked; undefined if there is none. */
const getDispositionName = async (header: unknown): Promise<string | undefined> => {
  if (typeof header !== 'string') return undefined
  const { default: disposition } = await import('content-disposition')
  try {
    const { filename } = disposition.parse(header).parameters
    return typeof filename === 'string' && filename !== ''
      ? redactSecrets(filename).replaceAll(redactedMark, 'xxx')
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the file to write: `--to`, or the name from the instance in the folder of `--to`. */
const getTargetFile = async (
  cwd: string,
  to: string | undefined,
  name: string,
): Promise<string> => {
  const path = resolvePath(to ?? '.', cwd)
  const directory = to === undefined || to.endsWith('/') || (await isDirectory(path))
  return directory ? join(path, toSafeName(name)) : path
}

const getFileName = async (answer: Answer, defaultName: string): Promise<string> =>
  (await getDispositionName(answer.headers['content-disposition'])) ?? defaultName

async function* extractInto(context: Context, download: CheckedDownload, folder: string): Rows {
  const files = await context.ui.showProgress(
    `downloading and extracting to ${folder}`,
    (progress) =>
      downloadAndExtract((path) => saveToFile(context, download, path, progress), folder, {
        signal: context.place.clock.signal,
        progress,
      }),
  )
  yield createNoteRow(`extracted ${formatCount(files.length, 'file')} into ${folder}`)
  yield* listWritten(context, files, true)
}

interface DownloadKind {
  readonly isArchive: boolean
  /** Returns the file name if the instance does not send one. */
  readonly getDefaultName: (plan: Plan) => string
  /** The default of `--to`. */
  readonly to?: string
}

interface DownloadFlags {
  readonly to?: string | undefined
  readonly extract?: boolean
  readonly follow?: boolean
}

async function* saveDownload(
  context: Context,
  plan: Plan,
  first: Answer,
  { to, extract: unpack }: DownloadFlags,
  kind: DownloadKind,
): Rows {
  const { ui, place } = context
  const folder = resolvePath(to ?? '.', place.cwd)
  const name = kind.getDefaultName(plan)
  const download = await openDownload(context, plan, first, kind.isArchive ? undefined : name)
  if (to === '-') return yield* yieldBody(download)
  if (unpack === true) return yield* extractInto(context, download, folder)
  const target = await getTargetFile(place.cwd, to, await getFileName(download.answer, name))
  const written = await ui.showProgress(`downloading ${target}`, (progress) =>
    saveToFile(context, download, target, progress),
  )
  yield createNoteRow(`${target}  ${formatBytes(written)}`)
  yield* listWritten(context, [{ path: target, size: written }], false)
}

/** Checks the target of a download before the download is requested. */
const checkTarget = async (
  { place }: Context,
  { to, extract: unpack, follow }: DownloadFlags,
): Promise<void> => {
  if (follow === true && to !== '-')
    throw usage('--follow and --to exclude each other', 'A file is complete when it is written.')
  if (unpack === true && to === '-') throw usage('--extract and --to - exclude each other')
  if (unpack === true) await findFolder(resolvePath(to ?? '.', place.cwd))
}

const createDownload = (kind: DownloadKind) =>
  async function* (context: Context, given: Given & { readonly flags: DownloadFlags }): Rows {
    const flags = { to: kind.to, ...given.flags }
    const complete = async (plan: Plan): Promise<Plan> => {
      await checkTarget(context, flags)
      return plan
    }
    yield* context.write(await context.planActions(given, { complete }), {
      finish: async (plan, came) => {
        if ('failure' in came) throw came.failure
        if (!('download' in came)) return { reported: true }
        if (flags.follow === true) return { rows: followFile(context, plan, came.download) }
        return { rows: saveDownload(context, plan, came.download, flags, kind) }
      },
    })
  }

const to = string('file or directory to write to, or - for standard output', {
  completes: 'file',
  writes: true,
  placeholder: 'file',
})

const archiveKind: DownloadKind = { isArchive: true, getDefaultName: () => 'artifacts.zip' }

export const download = define({
  description: [
    'svcctl writes to a temporary file and renames it when complete. An interrupted download resumes if the server supports ranges.',
    'Devices and pipes are written directly. --extract checks the whole archive before it writes any file.',
  ],
  flags: {
    to,
    extract: boolean('extract the archive into --to [working directory]'),
  },
  rows: createDownload(archiveKind),
})

const fileKind: DownloadKind = {
  isArchive: false,
  getDefaultName: ({ values }) =>
    String(values.artifact_path ?? 'file')
      .split('/')
      .at(-1) ?? 'file',
}

export const file = define({
  flags: { to },
  rows: createDownload(fileKind),
})

/** The kind of an extension's files, which are printed by default. */
const outputKind: DownloadKind = {
  isArchive: false,
  getDefaultName: ({ endpoint }) => endpoint.route.split('/').at(-1) ?? 'file',
  to: '-',
}

/** The flags and rows of an extension's command that returns a file. */
export const fileOutput = define({
  flags: { to: { ...to, help: 'file or directory to write to [standard output]' } },
  rows: createDownload(outputKind),
})

/** The flags and rows of an extension's command whose file grows until its job or pipeline ends. */
export const growingFile = define({
  flags: {
    to: { ...to, help: 'file or directory to write to [standard output]' },
    follow: boolean('print what is added until the job or pipeline is over'),
  },
  rows: createDownload(outputKind),
})
