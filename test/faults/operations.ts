/** The six ways to use the API that are combined with each fault, and the correct answer to each. */
import { deflateRawSync } from 'node:zlib'

export interface Operation {
  readonly name: 'list' | 'get' | 'put' | 'post' | 'delete' | 'download'
  readonly args: readonly string[]
  /** This command without an argument or a flag, so that the user is asked. */
  readonly asks: readonly string[]
  readonly status: string
  readonly type: string
  readonly body: Buffer
}

const toBuffer = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/** A ZIP archive with one entry, `hello.txt`, built by hand so that its bytes are always the same. */
export const archive = ((): Buffer => {
  const name = Buffer.from('hello.txt')
  const packed = deflateRawSync(Buffer.from('hello'))
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(8, 4)
  common.writeUInt32LE(0x3610a686, 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(5, 18)
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, Buffer.alloc(14), name])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, central, end])
})()

const runner = { id: 7, description: 'build-7', active: true, is_shared: true, status: 'online' }

const createOperation = (
  name: Operation['name'],
  args: string,
  asks: string,
  body: Buffer,
  more: Partial<Operation> = {},
): Operation => ({
  name,
  args: args.split(' '),
  asks: asks.split(' '),
  status: '200 OK',
  type: 'application/json',
  body,
  ...more,
})

export const operations: readonly Operation[] = [
  createOperation(
    'list',
    'runners list --limit all',
    'jobs list',
    toBuffer([runner, { ...runner, id: 8 }]),
  ),
  createOperation('get', 'runners get 7', 'runners get', toBuffer(runner)),
  createOperation(
    'put',
    // Reads before a write meet the faults of a read: test/engine/journaling/keeping.test.ts.
    'runners update 7 --description build-7 --no-undo-record',
    'runners update --description build-7',
    toBuffer(runner),
  ),
  createOperation('post', 'runners enable 7 -P 1', 'runners enable -P 1', toBuffer(runner), {
    status: '201 Created',
  }),
  createOperation(
    'delete',
    'deploy-keys delete 7 -P 1 --yes --no-undo-record',
    'deploy-keys delete 7 -P 1',
    toBuffer({ message: 'deleted' }),
  ),
  createOperation('download', 'artifacts download 7 -P 1', 'artifacts download -P 1', archive, {
    type: 'application/zip',
  }),
]
