/** Tests the parts of executables: the program's files, a Node without symbols, the bill of materials. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import formatsModule from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { listRequired, readProgram } from '../../.config/release/assets.js'
import { buildCycloneDx, buildSpdx, parseBundled } from '../../.config/release/bill.js'
import { stripBytes } from '../../.config/release/strip.js'

describe('the files of the program', () => {
  it('are those that each other requires', () => {
    const text =
      "require('./a.cjs'), require(`./b.cjs`), require('node:fs'), other.require('./c.cjs')"
    expect(listRequired('x.cjs', text)).toEqual(['a.cjs', 'b.cjs'])
  })

  it('may hold no import(), which fails in an executable', () => {
    expect(() =>
      listRequired('x.cjs', "const a = { import(b) { c.import(b); return import('d') } }"),
    ).toThrow('x.cjs holds an import() at 44, which fails in an executable')
    expect(listRequired('x.cjs', 'const a = { import(b) { c.import(b) } } // import(d)')).toEqual(
      [],
    )
  })

  it('hold none, and are the program alone', () => {
    const names = [...readProgram('dist').keys()]
    expect(names.length).toBeGreaterThan(150)
    expect(names.filter((name) => /^(client|sandbox|start|keep)\.cjs$/.test(name))).toEqual([])
  })
})

describe('an ELF file', () => {
  /** Builds an ELF file with a header, a segment that is loaded, one that is not, and a section table. */
  const elf = (): Buffer => {
    const bytes = Buffer.alloc(400, 7)
    bytes.write('\x7fELF\x02\x01', 'latin1')
    bytes.writeBigUInt64LE(64n, 32)
    bytes.writeBigUInt64LE(350n, 40)
    for (const [at, value] of [
      [54, 56],
      [56, 2],
      [60, 9],
      [62, 8],
    ] as const)
      bytes.writeUInt16LE(value, at)
    for (const [at, type, offset, size] of [
      [64, 1, 0n, 300n],
      [120, 4, 320n, 30n],
    ] as const) {
      bytes.writeUInt32LE(type, at)
      bytes.writeBigUInt64LE(offset, at + 8)
      bytes.writeBigUInt64LE(size, at + 32)
    }
    return bytes
  }

  it('ends with what is loaded, and names no sections', () => {
    const [before, after] = [elf(), stripBytes(elf())]
    expect(after.length).toBe(300)
    expect([after.readBigUInt64LE(40), after.readUInt16LE(60), after.readUInt16LE(62)]).toEqual([
      0n,
      0,
      0,
    ])
    for (const [from, to] of [
      [0, 40],
      [48, 60],
      [64, 300],
    ] as const)
      expect(after.subarray(from, to)).toEqual(before.subarray(from, to))
  })

  it('is told from others', () => {
    expect(() => stripBytes(Buffer.from('MZ…'.padEnd(200)))).toThrow('not a 64-bit')
  })
})

describe('the bill of materials', () => {
  const licences = readFileSync('dist/licences.txt', 'utf8')
  const contents = {
    version: '1.2.3',
    licences,
    node: { ...process.versions, node: '26.0.0', openssl: '3.5.1' },
    now: new Date('2026-11-22T10:00:00Z'),
    serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  }
  const bill = JSON.parse(buildCycloneDx(contents))

  it('names what is bundled, and Node with what it is built from', () => {
    const { undici } = JSON.parse(readFileSync('package.json', 'utf8')).devDependencies
    const found = parseBundled(licences).find(({ name }) => name === 'undici')
    expect(found?.licence).toBe('MIT')
    expect(undici).toContain(found?.version.split('.')[0])
    expect(bill.metadata.component).toMatchObject({ name: 'svcctl', version: '1.2.3' })
    expect(bill.components).toHaveLength(parseBundled(licences).length + 1)
    expect(bill.components).toContainEqual(
      expect.objectContaining({ name: 'undici', purl: `pkg:npm/undici@${found?.version}` }),
    )
    const node = bill.components.find(({ name }: { name: string }) => name === 'node')
    expect(node).toMatchObject({ version: '26.0.0', type: 'platform' })
    expect(node.components).toContainEqual(
      expect.objectContaining({ name: 'openssl', version: '3.5.1' }),
    )
  })

  it('is as its schema has it', () => {
    const schemas = join(
      dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json')),
      'res/schema',
    )
    const read = (name: string) => JSON.parse(readFileSync(join(schemas, name), 'utf8'))
    const ajv = new Ajv({ strict: false, allErrors: true })
    formatsModule.default(ajv)
    ajv.addFormat('iri-reference', true).addFormat('idn-email', true)
    for (const name of ['jsf-0.82.SNAPSHOT.schema.json', 'spdx.SNAPSHOT.schema.json'])
      ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}`)
    const check = ajv.compile(read('bom-1.6.SNAPSHOT.schema.json'))
    check(bill)
    expect(check.errors).toBeNull()
  })

  it('names the same packages as SPDX, each by an ID of its own', () => {
    const { spdxVersion, packages, relationships, creationInfo } = JSON.parse(buildSpdx(contents))
    expect([spdxVersion, creationInfo.created]).toEqual(['SPDX-2.3', '2026-11-22T10:00:00Z'])
    const named = (list: readonly { name: string }[]) => list.map(({ name }) => name).sort()
    const inBill = parseBundled(licences).map(({ name }) => ({ name }))
    expect(named(packages)).toEqual(named([...inBill, { name: 'node' }, { name: 'svcctl' }]))
    const ids = packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID)
    expect(ids.filter((id: string) => !/^SPDXRef-[A-Za-z0-9.-]+$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    const related = relationships.map(
      ({ relatedSpdxElement }: { relatedSpdxElement: string }) => relatedSpdxElement,
    )
    expect(related.sort()).toEqual(ids.sort())
  })

  it('are the same again, whenever they are made', () => {
    expect(buildCycloneDx(contents)).toBe(buildCycloneDx(contents))
    expect(buildSpdx(contents)).toBe(buildSpdx(contents))
  })

  it('is not made of licences that are written otherwise', () => {
    expect(() => parseBundled('undici, MIT')).toThrow('begins with "undici, MIT"')
  })
})
