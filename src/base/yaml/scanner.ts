/** Splits a YAML text into tokens as libyaml does, by its rules for tabs, indentation and single-line keys. */
import { Cursor, isBlank, isBreak, isGap } from './cursor.js'
import { readBlock, readPlain, readQuoted } from './scalars.js'
import type { Mark, YamlToken, YamlTokenKind } from './tokens.js'

/** The maximum length of a key in characters. A key must be on a single line. */
const maxKeyLength = 1024

/** The maximum nesting of brackets. */
const maxDepth = 1000

/** A token that may turn out to be a key, once a colon follows. */
interface PossibleKey {
  /** The index of the token. */
  readonly index: number
  readonly at: Mark
  /** True if only a key may be here, so that a missing colon is an error. */
  readonly required: boolean
}

const collectionKinds: Readonly<Record<string, YamlTokenKind>> = {
  '[': 'flow list',
  ']': 'flow list end',
  '{': 'flow map',
  '}': 'flow map end',
}

/** Reads tokens on demand, so that the first mistake in the text is reported first. */
export class YamlScanner {
  readonly #tokens: YamlToken[] = []
  readonly #at: Cursor
  #indent = -1
  readonly #indents: number[] = []
  /** True if a key may begin here. */
  #allowsKey = true
  /** The possible key of each level of brackets, outermost first. */
  readonly #keys: (PossibleKey | undefined)[] = [undefined]
  #ended = false

  constructor(text: string) {
    this.#at = new Cursor(text)
  }

  /** Returns the token at an index. If the token may be a key, further tokens are read until that is known. @throws YamlProblem */
  tokenAt(index: number): YamlToken {
    for (;;) {
      this.#dropStale()
      const token = this.#tokens[index]
      const isOpen = this.#keys.some((key) => key?.index === index)
      if (token !== undefined && (this.#ended || !isOpen)) return token
      if (this.#ended) throw new Error('a text ends before its last token')
      this.#readNext()
    }
  }

  get #inFlow(): boolean {
    return this.#keys.length > 1
  }

  #add(kind: YamlTokenKind, value = '', at: Mark = this.#at.mark, plain = false): void {
    this.#tokens.push({ kind, at, value, plain })
  }

  // Keys, which are recognized by the colon after them.

  #checkRequired(key: PossibleKey | undefined): void {
    if (key?.required === true)
      this.#at.fail("could not find expected ':'", 'while scanning a simple key')
  }

  /** Drops possible keys whose line has ended. */
  #dropStale(): void {
    for (const [level, key] of this.#keys.entries()) {
      if (key === undefined) continue
      if (key.at.line === this.#at.line && key.at.offset + maxKeyLength >= this.#at.offset) continue
      this.#checkRequired(key)
      this.#keys[level] = undefined
    }
  }

  #saveKey(): void {
    if (!this.#allowsKey) return
    this.#dropKey()
    const required = !this.#inFlow && this.#indent === this.#at.column
    this.#keys[this.#keys.length - 1] = { index: this.#tokens.length, at: this.#at.mark, required }
  }

