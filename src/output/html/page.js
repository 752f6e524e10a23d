// The script of a page: sorts, filters, downloads and pages its tables, and copies commands. Without it the first rows stand as they
// are. Rows beyond those are blocks of JSON: an array a row, of texts or of [text, value, tone, address].

/** Rows that are shown at once where they do not all stand in the page. */
const shown = 1000
/** A table of so many rows needs no filter. */
const few = 8
const none = '–'
/** A longer text has a box of its own that scrolls. */
const long = 500
const longName = 80
const changeFacets = ['verb', 'kind']

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const button = (text, click) => {
  const element = make('button', { type: 'button' }, text)
  element.addEventListener('click', click)
  return element
}

const parts = (cell) => (Array.isArray(cell) ? cell : [cell])

/** A row of a block as a row of the table. */
const toRow = (cells, heads) => {
  const row = make('tr', {})
  cells.forEach((cell, i) => {
    const [text, , tone, address] = parts(cell)
    const td = make('td', { className: [heads[i]?.dataset.kind, tone].filter(Boolean).join(' ') })
    const shown = address ? make('a', { href: address, rel: 'noreferrer' }, text) : text
    td.append(text.length > long ? make('div', { className: 'long', tabIndex: 0 }, shown) : shown)
    row.append(td)
  })
  return row
}

const textAt = (row, i) => (Array.isArray(row) ? parts(row[i])[0] : row.cells[i].textContent)

/** The value of a cell as it came; nothing where there is none. */
const valueAt = (row, i) => {
  const value = Array.isArray(row) ? parts(row[i])[1] : row.cells[i].dataset.v
  const text = textAt(row, i)
  return value ?? (text === none ? '' : text)
}

const textOf = (row) =>
  Array.isArray(row) ? row.map((cell) => parts(cell)[0]).join('\t') : row.textContent

/** What a row is sorted by: numbers and times by their value, the rest by its text. */
const sortValue = (row, i, kind) => {
  const value = valueAt(row, i)
  const number =
    kind === 'n' ? Number.parseFloat(value) : kind === 't' ? Date.parse(value) : Number.NaN
  return Number.isNaN(number) ? value : number
}

const { compare: compareTexts } = new Intl.Collator(undefined, { numeric: true })

/** Numbers before texts; what has no value last, in either direction. */
const compare = (a, b, direction) => {
  if (a === '' || b === '') return Number(a === '') - Number(b === '')
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b)
  return direction * compareTexts(String(a), String(b))
}

/** The step of a time: its day, the Monday of its week, its month. */
const stepOf = (value, unit) => {
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return ''
  if (unit === 'week') time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7))
  return time.toISOString().slice(0, unit === 'month' ? 7 : 10)
}

