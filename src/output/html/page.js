// The script of a page: sorts, filters and pages its tables. Without it the first rows stand as they are.
// Rows beyond those are blocks of JSON: an array a row, of texts or of [text, value, tone, address].

/** Rows that are shown at once where they do not all stand in the page. */
const shown = 1000
/** A table of so many rows needs no filter. */
const few = 8

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const bar = (share) => {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  const rect = document.createElementNS(space, 'rect')
  svg.setAttribute('class', 'bar')
  svg.setAttribute('viewBox', '0 0 100 8')
  svg.setAttribute('aria-hidden', 'true')
  rect.setAttribute('width', String(100 * Math.min(1, Math.max(0, share))))
  rect.setAttribute('height', '8')
  svg.append(rect)
  return svg
}

const parts = (cell) => (Array.isArray(cell) ? cell : [cell])

/** A row of a block as a row of the table. */
const rowOf = (cells, heads) => {
  const row = make('tr', {})
  cells.forEach((cell, i) => {
    const [text, value, tone, address] = parts(cell)
    const head = heads[i]
    const td = make('td', { className: [head?.dataset.kind, tone].filter(Boolean).join(' ') })
    td.append(address ? make('a', { href: address, rel: 'noreferrer' }, text) : text)
    const most = Number(head?.dataset.most)
    if (most > 0 && typeof value === 'number') td.append(bar(value / most))
    row.append(td)
  })
  return row
}

/** What a row is sorted by: numbers and times by their value, the rest by its text. */
const sortValue = (row, i) => {
  if (Array.isArray(row)) {
    const [text, value] = parts(row[i])
    return value ?? text
  }
  const cell = row.cells[i]
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v)
}

const textOf = (row) =>
  Array.isArray(row) ? row.map((cell) => parts(cell)[0]).join('\t') : row.textContent

const { compare: compareTexts } = new Intl.Collator(undefined, { numeric: true })

/** Numbers before texts; what has no value last, in either direction. */
const compare = (a, b, direction) => {
  const none = (value) => value === '' || value === '–'
  if (none(a) || none(b)) return Number(none(a)) - Number(none(b))
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b)
  return direction * compareTexts(String(a), String(b))
}

/** A button of a table. */
const button = (text, click) => {
  const element = make('button', { type: 'button' }, text)
  element.addEventListener('click', click)
  return element
}

/** The rows of one table, and what of them is shown in which order. */
class List {
  constructor(section) {
    const [table] = section.getElementsByTagName('table')
    this.body = table.tBodies[0]
    this.heads = [...table.tHead.rows[0].cells]
    this.rows = [...this.body.rows]
    for (const block of section.querySelectorAll('script.rows'))
      for (const row of JSON.parse(block.textContent)) this.rows.push(row)
    // Whether they all stand in the page.
    this.whole = this.rows.length === this.body.rows.length
    this.found = this.rows
    this.page = 0
    if (this.rows.length > 1) this.addTools(section.querySelector('.scroll'))
  }

  addTools(table) {
    this.filter = make('input', { type: 'search', placeholder: 'Filter rows' })
    this.filter.setAttribute('aria-label', 'Filter rows')
    this.count = make('span', {})
    this.count.setAttribute('role', 'status')
    this.back = button('Previous', () => this.turn(-1))
    this.next = button('Next', () => this.turn(1))
    const pages = this.whole ? [] : [this.back, this.next]
    const tools = make('div', { className: 'tools' }, this.filter, this.count, ...pages)
    if (this.rows.length > few) table.before(tools)
    let waiting
    this.filter.addEventListener('input', () => {
      clearTimeout(waiting)
      waiting = setTimeout(() => this.choose(), 120)
    })
    this.heads.forEach((head, column) => {
      head.replaceChildren(button(head.textContent, () => this.sort(column)))
    })
    this.draw()
  }

  sort(column) {
    const descends = this.column === column && this.direction === 1
    this.column = column
    this.direction = descends ? -1 : 1
    for (const head of this.heads) head.removeAttribute('aria-sort')
    this.heads[column].setAttribute('aria-sort', descends ? 'descending' : 'ascending')
    this.choose()
  }

  choose() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    const fits = (row) => {
      const text = textOf(row).toLowerCase()
      return words.every((word) => text.includes(word))
    }
    this.found = words.length === 0 ? [...this.rows] : this.rows.filter(fits)
    if (this.column !== undefined)
      this.found = this.found
        .map((row) => [sortValue(row, this.column), row])
        .sort(([a], [b]) => compare(a, b, this.direction))
        .map(([, row]) => row)
    this.page = 0
    this.draw()
  }

  turn(by) {
    this.page += by
    this.draw()
  }

  draw() {
    const { found, rows, whole } = this
    const from = whole ? 0 : this.page * shown
    const to = whole ? found.length : Math.min(from + shown, found.length)
    this.body.replaceChildren(
      ...found.slice(from, to).map((row) => (Array.isArray(row) ? rowOf(row, this.heads) : row)),
    )
    const all = `${rows.length.toLocaleString()} rows`
    const some = found.length === rows.length ? all : `${found.length.toLocaleString()} of ${all}`
    this.count.textContent = to - from === found.length ? some : `${from + 1}–${to} of ${some}`
    this.back.disabled = from === 0
    this.next.disabled = to === found.length
  }
}

document.addEventListener('DOMContentLoaded', () => {
  for (const table of document.querySelectorAll('section.list thead'))
    new List(table.closest('section'))
})