  #dropKey(): void {
    this.#checkRequired(this.#keys.at(-1))
    this.#keys[this.#keys.length - 1] = undefined
  }

  // Indentation.

  #indentTo(kind: YamlTokenKind, at: Mark, index = this.#tokens.length): void {
    if (this.#inFlow || this.#indent >= at.column) return
    this.#indents.push(this.#indent)
    this.#indent = at.column
    this.#tokens.splice(index, 0, { kind, at, value: '', plain: false })
  }

  #unindentTo(column: number): void {
    if (this.#inFlow) return
    while (this.#indent > column) {
      this.#add('block end')
      this.#indent = this.#indents.pop() ?? -1
    }
  }

  // Tokens.

  /** Skips white space, comments and line breaks. A tab is not white space where a key may begin. */
  #skipBlanks(): void {
    const at = this.#at
    if (at.offset === 0 && at.peek() === '\ufeff') at.skip()
    for (;;) {
      at.takeWhile((character) =>
        character === '\t' ? this.#inFlow || !this.#allowsKey : character === ' ',
      )
      if (at.peek() === '#') at.takeWhile((character) => !isBreak(character))
      if (!isBreak(at.peek())) return
      at.skipBreak()
      if (!this.#inFlow) this.#allowsKey = true
    }
  }

  #readNext(): void {
    const at = this.#at
    this.#skipBlanks()
    this.#dropStale()
    this.#unindentTo(at.column)
    if (at.peek() === '') this.#readEnd()
    else if (at.column === 0 && at.peek() === '%') this.#readDirective()
    else if (at.isAtDocument) this.#readDocumentMark()
    else if (!this.#readIndicator()) this.#readScalar()
  }

  #leaveBlocks(): void {
    this.#unindentTo(-1)
    this.#dropKey()
    this.#allowsKey = false
  }

  #readEnd(): void {
    for (const key of this.#keys) this.#checkRequired(key)
    this.#leaveBlocks()
    this.#ended = true
    this.#add('end')
  }

  #readDirective(): void {
    const { mark } = this.#at
    const context = 'while scanning a directive'
    this.#leaveBlocks()
    const line = this.#at.takeWhile((character) => !isBreak(character))
    const [name = '', ...values] = line.slice(1).split(/[ \t]+/)
    const count = values.findIndex((value) => value.startsWith('#'))
    const given = values.slice(0, count < 0 ? values.length : count).filter((value) => value !== '')
    if (name === '') this.#at.fail('could not find expected directive name', context, mark)
    if (!/^[\w-]+$/.test(name))
      this.#at.fail('found unexpected non-alphabetical character', context, mark)
    const isVersion = name === 'YAML' && given.length === 1 && /^\d+\.\d+$/.test(given[0] ?? '')
    if (!isVersion && !(name === 'TAG' && given.length === 2))
      this.#at.fail('found unknown directive name', context, mark)
    const value = [name, ...given].join(' ')
    this.#add('directive', value, mark)
  }

  #readDocumentMark(): void {
    this.#leaveBlocks()
    this.#add(this.#at.peek() === '-' ? 'document start' : 'document end')
    this.#at.skip(3)
  }

  /** Reads a character that is not part of a scalar. @returns false if there is none here */
  #readIndicator(): boolean {
    const sign = this.#at.peek()
    const isAlone = isGap(this.#at.peek(1))
    const kind = collectionKinds[sign]
    if (kind !== undefined) this.#readBracket(sign, kind)
    else if (sign === ',') this.#readFlowEntry()
    else if (sign === '-' && isAlone) this.#readBlockEntry()
    else if (sign === '?' && (this.#inFlow || isAlone)) this.#readKey()
    else if (sign === ':' && (this.#inFlow || isAlone)) this.#readValue()
    else if (sign === '*' || sign === '&') this.#readAnchor(sign)
    else if (sign === '!') this.#readTag()
    else return false
    return true
  }

  #readBracket(sign: string, kind: YamlTokenKind): void {
    const { mark } = this.#at
    const opens = sign === '[' || sign === '{'
    if (opens) {
      this.#saveKey()
      if (this.#keys.length > maxDepth) this.#at.fail('exceeded maximum depth', '')
      this.#keys.push(undefined)
    } else {
      this.#dropKey()
      if (this.#inFlow) this.#keys.pop()
    }
    this.#allowsKey = opens
    this.#at.skip()
    this.#add(kind, '', mark)
  }

  #readFlowEntry(): void {
    this.#dropKey()
    this.#allowsKey = true
    this.#add('flow entry')
    this.#at.skip()
  }

  #checkAllowed(what: string): void {
    if (!this.#inFlow && !this.#allowsKey)
      this.#at.fail(`${what} are not allowed in this context`, '')
  }

  #readBlockEntry(): void {
    this.#checkAllowed('block sequence entries')
    this.#indentTo('block list', this.#at.mark)
    this.#dropKey()
    this.#allowsKey = true
    this.#add('block entry')
    this.#at.skip()
  }

  #readKey(): void {
    this.#checkAllowed('mapping keys')
    this.#indentTo('block map', this.#at.mark)
    this.#dropKey()
    this.#allowsKey = !this.#inFlow
    this.#add('key')
    this.#at.skip()
  }

  #readValue(): void {
    const key = this.#keys.at(-1)
    if (key === undefined) {
      this.#checkAllowed('mapping values')
      this.#indentTo('block map', this.#at.mark)
      this.#allowsKey = !this.#inFlow
    } else {
      this.#tokens.splice(key.index, 0, { kind: 'key', at: key.at, value: '', plain: false })
      this.#indentTo('block map', key.at, key.index)
      this.#keys[this.#keys.length - 1] = undefined
      this.#allowsKey = false
    }
    this.#add('value')
    this.#at.skip()
  }

  #readAnchor(sign: string): void {
    const { mark } = this.#at
    this.#saveKey()
    this.#allowsKey = false
    this.#at.skip()
    const name = this.#at.takeWhile((character) => /[\w-]/.test(character))
    const after = this.#at.peek()
    if (name === '' || !(isGap(after) || '?:,]}%@`'.includes(after))) {
      const what = sign === '*' ? 'an alias' : 'an anchor'
      this.#at.fail(
        'did not find expected alphabetic or numeric character',
        `while scanning ${what}`,
      )
    }
    this.#add(sign === '*' ? 'alias' : 'anchor', name, mark)
  }

  #readTag(): void {
    const { mark } = this.#at
    const context = 'while scanning a tag'
    this.#saveKey()
    this.#allowsKey = false
    const isWhole = this.#at.peek(1) === '<'
    const characters = isWhole ? /[-\w;/?:@&=+$.!~*'()%,[\]<]/ : /[-\w;/?:@&=+$.!~*'()%]/
    const tag = this.#at.takeWhile((character) => characters.test(character))
    if (isWhole) {
      if (this.#at.peek() !== '>') this.#at.fail("did not find the expected '>'", context, mark)
      this.#at.skip()
    }
    if (!isGap(this.#at.peek()) && !(this.#inFlow && this.#at.peek() === ','))
      this.#at.fail('did not find expected whitespace or line break', context)
    this.#add('tag', isWhole ? tag.slice(2) : tag, mark)
  }

  #readScalar(): void {
    const at = this.#at
    const { mark } = at
    const sign = at.peek()
    if ((sign === '|' || sign === '>') && !this.#inFlow) {
      this.#dropKey()
      this.#allowsKey = true
      this.#add('scalar', readBlock(at, this.#indent), mark)
      return
    }
    if (sign !== '"' && sign !== "'") {
      this.#readPlainScalar()
      return
    }
    this.#saveKey()
    this.#allowsKey = false
    this.#add('scalar', readQuoted(at), mark)
  }

  #readPlainScalar(): void {
    const at = this.#at
    const { mark } = at
    const sign = at.peek()
    const isPlain =
      !'-?:,[]{}#&*!|>\'"%@`\t'.includes(sign) ||
      (sign === '-' && !isBlank(at.peek(1))) ||
      (!this.#inFlow && (sign === '?' || sign === ':'))
    if (!isPlain)
      at.fail('found character that cannot start any token', 'while scanning for the next token')
    this.#saveKey()
    this.#allowsKey = false
    const { value, endsLine } = readPlain(at, this.#indent + 1, this.#inFlow)
    if (endsLine) this.#allowsKey = true
    this.#add('scalar', value, mark, true)
  }
}
