/**
 * Provides a program for the PATH of shells that runs its line in the process of the test: real shells and pipes, but no process of
 * `svcctl`. It connects over loopback: one connection for the line and its exit code, and one for each stream.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { type LineChanges, startLine } from './within.js'

/** Builds a bash script, because bash can open connections: it sends its arguments and input to the test, and prints the answer. */
const buildScript = (port: number): string => `#!/bin/bash
at=/dev/tcp/127.0.0.1/${port}
exec 3<>$at 4<>$at 5<>$at 6<&0
{ printf 'line\\n%s\\0%s\\0' "$PWD" "$#"; [ $# -eq 0 ] || printf '%s\\0' "$@"; env -0; printf '\\0'; } >&3
read -r id <&3
echo "stdout $id" >&4
echo "stderr $id" >&5
cat <&4 6<&- & out=$!
cat <&5 >&2 6<&- & err=$!
exec 4>&- 5>&-
while read -r word code <&3; do
  case $word in
    stdin) { echo "stdin $id"; cat; } <&6 >$at 3<&- & in=$! ;;
    end) wait $out $err; [ -z "$in" ] || kill $in 2>/dev/null; exit $code ;;
  esac
done
exit 255
`

interface ShellLine {
  readonly control: Socket
  readonly streams: Map<string, (socket: Socket) => void>
}

const lines = new Map<string, ShellLine>()

/** Changes to the `Io` of the lines that shells start, by the working folder of the lines. */
export const changesByFolder = new Map<string, (args: readonly string[]) => LineChanges>()

const createPipeError = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })

/** Creates a stream that writes to a connection as to a pipe. */
const pipeTo = (opened: Promise<Socket>): Writable =>
  new Writable({
    write: async (chunk: Buffer, _encoding, done) => {
      const socket = await opened
      if (socket.destroyed) done(createPipeError())
      else socket.write(chunk, (error) => done(error ? createPipeError() : null))
    },
    final: async (done) => {
      const socket = await opened
      socket.end(() => done())
    },
  })

/** Parses the request of a script: working folder, arguments and variables. */
const readLine = (text: string) => {
  const [cwd = '', count = '0', ...rest] = text.split('\0')
  const args = rest.splice(0, Number(count))
  const variables = rest.flatMap((one) => {
    const at = one.indexOf('=')
    return at < 1 ? [] : [[one.slice(0, at), one.slice(at + 1)] as const]
  })
  return { cwd, args, env: Object.fromEntries(variables) }
}

let last = 0

const runShellLine = async (control: Socket, text: string): Promise<void> => {
  const id = String(++last)
  const streams = new Map<string, (socket: Socket) => void>()
  const opened = (name: string): Promise<Socket> =>
    new Promise((resolve) => streams.set(name, resolve))
  const [stdout, stderr] = [pipeTo(opened('stdout')), pipeTo(opened('stderr'))]
  const input = opened('stdin')
  const stdin = Readable.from(
    (async function* () {
      control.write('stdin\n')
      yield* await input
    })(),
    { objectMode: false },
  )
  lines.set(id, { control, streams })
  const { args, cwd, env } = readLine(text)
  control.write(`${id}\n`)
  const line = startLine(args, {
    cwd,
    env,
    bare: true,
    io: {
      ...changesByFolder.get(cwd)?.(args),
      stdin,
      stdout,
      stderr,
      isPiped: () => true,
      writeNow: (bytes) => {
        stdout.write(bytes)
        return bytes.length
      },
    },
  })
  control.on('close', () => line.kill('SIGTERM'))
  const { code } = await line.ended
  control.removeAllListeners('close')
  await Promise.all([stdout, stderr].map((stream) => finish(stream)))
  lines.delete(id)
  control.end(`end ${code}\n`)
}

const finish = async (stream: Writable): Promise<void> => {
  if (stream.destroyed) return
  stream.on('error', () => {})
  stream.end()
  await Promise.race([once(stream, 'finish'), once(stream, 'close')])
}

/** Dispatches a connection by its first line: a new line, or a stream of a running one. */
const accept = (socket: Socket): void => {
  socket.on('error', () => {})
  let text = ''
  const hear = (chunk: Buffer): void => {
    text += chunk.toString('latin1')
    const at = text.indexOf('\n')
    if (at < 0) return
    const [word = '', id = ''] = text.slice(0, at).split(' ')
    if (word !== 'line') {
      socket.off('data', hear)
      socket.pause()
      socket.unshift(Buffer.from(text.slice(at + 1), 'latin1'))
      lines.get(id)?.streams.get(word)?.(socket)
    } else if (text.endsWith('\0\0')) {
      socket.off('data', hear)
      void runShellLine(socket, Buffer.from(text.slice(at + 1, -1), 'latin1').toString())
    }
  }
  socket.on('data', hear)
}

let server: Server | undefined

/** Starts the server for scripts once. @returns the text of the script */
export const buildShellProgram = async (): Promise<string> => {
  if (server === undefined) {
    server = createServer(accept)
    server.unref()
    server.listen(0, '127.0.0.1')
  }
  if (!server.listening) await once(server, 'listening')
  return buildScript((server.address() as AddressInfo).port)
}
