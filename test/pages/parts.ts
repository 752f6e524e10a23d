/** The parts of a page, and what its snapshots are made of. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Ages a snapshot: it was read at this time. */
export const age = (to: string, at: string): void => {
  const path = join(to, 'manifest.json')
  const manifest: object = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...manifest, began: at, ended: at }))
}

/** What a page must not run, show in another direction, or obey. */
export const hostile = `</script><img src=x onerror=alert(1)>"'&\u001b[31m\u202ekcab`

const between = (text: string, from: string, to: string): string | undefined => {
  const at = text.indexOf(from)
  const end = text.indexOf(to, at + from.length)
  return at < 0 || end < 0 ? undefined : text.slice(at + from.length, end)
}

const entities: Readonly<Record<string, string>> = { '&#39;': "'", '&quot;': '"', '&amp;': '&' }

/** A page taken apart; the footer is undefined where it does not end. */
export const parts = (page: string) => ({
  style: between(page, '<style>', '</style>') ?? '',
  script: between(page, '<script>', '</script>') ?? '',
  policy: (between(page, 'Content-Security-Policy" content="', '">') ?? '').replace(
    /&#39;|&quot;|&amp;/g,
    (entity) => entities[entity] ?? '',
  ),
  body: page.slice(page.indexOf('<body>')),
  footer: between(page, '<footer>', '</footer>'),
  blocks: [...page.matchAll(/<script type="application\/json" class="rows">(.*?)<\/script>/gs)].map(
    ([, text = '']): readonly unknown[] => JSON.parse(text),
  ),
})