/** A cell of a sheet; one that would be run as a formula gets an apostrophe in front. */
const toCsv = (text, kind, raw) => {
  const isNumber = kind === 'n' || /^[+-]\d+(\.\d+)?$/.test(text)
  const whole =
    !raw && !isNumber && /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text
  return /[",\n\r]|^[ \t]|[ \t]$/.test(whole) ? `"${whole.replaceAll('"', '""')}"` : whole
}

/** Buttons with counts, by column: what is pressed of one column is wanted, and so of each column. */
class Facets {
  /** @param facets the values of each column: value, text, count, tone */
  constructor(facets, toggle) {
    this.buttons = []
    this.element = make('div', { className: 'facets' })
    for (const { column, name, values } of facets) {
      const facet = make('div', { className: 'facet' }, make('span', { className: 'said' }, name))
      facet.setAttribute('role', 'group')
      facet.setAttribute('aria-label', name)
      for (const [value, text, count, tone] of values) {
        const one = button('', () => toggle(column, value))
        const name = text.length > longName ? `${[...text].slice(0, longName).join('')}…` : text
        one.append(make('span', { className: tone }, name), ` ${count.toLocaleString('en')}`)
        this.buttons.push([one, column, value])
        facet.append(one)
      }
      this.element.append(facet)
    }
  }

  press(wanted) {
    for (const [one, column, value] of this.buttons)
      one.setAttribute('aria-pressed', String(wanted.get(column)?.has(value) === true))
  }
}

const toggleIn = (wanted, column, value) => {
  const values = wanted.get(column) ?? new Set()
  if (!values.delete(value)) values.add(value)
  if (values.size === 0) wanted.delete(column)
  else wanted.set(column, values)
}

const addIn = (wanted, column, value) =>
  wanted.set(column, (wanted.get(column) ?? new Set()).add(value))

/** Puts a filter into the address; returns what it is called there. */
const writeHash = (address) => {
  const written = `#${address}`
  history.replaceState(null, '', written === '#' ? location.pathname : written)
  return written
}

/** The changes of a plan, of which facets choose by verb and kind. */
class Changes {
  constructor(section) {
    this.changes = [...section.querySelectorAll('.change')]
    if (this.changes.length <= few) return
    this.places = [...section.querySelectorAll('details.place')]
    this.open = this.places.map(({ open }) => open)
    const facets = changeFacets.flatMap((name) => {
      const counts = new Map()
      for (const { dataset } of this.changes)
        counts.set(dataset[name], (counts.get(dataset[name]) ?? 0) + 1)
      const values = [...counts]
        .map(([value, n]) => [value, value.replaceAll('_', ' '), n, ''])
        .sort(([a], [b]) => Number(b === 'delete') - Number(a === 'delete'))
      return counts.size < 2 ? [] : [{ column: name, name, values }]
    })
    this.facets = new Facets(facets, (name, value) => {
      toggleIn(this.wanted, name, value)
      this.choose()
      const address = new URLSearchParams()
      for (const [one, values] of this.wanted) for (const text of values) address.append(one, text)
      writeHash(address)
    })
    this.count = make('span', { className: 'said' })
    this.count.setAttribute('role', 'status')
    const tools = make('div', { className: 'tools' }, this.facets.element, this.count)
    section.querySelector('details.place').before(tools)
    this.readAddress()
    window.addEventListener('hashchange', () => this.readAddress())
  }

  readAddress() {
    this.wanted = new Map()
    for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
      if (changeFacets.includes(name)) addIn(this.wanted, name, value)
    this.choose()
  }

  choose() {
    for (const one of this.changes)
      one.hidden = [...this.wanted].some(([name, values]) => !values.has(one.dataset[name]))
    const shown = this.changes.filter(({ hidden }) => !hidden).length
    this.places.forEach((place, i) => {
      place.hidden = place.querySelector('.change:not([hidden])') === null
      place.open = this.wanted.size > 0 || this.open[i]
    })
    const all = this.changes.length.toLocaleString('en')
    this.count.textContent = this.wanted.size > 0 ? `${shown.toLocaleString('en')} of ${all}` : ''
    this.facets.press(this.wanted)
  }
}

/** The rows of one table, and what of them is shown in which order. */
class List {
  constructor(section) {
    const table = section.querySelector(':scope > .scroll > table')
    this.section = section
    this.body = table.tBodies[0]
    this.heads = [...table.tHead.rows[0].cells]
    this.names = this.heads.map((head) => head.textContent)
    this.kinds = this.heads.map((head) => head.dataset.kind ?? '')
    this.rows = [...this.body.rows]
    for (const block of section.querySelectorAll('script.rows'))
      for (const row of JSON.parse(block.textContent)) this.rows.push(row)
    this.facts = JSON.parse(section.querySelector('script.facets')?.textContent ?? '{"facets":[]}')
    // Whether they all stand in the page.
    this.whole = this.rows.length === this.body.rows.length
    this.found = this.rows
    this.page = 0
    /** The values that are wanted, by column; of the column of the chart its steps. */
    this.wanted = new Map()
    const region = table.closest('.scroll')
    const summary = section.querySelector(':scope > .summary')
    if (summary) section.prepend(summary)
    if (this.rows.length < 2) return
    this.addTools(region)
    this.readAddress()
    window.addEventListener('hashchange', () => this.readAddress())
  }

  addTools(region) {
    this.filter = make('input', { type: 'search', placeholder: 'Filter rows' })
    this.filter.setAttribute('aria-label', 'Filter rows')
    this.count = make('span', { className: 'said' })
    this.count.setAttribute('role', 'status')
    this.back = button('Previous', () => this.turn(-1))
    this.next = button('Next', () => this.turn(1))
    this.clear = button('Show all', () => {
      this.wanted.clear()
      this.filter.value = ''
      this.choose()
    })
    const csv = button('Download CSV', () => this.download())
    csv.className = 'end'
    const pages = this.whole ? [] : [this.back, this.next]
    const line = make('div', {}, this.filter, this.count, this.clear, ...pages, csv)
    this.facets = new Facets(this.facts.facets, (column, value) => this.toggle(column, value))
    const tools = make('div', { className: 'tools' }, this.facets.element, line)
    if (this.rows.length > few) region.before(tools)
    let waiting
    this.filter.addEventListener('input', () => {
      clearTimeout(waiting)
      waiting = setTimeout(() => this.choose(), 120)
    })
    this.heads.forEach((head, column) => {
      head.replaceChildren(button(head.textContent, () => this.sort(column)))
    })
    for (const step of this.section.querySelectorAll('g[data-step]'))
      step.addEventListener('click', () => this.toggle(this.facts.time.column, step.dataset.step))
  }

  toggle(column, value) {
    toggleIn(this.wanted, column, value)
    this.choose()
  }

  /** The filter of the address: `#status=failed&q=lint&sort=-id`. */
  readAddress() {
    const asked = new URLSearchParams(location.hash.slice(1))
    if (`#${asked}` === this.written) return
    this.written = `#${asked}`
    this.wanted.clear()
    for (const [name, value] of asked) {
      const column = this.names.indexOf(name)
      if (column >= 0) addIn(this.wanted, column, value)
    }
    this.filter.value = asked.get('q') ?? ''
    const sort = asked.get('sort') ?? ''
    const column = this.names.indexOf(sort.replace(/^-/, ''))
    this.column = column < 0 ? undefined : column
    this.direction = sort.startsWith('-') ? -1 : 1
    this.choose(false)
  }

  writeAddress() {
    const address = new URLSearchParams()
    for (const [column, values] of this.wanted)
      for (const value of values) address.append(this.names[column], value)
    if (this.filter.value !== '') address.set('q', this.filter.value)
    if (this.column !== undefined)
      address.set('sort', `${this.direction < 0 ? '-' : ''}${this.names[this.column]}`)
    this.written = writeHash(address)
  }

  sort(column) {
    const descends = this.column === column && this.direction === 1
    this.column = column
    this.direction = descends ? -1 : 1
    this.choose()
  }

  fits(row, words) {
    const { time } = this.facts
    for (const [column, values] of this.wanted) {
      const value = valueAt(row, column)
      if (!values.has(column === time?.column ? stepOf(value, time.unit) : value)) return false
    }
    if (words.length === 0) return true
    const text = textOf(row).toLowerCase()
    return words.every((word) => text.includes(word))
  }

  choose(writes = true) {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    this.found = this.rows.filter((row) => this.fits(row, words))
    for (const head of this.heads) head.removeAttribute('aria-sort')
    if (this.column !== undefined) {
      this.heads[this.column].setAttribute(
        'aria-sort',
        this.direction < 0 ? 'descending' : 'ascending',
      )
      this.found = this.found
        .map((row) => [sortValue(row, this.column, this.kinds[this.column]), row])
        .sort(([a], [b]) => compare(a, b, this.direction))
        .map(([, row]) => row)
    }
    this.facets.press(this.wanted)
    this.page = 0
    this.draw()
    if (writes) this.writeAddress()
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
      ...found.slice(from, to).map((row) => (Array.isArray(row) ? toRow(row, this.heads) : row)),
    )
    const all = `${rows.length.toLocaleString('en')} rows`
    const some =
      found.length === rows.length ? all : `${found.length.toLocaleString('en')} of ${all}`
    this.count.textContent = to - from === found.length ? some : `${from + 1}–${to} of ${some}`
    this.back.disabled = from === 0
    this.next.disabled = to === found.length
    this.clear.hidden = found.length === rows.length
  }

  download() {
    const { csvRaw, name } = this.facts
    const lines = [
      this.names.map((text) => toCsv(text, '', csvRaw)),
      ...this.found.map((row) =>
        this.names.map((_, i) => toCsv(valueAt(row, i), this.kinds[i], csvRaw)),
      ),
    ]
    const text = lines.map((line) => `${line.join(',')}\n`).join('')
    const file = new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' })
    const href = URL.createObjectURL(file)
    make('a', { href, download: `${name}.csv` }).click()
    setTimeout(() => URL.revokeObjectURL(href), 10_000)
  }
}

/** Puts a text on the clipboard; a page that came from a file selects it where it may not. */
const copy = async (code, element) => {
  try {
    await navigator.clipboard.writeText(code.textContent)
    element.textContent = 'Copied'
  } catch {
    getSelection().selectAllChildren(code)
    document.execCommand('copy')
    element.textContent = 'Copied'
  }
  setTimeout(() => {
    element.textContent = 'Copy'
  }, 2000)
}

// What is printed is not folded.
window.addEventListener('beforeprint', () => {
  for (const place of document.querySelectorAll('details.place')) place.open = true
})

document.addEventListener('DOMContentLoaded', () => {
  for (const line of document.querySelectorAll('.cmd')) {
    const code = line.firstElementChild
    const element = button('Copy', () => copy(code, element))
    element.setAttribute('aria-label', `Copy ${code.textContent}`)
    line.append(element)
  }
  for (const head of document.querySelectorAll('section.list > .scroll > table > thead'))
    new List(head.closest('section'))
  const changes = document.getElementById('changes')
  if (changes) new Changes(changes)
})
