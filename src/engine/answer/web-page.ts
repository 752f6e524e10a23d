/** `--web`: in the place of an answer, the page of the one object that it is about. */

import { once } from 'node:events'
import { isObject, toText } from '../../base/objects.js'
import { startProgram } from '../../base/processes.js'
import type { Words } from '../../catalogue/words.js'
import { Failure, usage } from '../../errors.js'
import type { Writer } from '../../output/types.js'
import type { UiService } from '../command/services.js'
import { PartOfAnswer } from './part.js'
import type { RunAnswer } from './printing.js'

// Opens a page in the browser of the system, by the system's own program and without a shell.

/** On Windows, and from the Linux within it, as a click on a link does. */
const windows = ['rundll32.exe', 'url.dll,FileProtocolHandler'] as const

/** The program that opens what it is given, with what stands before that. */
const opener = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly string[] => {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return windows
  return env.WSL_DISTRO_NAME && !env.DISPLAY && !env.WAYLAND_DISPLAY ? windows : ['xdg-open']
}

/**
 * Hands an address to the browser and waits for nothing but that it could be started.
 * @throws Error where there is no such program
 */
export const openPage = async (
  url: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<void> => {
  const [program = '', ...args] = opener(env, platform)
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

/** What showing a page needs of its run. */
interface Showing {
  readonly env: NodeJS.ProcessEnv
  /** The address of the instance, the only one whose pages are shown. */
  readonly baseUrl: () => Promise<string>
  readonly note: UiService['note']
  readonly words: Pick<Words, 'name'> | undefined
}

const isSet = (text: string | undefined): boolean => text !== undefined && text !== ''

/** Whether there is a screen that a browser could open on; at the other end of ssh there is none. */
export const hasDisplay = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean => {
  if (['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY', 'CI'].some((name) => isSet(env[name])))
    return false
  if (platform === 'win32' || platform === 'darwin') return true
  return ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => isSet(env[name]))
}

/**
 * The address of a record's page, as it may be opened.
 * @throws Failure `failed` for one that is not on the instance: whoever writes a record would choose it
 */
export const getWebUrl = (record: unknown, baseUrl: string, field = 'web_url'): string => {
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

/** One of several parents' records stands below its name. */
const withinParent = (value: unknown): unknown =>
  isObject(value) && isObject(value.record) ? value.record : value

const several = (): Failure =>
  usage(
    '--web opens the page of a single object, and there are several',
    'Choose one by its ID or with --where.',
  )

export class WebPage extends PartOfAnswer implements RunAnswer {
  readonly #printing: RunAnswer
  readonly #showing: Showing

  constructor(printing: RunAnswer, showing: Showing) {
    super(printing, () => this.#writer(), 'instance')
    this.#printing = printing
    this.#showing = showing
  }

  async writer(): Promise<Writer> {
    return this.#writer()
  }

  #writer(): Writer {
    const found: unknown[] = []
    const record = async (value: unknown): Promise<void> => {
      if (found.push(withinParent(value)) > 1) throw several()
    }
    return {
      record,
      raw: async (batch) => {
        for (const bytes of batch) await record(JSON.parse(Buffer.from(bytes).toString()))
      },
      close: async () => {
        if (found.length === 0) throw new Failure('not_found', 'no object to open in the browser')
        await this.#show(found[0])
      },
      abandon: async () => {},
    }
  }

  async #show(record: unknown): Promise<void> {
    const { baseUrl, env, note, words } = this.#showing
    const url = getWebUrl(record, await baseUrl(), words?.name('web_url'))
    if (hasDisplay(env, process.platform)) {
      try {
        await openPage(url, env)
        return note(`opened ${url}`)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        note(`cannot start a browser (${why}); the URL is`)
      }
    }
    await this.#printing.write(`${url}\n`)
  }
}
