/** Opens pages in a real browser. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { createFolder } from '../support/program.js'
import { hasProgram } from '../support/terminal.js'

const program = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => hasProgram(name))

/** False if no browser is installed. */
export const hasBrowser = program !== undefined

export interface PageOptions {
  readonly dark?: boolean
  readonly width?: number
}

/** A page in the browser, with all messages, errors, dialogs and external requests. */
export interface OpenedPage {
  readonly page: Page
  readonly complaints: readonly string[]
  close(): Promise<void>
}

/** Starts a browser for the tests of a file. @returns a function that opens a page from its HTML */
export const useBrowser = (): ((text: string, looks?: PageOptions) => Promise<OpenedPage>) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: `/usr/bin/${program}`,
      args: ['--no-sandbox', '--disable-gpu'],
    })
  })
  afterAll(() => browser.close())
  return async (text, { dark = false, width = 1280 } = {}) => {
    const file = join(createFolder(), 'page.html')
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

/** Lists the findings of an accessibility checker. In dark mode it checks only the contrast, because nothing else differs. */
export const listViolations = async (page: Page, dark: boolean): Promise<unknown> => {
  await page.evaluate(axe.source)
  const options = dark ? "{ runOnly: { type: 'rule', values: ['color-contrast'] } }" : ''
  return page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
  )
}

/** Returns the width of the page's content in pixels. */
export const measureWidth = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth')

/** Returns the number of A4 sheets of the printed page. */
export const countSheets = async (page: Page): Promise<number> => {
  const printed = await page.pdf({ format: 'A4', printBackground: true })
  return printed.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}
