/** Splits pages into their parts, and changes the snapshots that pages are made of. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Sets the time at which a snapshot was read. */
export const setSnapshotTime = (to: string, at: string): void => {
  const path = join(to, 'manifest.json')
  const manifest: object = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...manifest, began: at, ended: at }))
}

/** A text that a page must neither run, nor show in another direction, nor obey. */
export const hostile = `</script><img src=x onerror=alert(1)>"'&\u001b[31m\u202ekcab`

const findBetween = (text: string, from: string, to: string): string | undefined => {
  const at = text.indexOf(from)
  const end = text.indexOf(to, at + from.length)
  return at < 0 || end < 0 ? undefined : text.slice(at + from.length, end)
}

const entities: Readonly<Record<string, string>> = { '&#39;': "'", '&quot;': '"', '&amp;': '&' }

/** Splits a page into its parts; the footer is undefined if it is missing or not closed. */
export const splitPage = (page: string) => ({
  style: findBetween(page, '<style>', '</style>') ?? '',
  script: findBetween(page, '<script>', '</script>') ?? '',
  policy: (findBetween(page, 'Content-Security-Policy" content="', '">') ?? '').replace(
    /&#39;|&quot;|&amp;/g,
    (entity) => entities[entity] ?? '',
  ),
  body: page.slice(page.indexOf('<body>')),
  footer: findBetween(page, '<footer>', '</footer>'),
  blocks: [...page.matchAll(/<script type="application\/json" class="rows">(.*?)<\/script>/gs)].map(
    ([, text = '']): readonly unknown[] => JSON.parse(text),
  ),
})
