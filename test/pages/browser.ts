/** A real browser for tests of pages. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { folder } from '../support/program.js'
import { has } from '../support/terminal.js'

const program = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => has(name))

/** False where no browser is installed. */
export const hasBrowser = program !== undefined

export interface Looks {
  readonly dark?: boolean
  readonly width?: number
}

/** A page in the browser, with all that the browser complained of. */
export interface OpenedPage {
  readonly page: Page
  readonly complaints: readonly string[]
  close(): Promise<void>
}

/** Starts a browser for the tests of a file. @returns a function that opens the text of a page in it */
export const browsing = (): ((text: string, looks?: Looks) => Promise<OpenedPage>) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: `/usr/bin/${program}`,
      args: ['--no-sandbox', '--disable-gpu'],
    })
  })
  afterAll(() => browser.close())
  return async (text, { dark = false, width = 1280 } = {}) => {
    const file = join(folder(), 'page.html')
    writeFileSync(file, text)
    const context = await browser.newContext({
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width, height: 900 },
      acceptDownloads: true,
    })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('dialog', (dialog) => complaints.push(dialog.message()))
    page.on('request', (request) => {
      if (!/^(?:file|blob):/.test(request.url())) complaints.push(request.url())
    })
    await page.goto(`file://${file}`)
    return { page, complaints, close: () => context.close() }
  }
}

/** What a checker of accessibility finds; in the dark by the rule of contrast, since nothing else differs there. */
export const violations = async (page: Page, dark: boolean): Promise<unknown> => {
  await page.evaluate(axe.source)
  const options = dark ? "{ runOnly: { type: 'rule', values: ['color-contrast'] } }" : ''
  return page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
  )
}

/** The width of all that a page shows, in pixels. */
export const measureWidth = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth')

/** The number of A4 sheets that a page takes in print. */
export const countSheets = async (page: Page): Promise<number> => {
  const printed = await page.pdf({ format: 'A4', printBackground: true })
  return printed.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}
