/** A searchable list of which several are picked: typing filters, Tab marks, Enter takes. */
import {
  createPrompt,
  isBackspaceKey,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core'
import { type Item, matching } from './matching.js'

interface Config {
  readonly message: string
  readonly items: readonly Item[]
  readonly pageSize: number
}

const help = 'type to filter, ↑↓ to move, Tab to mark, Enter to take'

const toggled = (marked: readonly number[], index: number): number[] =>
  marked.includes(index) ? marked.filter((i) => i !== index) : [...marked, index]

/** Asks for several of the items; gives their positions, in the order of the list. */
export const pickMany = createPrompt<number[], Config>((config, done) => {
  const theme = makeTheme({})
  const [status, setStatus] = useState<'idle' | 'done'>('idle')
  const [term, setTerm] = useState('')
  const [active, setActive] = useState(0)
  const [marked, setMarked] = useState<readonly number[]>([])
  const prefix = usePrefix({ status, theme })
  const shown = matching(config.items, term)
  const current = shown[Math.min(active, shown.length - 1)]

  useKeypress((key, line) => {
    if (isEnterKey(key)) {
      const taken = marked.length > 0 ? marked : current === undefined ? [] : [current]
      if (taken.length === 0) return
      setStatus('done')
      setMarked(taken)
      done([...taken].sort((a, b) => a - b))
    } else if (isTabKey(key)) {
      // Readline put the tab into its line; the term is what stood there before.
      line.clearLine(0)
      line.write(term)
      if (current !== undefined) setMarked(toggled(marked, current))
    } else if (isUpKey(key)) setActive(Math.max(0, active - 1))
    else if (isDownKey(key)) setActive(Math.min(shown.length - 1, active + 1))
    else if (isBackspaceKey(key) || line.line !== term) {
      setTerm(line.line)
      setActive(0)
    }
  })

  const names = marked.map((i) => config.items[i]?.name ?? '').join(', ')
  const page = usePagination({
    items: shown,
    active: Math.max(0, Math.min(active, shown.length - 1)),
    renderItem: ({ item, isActive }) => {
      const { name = '', description } = config.items[item] ?? {}
      const text = `${isActive ? '❯' : ' '} ${marked.includes(item) ? '[x]' : '[ ]'} ${name}`
      const more = description === undefined ? '' : theme.style.help(`  ${description}`)
      return (isActive ? theme.style.highlight(text) : text) + more
    },
    pageSize: config.pageSize,
    loop: false,
  })
  const message = theme.style.message(config.message, status)
  if (status === 'done') return `${prefix} ${message} ${theme.style.answer(names)}`
  const rows = shown.length === 0 ? theme.style.error('nothing matches') : page
  return [`${prefix} ${message} ${term}`, `${rows}\n${theme.style.help(help)}`]
})
