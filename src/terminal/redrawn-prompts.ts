/**
 * Asks questions that are redrawn in place: those of @inquirer/prompts, and a searchable list with multiple selection.
 */
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
import type { SearchItem } from '../base/interaction.js'

/** Returns the positions of the items whose name or description contains every word of the term. */
export const findMatchingPositions = (items: readonly SearchItem[], term: string): number[] => {
  const words = term.toLowerCase().split(/\s+/)
  return items.flatMap((item, i) => {
    const text = `${item.name} ${item.description ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word)) ? [i] : []
  })
}

/** Only these prompts are bundled; the others would add the editor's encoding tables. */
export { confirm, input, password, search } from '@inquirer/prompts'

interface SelectConfig {
  readonly message: string
  readonly items: readonly SearchItem[]
  readonly pageSize: number
}

const keyHelp = 'type to filter, ↑↓ to move, Tab to mark, Enter to confirm'

const toggleIndex = (marked: readonly number[], index: number): number[] =>
  marked.includes(index) ? marked.filter((i) => i !== index) : [...marked, index]

/** Holds the typed term, the position of the cursor and the marked items. They are selected by Enter. */
const useSelection = (items: readonly SearchItem[]) => {
  const [term, setTerm] = useState('')
  const [active, setActive] = useState(0)
  const [marked, setMarked] = useState<readonly number[]>([])
  const shown = findMatchingPositions(items, term)
  const current = shown[Math.min(active, shown.length - 1)]
  return { term, setTerm, active, setActive, marked, setMarked, shown, current }
}

type ItemSelection = ReturnType<typeof useSelection>

/** Handles keys. Enter selects the marked items, or else the one under the cursor. */
const useKeys = (
  selection: ItemSelection,
  onSelect: (selected: readonly number[]) => void,
): void => {
  const { term, setTerm, active, setActive, marked, setMarked, shown, current } = selection
  useKeypress((key, line) => {
    if (isEnterKey(key)) onSelect(marked.length > 0 || current === undefined ? marked : [current])
    else if (isTabKey(key)) {
      // Readline appended the tab to its line, so the term is restored.
      line.clearLine(0)
      line.write(term)
      if (current !== undefined) setMarked(toggleIndex(marked, current))
    } else if (isUpKey(key)) setActive(Math.max(0, active - 1))
    else if (isDownKey(key)) setActive(Math.min(shown.length - 1, active + 1))
    else if (isBackspaceKey(key) || line.line !== term) {
      setTerm(line.line)
      setActive(0)
    }
  })
}

/** Asks a person to select items, and returns their positions in ascending order. */
export const selectItems = createPrompt<number[], SelectConfig>(
  ({ message, items, pageSize }, done) => {
    const theme = makeTheme({})
    const { style } = theme
    const [status, setStatus] = useState<'idle' | 'done'>('idle')
    const selection = useSelection(items)
    const { term, active, marked, shown } = selection
    const prefix = usePrefix({ status, theme })
    useKeys(selection, (selected) => {
      if (selected.length === 0) return
      setStatus('done')
      selection.setMarked(selected)
      done([...selected].sort((a, b) => a - b))
    })
    const page = usePagination({
      items: shown,
      active: Math.max(0, Math.min(active, shown.length - 1)),
      renderItem: ({ item, isActive }) => {
        const { name = '', description } = items[item] ?? {}
        const text = `${isActive ? '❯' : ' '} ${marked.includes(item) ? '[x]' : '[ ]'} ${name}`
        const more = description === undefined ? '' : style.help(`  ${description}`)
        return (isActive ? style.highlight(text) : text) + more
      },
      pageSize,
      loop: false,
    })
    const question = `${prefix} ${style.message(message, status)}`
    const names = marked.map((i) => items[i]?.name ?? '').join(', ')
    if (status === 'done') return `${question} ${style.answer(names)}`
    const rows = shown.length === 0 ? style.error('no matches') : page
    return [`${question} ${term}`, `${rows}\n${style.help(keyHelp)}`]
  },
)
