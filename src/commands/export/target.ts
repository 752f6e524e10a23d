/** Where an export goes: standard output, one file, or a folder of files. */
import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Services } from '../../engine/command/services.js'
import { usage } from '../../errors.js'

/** What a document is written as. */
type DocumentForm = 'yaml' | 'json'

export interface ExportTarget {
  readonly is: 'output' | 'file' | 'folder'
  readonly form: DocumentForm
  /** Absolute; empty for standard output. */
  readonly path: string
}

const isFile = (path: string): boolean => {
  try {
    return !lstatSync(path).isDirectory()
  } catch {
    return /\.(?:ya?ml|json)$/i.test(path)
  }
}

/** The form that was asked for; YAML where only the environment or a profile asks for what it cannot be. */
const formOf = async ({ place }: Services): Promise<DocumentForm> => {
  const { output } = place.globals
  if (output !== undefined && !['json', 'yaml', 'table'].includes(output))
    throw usage(`export gives YAML or JSON, not ${output}`, 'Leave --output out, or give json.')
  const wanted = output ?? (place.env.SVC_OUTPUT || undefined) ?? (await place.profile())?.output
  return wanted === 'json' ? 'json' : 'yaml'
}

/**
 * Where an export goes.
 * @param to what --to says: `-`, a file, or a folder, which need not be there
 * @throws Failure `usage` for a form that does not go there
 */
export const targetOf = async (services: Services, to = '-'): Promise<ExportTarget> => {
  const form = await formOf(services)
  if (to === '-') return { is: 'output', form, path: '' }
  if (to === '') throw usage('--to takes a folder, a file or -')
  const path = resolve(services.place.cwd, to)
  if (/\.json$/i.test(path)) return { is: 'file', path, form: 'json' }
  if (isFile(path) && !/[/\\]$/.test(to)) return { is: 'file', path, form }
  if (services.place.globals.output === 'json')
    throw usage('the files of a folder are YAML', 'Give --to a file, or leave --output out.')
  return { is: 'folder', path, form: 'yaml' }
}
